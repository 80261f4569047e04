/* OpenMP as gcc compiles it: what its library would do, with threads, semaphores and mutexes that are under control.
 * The library itself spins and makes system calls of its own, which nobody sees. One team at a time: a parallel region
 * inside of another one, or beside it, has one thread, as the standard allows. Tasks are run where they are met.
 * Workers are kept from one region to the next; all of this is memory of the program, which starts anew with every
 * execution. */
#include "runtime/openmp_int.h"

#include <limits.h>
#include <semaphore.h>
#include <stdlib.h>

enum { MOST = 16, DEFAULT_THREADS = 2 };

static struct member members[MAX_THREADS]; /* by thread */
static struct team *busy;
static unsigned wanted, worker_count;
static int active_levels; /* of nested regions; 0: the program has not said */
static sem_t go[MOST], done;
static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER, atomic = PTHREAD_MUTEX_INITIALIZER;

struct member *omp_me(void) { return &members[rt.active ? rt.self->id : 0]; }

/* 0: the program leaves it open. */
static unsigned threads_asked(void)
{
    const char *text = wanted ? NULL : getenv("OMP_NUM_THREADS");
    return wanted ? wanted : text && atoi(text) > 0 ? (unsigned)atoi(text) : 0;
}

static unsigned threads_wanted(void)
{
    unsigned n = threads_asked();
    return !n ? DEFAULT_THREADS : n < MOST ? n : MOST;
}

/* By the program, or in the environment: a region inside of another one may have several threads. */
static bool wants_nested(void)
{
    const char *levels = getenv("OMP_MAX_ACTIVE_LEVELS"), *nested = getenv("OMP_NESTED"),
               *threads = getenv("OMP_NUM_THREADS");
    if (active_levels) return active_levels > 1;
    return (levels && atoi(levels) > 1) || (nested && strchr("tT1", nested[0])) || (threads && strchr(threads, ','));
}

/* What the library would do with this region, and is not done. */
static void note_size(unsigned asked)
{
    bool is_inside = omp_me()->team && omp_me()->team->size > 1;
    if (!rt.active || asked == 1) return;
    if (busy && (!is_inside || wants_nested())) rt_unexplored(RT_OMP_NESTED);
    if (busy) return;
    if (!asked) rt_unexplored(RT_OMP_TWO_THREADS);
    if (asked > MOST) rt_unexplored(RT_OMP_MOST_THREADS);
}

static void *worker(void *number)
{
    unsigned n = (unsigned)(uintptr_t)number;
    for (;;) {
        sem_wait(&go[n]);
        *omp_me() = (struct member){.team = busy, .number = n};
        busy->body(busy->data);
        sem_post(&done);
    }
    return NULL;
}

static void call_workers(struct team *team)
{
    for (unsigned i = 1; i < team->size; i++) {
        if (i > worker_count) {
            pthread_t t;
            if (!worker_count) sem_init(&done, 0, 0);
            sem_init(&go[i], 0, 0);
            rt_create(&t, &(struct thread_start){worker, (void *)(uintptr_t)i, false, (uintptr_t)team->body});
            worker_count = i;
        }
        sem_post(&go[i]);
    }
}

/* A team of several threads is not on the stack: to the check of accesses (lifetime.c) what lies below the frame of the
 * program's function belongs to functions that have returned. */
void omp_parallel(void (*body)(void *), void *data, unsigned threads, const struct work *first)
{
    static struct team shared;
    struct team own, *team = &shared;
    struct member outer = *omp_me();
    unsigned size = threads ? threads : threads_wanted();
    note_size(threads ? threads : threads_asked());
    if (size > MOST) size = MOST;
    if (busy || !rt.active) size = 1;
    if (size == 1) team = &own;
    *team = (struct team){.body = body, .data = data, .size = size};
    pthread_barrier_init(&team->barrier, NULL, size);
    pthread_mutex_init(&team->mutex, NULL);
    if (first) team->works[1] = *first, team->works[1].number = 1;
    if (size > 1) busy = team;
    *omp_me() = (struct member){.team = team};
    if (size > 1) call_workers(team);
    body(data);
    for (unsigned i = 1; i < size; i++) sem_wait(&done);
    if (size > 1) busy = NULL;
    *omp_me() = outer;
}

/* The work that this thread comes to next; whoever is first sets it up. */
struct work *omp_work_begin(const struct work *as)
{
    struct member *m = omp_me();
    static struct team none; /* outside of any parallel region */
    struct team *team = m->team ? m->team : (none.size = 1, m->team = &none);
    unsigned number = ++m->works;
    struct work *w = &team->works[number % OMP_WORKS];
    if (team->size > 1) rt_mutex_lock(&team->mutex, CALLER);
    if (w->number != number) {
        *w = *as;
        w->number = number;
    }
    if (team->size > 1) rt_mutex_unlock(&team->mutex, CALLER);
    return w;
}

struct work *omp_work_now(void) { return &omp_me()->team->works[omp_me()->works % OMP_WORKS]; }

