/* A wait may return without a signal. Where the condition is checked again that makes no difference.
 * expect with -- if: ERROR assertion: ready .*1 preemption, 1 spurious event,
 * expect with -j 2 -- if: ERROR assertion: ready
 * expect with --explore=icb -- if: ERROR assertion: ready .*1 preemption, 1 spurious event,
 * expect with --explore=dfs -- if: ERROR assertion: ready
 * expect with --explore=dpor -- if: ERROR assertion: ready
 * expect with --explore=optimal -- if: ERROR assertion: ready
 * expect with --explore=optimal --memory-model=sc -- if: ERROR assertion: ready
 * expect with --explore=cb-por -- if: ERROR assertion: ready
 * expect with --explore=cb-por --memory-model=sc -- if: ERROR assertion: ready .*1 preemption, 1 spurious event,
 * expect with --explore=fair -- if: ERROR assertion: ready
 * expect with --explore=random -- if: ERROR assertion: ready
 * expect with --explore=pct -- if: ERROR assertion: ready
 * expect with --isolate=fork -- if: ERROR assertion: ready
 * expect with -b 1 -- if: BOUNDED no error with at most 1 preemption or spurious event$
 * expect with --spurious=0 -- if: VERIFIED no error in any schedule .spurious wake-ups: none, as --spurious=0 asks.$
 * expect with -- timed: ERROR assertion: ready
 * expect with -- clock: ERROR assertion: ready
 * expect with -- twice: VERIFIED no error in any schedule .spurious wake-ups: at most 1 in an execution.$
 * expect with --explore=optimal --memory-model=sc -- twice: VERIFIED no error
 * expect with --explore=cb-por --memory-model=sc -- twice: VERIFIED no error
 * expect with --spurious=2 -- twice: ERROR assertion: ready .*1 preemption, 2 spurious events,
 * expect with --spurious=2 --explore=optimal --memory-model=sc -- twice: ERROR assertion: ready
 * expect with --spurious=2 --explore=cb-por --memory-model=sc -- twice: ERROR assertion: ready
 * expect with --spurious=2 --explore=dfs -j 2 -- twice: ERROR assertion: ready
 * expect with -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 * expect with -j 2 -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 * expect with --explore=optimal -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where
 * expect with --explore=cb-por -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where
 * expect with --explore=dfs -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where
 * expect with -- count: ERROR assertion: wake_ups == 1
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static const char *how;
static int ready, wake_ups;

static int is(const char *word) { return !strcmp(how, word); }

static void *waits(void *unused)
{
    struct timespec never = {1 << 30, 0};
    pthread_mutex_lock(&m);
    if (is("if")) {
        if (!ready) pthread_cond_wait(&c, &m);
    } else if (is("timed")) {
        if (!ready && pthread_cond_timedwait(&c, &m, &never)) ready = 1;
    } else if (is("clock")) {
        if (!ready && pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &never)) ready = 1;
    } else if (is("twice")) {
        if (!ready) pthread_cond_wait(&c, &m);
        if (!ready) pthread_cond_wait(&c, &m);
    } else if (is("count")) {
        for (; !ready; wake_ups++) pthread_cond_wait(&c, &m);
        if (wake_ups) assert(wake_ups == 1);
    } else {
        while (!ready) pthread_cond_wait(&c, &m);
    }
    assert(ready);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1] : "loop";
    pthread_create(&t, NULL, waits, NULL);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return 0;
}
