/* A recorded execution as a trace: what each thread did, in the words of its source. */
#include "native/native.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct maker {
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
        const struct source_place *at;
        size_t n = frames[i] ? symbols_frames(s, frames[i] - 1, &at) : 0;
        for (size_t k = 0; k < n; k++) {
            *out = at[k];
            if (!is_system(out->file)) return true;
            if (!any.file && !is_runtime(out->file)) any = *out;
        }
    }
    *out = any;
    return any.file != NULL;
}

static bool own_frame_of(const struct rt_shared *shared, struct symbols *s, struct rt_stack stack,
                         struct source_place *out)
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

static const char *heap_name(struct maker *m, const struct rt_home *home)
{
    struct source_place p;
    if (!own_frame_of(m->shared, m->symbols, home->stack, &p)) return NULL;
    const char *member, *type = NULL;
    if (home->offset >= RT_SHARED_OBJECT)
        type = symbols_shared_object(m->symbols, home->first, (uint64_t)home->offset - RT_SHARED_OBJECT, &member);
    if (type) return arena_printf(&m->trace->arena, "%s(%s:%d)%s", type, path_basename(p.file), p.line, member);
    return arena_printf(&m->trace->arena, "heap(%s:%d)+%lld", path_basename(p.file), p.line, (long long)home->offset);
}

static const struct rt_home *home_of(const struct rt_shared *shared, uint64_t address)
{
    for (uint32_t i = 0; i < shared->home_count; i++)
        if (shared->homes[i].address == address) return &shared->homes[i];
    return NULL;
}

/* A name by way of pointers, and how good it is: one whose types fit the blocks, then one that is not `this`, which
 * means something else in every function, then the shortest. */
struct path_name { const char *name; int fits; };

static bool is_better(struct path_name a, struct path_name b)
{
    if (!a.name || !b.name) return a.name != NULL;
    if (a.fits != b.fits) return a.fits > b.fits;
    bool own = !strncmp(a.name, "this", 4), other_own = !strncmp(b.name, "this", 4);
    return own == other_own ? strlen(a.name) < strlen(b.name) : other_own;
}

/* Found backwards: the last links are known, and the pointer at the address comes before them. */
enum { MOST_POINTERS = 4 };
static struct path_name name_behind(struct maker *m, uint64_t address, const struct symbols_link *links, size_t count)
{
    const struct rt_home *home = home_of(m->shared, address);
    struct path_name best = {0};
    if (!home || home->kind != RT_HOME_HEAP) {
        struct symbols_root root = {.address = address};
        bool own = home && home->kind == RT_HOME_THREAD;
        if (own) root = (struct symbols_root){.thread_local = true, .offset = home->offset};
        else if (home) root = (struct symbols_root){.pc = home->pc - 1, .offset = home->offset};
        best.name = symbols_behind(m->symbols, &root, links, count, &best.fits);
        return best;
    }
    if (home->offset < 0 || count == MOST_POINTERS) return best;
    struct symbols_link longer[MOST_POINTERS];
    if (count) memcpy(longer + 1, links, count * sizeof *links);
    for (size_t i = 0; i < RT_POINTERS && home->pointers[i].at; i++) {
        uint64_t to = home->pointers[i].to, offset = (uint64_t)home->offset;
        if (to > offset || to > home->size) continue;
        longer[0] = (struct symbols_link){offset - to, home->size - to};
        struct path_name other = name_behind(m, home->pointers[i].at, longer, count + 1);
        if (is_better(other, best)) best = other;
    }
    return best;
}

static const char *name_by_home(struct maker *m, uint64_t address)
{
    const struct rt_home *home = home_of(m->shared, address);
    if (!home) return NULL;
    if (home->kind == RT_HOME_STACK) return symbols_local(m->symbols, home->pc - 1, home->offset);
    if (home->kind == RT_HOME_THREAD) return symbols_thread_local(m->symbols, (uint64_t)home->offset);
    const char *name = name_behind(m, address, NULL, 0).name;
    return name ? name : heap_name(m, home);
}

