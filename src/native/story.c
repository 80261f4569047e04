/* A recorded execution as a trace: what each thread did, in the words of its source. */
#include "native/native.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct story {
    const struct rt_shared *shared;
    struct symbols *symbols;
    struct trace *trace;
};

static const char *const finding_names[] = {
#define FINDING_NAME(name, text) text,
    RT_FINDINGS(FINDING_NAME)
#undef FINDING_NAME
};

static bool is_runtime(const char *file) { return !strncmp(file, "/usr/lib/heddle/", 16); }
static bool is_system(const char *file) { return !strncmp(file, "/usr/", 5) || strstr(file, "/lib/gcc/"); }

/* The innermost frame in the program's own files. Frames hold return addresses. */
static bool own_frame(const uint64_t *frames, size_t count, struct symbols *s, struct source_place *out)
{
    struct source_place any = {0};
    for (size_t i = 0; i < count; i++) {
        if (!frames[i] || !symbols_place(s, frames[i] - 1, out)) continue;
        if (!is_system(out->file)) return true;
        if (!any.file && !is_runtime(out->file)) any = *out;
    }
    *out = any;
    return any.file != NULL;
}

static bool own_frame_of(const struct rt_shared *shared, struct symbols *s, struct rt_stack stack, struct source_place *out)
{
    assert(stack.first <= RT_MAX_FRAMES && stack.len <= RT_MAX_FRAMES - stack.first);
    return own_frame(shared->frames + stack.first, stack.len, s, out);
}

const char *native_location(const struct rt_shared *shared, struct symbols *s, const struct rt_place *place,
                            struct arena *a)
{
    struct source_place p;
    bool known = place->stack.len ? own_frame_of(shared, s, place->stack, &p) : symbols_place(s, place->pc - 1, &p);
    return known ? arena_printf(a, "%s:%d", p.file, p.line) : NULL;
}

static const char *heap_name(struct story *y, const struct rt_home *home)
{
    struct source_place p;
    if (!own_frame_of(y->shared, y->symbols, home->stack, &p)) return NULL;
    return arena_printf(&y->trace->arena, "heap(%s:%d)+%lld", path_basename(p.file), p.line, (long long)home->offset);
}

static const char *name_by_home(struct story *y, uint64_t address)
{
    for (uint32_t i = 0; i < y->shared->home_count; i++) {
        const struct rt_home *home = &y->shared->homes[i];
        if (home->address != address) continue;
        return home->kind == RT_HOME_HEAP ? heap_name(y, home) : symbols_local(y->symbols, home->pc - 1, home->offset);
    }
    return NULL;
}

/* What has no name is told apart by its address, which is the same in every execution. */
static const char *object_name(struct story *y, uint64_t object)
{
    enum { FUTEX_BITS = 61 };
    uint64_t address = object & ((1ull << FUTEX_BITS) - 1);
    const char *name = symbols_variable(y->symbols, address);
    if (!name) name = name_by_home(y, address);
    return name ? name : arena_printf(&y->trace->arena, "%#llx", (unsigned long long)address);
}

static const char *thread_name(struct story *y, uint64_t thread)
{
    if (thread >= y->trace->threads.len) return arena_printf(&y->trace->arena, "T%llu", (unsigned long long)thread);
    const char *name = y->trace->threads.at[thread].name;
    return arena_strndup(&y->trace->arena, name, strcspn(name, " "));
}

static const char *memory_action(struct story *y, const struct rt_event *e)
{
    struct arena *a = &y->trace->arena;
    const char *name = object_name(y, e->object), *value = symbols_value(y->symbols, e->object, e->size, e->value);
    if (!e->has_value) return arena_printf(a, "%s %s", e->kind == SCHED_READ ? "read" : "write", name);
    if (e->kind == SCHED_READ) return arena_printf(a, "%s -> %s", name, value);
    if (e->kind == SCHED_WRITE) return arena_printf(a, "%s = %s", name, value);
    const char *old = symbols_value(y->symbols, e->object, e->size, e->old);
    if (!e->has_old) return arena_printf(a, "%s -> %s, compare fails", name, value);
    return arena_printf(a, "%s: %s -> %s", name, old, value);
}

