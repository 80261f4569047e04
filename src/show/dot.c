/* A trace as a graph for dot: a box per step, one group (a column) per thread, arrows in the order of time, bold where
 * the thread changes; dashed ones for messages, locks and threads. */
#include "show/show_int.h"

#include <string.h>

/* dot reads no string of more than 16384 bytes, and nobody reads a box of so many. */
enum { MOST_LABEL = 2000 };

static void print_quoted(FILE *out, const char *text)
{
    struct str clean = {0};
    size_t printed = 0;
    str_add_utf8(&clean, text);
    fputc('"', out);
    for (const char *c = str_get(&clean); *c; c++, printed++) {
        bool begins = (*c & 0xc0) != 0x80; /* and is not inside of a character */
        if (begins && printed >= MOST_LABEL) break;
        if (*c == '"' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    fputs(printed < clean.len ? "...\"" : "\"", out);
    str_release(&clean);
}

/* The box of a step: its number, its thread, its words and its place. */
static void print_box(const struct trace *t, const struct row *row, FILE *out)
{
    struct str label = {0};
    str_printf(&label, "%ld  %s: %s", row->step, t->threads.at[row->thread].name, row->text);
    if (*row->place) str_printf(&label, "  %s", row->place);
    fprintf(out, "  s%ld [group=t%d, label=", row->step, row->thread);
    print_quoted(out, str_get(&label));
    fprintf(out, "%s];\n", row->mark == MARK_FAILURE ? ", color=red, penwidth=2" : "");
    str_release(&label);
}

/* From each step that is shown to the next one. */
static void print_order(const struct trace *t, const struct rows *rows, bool *shown, FILE *out)
{
    long before = 0;
    for (size_t i = 0; i < rows->list.len; i++) {
        const struct row *row = &rows->list.at[i];
        if (row->kind != ROW_STEP) continue;
        size_t step = (size_t)row->step - 1;
        shown[step] = true;
        if (before && trace_step_is_preemption(t, step))
            fprintf(out, "  s%ld -> s%ld [style=bold, color=orange, label=\"preempted\"];\n", before, row->step);
        else if (before)
            fprintf(out, "  s%ld -> s%ld [style=%s];\n", before, row->step,
                    trace_step_is_switch(t, step) ? "bold" : "solid");
        before = row->step;
    }
    if (before && t->cycle_start >= 0 && (size_t)t->cycle_start < t->steps.len && shown[t->cycle_start])
        fprintf(out, "  s%ld -> s%ld [style=bold, color=blue, label=\"and again\"];\n", before, t->cycle_start + 1);
}

static void print_arrows(const struct trace *t, const bool *shown, FILE *out)
{
    struct arrows arrows;
    arrows_init(&arrows, t);
    for (size_t i = 0; i < arrows.list.len; i++) {
        const struct arrow *a = &arrows.list.at[i];
        if (a->from == a->to || !shown[a->from] || !shown[a->to]) continue;
        fprintf(out, "  s%zu -> s%zu [style=dashed, constraint=false, label=", a->from + 1, a->to + 1);
        print_quoted(out, a->label);
        fputs("];\n", out);
    }
    arrows_release(&arrows);
}

void dot_print(const struct trace *t, FILE *out, struct picture_style style)
{
    struct rows rows;
    struct str title = {0};
    bool *shown = xcalloc(t->steps.len + 1, sizeof *shown);
    rows_init(&rows, t, (struct row_options){.most_steps = style.most_steps});
    add_headline(&title, t);
    fputs("digraph counterexample {\n  label=", out);
    print_quoted(out, str_get(&title));
    fputs(";\n  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n", out);
    for (size_t i = 0; i < rows.list.len; i++)
        if (rows.list.at[i].kind == ROW_STEP) print_box(t, &rows.list.at[i], out);
    print_order(t, &rows, shown, out);
    print_arrows(t, shown, out);
    fputs("}\n", out);
    free_null((void **)&shown);
    str_release(&title);
    rows_release(&rows);
}
