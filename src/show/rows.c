/* From steps to rows. The words of a row, the reason of a switch and what is folded are decided here for all printers.
 */
#include "show/show_int.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

enum { MOST_CHANGES = 80, LONGEST_REPEATED = 8, LEAST_REPETITIONS = 3, LEAST_ROUNDS = 5 };

const char *short_name(const char *thread, const char *name)
{
    const char *colon = strrchr(thread, ':');
    size_t len = colon ? (size_t)(colon - thread) : 0, digits = colon ? strlen(colon + 1) : 0;
    if (!colon || strncmp(name, thread, len) || name[len] != '(') return name;
    if (strncmp(name + len + 1, colon + 1, digits)) return name;
    return strncmp(name + len + 1 + digits, "):", 2) ? name : name + len + digits + 3;
}

/* "x = (x+1)" that changes x to 3 is worth a remark; "x = 3" that does so is not. */
static bool says_it_already(const char *action, const char *name, const char *value)
{
    struct str text = {0}, change = {0};
    for (const char *a = action; *a; a++)
        if (*a != ' ') str_addc(&text, *a);
    str_printf(&change, "%s=%s", name, value);
    bool same = !strcmp(str_get(&text), str_get(&change));
    str_release(&text);
    str_release(&change);
    return same;
}

static void add_changes(const struct trace *t, const struct trace_step *s, struct str *out)
{
    size_t start = out->len, left = s->changes.len;
    for (size_t i = 0; i < s->changes.len; i++, left--) {
        const char *name = short_name(t->threads.at[s->thread].name, s->changes.at[i].name);
        if (says_it_already(s->action, name, s->changes.at[i].value)) continue;
        if (out->len > start + MOST_CHANGES) {
            str_printf(out, ", and %zu more", left);
            break;
        }
        str_add(out, out->len > start ? ", " : "  [");
        str_add_visible(out, name);
        str_add(out, " = ");
        str_add_visible(out, s->changes.at[i].value);
    }
    if (out->len > start) str_addc(out, ']');
}

/* "signal c, wakes T2". Who gets a lock that is given back is not decided yet. */
static void add_wakes(const struct trace *t, const struct trace_step *s, struct arena *a, struct str *out)
{
    const char *object;
    enum sync does = sync_of_action(s->action, &object);
    bool gives_back = does == SYNC_RELEASE || does == SYNC_POST;
    for (size_t i = 0; i < s->wakes.len; i++) {
        const char *name = t->threads.at[s->wakes.at[i]].name;
        str_add(out, i || gives_back ? ", " : ", wakes ");
        str_add_visible(out, arena_strndup(a, name, strcspn(name, " ")));
    }
    if (gives_back && s->wakes.len) str_add(out, s->wakes.len > 1 ? " wait for it" : " waits for it");
}

/* ---- repetitions ---- */

static bool same_changes(const trace_changes *a, const trace_changes *b)
{
    if (a->len != b->len) return false;
    for (size_t i = 0; i < a->len; i++)
        if (strcmp(a->at[i].name, b->at[i].name) || strcmp(a->at[i].value, b->at[i].value)) return false;
    return true;
}

/* The same words; numbers that stand alone are values, and may differ. */
static bool same_but_for_values(const char *a, const char *b)
{
    for (bool begins = true; *a && *b; a++, b++) {
        while (begins && isdigit((unsigned char)*a) && isdigit((unsigned char)a[1])) a++;
        while (begins && isdigit((unsigned char)*b) && isdigit((unsigned char)b[1])) b++;
        bool are_values = begins && isdigit((unsigned char)*a) && isdigit((unsigned char)*b);
        if (!are_values && *a != *b) return false;
        begins = *a == ' ';
    }
    return *a == *b;
}

typedef bool is_same(const char *a, const char *b);
static bool same_text(const char *a, const char *b) { return !strcmp(a, b); }

static bool same_step(const struct trace_step *a, const struct trace_step *b, is_same *same)
{
    bool same_output = a->output ? b->output && !strcmp(a->output, b->output) : !b->output;
    return a->thread == b->thread && a->last == b->last && a->line == b->line && same(a->action, b->action) &&
           a->previous_enabled == b->previous_enabled && a->ended == b->ended && same_output &&
           same_changes(&a->changes, &b->changes);
}

