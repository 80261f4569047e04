/* A trace for people: one column per thread, the reason at every switch, only what changed, a cycle printed once.
 *
 * Columns are as wide as what stands in them if the page is wide enough for that. If not they are equally wide, and a
 * text that is too long runs on into the columns to the right, which are empty in its line. If they would be too narrow
 * to read, there are no columns and the thread's name stands before its step. */
#include "trace/trace.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_WIDTH = 6, LEAST_COLUMN = 26, GAP = 3, DEFAULT_WIDTH = 120, MOST_CHANGES = 80 };

struct column { int at, width; };

struct page {
    const struct trace *t;
    FILE *out;
    int width;
    struct column *columns; /* one per thread; NULL: too many threads for columns */
    int name_width;         /* without columns: of the longest name */
    bool color;
    const char *show_all;
};

static const char RED[] = "\033[31;1m", YELLOW[] = "\033[33;1m", DIM[] = "\033[2m", PLAIN[] = "\033[0m";

static const char *color(const struct page *p, const char *code) { return p->color ? code : ""; }

/* In the column of user:1, "user(1):x" is just x. */
static const char *short_name(const char *thread, const char *name)
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

/* What stands in the cells of a step: each part, the last one with the changes. fn gets text and place. */
typedef void cell_fn(void *ctx, const struct trace_part *part, size_t k, const char *text, const char *place);

static void each_cell(const struct trace *t, const struct trace_step *s, cell_fn *fn, void *ctx)
{
    struct trace_part whole = {s->thread, s->file, s->line, s->action};
    const struct trace_part *parts = s->parts.len ? s->parts.at : &whole;
    size_t count = MAX(s->parts.len, (size_t)1);
    for (size_t k = 0; k < count; k++) {
        struct str text = {0}, place = {0};
        str_add_visible(&text, parts[k].action);
        if (k + 1 == count) add_changes(t, s, &text);
        if (parts[k].file) {
            str_add_visible(&place, path_basename(parts[k].file));
            str_printf(&place, ":%d", parts[k].line);
        }
        fn(ctx, &parts[k], k, str_get(&text), str_get(&place));
        str_release(&text);
        str_release(&place);
    }
}

/* ---- columns ---- */

static void measure_cell(void *ctx, const struct trace_part *part, size_t k, const char *text, const char *place)
{
    struct page *p = ctx;
    (void)k;
    assert(part->thread >= 0 && (size_t)part->thread < p->t->threads.len);
    int needed = (int)MIN(strlen(text) + (*place ? 2 + strlen(place) : 0), (size_t)INT_MAX / 2);
    p->columns[part->thread].width = MAX(p->columns[part->thread].width, needed);
}

/* Columns that fit their cells, or equal ones, or none. */
static void lay_out_columns(struct page *p)
{
    int threads = (int)p->t->threads.len, room = p->width - NUMBER_WIDTH;
    long total = 0;
    p->columns = xcalloc((size_t)threads + 1, sizeof *p->columns);
    for (int i = 0; i < threads; i++)
        p->columns[i].width = (int)MAX(strlen(p->t->threads.at[i].name), strlen("-- preempted --"));
    for (size_t i = 0; i < p->t->steps.len; i++) each_cell(p->t, &p->t->steps.at[i], measure_cell, p);
    for (int i = 0; i < threads; i++) {
        p->columns[i].at = (int)MIN(total, INT_MAX);
        total += p->columns[i].width + GAP;
    }
    if (total - GAP <= room || threads == 1) return;
    for (int i = 0; i < threads; i++) p->columns[i] = (struct column){room / threads * i, room / threads - GAP};
    if (room / threads >= LEAST_COLUMN) return;
    free(p->columns);
    p->columns = NULL;
}

static struct page page_of(const struct trace *t, FILE *out, struct trace_style style)
{
    struct page p = {.t = t, .out = out, .width = style.width > 0 ? style.width : DEFAULT_WIDTH, .color = style.color,
                     .show_all = style.show_all};
    for (size_t i = 0; i < t->threads.len; i++) p.name_width = MAX(p.name_width, (int)strlen(t->threads.at[i].name));
    lay_out_columns(&p);
    return p;
}

/* ---- lines ---- */

static void start_line(const struct page *p, long number, int thread)
{
    assert(thread >= 0 && (size_t)thread < p->t->threads.len);
    if (number > 0) fprintf(p->out, "%4ld  ", number);
    else fprintf(p->out, "%*s", NUMBER_WIDTH, "");
    if (p->columns) fprintf(p->out, "%*s", p->columns[thread].at, "");
    else fprintf(p->out, "%-*s  ", p->name_width, p->t->threads.at[thread].name);
}