static const char *action(struct story *y, const struct rt_event *e)
{
    struct arena *a = &y->trace->arena;
    const char *kind = e->label[0] ? e->label : sched_kind_name(e->kind);
    switch (e->kind) {
    case SCHED_READ:
    case SCHED_WRITE:
    case SCHED_RMW:
        return e->label[0] ? arena_printf(a, "%s %s", kind, object_name(y, e->object)) : memory_action(y, e);
    case SCHED_CREATE:
    case SCHED_JOIN: return arena_printf(a, "%s %s", kind, thread_name(y, e->object));
    case SCHED_CHOOSE: return arena_printf(a, "choose %u of %u", e->choice, e->size);
    case SCHED_COND_RESUME:
        return arena_printf(a, "%s %s%s", e->label[0] ? kind : "wake up", object_name(y, e->object),
                            e->failed ? ", not signalled" : "");
    case SCHED_YIELD:
    case SCHED_EXIT:
    case SCHED_GLOBAL:
    case SCHED_LOCAL: return arena_strdup(a, kind);
    default: return arena_printf(a, "%s %s%s", kind, object_name(y, e->object), e->failed ? " fails" : "");
    }
}

static void name_threads(struct story *y)
{
    for (uint32_t i = 0; i < y->shared->created; i++) {
        const struct rt_thread_end *e = &y->shared->ends[i];
        struct source_place p;
        struct str name = {0};
        if (i == 0) str_add(&name, "main");
        else {
            str_printf(&name, "T%u", i);
            if (e->name[0]) str_printf(&name, " %s", e->name);
            else if (symbols_place(y->symbols, e->start, &p) && p.function && strncmp(p.function, "_Z", 2))
                str_printf(&name, " %s", p.function);
        }
        trace_thread_add(y->trace, name.at);
        str_release(&name);
    }
}

static void add_position(struct story *y, struct trace_step *step, struct rt_stack stack)
{
    struct source_place p;
    if (!own_frame_of(y->shared, y->symbols, stack, &p)) return;
    step->file = arena_strdup(&y->trace->arena, p.file);
    step->line = p.line;
}

/* Steps that only show how something is done (a thread's end, the inside of a futex) have no row of their own; their
 * picks are kept with the next row so that the schedule stays whole. */
static bool has_row(const struct rt_event *e)
{
    static const char *const hidden[] = {"futex enter", "futex leave", "futex compare", "once done",
                                         "static init done"};
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        if (!strcmp(e->label, hidden[i])) return false;
    return e->kind != SCHED_EXIT;
}

/* The first step also carries the code addresses at which plain accesses are steps. */
static void add_steps(struct story *y)
{
    VEC(int64_t) kept = {0};
    if (y->shared->hot_count) {
        vec_push(&kept, RT_TRACE_HOT);
        vec_push(&kept, y->shared->hot_count);
        for (uint32_t i = 0; i < y->shared->hot_count; i++) vec_push(&kept, (int64_t)y->shared->hot[i]);
    }
    bool preempted = false;
    for (uint32_t i = 0; i < y->shared->event_count; i++) {
        const struct rt_event *e = &y->shared->events[i];
        if ((size_t)e->thread >= y->trace->threads.len) continue;
        vec_push(&kept, e->thread);
        vec_push(&kept, e->choice);
        preempted |= e->preemption;
        if (e->kind == SCHED_EXIT && y->trace->steps.len && vec_last(&y->trace->steps).thread == e->thread)
            vec_last(&y->trace->steps).ended = true;
        if (!has_row(e)) continue;
        struct trace_step *step = trace_step_add(y->trace, e->thread);
        step->previous_enabled = preempted;
        preempted = false;
        step->choice = e->choice;
        step->action = action(y, e);
        add_position(y, step, e->stack);
        for (size_t k = 0; k < kept.len; k++) vec_push(&step->detail, kept.at[k]);
        vec_clear(&kept);
    }
    for (size_t k = 0; y->trace->steps.len && k < kept.len; k++)
        vec_push(&vec_last(&y->trace->steps).detail, kept.at[k]);
    vec_release(&kept);
}

static bool same_row(const struct trace_step *a, const struct trace_step *b)
{
    return a->thread == b->thread && a->line == b->line && !strcmp(a->action, b->action);
}