struct repetition {
    size_t period, times; /* times: in all; 0: nothing is repeated here */
    bool other_values;    /* a loop: its last round is told, too */
};

/* How often the `period` steps from `first` follow each other, up to `end`. */
static size_t times_repeated(const struct trace *t, size_t first, size_t period, size_t end, is_same *same)
{
    size_t at = first + period;
    while (at < end && same_step(&t->steps.at[at], &t->steps.at[at - period], same)) at++;
    return (at - first) / period;
}

/* A repetition ends before the cycle, which is told by its own line, and before the last step, which is what fails. */
static struct repetition repetition_at(const struct trace *t, size_t first)
{
    size_t end = t->steps.len - 1;
    if (t->cycle_start > (long)first) end = MIN(end, (size_t)t->cycle_start);
    for (size_t period = 1; period <= LONGEST_REPEATED && first + period < end; period++) {
        size_t times = times_repeated(t, first, period, end, same_text);
        if (times >= LEAST_REPETITIONS) return (struct repetition){period, times, false};
        times = times_repeated(t, first, period, end, same_but_for_values);
        if (times >= LEAST_ROUNDS) return (struct repetition){period, times - 1, true};
    }
    return (struct repetition){0};
}

/* ---- rows ---- */

struct maker {
    struct rows *rows;
    const struct trace *t;
    struct row_options o;
    bool folding; /* the steps that are added now are repetitions */
    bool told_how; /* to see what is left out */
};

static struct row *push(struct maker *m, enum row_kind kind, long step, int thread, const char *text)
{
    vec_push(&m->rows->list, ((struct row){.kind = kind,
                                           .step = step,
                                           .thread = thread,
                                           .place = "",
                                           .folded = m->folding,
                                           .text = arena_strdup(&m->rows->arena, text)}));
    return &vec_last(&m->rows->list);
}

static void push_printf(struct maker *m, enum row_kind kind, long step, const char *fmt, ...) PRINTF_LIKE(4, 5);
static void push_printf(struct maker *m, enum row_kind kind, long step, const char *fmt, ...)
{
    struct str s = {0};
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    push(m, kind, step, -1, str_get(&s));
    str_release(&s);
}

static void push_visible(struct maker *m, enum row_kind kind, long step, int thread, const char *text, size_t len)
{
    struct str line = {0};
    str_add_visible(&line, arena_strndup(&m->rows->arena, text, len));
    push(m, kind, step, thread, str_get(&line));
    str_release(&line);
}

/* The last step is what fails, unless the failure is that there is no other after it, or the run is one that passes. */
static bool is_failure(const struct trace *t, size_t i)
{
    return i + 1 == t->steps.len && t->cycle_start < 0 && t->kind && strcmp(t->kind, "deadlock");
}

static void push_part(struct maker *m, size_t i, const struct trace_part *part, size_t k, size_t count)
{
    const struct trace_step *s = &m->t->steps.at[i];
    struct str text = {0}, place = {0};
    str_add_visible(&text, part->action);
    if (k + 1 == count) add_wakes(m->t, s, &m->rows->arena, &text);
    if (k + 1 == count) add_changes(m->t, s, &text);
    struct row *row = push(m, k ? ROW_PART : ROW_STEP, (long)i + 1, part->thread, str_get(&text));
    if (part->file) {
        str_add_visible(&place, path_basename(part->file));
        str_printf(&place, ":%d", part->line);
        row->place = arena_strdup(&m->rows->arena, str_get(&place));
        row->file = part->file;
        row->line = part->line;
    }
    if (s->stale || s->early || s->spurious) row->mark = MARK_STALE;
    if (k + 1 == count && is_failure(m->t, i)) row->mark = MARK_FAILURE;
    str_release(&text);
    str_release(&place);
}

/* A failure of a real program in what a thread does before its first step: nobody had to make room for it. */
static bool is_before_first_step(const struct trace *t, size_t i)
{
    return t->engine && !strcmp(t->engine, "native") && !t->steps.at[i].picks.len && i + 1 == t->steps.len;
}

