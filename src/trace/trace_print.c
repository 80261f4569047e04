/* A trace for people: one column per thread, the reason at every switch, only what changed, a cycle printed once.
 *
 * A text that is wider than its column runs on into the columns to the right, which are empty in its line. If columns
 * would be too narrow to read, the thread's name stands before its step instead. */
#include "trace/trace.h"

#include <string.h>

enum { NUMBER_WIDTH = 6, LEAST_COLUMN = 26, DEFAULT_WIDTH = 120 };

struct page {
    const struct trace *t;
    FILE *out;
    int width, column; /* column 0: too many threads for columns */
    int name_width;    /* without columns: of the longest name */
    bool color;
    const char *show_all;
};

static const char RED[] = "\033[31;1m", YELLOW[] = "\033[33;1m", DIM[] = "\033[2m", PLAIN[] = "\033[0m";

static const char *color(const struct page *p, const char *code) { return p->color ? code : ""; }

static struct page page_of(const struct trace *t, FILE *out, struct trace_style style)
{
    struct page p = {.t = t, .out = out, .width = style.width > 0 ? style.width : DEFAULT_WIDTH, .color = style.color,
                     .show_all = style.show_all};
    int threads = (int)MAX(t->threads.len, (size_t)1);
    p.column = MIN((p.width - NUMBER_WIDTH) / threads, 48);
    if (p.column < LEAST_COLUMN && threads > 1) p.column = 0;
    for (size_t i = 0; i < t->threads.len; i++) p.name_width = MAX(p.name_width, (int)strlen(t->threads.at[i].name));
    return p;
}

/* "x = (x+1)" that changes x to 3 is worth a remark; "x = 3" that does so is not. */
static bool says_it_already(const char *action, const struct trace_change *c)
{
    struct str text = {0};
    for (const char *a = action; *a; a++)
        if (*a != ' ') str_addc(&text, *a);
    struct str change = {0};
    str_printf(&change, "%s=%s", c->name, c->value);
    bool same = !strcmp(str_get(&text), str_get(&change));
    str_release(&text);
    str_release(&change);
    return same;
}

static void add_changes(const struct trace_step *s, struct str *out)
{
    bool any = false;
    for (size_t i = 0; i < s->changes.len; i++) {
        if (says_it_already(s->action, &s->changes.at[i])) continue;
        str_printf(out, "%s%s = %s", any ? ", " : "  [", s->changes.at[i].name, s->changes.at[i].value);
        any = true;
    }
    if (any) str_addc(out, ']');
}

static void start_line(const struct page *p, long number, int thread)
{
    if (number > 0) fprintf(p->out, "%4ld  ", number);
    else fprintf(p->out, "%*s", NUMBER_WIDTH, "");
    if (p->column) fprintf(p->out, "%*s", p->column * thread, "");
    else fprintf(p->out, "%-*s  ", p->name_width, p->t->threads.at[thread].name);
}

static void print_cell(const struct page *p, long number, const struct trace_part *part, const char *changes, const char *code)
{
    struct str place = {0}, text = {0};
    if (part->file) str_printf(&place, "%s:%d", path_basename(part->file), part->line);
    str_printf(&text, "%s%s", part->action, changes);
    int room = (p->column ? p->column : p->width - NUMBER_WIDTH - p->name_width - 2) - (int)place.len - 2;
    start_line(p, number, part->thread);
    fprintf(p->out, "%s%-*s%s", color(p, code), place.len ? MIN(room, 60) : 0, str_get(&text), color(p, PLAIN));
    if (place.len) fprintf(p->out, "  %s%s%s", color(p, DIM), str_get(&place), color(p, PLAIN));
    fputc('\n', p->out);
    str_release(&place);
    str_release(&text);
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
    const struct trace_step *s = &p->t->steps.at[i];
    struct str changes = {0};
    const char *code = i + 1 == p->t->steps.len && p->t->cycle_start < 0 ? RED : "";
    add_changes(s, &changes);
    struct trace_part whole = {s->thread, s->file, s->line, s->action};
    const struct trace_part *parts = s->parts.len ? s->parts.at : &whole;
    size_t count = MAX(s->parts.len, (size_t)1);
    for (size_t k = 0; k < count; k++)
        print_cell(p, k ? 0 : (long)i + 1, &parts[k], k + 1 == count ? str_get(&changes) : "", code);
    print_output(p, s);
    str_release(&changes);
}

static void print_switch(const struct page *p, size_t i)
{
    if (!trace_step_is_switch(p->t, i)) return;
    const struct trace_step *before = &p->t->steps.at[i - 1];
    bool preempted = trace_step_is_preemption(p->t, i);
    bool ended = !strcmp(before->action, "-end-");
    start_line(p, 0, before->last);
    fprintf(p->out, "%s-- %s --%s\n", color(p, preempted ? YELLOW : DIM), preempted ? "preempted" : ended ? "ended" : "blocked",
            color(p, PLAIN));
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
    if (!p->column) return;
    struct str line = {0};
    for (size_t i = 0; i < p->t->threads.len; i++) str_printf(&line, "%-*s", p->column, p->t->threads.at[i].name);
    while (line.len && line.at[line.len - 1] == ' ') line.at[--line.len] = 0;
    fprintf(p->out, "%*s%s\n", NUMBER_WIDTH, "", str_get(&line));
    str_release(&line);
}

void trace_print(const struct trace *t, FILE *out, struct trace_style style)
{
    const struct page p = page_of(t, out, style);
    size_t most = style.most_steps ? style.most_steps : t->steps.len, len = t->steps.len;
    fputc('\n', out);
    if (len) print_names(&p);
    if (len <= most) {
        print_steps(&p, 0, len);
    } else {
        size_t head = most / 2, tail = len - (most - head);
        print_steps(&p, 0, head);
        print_left_out(&p, head, tail);
        print_steps(&p, tail, len);
    }
    if (t->cycle_start >= 0) fprintf(out, "%*s---- and again from step %ld ----\n", NUMBER_WIDTH, "", t->cycle_start + 1);
    for (size_t i = 0; i < t->notes.len; i++) fprintf(out, "%*s%s\n", NUMBER_WIDTH, "", t->notes.at[i]);
    fputc('\n', out);
}