struct cell_style { const struct page *p; long number; const char *code; };

static void print_cell(void *ctx, const struct trace_part *part, size_t k, const char *text, const char *place)
{
    const struct cell_style *c = ctx;
    const struct page *p = c->p;
    int room = p->columns ? p->columns[part->thread].width : MIN(p->width - NUMBER_WIDTH - p->name_width - 2, 80);
    start_line(p, k ? 0 : c->number, part->thread);
    int padded = *place ? room - (int)strlen(place) - 2 : 0;
    fprintf(p->out, "%s%-*s%s", color(p, c->code), MAX(padded, 0), text, color(p, PLAIN));
    if (*place) fprintf(p->out, "  %s%s%s", color(p, DIM), place, color(p, PLAIN));
    fputc('\n', p->out);
}

/* What a step printed, line by line below it. */
static void print_output(const struct page *p, const struct trace_step *s)
{
    for (const char *line = s->output; line && *line;) {
        size_t len = strcspn(line, "\n");
        start_line(p, 0, s->thread);
        fprintf(p->out, "  > %.*s\n", (int)len, line);
        line += len + (line[len] == '\n');
    }
}

static void print_step(const struct page *p, size_t i)
{
    bool fails = i + 1 == p->t->steps.len && p->t->cycle_start < 0;
    struct cell_style c = {p, (long)i + 1, fails ? RED : ""};
    each_cell(p->t, &p->t->steps.at[i], print_cell, &c);
    print_output(p, &p->t->steps.at[i]);
}

static void print_switch(const struct page *p, size_t i)
{
    if (!trace_step_is_switch(p->t, i)) return;
    const struct trace_step *before = &p->t->steps.at[i - 1];
    bool preempted = trace_step_is_preemption(p->t, i);
    bool ended = before->ended || !strcmp(before->action, "-end-");
    start_line(p, 0, before->last);
    const char *reason = preempted ? "preempted" : ended ? "ended" : "blocked";
    fprintf(p->out, "%s-- %s --%s\n", color(p, preempted ? YELLOW : DIM), reason, color(p, PLAIN));
}

static void print_steps(const struct page *p, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        print_switch(p, i);
        if (p->t->cycle_start == (long)i) fprintf(p->out, "%*s---- cycle starts here ----\n", NUMBER_WIDTH, "");
        print_step(p, i);
    }
}

static void print_left_out(const struct page *p, size_t from, size_t to)
{
    long preemptions = 0;
    for (size_t i = from; i < to; i++) preemptions += trace_step_is_preemption(p->t, i);
    fprintf(p->out, "%*s... %zu steps with %ld preemption%s left out", NUMBER_WIDTH, "", to - from, preemptions,
            preemptions == 1 ? "" : "s");
    if (p->show_all) fprintf(p->out, "; all of them: %s", p->show_all);
    fputs(" ...\n", p->out);
}

static void print_names(const struct page *p)
{
    int at = 0;
    fprintf(p->out, "%*s", NUMBER_WIDTH, "");
    for (size_t i = 0; i < p->t->threads.len; i++) {
        fprintf(p->out, "%*s%s", p->columns[i].at - at, "", p->t->threads.at[i].name);
        at = p->columns[i].at + (int)strlen(p->t->threads.at[i].name);
    }
    fputc('\n', p->out);
}

static void print_note(const struct page *p, const char *note)
{
    struct str line = {0};
    str_add_visible(&line, note);
    fprintf(p->out, "%*s%s\n", NUMBER_WIDTH, "", str_get(&line));
    str_release(&line);
}

void trace_print(const struct trace *t, FILE *out, struct trace_style style)
{
    struct page p = page_of(t, out, style);
    size_t most = style.most_steps ? style.most_steps : t->steps.len, len = t->steps.len;
    fputc('\n', out);
    if (len && p.columns) print_names(&p);
    if (len <= most) {
        print_steps(&p, 0, len);
    } else {
        size_t head = most / 2, tail = len - (most - head);
        print_steps(&p, 0, head);
        print_left_out(&p, head, tail);
        print_steps(&p, tail, len);
    }
    if (t->cycle_start == (long)len)
        fprintf(out, "%*s---- no process can move: it stays like this for ever ----\n", NUMBER_WIDTH, "");
    else if (t->cycle_start >= 0)
        fprintf(out, "%*s---- and again from step %ld ----\n", NUMBER_WIDTH, "", t->cycle_start + 1);
    for (size_t i = 0; i < t->notes.len; i++) print_note(&p, t->notes.at[i]);
    fputc('\n', out);
    free(p.columns);
}
