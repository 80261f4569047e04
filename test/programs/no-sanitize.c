/* A function that is not to be instrumented: the audit finds its race.
 * expect with --audit=off: BOUNDED .*, not observed: update\(\) at no-sanitize.c:11, which is not instrumented$
 * expect with --audit: BOUNDED .*: update\(\) at no-sanitize.c:20 writes counter, which main reads at no-sanitize.c:28
 * expect with -- never: VERIFIED no error in any schedule$
 * doctor: update\(\) at no-sanitize.c:11, which is not instrumented
 */
#include <pthread.h>
#include <stdio.h>
static int counter;

__attribute__((noinline, no_sanitize("thread"))) static void update(void) { counter++; }
__attribute__((noinline, no_sanitize("thread"))) static int own(int n)
{
    volatile int place[4] = {1, 2, n, 4};
    return place[n & 3];
}

static void *work(void *a)
{
    if (!a) update();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argc > 1 ? argv : NULL);
    counter++;
    pthread_join(t, NULL);
    return own(2) != 2;
}
