/* The same in an archive, and nothing is shared.
 * plain: counter.c
 * archive: libcounter.a
 * expect with --audit: VERIFIED no error in any schedule$
 * expect with --audit=off: BOUNDED .*, not observed: update\(\) in libcounter.a\(counter.o\), built without heddle cc$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int counter;
void update(void);

static void *work(void *a)
{
    update();
    return a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    return pthread_join(t, NULL) || counter != 1;
}