static long chunk_of(const struct work *w, unsigned threads)
{
    long left = w->step ? (w->end - w->next + (w->step > 0 ? w->step - 1 : w->step + 1)) / w->step : 0;
    long share = w->guided ? left / (long)threads : 0;
    return share > w->chunk ? share : w->chunk;
}

bool omp_take_chunk(struct work *w, long *from, long *to)
{
    struct team *team = omp_me()->team;
    if (team->size > 1) rt_mutex_lock(&team->mutex, CALLER);
    bool some = w->step > 0 ? w->next < w->end : w->next > w->end;
    if (some) {
        long after = w->next + chunk_of(w, team->size) * w->step;
        bool last = w->step > 0 ? after > w->end : after < w->end;
        *from = w->next;
        *to = w->next = last ? w->end : after;
    }
    if (team->size > 1) rt_mutex_unlock(&team->mutex, CALLER);
    return some;
}

struct work omp_loop(long start, long end, long step, long chunk, bool guided)
{
    return (struct work){.next = start, .end = end, .step = step, .chunk = chunk > 0 ? chunk : 1, .guided = guided};
}

void omp_wait_for_team(void)
{
    struct member *m = omp_me();
    if (m->team && m->team->size > 1) pthread_barrier_wait(&m->team->barrier);
}

API(void, GOMP_parallel, void (*body)(void *), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    omp_parallel(body, data, threads, NULL);
}
API(void, GOMP_barrier, void) { omp_wait_for_team(); }

