/* A trace for people: one column per thread, the reason at every switch, a cycle printed once. */
#include "trace/trace.h"

#include <string.h>

static void print_step_text(const struct trace_step *s, struct str *out)
{
    str_add(out, s->action);
    for (size_t i = 0; i < s->changes.len; i++)
        str_printf(out, "%s%s = %s", i ? ", " : "   [", s->changes.at[i].name, s->changes.at[i].value);
    if (s->changes.len) str_addc(out, ']');
}

static void print_row(const struct trace *t, size_t i, FILE *out, int column)
{
    const struct trace_step *s = &t->steps.at[i];
    struct str text = {0};
    print_step_text(s, &text);
    fprintf(out, "%4zu  %*s%-*s", i + 1, column * s->thread, "", column, str_get(&text));
    if (s->file) fprintf(out, "  %s:%d", path_basename(s->file), s->line);
    fputc('\n', out);
    str_release(&text);
}

void trace_print(const struct trace *t, FILE *out, struct trace_style style)
{
    int threads = (int)MAX(t->threads.len, (size_t)1);
    int column = MAX(12, (style.width ? style.width - 20 : 80) / threads);
    fprintf(out, "\n      ");
    for (size_t i = 0; i < t->threads.len; i++) fprintf(out, "%-*s", column, t->threads.at[i].name);
    fputc('\n', out);
    for (size_t i = 0; i < t->steps.len; i++) {
        if (t->cycle_start == (long)i) fprintf(out, "      ---- cycle starts here ----\n");
        if (trace_step_is_preemption(t, i))
            fprintf(out, "      %*s-- preempted --\n", column * t->steps.at[i - 1].thread, "");
        print_row(t, i, out, column);
    }
    for (size_t i = 0; i < t->notes.len; i++) fprintf(out, "  %s\n", t->notes.at[i]);
    fputc('\n', out);
}