static const char *thread_name(struct maker *m, uint64_t thread)
{
    if (thread >= m->trace->threads.len) return arena_printf(&m->trace->arena, "T%llu", (unsigned long long)thread);
    const char *name = m->trace->threads.at[thread].name;
    return arena_strndup(&m->trace->arena, name, strcspn(name, " "));
}

/* What has no name is told apart by its address, which is the same in every execution. */
static const char *object_name(struct maker *m, uint64_t object)
{
    enum { FUTEX_BITS = 61 };
    uint64_t address = object & ((1ull << FUTEX_BITS) - 1);
    const char *name = symbols_variable(m->symbols, address);
    const struct rt_home *home = name ? NULL : home_of(m->shared, address);
    if (!name) name = name_by_home(m, address);
    if (name && home && home->kind == RT_HOME_THREAD)
        return arena_printf(&m->trace->arena, "%s of %s", name, thread_name(m, (uint64_t)home->thread));
    return name ? name : arena_printf(&m->trace->arena, "%#llx", (unsigned long long)address);
}

static const char *memory_action(struct maker *m, const struct rt_event *e)
{
    struct arena *a = &m->trace->arena;
    const char *name = object_name(m, e->object), *value = symbols_value(m->symbols, e->object, e->size, e->value);
    if (e->stale) value = arena_printf(a, "%s, %s", value, e->kind == SCHED_WRITE ? "early" : "stale");
    if (!e->has_value) return arena_printf(a, "%s %s", e->kind == SCHED_READ ? "read" : "write", name);
    if (e->kind == SCHED_READ) return arena_printf(a, "%s -> %s", name, value);
    if (e->kind == SCHED_WRITE) return arena_printf(a, "%s = %s", name, value);
    const char *old = symbols_value(m->symbols, e->object, e->size, e->old);
    if (!e->has_old) return arena_printf(a, "%s -> %s, compare fails", name, value);
    return arena_printf(a, "%s: %s -> %s", name, old, value);
}

static const char *action(struct maker *m, const struct rt_event *e)
{
    struct arena *a = &m->trace->arena;
    const char *kind = e->label[0] ? e->label : sched_kind_name(e->kind);
    switch (e->kind) {
    case SCHED_READ:
    case SCHED_WRITE:
    case SCHED_RMW:
    case SCHED_CAS:
        return e->label[0] ? arena_strdup(a, kind) : memory_action(m, e);
    case SCHED_CREATE:
    case SCHED_JOIN: return arena_printf(a, "%s %s", kind, thread_name(m, e->object));
    case SCHED_CHOOSE:
        if (e->flags & SCHED_SURPRISE) return arena_printf(a, "%s%s", e->choice ? "" : "no ", kind);
        return arena_printf(a, "choose %u of %u", e->choice, e->size);
    case SCHED_COND_RESUME:
        return arena_printf(a, "%s %s%s", e->label[0] ? kind : "wake up", object_name(m, e->object),
                            e->failed ? ", not signalled" : "");
    case SCHED_PUT:
    case SCHED_TAKE:
    case SCHED_PEEK: return arena_printf(a, "%s%s", kind, e->failed ? " fails" : "");
    case SCHED_SEM_WAIT:
    case SCHED_SEM_POST:
        return e->label[0] ? arena_strdup(a, kind) : arena_printf(a, "%s %s", kind, object_name(m, e->object));
    case SCHED_YIELD:
    case SCHED_EXIT:
    case SCHED_GLOBAL:
    case SCHED_END:
    case SCHED_NEVER:
    case SCHED_LOCAL: return arena_strdup(a, kind);
    default: return arena_printf(a, "%s %s%s", kind, object_name(m, e->object), e->failed ? " fails" : "");
    }
}

/* Those of which there is something to tell: one that was announced last may not have been created any more. */
static uint32_t thread_count(const struct rt_shared *s)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < RT_MAX_THREADS; i++)
        if (s->ends[i].exists) count = i + 1;
    for (uint32_t i = 0; i < s->event_count; i++) count = MAX(count, (uint32_t)s->events[i].thread + 1);
    return MAX(count, (uint32_t)s->finding.here.thread + 1);
}

