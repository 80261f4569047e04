#include "search/crew_int.h"

#include "base/limits.h"
#include "search/pages_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum {
    OFTEN = 1000000, SELDOM = 20 * OFTEN, /* nanoseconds between two calls of `idle` */
    SPINS = 2000, /* looks before a thread goes to sleep, some microseconds: a round may be over before that */
};

struct crew {
    int workers;
    long interval;       /* OFTEN or SELDOM */
    int spins;           /* none where threads share processors: whoever waits would keep others from working */
    pthread_t *threads;  /* of workers 1 .. */
    int started;
    pthread_mutex_t lock;
    pthread_cond_t begun, done;
    /* the work at hand */
    crew_part *part;
    void *ctx;
    uint32_t parts, next;
    uint32_t round;      /* grows with every piece of work */
    int busy;            /* workers that have not finished it */
    bool ending;
};

struct worker_start { struct crew *crew; int worker; };

struct crew *crew_new(int workers)
{
    struct crew *p = xcalloc(1, sizeof *p);
    p->workers = workers;
    p->interval = SELDOM;
    p->spins = workers <= processors_allowed() ? SPINS : 0;
    p->threads = xcalloc((size_t)workers, sizeof *p->threads);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->begun, NULL);
    pthread_cond_init(&p->done, NULL);
    return p;
}

static void work(struct crew *p, int worker)
{
    for (uint32_t i; (i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->parts;) p->part(p->ctx, worker, i);
}

static bool has_begun(struct crew *p, uint32_t seen)
{
    return __atomic_load_n(&p->round, __ATOMIC_ACQUIRE) != seen || __atomic_load_n(&p->ending, __ATOMIC_ACQUIRE);
}

static void wait_for_work(struct crew *p, uint32_t seen)
{
    for (int i = 0; i < p->spins; i++) {
        if (has_begun(p, seen)) return;
        spin_pause();
    }
    pthread_mutex_lock(&p->lock);
    while (!has_begun(p, seen)) pthread_cond_wait(&p->begun, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void *run_worker(void *arg)
{
    struct worker_start start = *(struct worker_start *)arg;
    struct crew *p = start.crew;
    free(arg);
    for (uint32_t seen = 0;;) {
        wait_for_work(p, seen);
        if (__atomic_load_n(&p->ending, __ATOMIC_ACQUIRE)) return NULL;
        seen = __atomic_load_n(&p->round, __ATOMIC_ACQUIRE);
        work(p, start.worker);
        pthread_mutex_lock(&p->lock);
        if (__atomic_sub_fetch(&p->busy, 1, __ATOMIC_ACQ_REL) == 0) pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->lock);
    }
}

/* Where the system gives no more threads, there are fewer. They begin with the next piece of work. */
static void start_workers(struct crew *p)
{
    while (p->started < p->workers - 1) {
        struct worker_start *s = xmalloc(sizeof *s);
        *s = (struct worker_start){p, p->started + 1};
        if (pthread_create(&p->threads[p->started + 1], NULL, run_worker, s)) {
            free(s);
            p->workers = p->started + 1;
            return;
        }
        p->started++;
    }
}

static void wait_until_done(struct crew *p, void (*idle)(void *ctx), void *ctx)
{
    for (int i = 0; i < p->spins; i++) {
        if (__atomic_load_n(&p->busy, __ATOMIC_ACQUIRE) == 0) return;
        spin_pause();
    }
    pthread_mutex_lock(&p->lock);
    while (__atomic_load_n(&p->busy, __ATOMIC_ACQUIRE)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += p->interval;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        pthread_cond_timedwait(&p->done, &p->lock, &until);
        pthread_mutex_unlock(&p->lock);
        if (idle) idle(ctx);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
}

void crew_run(struct crew *p, uint32_t parts, crew_part *part, void (*idle)(void *ctx), void *ctx)
{
    if (p->workers > 1 && parts > 1) start_workers(p);
    if (p->workers == 1 || parts <= 1) {
        for (uint32_t i = 0; i < parts; i++) part(ctx, 0, i);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->part = part;
    p->ctx = ctx;
    p->parts = parts;
    p->next = 0;
    p->busy = p->started;
    __atomic_store_n(&p->round, p->round + 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&p->begun);
    pthread_mutex_unlock(&p->lock);
    work(p, 0);
    wait_until_done(p, idle, ctx);
}

void crew_look_often(struct crew *p) { p->interval = OFTEN; }

void crew_free(struct crew *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    __atomic_store_n(&p->ending, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&p->begun);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i <= p->started; i++) pthread_join(p->threads[i], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->begun);
    pthread_cond_destroy(&p->done);
    free(p->threads);
    free(p);
}
