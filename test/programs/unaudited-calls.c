/* A function that is not to be instrumented is called from one place in a loop, and only one of its calls shares memory
 * with another thread: the ninth, one of a loop that creates the thread on its way, one that only some schedules make,
 * or one far beyond those that are audited.
 * expect with -- 8 12: BOUNDED .*: update\(\) at .*:26 writes counter, which main reads at .*:50
 * expect with -- 30 30: VERIFIED no error in any schedule$
 * expect with -- 900 1000: BOUNDED .* not fully observed: update\(\) at .*:26, only some of whose calls
 * expect with -- 1000 1000: BOUNDED .* not fully observed: update\(\) at .*:26, only some of whose calls
 * expect with --audit -- 150 200: BOUNDED .*: update\(\) at .*:26 writes counter, which main reads at .*:50
 * expect with --audit -- 200 200: VERIFIED no error in any schedule$
 * expect with -- start 2: BOUNDED .*: update\(\) at .*:35 writes counter, which T1 reads at .*:50
 * expect with -- start 3: VERIFIED no error in any schedule$
 * expect with -- until 2: BOUNDED .*: update\(\) at .*:42 writes counter, which T1 reads at .*:50
 * expect with -- until 3: VERIFIED no error in any schedule$
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static int counter, shared_at, calls;
static atomic_int done;

__attribute__((noinline, no_sanitize("thread"))) static void update(int n) { if (n == shared_at) counter++; }

static void *work(void *a)
{
    for (int i = 0; i < calls; i++) update(i);
    return a;
}

static void *count(void *);
static void start(pthread_t *t)
{
    for (int i = 0; i < 3; i++) {
        if (i == 2) pthread_create(t, NULL, count, NULL);
        update(i);
    }
}

static void until_done(pthread_t *t)
{
    pthread_create(t, NULL, count, NULL);
    for (int i = 0; i < 3 && !done; i++) update(i);
}

static void *count(void *a)
{
    for (int i = 0; i < 3; i++) {
        done = i == 2;
    }
    counter++;
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    shared_at = calls = argc > 2 ? atoi(argv[2]) : 0;
    if (!strcmp(argv[1], "start")) start(&t);
    else if (!strcmp(argv[1], "until")) until_done(&t);
    else {
        shared_at = atoi(argv[1]);
        pthread_create(&t, NULL, work, NULL);
        count(NULL);
    }
    pthread_join(t, NULL);
    return 0;
}
