/* --threads=N below, at and above what a program has; the first thread counts.
 * expect with -- 2: VERIFIED no error in any schedule$
 * expect with --threads=2 -- 2: BOUNDED no error in any schedule, with at most 2 threads at a time$
 * expect with --threads=3 -- 2: VERIFIED no error in any schedule$
 * expect with --threads=4 -- 2: VERIFIED no error in any schedule$
 * expect with --threads=3 -- 3: BOUNDED no error in any schedule, with at most 3 threads at a time$
 * expect with --threads=3 --verify -- 3: BOUNDED no error in any schedule, with at most 3 threads at a time$
 * expect with --threads=4 -- 3: VERIFIED no error in any schedule$
 * expect with -o /dev/null -- 2 bug: ERROR assertion
 * expect with --threads=2 -- 2 bug: BOUNDED no error in any schedule, with at most 2 threads at a time$
 * expect with -o /dev/null --threads=3 -- 2 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 --explore=icb -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 --explore=optimal -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 --explore=cb-por -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 --explore=dpor -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 --isolate=fork -- 3 bug: ERROR assertion
 * expect with -o /dev/null --threads=3 -- 3 locks: ERROR deadlock
 * expect with --threads=2 -- 3 locks: BOUNDED no error in any schedule, with at most 2 threads at a time$
 * expect with -o /dev/null --threads=2 -- 3 stale: ERROR assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static atomic_int n, data, flag;
static const char *how = "";

static void lock_both(pthread_mutex_t *a, pthread_mutex_t *b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

/* Waiting for the end of a thread because of the limit orders nothing: the flag may be seen without the data. */
static void hand_over(long i)
{
    if (i == 0) {
        atomic_store_explicit(&data, 1, memory_order_relaxed);
        atomic_store_explicit(&flag, 1, memory_order_relaxed);
    } else if (atomic_load_explicit(&flag, memory_order_relaxed))
        assert(atomic_load_explicit(&data, memory_order_relaxed));
}

static void *worker(void *a)
{
    if (!strcmp(how, "locks")) lock_both((long)a % 2 ? &first : &second, (long)a % 2 ? &second : &first);
    else if (!strcmp(how, "stale")) hand_over((long)a);
    else if (!strcmp(how, "bug")) n = n + 1;
    else n++;
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t[8];
    int count = atoi(argv[1]);
    if (argc > 2) how = argv[2];
    for (long i = 0; i < count; i++) pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < count; i++) pthread_join(t[i], NULL);
    assert(!strcmp(how, "locks") || !strcmp(how, "stale") || n == count);
}
