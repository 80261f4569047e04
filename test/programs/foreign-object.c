/* An object that was built without heddle: the audit finds its race, and without the audit the verdict says that it is
 * not observed. Its function that is never called needs no word.
 * plain: counter.c
 * expect with --audit=off: BOUNDED .*, not observed: update\(\) in counter.o, built without heddle cc$
 * expect with --audit: BOUNDED .*update\(\) at foreign-object.c:15 writes counter, which main reads at .*:24
 * whole: ERROR race
 */
#include <pthread.h>
int counter;
void update(void);
void unused(void);

static void *work(void *a)
{
    update();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argv);
    if (argc > 5) unused();
    counter++;
    return pthread_join(t, NULL);
}
