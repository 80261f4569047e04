/* Parallel quicksort by a pool of threads: each thread sorts one part of an array and hands the other part to a thread
 * of the pool that is idle, through that thread's own lock and condition variable.
 * Bug: a thread that becomes idle is announced before it is ready. Whoever gives it a part then writes into a job that
 * the thread resets afterwards: the part is lost, and everybody waits.
 * Row: Inspect_benchmarks/qsort_mt -DTHREADS=3 -DITEMS=200
 * Expect: deadlock */
#include "threads.h"

enum job { IDLE, WORK, END };

static struct worker {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum job job;
    int from, to;
} workers[THREADS];
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static int idle[THREADS], busy = THREADS, items[ITEMS];

static int idle_worker(void)
{
    int found = -1;
    pthread_mutex_lock(&pool_lock);
    for (int i = 0; i < THREADS && found < 0; i++)
        if (idle[i]) found = i;
    if (found >= 0) idle[found] = 0, busy++;
    pthread_mutex_unlock(&pool_lock);
    return found;
}

static void give(int number, enum job job, int from, int to)
{
    struct worker *w = &workers[number];
    pthread_mutex_lock(&w->lock);
    w->job = job;
    w->from = from;
    w->to = to;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static int partition(int from, int to)
{
    int pivot = items[to - 1], next = from;
    for (int i = from; i < to; i++) {
        if (items[i] > pivot) continue;
        int moved = items[i];
        items[i] = items[next];
        items[next++] = moved;
    }
    return next - 1;
}

static void sort(int from, int to)
{
    while (to - from > 1) {
        int middle = partition(from, to), other = middle - from > 2 ? idle_worker() : -1;
        if (other >= 0) give(other, WORK, from, middle);
        else sort(from, middle);
        from = middle + 1;
    }
}

static void end_all(void)
{
    for (int i = 0; i < THREADS; i++) give(i, END, 0, 0);
}

static int become_idle(int number)
{
    pthread_mutex_lock(&pool_lock);
    idle[number] = 1;
    int last = --busy == 0;
    pthread_mutex_unlock(&pool_lock);
    return last;
}

static void *work(void *number)
{
    int n = (int)(long)number;
    struct worker *w = &workers[n];
    for (;;) {
        int last = become_idle(n);
        if (last) end_all();
        pthread_mutex_lock(&w->lock);
        if (w->job != END) w->job = IDLE; /* wrong: it may have been given work already */
        while (w->job == IDLE) pthread_cond_wait(&w->changed, &w->lock);
        enum job job = w->job;
        int from = w->from, to = w->to;
        w->job = IDLE;
        pthread_mutex_unlock(&w->lock);
        if (job == END) return NULL;
        sort(from, to);
    }
}

static void *begin(void *number)
{
    sort(0, ITEMS);
    return work(number);
}

int main(void)
{
    for (int i = 0; i < ITEMS; i++) items[i] = i * 7 % ITEMS;
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&workers[i].lock, NULL);
        pthread_cond_init(&workers[i].changed, NULL);
    }
    start(begin, (void *)0L);
    for (long i = 1; i < THREADS; i++) start(work, (void *)i);
    join_all();
    for (int i = 1; i < ITEMS; i++) assert(items[i - 1] <= items[i]);
}