static bool outermost(struct maker *m, struct rt_stack stack, struct source_place *out)
{
    for (uint32_t i = stack.len; i-- > 0;) {
        const struct source_place *at;
        size_t n = symbols_frames(m->symbols, m->shared->frames[stack.first + i] - 1, &at);
        while (n-- > 0)
            if (!is_system(at[n].file)) {
                *out = at[n];
                return true;
            }
    }
    return false;
}

/* The outermost function of the program's own that the thread was seen in: what it was started for, by a library. */
static bool first_function(struct maker *m, uint32_t thread, struct source_place *out)
{
    const struct rt_event *events = m->shared->events;
    if (outermost(m, m->shared->ends[thread].stack, out)) return true;
    for (uint32_t i = 0; i < m->shared->event_count; i++)
        if ((uint32_t)events[i].thread == thread && outermost(m, events[i].stack, out)) return true;
    return false;
}

static void name_threads(struct maker *m)
{
    uint32_t count = thread_count(m->shared);
    assert(count <= RT_MAX_THREADS);
    for (uint32_t i = 0; i < count; i++) {
        const struct rt_thread_end *e = &m->shared->ends[i];
        struct source_place p;
        struct str name = {0};
        if (i == 0) str_add(&name, "main");
        else {
            str_printf(&name, "T%u", i);
            if (e->name[0]) str_printf(&name, " %s", e->name);
            else if ((symbols_place(m->symbols, e->start, &p) || first_function(m, i, &p)) && p.function)
                str_printf(&name, " %s", p.function);
        }
        for (size_t k = 0; k < name.len; k++) /* what the program called it is printed, and has to be one line */
            if ((unsigned char)name.at[k] < ' ' || name.at[k] == 127) name.at[k] = '?';
        trace_thread_add(m->trace, name.at);
        str_release(&name);
    }
    assert(m->trace->threads.len == count);
}

static void add_position(struct maker *m, struct trace_step *step, struct rt_stack stack)
{
    struct source_place p;
    if (!own_frame_of(m->shared, m->symbols, stack, &p)) return;
    step->file = arena_strdup(&m->trace->arena, p.file);
    step->line = p.line;
}

/* The calls that led to a step, if it is inside of one: those in the program's own files. */
static void add_stack(struct maker *m, struct trace_step *step, struct rt_stack stack)
{
    enum { MOST = 64 };
    struct source_place p, own[MOST];
    size_t count = 0;
    for (uint32_t i = 0; i < stack.len && count < MOST; i++) {
        uint64_t frame = m->shared->frames[stack.first + i];
        if (frame && symbols_place(m->symbols, frame - 1, &p) && !is_system(p.file)) own[count++] = p;
    }
    for (size_t i = 0; count > 1 && i < count; i++)
        trace_frame_add(m->trace, step,
                        (struct trace_frame){own[i].function ? own[i].function : "?", own[i].file, own[i].line});
}

/* The thread could make a step, and the fair bound does not hold it back: leaving one that it does is no preemption. */
static bool could_go_on(const struct rt_threads *enabled, int thread, const uint32_t *yields, int fair_bound)
{
    uint32_t least = UINT32_MAX;
    if (fair_bound < 0 || !rt_threads_has(enabled, thread)) return rt_threads_has(enabled, thread);
    for (int w = 0; w < RT_MAX_THREADS / 64; w++)
        for (uint64_t left = enabled->word[w]; left; left &= left - 1)
            least = MIN(least, yields[w * 64 + __builtin_ctzll(left)]);
    return yields[thread] - least <= (uint32_t)fair_bound;
}

