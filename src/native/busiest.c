/* What multiplies the schedules of a program: the object on which operations of different threads can be exchanged most
 * often, counted on one recorded execution. */
#include "native/native.h"

#include <stdlib.h>

struct use { uint64_t object; uint32_t operations, reads; int thread; };
struct uses { struct use *at; size_t len, cap; };

static bool reads_only(const struct rt_event *e) { return e->kind == SCHED_READ; }

static bool is_shared_object(const struct rt_event *e)
{
    switch (e->kind) {
    case SCHED_CREATE:
    case SCHED_JOIN:
    case SCHED_CHOOSE:
    case SCHED_YIELD:
    case SCHED_EXIT:
    case SCHED_GLOBAL:
    case SCHED_LOCAL: return false;
    default: return e->object;
    }
}

static struct use *use_of(struct uses *all, uint64_t object, int thread)
{
    for (size_t i = 0; i < all->len; i++)
        if (all->at[i].object == object && all->at[i].thread == thread) return &all->at[i];
    vec_push(all, ((struct use){.object = object, .thread = thread}));
    return &vec_last(all);
}

/* Pairs of operations of different threads that are not both reads. */
static void judge(const struct uses *all, uint64_t object, struct native_busiest *out)
{
    uint64_t operations = 0, pairs = 0;
    int threads = 0;
    for (size_t i = 0; i < all->len; i++) {
        const struct use *a = &all->at[i];
        if (a->object != object) continue;
        for (size_t k = i + 1; k < all->len; k++) {
            const struct use *b = &all->at[k];
            if (b->object != object) continue;
            pairs += (uint64_t)a->operations * b->operations - (uint64_t)a->reads * b->reads;
        }
        operations += a->operations;
        threads++;
    }
    if (pairs <= out->pairs) return;
    *out = (struct native_busiest){.object = object, .operations = operations, .pairs = pairs,
                                   .threads = threads};
}

/* The line that uses the object most often. */
static void find_line(const struct rt_shared *s, struct symbols *symbols, struct native_busiest *out)
{
    for (uint32_t i = 0; i < s->event_count; i++) {
        const struct rt_event *e = &s->events[i];
        struct source_place p;
        uint64_t count = 0;
        if (e->object != out->object || !is_shared_object(e)) continue;
        for (uint32_t k = i; k < s->event_count; k++)
            count += s->events[k].object == out->object && s->events[k].pc == e->pc;
        if (count <= out->line_operations || !native_place_of(s, symbols, e, &p)) continue;
        out->line_operations = count;
        out->place = p;
    }
}

bool native_find_busiest(const struct native_run *run, struct symbols *symbols, struct native_busiest *out)
{
    enum { MOST_EVENTS = 2000 };
    const struct rt_shared *s = run->shared;
    struct uses all = {0};
    *out = (struct native_busiest){0};
    for (uint32_t i = 0; i < MIN(s->event_count, MOST_EVENTS); i++) {
        const struct rt_event *e = &s->events[i];
        if (!is_shared_object(e) || e->thread < 0 || e->thread >= RT_MAX_THREADS) continue;
        struct use *u = use_of(&all, e->object, e->thread);
        u->operations++;
        u->reads += reads_only(e);
    }
    for (size_t i = 0; i < all.len; i++) judge(&all, all.at[i].object, out);
    if (out->pairs && s->event_count <= MOST_EVENTS) find_line(s, symbols, out);
    vec_release(&all);
    return out->pairs;
}
