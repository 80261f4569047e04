/* An object that was built without heddle and is never used.
 * plain: counter.c
 * expect: VERIFIED no error in any schedule$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int counter;
void unused(void);

static void *work(void *a) { return a; }

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 5) unused();
    pthread_create(&t, NULL, work, argv);
    return pthread_join(t, NULL);
}