bool *native_preemptions(const struct rt_shared *shared)
{
    uint32_t yields[RT_MAX_THREADS] = {0}, count = MIN(shared->event_count, RT_MAX_EVENTS);
    bool *preempts = xcalloc(count + 1, sizeof *preempts);
    for (uint32_t i = 0; i < count; i++) {
        const struct rt_event *e = &shared->events[i];
        assert(e->thread >= 0 && e->thread < RT_MAX_THREADS);
        int previous = i ? shared->events[i - 1].thread : e->thread;
        preempts[i] = previous != e->thread && could_go_on(&e->enabled, previous, yields, shared->config.fair_bound);
        yields[e->thread] += e->kind == SCHED_YIELD;
    }
    return preempts;
}

/* Steps that only show how something is done: the inside of a futex, what libraries do once. */
static bool is_detail(struct maker *m, const struct rt_event *e)
{
    static const char *const hidden[] = {"futex enter", "futex leave", "futex compare", "once done",
                                         "static init done"};
    static const char *const own_only[] = {"once", "static init", "static init set"};
    struct source_place p;
    for (size_t i = 0; i < ARRAY_LEN(hidden); i++)
        if (!strcmp(e->label, hidden[i])) return true;
    for (size_t i = 0; i < ARRAY_LEN(own_only); i++)
        if (!strcmp(e->label, own_only[i])) return !own_frame_of(m->shared, m->symbols, e->stack, &p);
    return false;
}

/* Such steps, and a thread's end, have no row of their own unless a switch is to be seen there. */
static bool has_row(struct maker *m, uint32_t i)
{
    const struct rt_event *e = &m->shared->events[i];
    bool follows = i && e[-1].thread == e->thread;
    bool goes_on = i + 1 == m->shared->event_count || e[1].thread == e->thread;
    if (e->kind == SCHED_EXIT) return !follows;
    return !follows || !goes_on || !is_detail(m, e);
}

static void add_row(struct maker *m, const struct rt_event *e, bool preempts)
{
    struct trace_step *step = trace_step_add(m->trace, e->thread);
    assert(e->kind < SCHED_KIND_COUNT && memchr(e->label, 0, sizeof e->label));
    step->previous_enabled = preempts;
    step->ended = e->kind == SCHED_EXIT;
    step->stale = e->stale && e->kind != SCHED_WRITE;
    step->early = e->stale && e->kind == SCHED_WRITE;
    step->spurious = (e->flags & SCHED_SURPRISE) && e->choice;
    step->choice = e->choice;
    step->action = action(m, e);
    for (int t = 0; t < (int)m->trace->threads.len && t < RT_MAX_THREADS; t++)
        if (rt_threads_has(&e->wakes, t)) vec_push(&step->wakes, t);
    add_position(m, step, e->stack);
    add_stack(m, step, e->stack);
}

/* What has no row is kept with the next one, so that the schedule stays whole. */
static void add_steps(struct maker *m)
{
    VEC(struct trace_pick) kept = {0};
    bool *preempts = native_preemptions(m->shared);
    for (uint32_t i = 0; i < m->shared->event_count; i++) {
        const struct rt_event *e = &m->shared->events[i];
        assert((size_t)e->thread < m->trace->threads.len);
        vec_push(&kept, ((struct trace_pick){e->thread, e->choice}));
        if (!has_row(m, i)) {
            assert(!preempts[i]);
            if (e->kind == SCHED_EXIT) vec_last(&m->trace->steps).ended = true;
            continue;
        }
        add_row(m, e, preempts[i]);
        for (size_t k = 0; k < kept.len; k++) vec_push(&vec_last(&m->trace->steps).picks, kept.at[k]);
        vec_clear(&kept);
    }
    for (size_t k = 0; m->trace->steps.len && k < kept.len; k++)
        vec_push(&vec_last(&m->trace->steps).picks, kept.at[k]);
    assert(!m->shared->event_count || m->trace->steps.len);
    for (uint32_t i = 0; i < m->shared->hot_count; i++) vec_push(&m->trace->points, m->shared->hot[i]);
    vec_release(&kept);
    free(preempts);
}

