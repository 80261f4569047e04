/* A fork-join pool: a stack of jobs, workers that yield while there is none, and join() by helping. Its state space is cyclic. Bugs:
 * 1  a job is taken without the lock: two workers may have it
 * 2  who sees that another one is about to take a job lets him go first; and who then finds no job forgets to say that he is done. If
 *    there are jobs later (ROUNDS=2), everybody is polite for ever: a livelock, one preemption away
 * 3  the number of jobs that are open is counted down before the job is done: join() may return too early */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef BUG
#define BUG 0
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
enum { MOST_JOBS = 16 };
typedef void job_function(int argument);

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static job_function *pool_function;
static int pool_job[MOST_JOBS];
static atomic_int pool_jobs, pool_open, pool_polite;
static atomic_bool pool_closed;

static void pool_fork(int argument)
{
    pool_open++;
    pthread_mutex_lock(&pool_lock);
    pool_job[pool_jobs] = argument;
    pool_jobs++;
    pthread_mutex_unlock(&pool_lock);
}

static bool pool_may_take(void)
{
    if (BUG != 2) return true;
    if (++pool_polite == 1) return true;
    pool_polite--;
    return false;
}

static bool pool_take(int *argument)
{
    bool found = false;
    if (!pool_jobs || !pool_may_take()) return false;
    if (BUG != 1) pthread_mutex_lock(&pool_lock);
    if (pool_jobs) {
        *argument = pool_job[pool_jobs - 1];
        pool_jobs--;
        found = true;
    }
    if (BUG != 1) pthread_mutex_unlock(&pool_lock);
    if (BUG == 2 && found) pool_polite--;
    return found;
}

static bool pool_run_one(void)
{
    int argument;
    if (!pool_take(&argument)) return false;
    if (BUG == 3) pool_open--;
    pool_function(argument);
    if (BUG != 3) pool_open--;
    return true;
}

static void pool_join(void)
{
    while (pool_open)
        if (!pool_run_one()) sched_yield();
}

static void *pool_worker(void *arg)
{
    while (!pool_closed)
        if (!pool_run_one()) sched_yield();
    return arg;
}

/* start() forks, finish() is called when all jobs of so many rounds are done. */
static void pool_run(job_function *function, void (*start)(void), void (*finish)(int rounds))
{
    pthread_t t[WORKERS];
    pool_function = function;
    for (int i = 0; i < WORKERS; i++) pthread_create(&t[i], NULL, pool_worker, NULL);
    for (int round = 1; round <= ROUNDS; round++) {
        start();
        pool_join();
        finish(round);
    }
    pool_closed = true;
    for (int i = 0; i < WORKERS; i++) pthread_join(t[i], NULL);
}