/* Where nobody makes progress the last rows repeat the ones before them: that is the cycle. */
static void mark_cycle(struct story *y)
{
    enum { LONGEST = 8 };
    size_t n = y->trace->steps.len;
    const struct trace_step *rows = y->trace->steps.at;
    for (size_t length = 1; y->shared->finding.kind == RT_LIVELOCK && length <= LONGEST && 2 * length <= n; length++) {
        size_t same = 0;
        while (same < length && same_row(&rows[n - 1 - same], &rows[n - 1 - length - same])) same++;
        if (same < length) continue;
        y->trace->cycle_start = (long)(n - length);
        return;
    }
}

/* The failure itself is the last row. */
static void add_failure(struct story *y)
{
    const struct rt_finding *f = &y->shared->finding;
    if (f->kind == RT_DEADLOCK || f->kind == RT_LIVELOCK || f->kind == RT_NONE) return;
    if ((size_t)f->here.thread >= y->trace->threads.len) return;
    struct trace_step *step = trace_step_add(y->trace, f->here.thread);
    struct arena *a = &y->trace->arena;
    const char *text = f->message;
    if (f->kind == RT_ASSERTION) {
        const char *at = strstr(text, " at ");
        text = arena_printf(a, "assert(%.*s) fails", at ? (int)(at - text) : (int)strlen(text), text);
    } else if (f->kind == RT_RACE) {
        text = arena_printf(a, "%s %s races", f->here.write ? "write" : "read", object_name(y, f->here.address));
    }
    step->action = arena_strdup(a, text);
    add_position(y, step, f->here.stack);
}

static void note(struct story *y, const char *text)
{
    vec_push(&y->trace->notes, arena_strdup(&y->trace->arena, text));
}

static void note_stack(struct story *y, struct rt_stack stack)
{
    enum { MOST = 8 };
    struct source_place p;
    int shown = 0;
    for (uint32_t i = 0; i < stack.len && shown < MOST; i++) {
        if (!symbols_place(y->symbols, y->shared->frames[stack.first + i] - 1, &p) || is_system(p.file)) continue;
        note(y, arena_printf(&y->trace->arena, "    %s at %s:%d", p.function ? p.function : "?", p.file, p.line));
        shown++;
    }
}

static void note_access(struct story *y, const char *how, const struct rt_place *p)
{
    note(y, arena_printf(&y->trace->arena, "%s: %s%s of %llu bytes at %s by %s", how, p->atomic ? "atomic " : "",
                         p->write ? "write" : "read", (unsigned long long)p->size, object_name(y, p->address),
                         thread_name(y, (uint64_t)p->thread)));
    note_stack(y, p->stack);
}

static const char *waits_for(struct story *y, const struct rt_thread_end *e)
{
    struct arena *a = &y->trace->arena;
    uint64_t object = e->op.kind == SCHED_COND_RESUME ? e->op.object2 : e->op.object;
    if (e->op.kind == SCHED_JOIN) return arena_printf(a, "the end of %s", thread_name(y, e->op.object));
    if (e->op.kind == SCHED_COND_RESUME && e->op.object)
        return arena_printf(a, "a signal on %s", object_name(y, e->op.object));
    if (e->op.flags & SCHED_SPIN) return arena_printf(a, "a change of %s, in a loop", object_name(y, e->op.object));
    const char *holder = "";
    for (uint32_t i = 0; i < y->shared->created; i++)
        for (uint32_t k = 0; k < y->shared->ends[i].held_count; k++)
            if (y->shared->ends[i].held[k] == object) holder = arena_printf(a, ", held by %s", thread_name(y, i));
    return arena_printf(a, "%s%s", object_name(y, object), holder);
}

/* Who waits for whom at the end, and the stacks of all threads. */
static void note_ends(struct story *y)
{
    enum rt_finding_kind kind = y->shared->finding.kind;
    for (uint32_t i = 0; i < y->shared->created; i++) {
        const struct rt_thread_end *e = &y->shared->ends[i];
        if (!e->exists || e->finished) continue;
        bool failing = (int)i == y->shared->finding.here.thread && kind != RT_DEADLOCK && kind != RT_LIVELOCK;
        if (failing && kind == RT_RACE) continue;
        const char *what = failing      ? "fails"
                           : e->enabled ? "could go on"
                                        : arena_printf(&y->trace->arena, "waits for %s", waits_for(y, e));
        note(y, arena_printf(&y->trace->arena, "%s %s", thread_name(y, i), what));
        note_stack(y, e->stack);
    }
}