static bool same_row(const struct trace_step *a, const struct trace_step *b)
{
    return a->thread == b->thread && a->line == b->line && !strcmp(a->action, b->action);
}

/* Where nobody makes progress the last rows repeat the ones before them: that is the cycle. */
static void mark_repeated_rows(struct maker *m)
{
    enum { LONGEST = 8 };
    size_t n = m->trace->steps.len;
    const struct trace_step *rows = m->trace->steps.at;
    for (size_t length = 1; m->shared->finding.kind == RT_LIVELOCK && length <= LONGEST && 2 * length <= n; length++) {
        size_t same = 0;
        while (same < length && same_row(&rows[n - 1 - same], &rows[n - 1 - length - same])) same++;
        if (same < length) continue;
        assert(n >= 2 * length);
        m->trace->cycle_start = (long)(n - length);
        return;
    }
}

/* The row that has the first step of the cycle: each row has those of the picks that come up to it. */
static void mark_cycle(struct maker *m)
{
    size_t picks = 0, from = m->shared->finding.cycle_from;
    if (m->shared->finding.kind != RT_LIVELOCK || !from) {
        mark_repeated_rows(m);
        return;
    }
    for (size_t i = 0; i < m->trace->steps.len; i++) {
        picks += m->trace->steps.at[i].picks.len;
        if (picks < from) continue;
        m->trace->cycle_start = (long)i;
        return;
    }
}

/* The failure itself is the last row. */
static void add_failure(struct maker *m)
{
    const struct rt_finding *f = &m->shared->finding;
    if (f->kind == RT_DEADLOCK || f->kind == RT_LIVELOCK || f->kind == RT_NONE) return;
    if ((size_t)f->here.thread >= m->trace->threads.len) return;
    struct trace_step *step = trace_step_add(m->trace, f->here.thread);
    struct arena *a = &m->trace->arena;
    const char *text = f->message;
    if (f->kind == RT_ASSERTION) {
        const char *at = strstr(text, " at ");
        text = arena_printf(a, "assert(%.*s) fails", at ? (int)(at - text) : (int)strlen(text), text);
    } else if (f->kind == RT_RACE) {
        text = arena_printf(a, "%s %s races", f->here.write ? "write" : "read", object_name(m, f->here.address));
    }
    step->action = arena_strdup(a, text);
    add_position(m, step, f->here.stack);
    add_stack(m, step, f->here.stack);
}

static void note(struct maker *m, const char *text)
{
    vec_push(&m->trace->notes, arena_strdup(&m->trace->arena, text));
}

static void note_stack(struct maker *m, struct rt_stack stack)
{
    enum { MOST = 8 };
    int shown = 0;
    for (uint32_t i = 0; i < stack.len; i++) {
        const struct source_place *p;
        size_t n = symbols_frames(m->symbols, m->shared->frames[stack.first + i] - 1, &p);
        for (; n-- > 0 && shown < MOST; p++) {
            if (is_system(p->file)) continue;
            const char *function = p->function ? p->function : "?";
            note(m, arena_printf(&m->trace->arena, "    %s at %s:%d", function, p->file, p->line));
            shown++;
        }
    }
}

/* The row in which the thread did the last step that it had announced before the access. 0: none. Stacks are kept in
 * the order of time. */
static size_t row_before(struct maker *m, const struct rt_place *p)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < m->shared->event_count; i++) {
        const struct rt_event *e = &m->shared->events[i];
        if (e->thread == p->thread && e->stack.first < p->stack.first) last = i + 1;
    }
    size_t picks = 0;
    for (size_t row = 0; row < m->trace->steps.len && last; row++) {
        picks += m->trace->steps.at[row].picks.len;
        if (picks >= last) return row + 1;
    }
    return 0;
}

/* The row of an event, from 1. */
static size_t row_of(struct maker *m, uint32_t event)
{
    size_t picks = 0;
    for (size_t row = 0; row < m->trace->steps.len; row++) {
        picks += m->trace->steps.at[row].picks.len;
        if (picks > event) return row + 1;
    }
    return m->trace->steps.len;
}

