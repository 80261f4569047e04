/* The trace model: building and counting. */
#include "trace/trace.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

struct trace *trace_new(void)
{
    struct trace *t = xcalloc(1, sizeof *t);
    t->cycle_start = -1;
    t->at_least = -1;
    return t;
}

void trace_free(struct trace *t)
{
    if (!t) return;
    trace_free(t->other);
    for (size_t i = 0; i < t->steps.len; i++) {
        vec_release(&t->steps.at[i].changes);
        vec_release(&t->steps.at[i].detail);
        vec_release(&t->steps.at[i].picks);
        vec_release(&t->steps.at[i].stack);
        vec_release(&t->steps.at[i].wakes);
        vec_release(&t->steps.at[i].parts);
    }
    vec_release(&t->options);
    vec_release(&t->threads);
    vec_release(&t->steps);
    vec_release(&t->points);
    vec_release(&t->frames);
    map_release(&t->frame_numbers);
    vec_release(&t->final_state);
    vec_release(&t->notes);
    arena_release(&t->arena);
    free(t);
}

struct trace_step *trace_step_add(struct trace *t, int thread)
{
    assert(thread >= 0);
    vec_push(&t->steps, ((struct trace_step){.thread = thread, .last = thread, .partner = -1}));
    return &vec_last(&t->steps);
}

void trace_change_add(struct trace *t, struct trace_step *s, const char *name, const char *value)
{
    assert(name && value);
    vec_push(&s->changes, ((struct trace_change){arena_strdup(&t->arena, name), arena_strdup(&t->arena, value)}));
}

void trace_part_add(struct trace *t, struct trace_step *s, struct trace_part part)
{
    assert(part.action);
    if (part.file) part.file = arena_strdup(&t->arena, part.file);
    part.action = arena_strdup(&t->arena, part.action);
    vec_push(&s->parts, part);
}

int trace_thread_add(struct trace *t, const char *name)
{
    assert(name && t->threads.len < INT_MAX);
    vec_push(&t->threads, ((struct trace_thread){arena_strdup(&t->arena, name)}));
    return (int)t->threads.len - 1;
}

void trace_frame_add(struct trace *t, struct trace_step *s, struct trace_frame f)
{
    assert(f.function && f.file);
    const char *key = arena_printf(&t->arena, "%d:%s:%s", f.line, f.file, f.function);
    uintptr_t known = (uintptr_t)map_get(&t->frame_numbers, key);
    if (!known) {
        f.function = arena_strdup(&t->arena, f.function);
        f.file = arena_strdup(&t->arena, f.file);
        vec_push(&t->frames, f);
        known = t->frames.len;
        map_put(&t->frame_numbers, key, (void *)known);
    }
    vec_push(&s->stack, (int)known - 1);
}

bool trace_step_is_switch(const struct trace *t, size_t i)
{
    assert(i < t->steps.len);
    return i > 0 && t->steps.at[i].thread != t->steps.at[i - 1].last;
}

bool trace_step_is_preemption(const struct trace *t, size_t i)
{
    return trace_step_is_switch(t, i) && t->steps.at[i].previous_enabled;
}

struct trace_counts trace_count(const struct trace *t)
{
    struct trace_counts c = {.steps = (long)t->steps.len};
    for (size_t i = 0; i < t->steps.len; i++) {
        c.switches += trace_step_is_switch(t, i);
        c.preemptions += trace_step_is_preemption(t, i);
        c.stale_reads += t->steps.at[i].stale;
        c.early_writes += t->steps.at[i].early;
        c.spurious += t->steps.at[i].spurious;
    }
    assert(c.preemptions <= c.switches && c.switches <= MAX(c.steps - 1, 0));
    return c;
}

static void add_count(struct str *s, long n, const char *what)
{
    str_printf(s, "%s%ld %s%s", s->len ? ", " : "", n, what, n == 1 ? "" : "s");
}

char *trace_count_words(const struct trace *t)
{
    struct trace_counts c = trace_count(t);
    struct str s = {0};
    add_count(&s, c.preemptions, "preemption");
    if (c.stale_reads) add_count(&s, c.stale_reads, "stale read");
    if (c.early_writes) add_count(&s, c.early_writes, "early write");
    if (c.spurious) add_count(&s, c.spurious, "spurious event");
    add_count(&s, c.steps, "step");
    if (t->at_least == 0) str_add(&s, "; fewer may be enough");
    if (t->at_least > 0) str_printf(&s, "; at least %ld %s needed", t->at_least, t->at_least == 1 ? "is" : "are");
    return s.at;
}
