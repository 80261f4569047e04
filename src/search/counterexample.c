/* From a schedule to a counterexample, by running it: the search that found it is not asked anything. */
#include "search/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Their texts are the arena's. */
struct values { VEC(struct trace_change) list; struct arena arena; };

struct trace_builder {
    struct model *m;
    struct trace *t;
    struct replay *replay;
    int thread_of[MODEL_MOST_PROCESSES]; /* -1: no such process, or it took no part yet */
    VEC(int) end_of;                     /* by proctype: the control state in which it waits to die, or 0 */
    struct values before, after;         /* of the state, in the model's order */
};

static void add_value(void *ctx, const char *name, const char *value)
{
    struct values *to = ctx;
    vec_push(&to->list, ((struct trace_change){arena_strdup(&to->arena, name), arena_strdup(&to->arena, value)}));
}

static void clear_values(struct values *v)
{
    vec_clear(&v->list);
    arena_release(&v->arena);
}

static void release_values(struct values *v)
{
    vec_release(&v->list);
    arena_release(&v->arena);
}

static void list_values_of(struct trace_builder *b, const uint8_t *state, struct values *v)
{
    clear_values(v);
    if (state) b->m->ops->values(b->m, state, add_value, v);
}

static void list_values(struct trace_builder *b, struct values *v)
{
    uint32_t size;
    const uint8_t *state = replay_state(b->replay, &size);
    list_values_of(b, size ? state : NULL, v);
}

/* Both lists are in one order, but processes and their variables come and go. */
static const char *value_in(const struct values *v, const char *name, size_t guess)
{
    if (guess < v->list.len && !strcmp(v->list.at[guess].name, name)) return v->list.at[guess].value;
    for (size_t i = 0; i < v->list.len; i++)
        if (!strcmp(v->list.at[i].name, name)) return v->list.at[i].value;
    return NULL;
}

/* The first values of what a step created are not changes; nor is it one that nobody will read a value again. */
static void add_changes(struct trace_builder *b, struct trace_step *s)
{
    for (size_t i = 0; i < b->after.list.len; i++) {
        const char *name = b->after.list.at[i].name, *new = b->after.list.at[i].value;
        const char *old = value_in(&b->before, name, i);
        if (old && strcmp(new, MODEL_UNUSED) && strcmp(old, new)) trace_change_add(b->t, s, name, new);
    }
}

/* Dead processes lose their column: their numbers may come back for others. */
static void forget_dead(struct trace_builder *b, const uint8_t *state)
{
    for (int pid = b->m->ops->process_count(b->m, state); pid < MODEL_MOST_PROCESSES; pid++) b->thread_of[pid] = -1;
}

static const char *process_name(struct trace_builder *b, const uint8_t *state, int pid)
{
    if (!state || pid >= b->m->ops->process_count(b->m, state)) return arena_printf(&b->t->arena, "process:%d", pid);
    int type = b->m->ops->process_type(b->m, state, pid);
    return arena_printf(&b->t->arena, "%s:%d", b->m->ops->proctype_name(b->m, type), pid);
}

static int thread_for(struct trace_builder *b, const uint8_t *before, const uint8_t *after, int pid)
{
    if (b->thread_of[pid] < 0) {
        bool existed = pid < b->m->ops->process_count(b->m, before);
        b->thread_of[pid] = trace_thread_add(b->t, process_name(b, existed ? before : after, pid));
    }
    return b->thread_of[pid];
}

static void add_part(struct trace_builder *b, struct trace_step *s, int thread, uint32_t transition)
{
    const struct transition *t = b->m->ops->transition(b->m, transition);
    trace_part_add(b->t, s, (struct trace_part){thread, t->file, t->line, t->text ? t->text : ""});
}

/* The text and place of the whole step from its parts; a single part needs no list. */
static void summarize_parts(struct trace_builder *b, struct trace_step *s)
{
    struct str text = {0};
    for (size_t i = 0; i < s->parts.len; i++) str_printf(&text, "%s%s", i ? "; " : "", s->parts.at[i].action);
    s->action = arena_strdup(&b->t->arena, str_get(&text));
    str_release(&text);
    if (s->parts.len) {
        s->file = s->parts.at[0].file;
        s->line = s->parts.at[0].line;
    }
    if (s->parts.len == 1) vec_release(&s->parts);
}

static void add_moves(struct trace_builder *b, struct trace_step *s, const struct successor *t, const uint8_t *before)
{
    for (uint32_t i = 0; i < t->move_count; i++) {
        const struct move *m = &t->moves[i];
        int thread = thread_for(b, before, t->state, m->pid);
        add_part(b, s, thread, m->transition);
        if (m->receives && thread != s->thread) s->partner = thread;
        vec_push(&s->detail, m->pid);
        vec_push(&s->detail, m->transition);
    }
    bool shown = t->move_count && t->moves[t->move_count - 1].transition == t->fault_transition;
    if (t->fault && !shown) add_part(b, s, s->last, t->fault_transition);
    summarize_parts(b, s);
}