/* Why the thread that moved before does not go on. */
static void push_switch(struct maker *m, size_t i)
{
    if (!trace_step_is_switch(m->t, i) || is_before_first_step(m->t, i)) return;
    const struct trace_step *before = &m->t->steps.at[i - 1];
    bool preempted = trace_step_is_preemption(m->t, i);
    bool ended = before->ended || !strcmp(before->action, "-end-");
    const char *reason = preempted ? "-- preempted --" : ended ? "-- ended --" : "-- blocked --";
    push(m, ROW_SWITCH, (long)i + 1, before->last, reason)->mark = preempted ? MARK_PREEMPTION : MARK_QUIET;
}

static void push_step(struct maker *m, size_t i)
{
    const struct trace_step *s = &m->t->steps.at[i];
    struct trace_part whole = {s->thread, s->file, s->line, s->action};
    const struct trace_part *parts = s->parts.len ? s->parts.at : &whole;
    size_t count = MAX(s->parts.len, (size_t)1);
    push_switch(m, i);
    if (m->t->cycle_start == (long)i) push(m, ROW_LINE, (long)i + 1, -1, "---- cycle starts here ----");
    for (size_t k = 0; k < count; k++) push_part(m, i, &parts[k], k, count);
    for (const char *line = s->output; line && *line;) {
        size_t len = strcspn(line, "\n");
        push_visible(m, ROW_OUTPUT, (long)i + 1, s->thread, line, len);
        line += len + (line[len] == '\n');
    }
}

static void push_repetitions(struct maker *m, size_t i, struct repetition r)
{
    size_t more = r.times - 1;
    const char *how = r.other_values ? ", with other values" : "";
    if (r.period == 1) push_printf(m, ROW_LINE, 0, "... the same step %zu more times%s ...", more, how);
    else push_printf(m, ROW_LINE, 0, "... the same %zu steps %zu more times%s ...", r.period, more, how);
    m->folding = true;
    for (size_t k = 0; m->o.keep_folded && k < more * r.period; k++) push_step(m, i + k);
    m->folding = false;
}

static void push_left_out(struct maker *m, size_t from, size_t to)
{
    long preemptions = 0;
    bool one_thread = true;
    int thread = m->t->steps.at[from].thread;
    struct str what = {0};
    for (size_t i = from; i < to; i++) {
        preemptions += trace_step_is_preemption(m->t, i);
        one_thread &= m->t->steps.at[i].thread == thread;
    }
    if (one_thread) {
        const char *name = m->t->threads.at[thread].name;
        str_add(&what, "of ");
        str_add_visible(&what, arena_strndup(&m->rows->arena, name, strcspn(name, " ")));
    } else {
        if (preemptions) str_printf(&what, "with %ld preemption%s", preemptions, preemptions == 1 ? "" : "s");
        else str_add(&what, "without a preemption");
    }
    bool tells = m->o.show_all && !m->told_how;
    push_printf(m, ROW_LINE, 0, "... %zu steps %s left out%s%s ...", to - from, str_get(&what),
                tells ? "; all of them: " : "", tells ? m->o.show_all : "");
    m->told_how |= tells;
    str_release(&what);
}

/* A piece of the trace that is shown: some steps, once, or a repetition of those before it. */
struct piece {
    size_t first, len;
    struct repetition repeats;
};
typedef VEC(struct piece) pieces;

/* Single steps, and repetitions; each step of the trace is in exactly one piece. */
static void cut_into_pieces(const struct trace *t, pieces *out)
{
    for (size_t i = 0; i < t->steps.len;) {
        struct repetition r = repetition_at(t, i);
        size_t period = MAX(r.period, (size_t)1);
        for (size_t k = 0; k < period; k++) vec_push(out, ((struct piece){i + k, 1, {0}}));
        i += period;
        if (!r.times) continue;
        vec_push(out, ((struct piece){i, (r.times - 1) * r.period, r}));
        i += (r.times - 1) * r.period;
    }
}

static void push_pieces(struct maker *m, const struct piece *p, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (p[i].repeats.times) push_repetitions(m, p[i].first, p[i].repeats);
        else push_step(m, p[i].first);
}