/* What would have ordered the newest write before the access that passed it over, or another one that is newer than
 * what was read. */
static const char *missing_order(struct maker *m, uint32_t event)
{
    struct arena *a = &m->trace->arena;
    struct native_link links[4];
    uint32_t passed_over;
    size_t count = native_missing_links(m->shared, event, &passed_over, links, ARRAY_LEN(links));
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        size_t write = row_of(m, links[i].write), read = row_of(m, links[i].read);
        const char *there = links[i].releases ? "" : arena_printf(a, "a release at step %zu", write);
        const char *here = links[i].acquires ? "" : arena_printf(a, "an acquire at step %zu", read);
        text = arena_printf(a, "%s%s%s%s%s", text, i ? ", " : "    ", there, *there && *here ? " and " : "", here);
    }
    if (!count) return "    no release and acquire would: the order of seq_cst operations could";
    if (passed_over + 1 == m->shared->events[event].newest_step) return arena_printf(a, "%s would", text);
    return arena_printf(a, "%s would order step %zu before it, which is newer than what it read", text,
                        row_of(m, passed_over));
}

/* How many steps from `event` on pass over the same write at the same place in its thread; 0: one before it does. */
static uint32_t alike(const struct rt_shared *s, uint32_t event)
{
    const struct rt_event *e = &s->events[event];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->event_count; i++) {
        const struct rt_event *f = &s->events[i];
        bool same = f->stale && f->thread == e->thread && f->object == e->object && f->kind == e->kind &&
                    f->newest_step == e->newest_step;
        if (same && i < event) return 0;
        count += same;
    }
    return count;
}

static const char *when_written(struct maker *m, uint32_t step)
{
    if (!step || step > m->shared->event_count) return "at the beginning";
    return arena_printf(&m->trace->arena, "at step %zu by %s", row_of(m, step - 1),
                        thread_name(m, (uint64_t)m->shared->events[step - 1].thread));
}

/* Each access that the memory model let pass over the newest write, those that are alike once. */
static void note_surprises(struct maker *m)
{
    struct arena *a = &m->trace->arena;
    for (uint32_t i = 0; i < m->shared->event_count; i++) {
        const struct rt_event *e = &m->shared->events[i];
        uint32_t count = e->stale ? alike(m->shared, i) : 0;
        if (!count) continue;
        bool early = e->kind == SCHED_WRITE;
        const char *newest = symbols_value(m->symbols, e->object, e->size, e->newest);
        const char *more = arena_printf(a, " (as %u later %s)", count - 1, count == 2 ? "one" : "ones");
        note(m, arena_printf(a, "step %zu%s %s %s: %s was written %s, and nothing orders that write before this %s",
                             row_of(m, i), count > 1 ? more : "", early ? "writes early to" : "is stale in",
                             object_name(m, e->object), newest, when_written(m, e->newest_step),
                             early ? "one" : "read"));
        if (!early) note(m, missing_order(m, i));
    }
}

/* What may happen for no reason, in the words of the manual pages. */
static void note_spurious(struct maker *m)
{
    struct arena *a = &m->trace->arena;
    for (uint32_t i = 0; i < m->shared->event_count; i++) {
        const struct rt_event *e = &m->shared->events[i];
        if (!(e->flags & SCHED_SURPRISE) || !e->choice) continue;
        bool waits = strstr(e->label, "wake-up");
        const char *why = waits ? "wake-up: a wait may return without a signal, so check its condition again"
                                : "failure: a weak compare-exchange may fail although it finds what it expects";
        note(m, arena_printf(a, "step %zu is a spurious %s", row_of(m, i), why));
    }
}

static void note_access(struct maker *m, const char *how, const struct rt_place *p, size_t row)
{
    struct arena *a = &m->trace->arena;
    const char *when = row ? arena_printf(a, ", after step %zu", row) : "";
    note(m, arena_printf(a, "%s: %s%s of %llu bytes at %s by %s%s", how, p->atomic ? "atomic " : "",
                         p->write ? "write" : "read", (unsigned long long)p->size, object_name(m, p->address),
                         thread_name(m, (uint64_t)p->thread), when));
    note_stack(m, p->stack);
}