/* Every schedule but the static one, which the compiler does itself, hands out chunks. */
#define LOOP(kind, guided) \
    API(bool, GOMP_loop_##kind##_start, long start, long end, long step, long chunk, long *from, long *to) \
    { \
        struct work as = omp_loop(start, end, step, chunk, guided); \
        return omp_take_chunk(omp_work_begin(&as), from, to); \
    } \
    API(bool, GOMP_loop_##kind##_next, long *from, long *to) { return omp_take_chunk(omp_work_now(), from, to); } \
    API(void, GOMP_parallel_loop_##kind, void (*body)(void *), void *data, unsigned threads, long start, long end, \
        long step, long chunk, unsigned flags) \
    { \
        (void)flags; \
        struct work as = omp_loop(start, end, step, chunk, guided); \
        parallel_loop(body, data, threads, &as); \
    }

/* In a combined construct the body does not begin the loop: each thread is already in it. */
struct combined { void (*body)(void *); void *data; };
static void in_loop(void *p)
{
    struct combined *c = p;
    omp_me()->works = 1;
    c->body(c->data);
}
static void parallel_loop(void (*body)(void *), void *data, unsigned threads, const struct work *as)
{
    struct combined c = {body, data};
    omp_parallel(in_loop, &c, threads, as);
}

/* The same for unsigned numbers; a step downwards is what it is modulo 2^64. */
#define LOOP_ULL(kind, guided) \
    API(bool, GOMP_loop_ull_##kind##_start, bool up, uint64_t start, uint64_t end, uint64_t step, uint64_t chunk, \
        uint64_t *from, uint64_t *to) \
    { \
        (void)up; \
        struct work as = omp_loop((long)start, (long)end, (long)step, (long)chunk, guided); \
        return omp_take_chunk(omp_work_begin(&as), (long *)from, (long *)to); \
    } \
    API(bool, GOMP_loop_ull_##kind##_next, uint64_t *from, uint64_t *to) \
    { \
        return omp_take_chunk(omp_work_now(), (long *)from, (long *)to); \
    }
LOOP_ULL(static, false)
LOOP_ULL(dynamic, false)
LOOP_ULL(guided, true)
LOOP_ULL(nonmonotonic_dynamic, false)
LOOP_ULL(nonmonotonic_guided, true)
LOOP_ULL(runtime, false)
LOOP_ULL(nonmonotonic_runtime, false)
LOOP_ULL(maybe_nonmonotonic_runtime, false)
LOOP(static, false)
LOOP(dynamic, false)
LOOP(guided, true)
LOOP(nonmonotonic_dynamic, false)
LOOP(nonmonotonic_guided, true)
LOOP(runtime, false)
LOOP(nonmonotonic_runtime, false)
LOOP(maybe_nonmonotonic_runtime, false)
API(void, GOMP_loop_end, void) { omp_wait_for_team(); }
API(void, GOMP_loop_end_nowait, void) {}

/* Sections are a loop over their numbers, from 1. */
API(unsigned, GOMP_sections_next, void)
{
    long from, to;
    return omp_take_chunk(omp_work_now(), &from, &to) ? (unsigned)from : 0;
}
API(unsigned, GOMP_sections_start, unsigned count)
{
    struct work as = omp_loop(1, (long)count + 1, 1, 1, false);
    omp_work_begin(&as);
    return GOMP_sections_next();
}
API(void, GOMP_parallel_sections, void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags)
{
    (void)flags;
    struct work as = omp_loop(1, (long)count + 1, 1, 1, false);
    parallel_loop(body, data, threads, &as);
}
API(void, GOMP_sections_end, void) { omp_wait_for_team(); }
API(void, GOMP_sections_end_nowait, void) {}

bool omp_is_first(struct work *w)
{
    struct team *team = omp_me()->team;
    if (team->size > 1) rt_mutex_lock(&team->mutex, CALLER);
    bool first = !w->single_taken;
    w->single_taken = true;
    if (team->size > 1) rt_mutex_unlock(&team->mutex, CALLER);
    return first;
}
API(bool, GOMP_single_start, void) { return omp_is_first(omp_work_begin(&(struct work){0})); }
API(void *, GOMP_single_copy_start, void)
{
    struct work *w = omp_work_begin(&(struct work){0});
    if (omp_is_first(w)) return NULL;
    omp_wait_for_team();
    return w->copied;
}
API(void, GOMP_single_copy_end, void *data)
{
    omp_work_now()->copied = data;
    omp_wait_for_team();
}

API(void, GOMP_critical_start, void) { rt_mutex_lock(&critical, CALLER); }
API(void, GOMP_critical_end, void) { rt_mutex_unlock(&critical, CALLER); }
API(void, GOMP_atomic_start, void) { rt_mutex_lock(&atomic, CALLER); }
API(void, GOMP_atomic_end, void) { rt_mutex_unlock(&atomic, CALLER); }

/* A name is a word of the program that is zero at first. */
API(void, GOMP_critical_name_start, void **name) { rt_mutex_lock(rt_mutex_beside(name), CALLER); }
API(void, GOMP_critical_name_end, void **name) { rt_mutex_unlock(rt_mutex_beside(name), CALLER); }

void omp_note_task(void)
{
    if (omp_me()->team && omp_me()->team->size > 1) rt_unexplored(RT_OMP_TASKS);
}

API(void, GOMP_task, void (*body)(void *), void *data, void (*copy)(void *, void *), long size, long alignment,
    bool condition, unsigned flags, void **depend, int priority, void *detach)
{
    (void)flags, (void)depend, (void)priority, (void)detach;
    if (condition) omp_note_task();
    if (!copy) {
        body(data);
        return;
    }
    char room[size + alignment];
    void *argument = (void *)(((uintptr_t)room + (uintptr_t)alignment - 1) & ~((uintptr_t)alignment - 1));
    copy(argument, data);
    body(argument);
}
API(void, GOMP_taskwait, void) {}
API(void, GOMP_taskyield, void) { rt_point(OP(YIELD), NULL, CALLER); }
API(void, GOMP_taskgroup_start, void) {}
API(void, GOMP_taskgroup_end, void) {}

API(int, omp_get_thread_num, void) { return rt.active ? (int)omp_me()->number : 0; }
API(int, omp_get_num_threads, void) { return rt.active && omp_me()->team ? (int)omp_me()->team->size : 1; }
API(int, omp_get_max_threads, void) { return (int)threads_wanted(); }
API(int, omp_get_num_procs, void) { return DEFAULT_THREADS; }
API(int, omp_in_parallel, void) { return omp_get_num_threads() > 1; }
API(int, omp_get_level, void) { return omp_in_parallel(); }
API(void, omp_set_num_threads, int n) { wanted = n > 0 ? (unsigned)n : 1; }
API(void, omp_set_max_active_levels, int n) { active_levels = n > 1 ? n : 1; }
API(int, omp_get_max_active_levels, void) { return active_levels ? active_levels : 1; }
API(void, omp_set_nested, int on) { active_levels = on ? INT_MAX : 1; }
API(int, omp_get_nested, void) { return active_levels > 1; }
API(void, omp_init_lock, void *lock) { *rt_mutex_beside(lock) = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
API(void, omp_destroy_lock, void *lock) { (void)lock; }
API(void, omp_set_lock, void *lock) { rt_mutex_lock(rt_mutex_beside(lock), CALLER); }
API(void, omp_unset_lock, void *lock) { rt_mutex_unlock(rt_mutex_beside(lock), CALLER); }
API(int, omp_test_lock, void *lock) { return rt_mutex_trylock(rt_mutex_beside(lock), false, CALLER) == 0; }

/* ---- not under control ---- */

OUTSIDE(GOMP_ordered_start)
OUTSIDE(GOMP_doacross_wait)
OUTSIDE(GOMP_doacross_post)
OUTSIDE(GOMP_loop_start)
OUTSIDE(GOMP_loop_ull_start)
OUTSIDE(GOMP_loop_ordered_static_start)
OUTSIDE(GOMP_loop_ordered_dynamic_start)
OUTSIDE(GOMP_loop_ordered_guided_start)
OUTSIDE(GOMP_loop_ordered_runtime_start)
OUTSIDE(GOMP_loop_doacross_start)
OUTSIDE(GOMP_taskloop)
OUTSIDE(GOMP_taskloop_ull)
OUTSIDE(GOMP_cancel)
OUTSIDE(GOMP_cancellation_point)
OUTSIDE(GOMP_parallel_reductions)
OUTSIDE(GOMP_scope_start)
OUTSIDE(GOMP_sections2_start)
OUTSIDE(GOMP_teams_reg)
OUTSIDE(GOMP_target_ext)
