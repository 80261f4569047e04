/* Programs that create threads without end. The check tries small numbers of threads at a time.
 * expect with -o /dev/null -- waiting bug: ERROR assertion: updates \+ 1 == n
 * expect with -o /dev/null -j1 -- waiting bug: ERROR assertion: updates \+ 1 == n
 * expect with -o /dev/null --explore=dpor -- waiting bug: ERROR assertion: updates \+ 1 == n
 * expect with -o /dev/null --explore=random -- waiting bug: ERROR assertion: updates \+ 1 == n
 * expect with -o /dev/null --memory-model=sc -- waiting bug: ERROR assertion: updates \+ 1 == n
 * expect with -- waiting: BOUNDED no error.*, with at most 4 threads at a time \(spur
 * expect with --threads=4 -- waiting: BOUNDED no error.*, with at most 4 threads at a time \(spur
 * expect with --threads=3 --explore=optimal -- waiting: BOUNDED no error.*, with at most 3 threads at a time \(spur
 * expect with --executions=100 -- waiting: BOUNDED no error.*, with at most 2 threads at a time \(spur
 * expect with -o /dev/null -- ending bug: ERROR assertion: updates \+ 1 == n
 * expect with -- ending: BOUNDED no error.*, with at most 2 threads at a time and 4 different ones
 * expect with -o /dev/null -- detached bug: ERROR assertion: updates \+ 1 == n
 * expect with -- detached: BOUNDED no error.*, with at most 2 threads at a time and 4 different ones
 * expect with --max-steps=300 -b 0 -- joined: UNKNOWN .*executions were cut off by --max-steps$
 * expect with -- polling: BOUNDED no error.*, with at most (4|32) threads at a time$
 * expect with --threads=3 -b 1 -- polling: BOUNDED no error.*, with at most 3 threads at a time$
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int updates, ready;
static int has_bug, waits, polls;

/* With the bug, an update is lost if two threads make it at the same time. */
static void update(void)
{
    pthread_mutex_lock(&mutex);
    int n = updates + 1;
    if (has_bug) {
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
    }
    assert(updates + 1 == n);
    updates = n;
    pthread_mutex_unlock(&mutex);
}

static void *worker(void *a)
{
    while (polls && !ready) sched_yield();
    update();
    pthread_mutex_lock(&mutex);
    while (waits) pthread_cond_wait(&never, &mutex);
    pthread_mutex_unlock(&mutex);
    return a;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    has_bug = argc > 2;
    waits = !strcmp(how, "waiting");
    polls = !strcmp(how, "polling");
    for (;;) {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        if (!strcmp(how, "detached")) pthread_detach(t);
        if (!strcmp(how, "joined")) pthread_join(t, NULL);
    }
}