static const char *waits_for(struct maker *m, const struct rt_thread_end *e)
{
    struct arena *a = &m->trace->arena;
    uint64_t object = e->op.kind == SCHED_COND_RESUME ? e->op.object2 : e->op.object;
    if (e->op.kind == SCHED_JOIN) return arena_printf(a, "the end of %s", thread_name(m, e->op.object));
    if (e->op.kind == SCHED_COND_RESUME && e->op.object)
        return arena_printf(a, "a signal on %s", object_name(m, e->op.object));
    if ((e->op.flags & (SCHED_SPIN | SCHED_WAITS)) && e->label[0]) return arena_printf(a, "%s to return", e->label);
    if (e->op.flags & SCHED_SPIN) return arena_printf(a, "a change of %s, in a loop", object_name(m, e->op.object));
    if (!strcmp(e->label, RT_ROOM_LABEL)) return e->label;
    const char *holder = "";
    for (uint32_t i = 0; i < RT_MAX_THREADS; i++)
        for (uint32_t k = 0; k < m->shared->ends[i].held_count; k++)
            if (m->shared->ends[i].held[k] == object) holder = arena_printf(a, ", held by %s", thread_name(m, i));
    for (uint32_t i = 0; i < RT_MAX_THREADS && e->op.kind == SCHED_RDLOCK && (e->op.flags & SCHED_BEHIND); i++)
        if (m->shared->ends[i].op.kind == SCHED_WRLOCK && m->shared->ends[i].op.object == object)
            holder = arena_printf(a, "%s, behind %s", holder, thread_name(m, i));
    return arena_printf(a, "%s%s", object_name(m, object), holder);
}

/* Who waits for whom at the end, and the stacks of all threads. A race is about two accesses, in whichever order:
 * others that wait for nothing have nothing to do with it. */
static void note_ends(struct maker *m)
{
    enum rt_finding_kind kind = m->shared->finding.kind;
    for (uint32_t i = 0; i < RT_MAX_THREADS; i++) {
        const struct rt_thread_end *e = &m->shared->ends[i];
        if (!e->exists || e->finished) continue;
        bool failing = (int)i == m->shared->finding.here.thread && kind != RT_DEADLOCK && kind != RT_LIVELOCK;
        if (kind == RT_RACE && (failing || e->enabled)) continue;
        const char *what = failing      ? "fails"
                           : e->enabled ? "could go on"
                                        : arena_printf(&m->trace->arena, "waits for %s", waits_for(m, e));
        note(m, arena_printf(&m->trace->arena, "%s %s", thread_name(m, i), what));
        note_stack(m, e->stack);
    }
}

