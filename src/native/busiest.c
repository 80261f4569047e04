/* What multiplies the schedules of a program: the object on which operations of different threads can be exchanged most
 * often, and the line that uses it most often, counted on one recorded execution. Where no two threads meet, as in an
 * execution that was cut off in a long loop of its first thread, the object that is used most often. */
#include "native/native.h"

#include <stdlib.h>

struct use { uint64_t object, pc; uint32_t event; uint16_t thread; bool reads; };
struct uses { struct use *at; size_t len, cap; };

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
    default: return e->object && e->thread >= 0 && e->thread < RT_MAX_THREADS;
    }
}

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int by_object(const void *x, const void *y)
{
    const struct use *a = x, *b = y;
    int order = COMPARE(a->object, b->object);
    if (!order) order = COMPARE(a->thread, b->thread);
    return order ? order : COMPARE(a->event, b->event);
}

static int by_line(const void *x, const void *y)
{
    const struct use *a = x, *b = y;
    int order = COMPARE(a->pc, b->pc);
    if (!order) order = COMPARE(a->thread, b->thread);
    return order ? order : COMPARE(a->event, b->event);
}

static struct uses uses_of(const struct rt_shared *s)
{
    struct uses all = {0};
    for (uint32_t i = 0; i < s->event_count; i++) {
        const struct rt_event *e = &s->events[i];
        if (!is_shared_object(e)) continue;
        vec_push(&all, ((struct use){.object = e->object, .pc = e->pc, .event = i, .thread = (uint16_t)e->thread,
                                     .reads = e->kind == SCHED_READ}));
    }
    if (all.len) qsort(all.at, all.len, sizeof *all.at, by_object);
    return all;
}

static bool is_busier(const struct native_busiest *a, const struct native_busiest *b)
{
    return a->pairs != b->pairs ? a->pairs > b->pairs : a->operations > b->operations;
}

/* Operations on one object, sorted by thread. Pairs are of different threads, and not both reads: all pairs of
 * operations without those of one thread, less the same of reads. */
static struct native_busiest judge(const struct use *at, size_t count)
{
    uint64_t same = 0, reads = 0, same_reads = 0;
    struct native_busiest b = {.object = at->object, .operations = count};
    for (size_t i = 0; i < count; b.threads++) {
        uint64_t own = 0, own_reads = 0;
        for (uint16_t thread = at[i].thread; i < count && at[i].thread == thread; i++) own++, own_reads += at[i].reads;
        same += own * own;
        same_reads += own_reads * own_reads;
        reads += own_reads;
    }
    b.pairs = (count * count - same - (reads * reads - same_reads)) / 2;
    return b;
}

/* Operations by one instruction, sorted by thread. */
static uint64_t most_of_one_thread(const struct use *at, size_t count)
{
    uint64_t most = 0;
    for (size_t i = 0; i < count;) {
        uint64_t own = 0;
        for (uint16_t thread = at[i].thread; i < count && at[i].thread == thread; i++) own++;
        most = MAX(most, own);
    }
    return most;
}

/* The line that uses the object most often. */
static void find_line(const struct rt_shared *s, struct symbols *symbols, struct use *at, size_t count,
                      struct native_busiest *out)
{
    qsort(at, count, sizeof *at, by_line);
    for (size_t i = 0, next; i < count; i = next) {
        struct source_place p;
        for (next = i; next < count && at[next].pc == at[i].pc; next++) {}
        if (next - i <= out->line_operations || !native_place_of(s, symbols, &s->events[at[i].event], &p)) continue;
        out->line_operations = next - i;
        out->rounds = most_of_one_thread(at + i, next - i);
        out->kind = s->events[at[i].event].kind;
        out->place = p;
    }
}

static int threads_of(const struct rt_shared *s)
{
    int most = 0;
    for (uint32_t i = 0; i < s->event_count; i++) most = MAX(most, s->events[i].thread + 1);
    return most;
}

bool native_find_busiest(const struct native_run *run, struct symbols *symbols, struct native_busiest *out)
{
    const struct rt_shared *s = run->shared;
    struct uses all = uses_of(s);
    size_t first = 0;
    *out = (struct native_busiest){0};
    for (size_t i = 0, next; i < all.len; i = next) {
        for (next = i; next < all.len && all.at[next].object == all.at[i].object; next++) {}
        struct native_busiest b = judge(all.at + i, next - i);
        if (is_busier(&b, out)) *out = b, first = i;
    }
    if (out->operations) find_line(s, symbols, all.at + first, out->operations, out);
    out->steps = s->event_count;
    out->all_threads = threads_of(s);
    vec_release(&all);
    return out->operations;
}