static void note_new_values(struct trace_builder *b, struct trace_step *s, const uint8_t *state)
{
    list_values(b, &b->after);
    add_changes(b, s);
    forget_dead(b, state);
    struct values swapped = b->before;
    b->before = b->after;
    b->after = swapped;
}

/* What the step had changed when it failed inside. */
static void note_values_before_fault(struct trace_builder *b, struct trace_step *s, const struct successor *t)
{
    if (!t->fault_before) return;
    list_values_of(b, t->fault_before, &b->after);
    add_changes(b, s);
}

/* What is left for a process at its end is to wait until those that it started have died. */
static bool is_at_end(struct trace_builder *b, const uint8_t *state, int pid)
{
    struct model *m = b->m;
    if (!state || !m->ops->control_state || pid >= m->ops->process_count(m, state)) return false;
    int type = m->ops->process_type(m, state, pid);
    return type < (int)b->end_of.len && b->end_of.at[type] == m->ops->control_state(m, state, pid);
}

static void find_ends(struct trace_builder *b)
{
    for (uint32_t i = 0; i < b->m->transition_count; i++) {
        const struct transition *t = b->m->ops->transition(b->m, i);
        while ((int)b->end_of.len <= t->proctype) vec_push(&b->end_of, 0);
        if (!t->to) b->end_of.at[t->proctype] = t->from;
    }
}

/* Nobody reads a schedule of a hundred thousand steps from end to end, and with all its values it takes a gigabyte. Of
 * the steps in the middle the trace has what a replay needs, and a text. */
static bool is_brief(size_t step, size_t steps)
{
    enum { DETAILED = 10000 };
    return step >= DETAILED && step + DETAILED < steps;
}

static void add_text(struct trace_builder *b, struct trace_step *s, const struct successor *t, const uint8_t *before)
{
    for (uint32_t i = 0; i < t->move_count; i++) {
        const struct move *m = &t->moves[i];
        int thread = thread_for(b, before, t->state, m->pid);
        if (m->receives && thread != s->thread) s->partner = thread;
        vec_push(&s->detail, m->pid); /* for Spin's trail; a file does not have it */
        vec_push(&s->detail, m->transition);
    }
    const struct transition *first = t->move_count ? b->m->ops->transition(b->m, t->moves[0].transition) : NULL;
    s->action = first && first->text ? first->text : "";
    if (t->move_count > 1) s->action = arena_printf(&b->t->arena, "%s; ...", s->action);
    else s->action = arena_strdup(&b->t->arena, s->action);
}

/* Takes one step and adds it to the trace; NULL if the model has no such step. `last` is who moved before. */
static const struct successor *add_step(struct trace_builder *b, uint32_t choice, int last, bool brief)
{
    uint32_t size;
    bool previous_enabled = last >= 0 && replay_leaving_preempts(b->replay, last);
    const uint8_t *state = replay_state(b->replay, &size);
    uint8_t *before = memcpy(xmalloc(size + 1), state, size);
    const struct successor *t = replay_step(b->replay, choice);
    if (t) {
        int thread = thread_for(b, before, t->state, t->pid), last_thread = thread_for(b, before, t->state, t->last);
        struct trace_step *s = trace_step_add(b->t, thread);
        s->last = last_thread;
        s->choice = choice;
        s->previous_enabled = previous_enabled;
        s->ended = is_at_end(b, t->state, t->last);
        s->brief = brief;
        if (brief) {
            add_text(b, s, t, before);
            forget_dead(b, t->state);
        } else {
            add_moves(b, s, t, before);
            if (*replay_output(b->replay)) s->output = arena_strdup(&b->t->arena, replay_output(b->replay));
            if (t->state) note_new_values(b, s, t->state);
            else note_values_before_fault(b, s, t);
        }
    }
    free(before);
    return t;
}

static const char *place(struct trace_builder *b, const struct transition *t)
{
    return t && t->file ? arena_printf(&b->t->arena, "%s:%d", path_basename(t->file), t->line) : NULL;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool mentions(const char *text, const char *name, size_t len)
{
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[len])) return true;
    return false;
}

/* The values of the variables that the failing statement speaks of: globals, and locals "proctype(pid):name" of the
 * process that failed, in the state in which it was tried. If that is not known the state after the step will do for
 * globals; locals may have been reset there because nobody will read them again. */
static void note_values(struct trace_builder *b, const struct successor *t)
{
    bool exact = t->fault_before;
    struct values v = {0};
    const char *text = b->m->ops->transition(b->m, t->fault_transition)->text;
    struct str line = {0}, own = {0};
    const uint8_t *state = exact ? t->fault_before : t->state;
    list_values_of(b, state, &v);
    str_printf(&own, "(%d):", t->last);
    for (size_t i = 0; text && i < v.list.len; i++) {
        const char *name = v.list.at[i].name, *colon = exact ? strstr(name, str_get(&own)) : NULL;
        if (colon) name = colon + own.len;
        if (!strchr(name, ':') && mentions(text, name, strlen(name)))
            str_printf(&line, "%s%s = %s", line.len ? ", " : "with ", name, v.list.at[i].value);
    }
    if (line.len) vec_push(&b->t->notes, arena_strdup(&b->t->arena, str_get(&line)));
    release_values(&v);
    str_release(&line);
    str_release(&own);
}