static const char *race_name(const struct rt_shared *shared, struct symbols *s)
{
    struct story y = {shared, s, NULL};
    const struct rt_finding *f = &shared->finding;
    const char *name = symbols_variable(s, f->here.address);
    for (uint32_t i = 0; i < shared->home_count && !name; i++)
        if (shared->homes[i].address == f->here.address && shared->homes[i].kind == RT_HOME_STACK)
            name = name_by_home(&y, f->here.address);
    return name;
}

char *native_message(const struct rt_shared *shared, struct symbols *s)
{
    const struct rt_finding *f = &shared->finding;
    struct str text = {0};
    struct arena a = {0};
    const char *where = native_location(shared, s, &f->here, &a);
    if (f->kind == RT_RACE) {
        const char *name = race_name(shared, s), *other = native_location(shared, s, &f->other, &a);
        str_printf(&text, "%s of %s at %s and %s at %s", f->here.write ? "write" : "read", name ? name : "memory",
                   where ? where : "?", f->other.write ? "write" : "read", other ? other : "?");
    } else {
        str_add(&text, f->message);
        if (where && f->kind != RT_ASSERTION && f->kind != RT_DEADLOCK) str_printf(&text, " at %s", where);
    }
    arena_release(&a);
    return text.at;
}

void native_trace_head(struct trace *t, const struct rt_shared *shared, struct symbols *s)
{
    char *message = native_message(shared, s);
    t->engine = "native";
    t->kind = finding_names[shared->finding.kind];
    t->message = arena_strdup(&t->arena, message);
    t->location = native_location(shared, s, &shared->finding.here, &t->arena);
    free(message);
}

static const char *order_name(int order)
{
    switch (order) {
    case __ATOMIC_RELAXED: return "memory_order_relaxed";
    case __ATOMIC_CONSUME: return "memory_order_consume";
    case __ATOMIC_ACQUIRE: return "memory_order_acquire";
    case __ATOMIC_RELEASE: return "memory_order_release";
    case __ATOMIC_ACQ_REL: return "memory_order_acq_rel";
    }
    return "a weak memory order";
}

const char *native_weakest_order(const struct rt_shared *shared, struct symbols *s, struct source_place *out)
{
    *out = (struct source_place){0};
    for (uint32_t i = 0; i < shared->weak_count; i++) {
        const struct rt_weak *w = &shared->weak[i];
        if (symbols_is_guard(s, w->address) && i + 1 < RT_MAX_WEAK) continue; /* a full table may have left out others */
        own_frame(w->frames, RT_WEAK_FRAMES, s, out);
        return order_name(w->order);
    }
    return NULL;
}

struct trace *native_trace(const struct native_run *r, struct symbols *s)
{
    struct story y = {r->shared, s, trace_new()};
    const struct rt_finding *f = &r->shared->finding;
    native_trace_head(y.trace, r->shared, s);
    name_threads(&y);
    add_steps(&y);
    mark_cycle(&y);
    add_failure(&y);
    if (f->kind == RT_RACE) {
        note_access(&y, "this access", &f->here);
        note_access(&y, "races with", &f->other);
    } else if (f->has_other) {
        note(&y, "the block was allocated");
        note_stack(&y, f->other.stack);
    }
    note_ends(&y);
    return y.trace;
}

void native_schedule_of_trace(const struct trace *t, struct rt_shared *to)
{
    size_t n = 0;
    for (size_t i = 0; i < t->steps.len; i++) {
        const int64_t *d = t->steps.at[i].detail.at;
        size_t len = t->steps.at[i].detail.len, k = 0;
        if (len >= 2 && d[0] == RT_TRACE_HOT) {
            for (k = 2; k < len && k < 2 + (size_t)d[1] && to->hot_count < RT_MAX_HOT; k++)
                to->hot[to->hot_count++] = (uint64_t)d[k];
        }
        for (; k + 1 < len && n < RT_MAX_STEPS; k += 2)
            to->first_steps[n++] = (struct sched_step){(int32_t)d[k], (uint32_t)d[k + 1]};
    }
    to->config.schedule_len = n;
}
