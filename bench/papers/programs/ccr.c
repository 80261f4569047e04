/* Tasks posted to a port, one of which throws; the dispatcher hands the exception to a handler that must run once, after which no task
 * begins. In the place of Exception and CCR of Coons, Musuvathi and McKinley (tests of the Concurrency and Coordination Runtime),
 * which are not printed. BUG=1: whether the handler ran is looked at and noted in two steps; BUG=2: the number of pending tasks is. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef TASKS
#define TASKS 3
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static atomic_int pending = TASKS, handled, finished;
static atomic_bool failed;

static int take_task(void)
{
    pthread_mutex_lock(&lock);
    int task = next < TASKS ? next++ : -1;
    pthread_mutex_unlock(&lock);
    return task;
}

static void handle_exception(void)
{
#if BUG == 1
    if (failed) return;
    failed = true;
#else
    if (atomic_exchange(&failed, true)) return;
#endif
    handled++;
}

static void task_done(void)
{
#if BUG == 2
    int left = pending;
    pending = left - 1;
    if (left == 1) finished++;
#else
    if (atomic_fetch_sub(&pending, 1) == 1) finished++;
#endif
}

static void *worker(void *arg)
{
    for (int task; (task = take_task()) >= 0;) {
        if (!failed && task != 1) handle_exception(); /* all but one throw */
        task_done();
    }
    return arg;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_join(t[i], NULL);
    assert(handled == 1);
    assert(finished == 1);
    return 0;
}