static void describe_fault(struct trace_builder *b, const struct successor *t)
{
    note_values(b, t);
    b->t->kind = arena_strdup(&b->t->arena, t->fault);
    b->t->message = arena_strdup(&b->t->arena, t->fault_message);
    b->t->location = place(b, b->m->ops->transition(b->m, t->fault_transition));
}

/* The first transition that a blocked process would try, or NULL. */
static const struct transition *waits_at(struct trace_builder *b, const uint8_t *state, int pid)
{
    if (!b->m->ops->control_state) return NULL;
    int at = b->m->ops->control_state(b->m, state, pid), type = b->m->ops->process_type(b->m, state, pid);
    for (uint32_t i = 0; i < b->m->transition_count; i++) {
        const struct transition *t = b->m->ops->transition(b->m, i);
        if (t->proctype == type && t->from == at) return t;
    }
    return NULL;
}

static void describe_deadlock(struct trace_builder *b)
{
    uint32_t size;
    const uint8_t *state = replay_state(b->replay, &size);
    struct str message = {0};
    int processes = b->m->ops->process_count(b->m, state);
    for (int pid = 0; pid < processes; pid++) {
        const struct transition *t = waits_at(b, state, pid);
        const char *name = process_name(b, state, pid), *where = place(b, t);
        if (!where) continue;
        bool ended = t->text && !strcmp(t->text, "-end-"); /* and does not die before those that were started later */
        const char *text = t->text ? t->text : "";
        vec_push(&b->t->notes, ended ? arena_printf(&b->t->arena, "%s has come to its end", name)
                                     : arena_printf(&b->t->arena, "%s waits at %s: %s", name, where, text));
        if (!b->t->location && !ended) b->t->location = where;
    }
    str_printf(&message, "no process can move, and %s a valid end", processes == 1 ? "it is not at" : "not all are at");
    b->t->kind = "deadlock";
    b->t->message = arena_strdup(&b->t->arena, str_get(&message));
    str_release(&message);
}

static bool is_stuck(struct trace_builder *b)
{
    uint32_t size;
    const uint8_t *state = replay_state(b->replay, &size);
    if (!size || b->m->ops->valid_end(b->m, state)) return false;
    for (int pid = b->m->ops->process_count(b->m, state) - 1; pid >= 0; pid--)
        if (replay_process_enabled(b->replay, pid)) return false;
    return true;
}

static void finish(struct trace_builder *b)
{
    struct arena *a = &b->t->arena;
    list_values(b, &b->after);
    for (size_t i = 0; i < b->after.list.len; i++) {
        const struct trace_change *v = &b->after.list.at[i];
        vec_push(&b->t->final_state, ((struct trace_change){arena_strdup(a, v->name), arena_strdup(a, v->value)}));
    }
}

static bool add_steps(struct trace_builder *b, const struct schedule *s)
{
    const struct successor *t = NULL;
    int last = -1;
    for (size_t i = 0; i < s->choices.len; i++) {
        bool brief = is_brief(i, s->choices.len);
        if (i && !brief && is_brief(i - 1, s->choices.len)) list_values(b, &b->before);
        t = add_step(b, s->choices.at[i], last, brief);
        if (!t) return false;
        last = t->last;
    }
    if (t && t->fault) describe_fault(b, t);
    else if (is_stuck(b)) describe_deadlock(b);
    return true;
}

struct trace *trace_of_run(struct model *m, const struct schedule *s)
{
    struct trace_builder b = {.m = m, .t = trace_new(), .replay = replay_new(m)};
    memset(b.thread_of, -1, sizeof b.thread_of);
    if (m->ops->want_output) m->ops->want_output(m, true);
    find_ends(&b);
    list_values(&b, &b.before);
    bool ok = add_steps(&b, s);
    if (m->ops->want_output) m->ops->want_output(m, false);
    finish(&b);
    replay_free(b.replay);
    release_values(&b.before);
    release_values(&b.after);
    vec_release(&b.end_of);
    if (ok) return b.t;
    trace_free(b.t);
    return NULL;
}

struct trace *trace_of_schedule(struct model *m, const struct schedule *s)
{
    struct trace *t = trace_of_run(m, s);
    if (t && t->kind && !strcmp(t->kind, "deadlock") == s->deadlock) return t;
    trace_free(t);
    return NULL;
}

void schedule_of_trace(const struct trace *t, struct schedule *s)
{
    static const char *const of_properties[] = {"ltl", "acceptance-cycle", "non-progress-cycle", "claim"};
    *s = (struct schedule){.deadlock = !strcmp(t->kind, "deadlock"), .lasso = t->cycle_start >= 0,
                           .cycle_start = (size_t)MAX(t->cycle_start, 0)};
    for (size_t i = 0; i < ARRAY_LEN(of_properties); i++) s->violates |= !strcmp(t->kind, of_properties[i]);
    for (size_t i = 0; i < t->steps.len; i++) vec_push(&s->choices, (uint32_t)t->steps.at[i].choice);
}
