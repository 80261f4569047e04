/* A counterexample on the terminal, with what to do next. */
#define _GNU_SOURCE
#include "show/show.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PAPER_WIDTH = 120, LEAST_WIDTH = 39 };

int terminal_width(void)
{
    struct winsize w;
    if (isatty(1) && !ioctl(1, TIOCGWINSZ, &w) && w.ws_col) return MAX((int)w.ws_col - 1, LEAST_WIDTH);
    return PAPER_WIDTH;
}

bool wants_color(bool no_color) { return !no_color && isatty(1) && !getenv("NO_COLOR"); }

/* What the trace itself shows, where nobody has tried anything. */
static const char *plain_reason(const struct trace *t)
{
    struct trace_counts c = trace_count(t);
    if (t->steps.len < 2 || c.preemptions || c.stale_reads || c.early_writes || c.spurious) return NULL;
    if (t->cycle_start >= 0 && (size_t)t->cycle_start < t->steps.len)
        return "no preemption is needed, and the steps of the cycle can go on for ever";
    if (!strcmp(t->kind, "race"))
        return "no preemption is needed: nothing orders the two accesses";
    return "no preemption is needed: each thread runs until it waits or ends";
}

void report_replay(const struct trace *t, const char *trace_path)
{
    struct str path = {0};
    str_add_shell(&path, trace_path);
    printf("replay   heddle replay %s%s\n", t->needs_trust ? "--trust " : "", path.at);
    str_release(&path);
}

void report_trace(const struct trace *t, struct report r)
{
    struct str all = {0}, path = {0};
    if (r.quiet) return;
    if (r.trace_path) {
        str_add_shell(&path, r.trace_path);
        str_printf(&all, "heddle show %s", path.at);
    }
    trace_print(t, stdout,
                (struct trace_style){.width = terminal_width(),
                                     .color = r.color,
                                     .most_steps = r.most_steps,
                                     .show_all = r.trace_path ? str_get(&all) : NULL});
    const char *why = r.why && *r.why ? r.why : plain_reason(t);
    if (why) printf("why      %s\n", why);
    if (r.trace_path) {
        printf("picture  heddle show --html %s\n", path.at);
        report_replay(t, r.trace_path);
    }
    str_release(&all);
    str_release(&path);
}
