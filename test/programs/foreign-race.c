/* Two threads come by one call of a function that was built without heddle, and race there.
 * plain: helper.c
 * expect with --audit: BOUNDED .*fully observed: add\(\) at foreign-race.c:13 writes total, which T. (writes|reads) at
 * expect with --audit=off: BOUNDED .*, not observed: add\(\) in helper.o, built without heddle cc$
 * whole: ERROR race
 */
#include <pthread.h>
void add(int *to, int n);
static int total;

static void *work(void *a)
{
    add(&total, 2);
    return a;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    return pthread_join(t, NULL) || pthread_join(u, NULL);
}
