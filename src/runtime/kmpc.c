/* OpenMP as clang compiles it: the calls of its library, on the teams of openmp.c. Tasks are run where they are met. */
#include "runtime/openmp_int.h"

#include <stdarg.h>
#include <stdlib.h>

typedef void micro(int *global, int *bound, ...);
enum { MOST_ARGUMENTS = 24 };
struct fork { micro *body; void *arguments[MOST_ARGUMENTS]; };

/* Arguments that it does not have are not looked at. */
static void run_micro(void *data)
{
    const struct fork *f = data;
    void *const *a = f->arguments;
    int number = (int)omp_me()->number;
    f->body(&number, &number, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
            a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
}

API(void, __kmpc_fork_call, void *place, int count, micro *body, ...)
{
    struct fork f = {.body = body};
    va_list ap;
    (void)place;
    if (count > MOST_ARGUMENTS) rt_die("a parallel region of OpenMP shares more than 24 variables");
    va_start(ap, body);
    for (int i = 0; i < count; i++) f.arguments[i] = va_arg(ap, void *);
    va_end(ap);
    unsigned threads = omp_me()->pushed;
    omp_me()->pushed = 0;
    omp_parallel(run_micro, &f, threads, NULL);
}

API(int, __kmpc_global_thread_num, void *place) { return (void)place, (int)omp_me()->number; }
API(void, __kmpc_push_num_threads, void *place, int number, int threads)
{
    (void)place, (void)number;
    omp_me()->pushed = threads > 0 ? (unsigned)threads : 0;
}

/* A region whose condition is false: a team of one. */
struct alone { struct alone *outer; struct member member; struct team team; };
API(void, __kmpc_serialized_parallel, void *place, int number)
{
    (void)place, (void)number;
    struct alone *a = calloc(1, sizeof *a);
    a->member = *omp_me();
    a->team.size = 1;
    a->outer = omp_me()->alone;
    *omp_me() = (struct member){.team = &a->team, .alone = a};
}
API(void, __kmpc_end_serialized_parallel, void *place, int number)
{
    (void)place, (void)number;
    struct alone *a = omp_me()->alone;
    *omp_me() = a->member;
    free(a);
}

API(void, __kmpc_barrier, void *place, int number) { (void)place, (void)number, omp_wait_for_team(); }
API(void, __kmpc_flush, void *place) { (void)place; }

/* ---- loops ---- */

enum { STATIC_CHUNKED = 33, STATIC = 34, GUIDED = 36, MODIFIERS = 3 << 29, FIRST_ORDERED = 64 };

static unsigned team_size(void) { return omp_me()->team ? omp_me()->team->size : 1; }

struct share { long low, high, stride; bool last; };

static struct share share_of(int schedule, long low, long high, long step, long chunk)
{
    long threads = team_size(), me = omp_me()->number, trips = (high - low) / step + 1;
    if (step > 0 ? high < low : high > low) return (struct share){low, high, step, false};
    if ((schedule & ~MODIFIERS) == STATIC_CHUNKED) {
        long span = (chunk > 0 ? chunk : 1) * step, mine = low + span * me;
        return (struct share){mine, mine + span - step, span * threads, me == (trips - 1) / (span / step) % threads};
    }
    long part = trips / threads, extra = trips % threads, count = part + (me < extra);
    long mine = low + step * (me * part + (me < extra ? me : extra));
    bool last = count && (part ? me == threads - 1 : me == extra - 1);
    return (struct share){mine, mine + (count - 1) * step, trips * step, last};
}

#define LOOPS(suffix, type, signed_type) \
    API(void, __kmpc_for_static_init_##suffix, void *place, int number, int schedule, int *last, type *low, \
        type *high, signed_type *stride, signed_type step, signed_type chunk) \
    { \
        (void)place, (void)number; \
        struct share s = share_of(schedule, (long)*low, (long)*high, (long)step, (long)chunk); \
        *low = (type)s.low, *high = (type)s.high, *stride = (signed_type)s.stride; \
        if (last) *last = s.last; \
    } \
    API(void, __kmpc_dispatch_init_##suffix, void *place, int number, int schedule, type low, type high, \
        signed_type step, signed_type chunk) \
    { \
        (void)place, (void)number; \
        int kind = schedule & ~MODIFIERS; \
        if (kind >= FIRST_ORDERED) rt_die("the program uses a part of OpenMP that is not under control: ordered"); \
        struct work as = omp_loop((long)low, (long)high + (step > 0 ? 1 : -1), (long)step, (long)chunk, \
                                  kind == GUIDED); \
        omp_work_begin(&as); \
    } \
    API(int, __kmpc_dispatch_next_##suffix, void *place, int number, int *last, type *low, type *high, \
        signed_type *stride) \
    { \
        struct work *w = omp_work_now(); \
        long from, to, step = w->step; \
        (void)place, (void)number; \
        if (!omp_take_chunk(w, &from, &to)) return 0; \
        long trips = (to - from + (step > 0 ? step - 1 : step + 1)) / step; \
        *low = (type)from, *high = (type)(from + (trips - 1) * step), *stride = (signed_type)step; \
        if (last) *last = to == w->end; \
        return 1; \
    } \
    API(void, __kmpc_dispatch_fini_##suffix, void *place, int number) { (void)place, (void)number; }
LOOPS(4, int32_t, int32_t)
LOOPS(4u, uint32_t, int32_t)
LOOPS(8, int64_t, int64_t)
LOOPS(8u, uint64_t, int64_t)
API(void, __kmpc_for_static_fini, void *place, int number) { (void)place, (void)number; }

/* ---- who does it ---- */

API(int, __kmpc_single, void *place, int number)
{
    (void)place, (void)number;
    return omp_is_first(omp_work_begin(&(struct work){0}));
}
API(void, __kmpc_end_single, void *place, int number) { (void)place, (void)number; }
API(void, __kmpc_copyprivate, void *place, int number, size_t size, void *data, void (*copy)(void *, void *), int mine)
{
    (void)place, (void)number, (void)size;
    struct work *w = omp_work_now();
    if (mine) w->copied = data;
    omp_wait_for_team();
    if (!mine) copy(data, w->copied);
    omp_wait_for_team();
}
API(int, __kmpc_master, void *place, int number) { return (void)place, (void)number, omp_me()->number == 0; }
API(void, __kmpc_end_master, void *place, int number) { (void)place, (void)number; }
API(int, __kmpc_masked, void *place, int number, int who)
{
    return (void)place, (void)number, (int)omp_me()->number == who;
}
API(void, __kmpc_end_masked, void *place, int number) { (void)place, (void)number; }

API(void, __kmpc_critical, void *place, int number, void *name)
{
    (void)place, (void)number;
    rt_mutex_lock(rt_mutex_beside(name), CALLER);
}
API(void, __kmpc_critical_with_hint, void *place, int number, void *name, unsigned hint)
{
    (void)place, (void)number, (void)hint;
    rt_mutex_lock(rt_mutex_beside(name), CALLER);
}
API(void, __kmpc_end_critical, void *place, int number, void *name)
{
    (void)place, (void)number;
    rt_mutex_unlock(rt_mutex_beside(name), CALLER);
}

/* Everybody adds its own to the result, one after the other. */
#define REDUCE(name) \
    API(int, name, void *place, int number, int count, size_t size, void *data, void (*add)(void *, void *), \
        void *lock) \
    { \
        (void)place, (void)number, (void)count, (void)size, (void)data, (void)add; \
        rt_mutex_lock(rt_mutex_beside(lock), CALLER); \
        return 1; \
    }
REDUCE(__kmpc_reduce)
REDUCE(__kmpc_reduce_nowait)
API(void, __kmpc_end_reduce_nowait, void *place, int number, void *lock)
{
    (void)place, (void)number;
    rt_mutex_unlock(rt_mutex_beside(lock), CALLER);
}
API(void, __kmpc_end_reduce, void *place, int number, void *lock)
{
    __kmpc_end_reduce_nowait(place, number, lock);
    omp_wait_for_team();
}

/* ---- tasks ---- */

struct task { void *shared; int (*body)(int number, struct task *t); };

API(struct task *, __kmpc_omp_task_alloc, void *place, int number, int flags, size_t size, size_t shared_size,
    int (*body)(int, struct task *))
{
    (void)place, (void)number, (void)flags;
    size = (size + 15) & ~15ul;
    struct task *t = calloc(1, size + shared_size);
    t->shared = (char *)t + size;
    t->body = body;
    return t;
}
API(int, __kmpc_omp_task, void *place, int number, struct task *t)
{
    (void)place;
    omp_note_task();
    t->body(number, t);
    free(t);
    return 0;
}
API(int, __kmpc_omp_task_with_deps, void *place, int number, struct task *t)
{
    return __kmpc_omp_task(place, number, t); /* those that it depends on are over */
}
API(void, __kmpc_omp_task_begin_if0, void *place, int number, struct task *t) { (void)place, (void)number, (void)t; }
API(void, __kmpc_omp_task_complete_if0, void *place, int number, struct task *t)
{
    (void)place, (void)number;
    free(t);
}
API(int, __kmpc_omp_taskwait, void *place, int number) { return (void)place, (void)number, 0; }
API(int, __kmpc_omp_taskyield, void *place, int number, int part)
{
    (void)place, (void)number, (void)part;
    rt_point(OP(YIELD), NULL, CALLER);
    return 0;
}
API(void, __kmpc_taskgroup, void *place, int number) { (void)place, (void)number; }
API(void, __kmpc_end_taskgroup, void *place, int number) { (void)place, (void)number; }

OUTSIDE(__kmpc_ordered)
OUTSIDE(__kmpc_doacross_init)
OUTSIDE(__kmpc_taskloop)
OUTSIDE(__kmpc_taskloop_5)
OUTSIDE(__kmpc_task_reduction_init)
OUTSIDE(__kmpc_taskred_init)
OUTSIDE(__kmpc_cancel)
OUTSIDE(__kmpc_fork_teams)
OUTSIDE(__kmpc_threadprivate_cached)
OUTSIDE(__tgt_target_kernel)