static const char *race_name(const struct rt_shared *shared, struct symbols *s)
{
    struct maker m = {shared, s, NULL};
    const struct rt_finding *f = &shared->finding;
    const char *name = symbols_variable(s, f->here.address);
    const struct rt_home *home = home_of(shared, f->here.address);
    if (!name && home && home->kind != RT_HOME_HEAP) name = name_by_home(&m, f->here.address);
    return name || !home ? name : name_behind(&m, f->here.address, NULL, 0).name;
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

const char *native_order_name(int order)
{
    switch (order) {
    case __ATOMIC_RELAXED: return "memory_order_relaxed";
    case __ATOMIC_CONSUME: return "memory_order_consume";
    case __ATOMIC_ACQUIRE: return "memory_order_acquire";
    case __ATOMIC_RELEASE: return "memory_order_release";
    case __ATOMIC_ACQ_REL: return "memory_order_acq_rel";
    case __ATOMIC_SEQ_CST: return "memory_order_seq_cst";
    }
    return "a weak memory order";
}

bool native_site_place(const struct rt_site *site, struct symbols *s, struct source_place *out)
{
    return own_frame(site->frames, RT_WEAK_FRAMES, s, out);
}

bool native_waiting_place(const struct rt_waiting *w, struct symbols *s, struct source_place *out)
{
    return own_frame(w->frames, RT_WEAK_FRAMES, s, out);
}

bool native_mixed_place(const struct rt_mixed *mixed, struct symbols *s, struct source_place *out)
{
    return own_frame(mixed->frames, RT_WEAK_FRAMES, s, out);
}

const char *native_weakest_order(const struct rt_shared *shared, struct symbols *s, struct source_place *out)
{
    *out = (struct source_place){0};
    for (uint32_t i = 0; i < shared->weak_count; i++) {
        const struct rt_weak *w = &shared->weak[i];
        if (symbols_is_guard(s, w->address) && i + 1 < RT_MAX_WEAK) continue; /* a full table may lack others */
        own_frame(w->frames, RT_WEAK_FRAMES, s, out);
        return native_order_name(w->order);
    }
    return NULL;
}

struct trace *native_trace(const struct native_run *r, struct symbols *s)
{
    struct maker m = {r->shared, s, trace_new()};
    const struct rt_finding *f = &r->shared->finding;
    native_trace_head(m.trace, r->shared, s);
    name_threads(&m);
    add_steps(&m);
    mark_cycle(&m);
    add_failure(&m);
    if (f->kind == RT_RACE) {
        note_access(&m, "this access", &f->here, 0);
        note_access(&m, "races with", &f->other, row_before(&m, &f->other));
    } else if (f->has_other) {
        note(&m, "the block was allocated");
        note_stack(&m, f->other.stack);
    }
    note_surprises(&m);
    note_spurious(&m);
    note_ends(&m);
    return m.trace;
}

/* A thread has its number in the order of creation as its name. */
struct trace *native_bare_trace(const struct rt_shared *failed, const struct rt_shared *schedule, struct symbols *s)
{
    struct trace *t = trace_new();
    native_trace_head(t, failed, s);
    trace_thread_add(t, "main");
    for (size_t i = 0; i < schedule->config.schedule_len; i++) {
        struct sched_step step = schedule->first_steps[i];
        while ((int)t->threads.len <= step.thread)
            trace_thread_add(t, arena_printf(&t->arena, "T%zu", t->threads.len));
        struct trace_step *row = trace_step_add(t, step.thread);
        row->action = "step";
        vec_push(&row->picks, ((struct trace_pick){step.thread, step.choice}));
    }
    for (uint32_t i = 0; i < schedule->hot_count; i++) vec_push(&t->points, schedule->hot[i]);
    return t;
}

const char *native_schedule_of_trace(const struct trace *t, struct rt_shared *to)
{
    size_t n = 0;
    if (t->points.len > RT_MAX_HOT) return "it has more points than there can be";
    to->hot_count = 0;
    for (size_t i = 0; i < t->points.len; i++) to->hot[to->hot_count++] = t->points.at[i];
    for (size_t i = 0; i < t->steps.len; i++)
        for (size_t k = 0; k < t->steps.at[i].picks.len; k++) {
            struct trace_pick p = t->steps.at[i].picks.at[k];
            if (p.thread < 0 || p.thread >= RT_MAX_THREADS) return "its schedule has more threads than there can be";
            if (n == RT_MAX_STEPS) return "its schedule is longer than one can be";
            to->first_steps[n++] = (struct sched_step){p.thread, p.choice};
        }
    /* A program with one thread may fail before there is anything to schedule. */
    if (!n && t->threads.len > 1) return "it has no schedule";
    to->config.schedule_len = n;
    return NULL;
}

bool native_place_of(const struct rt_shared *shared, struct symbols *s, const struct rt_event *e,
                     struct source_place *out)
{
    return own_frame_of(shared, s, e->stack, out);
}

char *native_object_name(const struct native_run *run, struct symbols *s, uint64_t object)
{
    struct maker m = {run->shared, s, trace_new()};
    char *name = xstrdup(object_name(&m, object));
    trace_free(m.trace);
    return name;
}