typedef bool is_switch(const struct trace *t, size_t step);

static bool has_switch(const struct trace *t, const struct piece *p, is_switch *counts)
{
    for (size_t i = p->first; i < p->first + p->len; i++)
        if (counts(t, i)) return true;
    return false;
}

/* How far a piece is from the next switch that counts, on either side; the ends are such. */
static void measure(const struct trace *t, const pieces *all, is_switch *counts, size_t *distance)
{
    size_t n = all->len, since = 0;
    for (size_t i = 0; i < n; i++) {
        const struct piece *p = &all->at[i];
        if (!i || has_switch(t, p, counts) || (long)p->first == t->cycle_start) since = 0;
        distance[i] = since++;
    }
    since = 0;
    for (size_t i = n; i-- > 0; since++) {
        distance[i] = MIN(distance[i], since);
        if (has_switch(t, &all->at[i], counts)) since = SIZE_MAX; /* the one before it is the last of its run */
    }
}

/* Pieces that are left if only so much is shown on either side of a switch. */
static size_t shown_with(const size_t *distance, size_t n, size_t context)
{
    size_t shown = 0;
    for (size_t i = 0; i < n; i++) shown += distance[i] < context;
    return shown;
}

static void push_around_switches(struct maker *m, const pieces *all, const size_t *distance, size_t context)
{
    for (size_t i = 0; i < all->len;) {
        size_t end = i;
        while (end < all->len && distance[end] >= context) end++;
        if (end > i + 1) push_left_out(m, all->at[i].first, all->at[end].first);
        else push_pieces(m, &all->at[i], (end = i + 1) - i);
        i = end;
    }
}

static void push_without_middle(struct maker *m, const pieces *all, size_t most)
{
    size_t head = most / 2, tail = all->len - (most - head);
    push_pieces(m, all->at, head);
    push_left_out(m, all->at[head].first, all->at[tail].first);
    push_pieces(m, all->at + tail, all->len - tail);
}

/* As little as will do is folded, away from switches of any kind. */
static bool push_folded(struct maker *m, const pieces *all, is_switch *counts)
{
    enum { MOST_CONTEXT = 12 };
    size_t *distance = xcalloc(all->len, sizeof *distance), context = MOST_CONTEXT;
    measure(m->t, all, counts, distance);
    while (context && shown_with(distance, all->len, context) > m->o.most_steps) context--;
    if (context) push_around_switches(m, all, distance, context);
    free(distance);
    return context > 0;
}

/* If it is too long, long runs of one thread are folded; if there are too many switches, what lies between preemptions;
 * and only if there are too many of these is the middle left out. */
static void push_steps(struct maker *m)
{
    pieces all = {0};
    cut_into_pieces(m->t, &all);
    size_t most = m->o.most_steps ? m->o.most_steps : all.len;
    if (all.len <= most) {
        push_pieces(m, all.at, all.len);
    } else {
        bool folded = push_folded(m, &all, trace_step_is_switch) || push_folded(m, &all, trace_step_is_preemption);
        if (!folded) push_without_middle(m, &all, most);
    }
    vec_release(&all);
}

void rows_init(struct rows *r, const struct trace *t, struct row_options o)
{
    *r = (struct rows){0};
    struct maker m = {.rows = r, .t = t, .o = o};
    if (t->steps.len) push_steps(&m);
    if (t->cycle_start == (long)t->steps.len)
        push(&m, ROW_LINE, 0, -1, "---- no process can move: it stays like this for ever ----");
    else if (t->cycle_start >= 0) push_printf(&m, ROW_LINE, 0, "---- and again from step %ld ----", t->cycle_start + 1);
    for (size_t i = 0; i < t->notes.len; i++) push_visible(&m, ROW_NOTE, 0, -1, t->notes.at[i], strlen(t->notes.at[i]));
}

void rows_release(struct rows *r)
{
    vec_release(&r->list);
    arena_release(&r->arena);
}

void add_headline(struct str *s, const struct trace *t)
{
    char *counts = trace_count_words(t);
    str_printf(s, "ERROR %s: ", t->kind);
    str_add_visible(s, t->message);
    str_printf(s, " (%s)", counts);
    free(counts);
}
