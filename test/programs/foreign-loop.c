/* A loop that calls a foreign function which counts its calls, in a thread-local or in a static variable. The loop
 * seems to wait, because nothing that is observed changes.
 * plain: count.c
 * expect: VERIFIED .*not explored: further rounds of loops that seem to wait, if code that is not observed changes
 * expect with -- static: VERIFIED .*not explored: further rounds of loops that seem to wait
 * whole: ERROR crash: abort
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
int next_own(void);
int next_static(void);
static atomic_int flag;

static void *work(void *arg)
{
    flag = 1;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pthread_create(&t, NULL, work, NULL);
    while (!flag)
        if ((argc > 1 ? next_static() : next_own()) == 3) abort();
    pthread_join(t, NULL);
    return 0;
}
