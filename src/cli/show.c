/* heddle show: a trace file for people. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct show_options { bool no_color, simplify, json; int64_t width, steps; const char *output; };
#define AT(member) offsetof(struct show_options, member)
static const struct option rows[] = {
    {"simplify", 0, OPTION_FLAG, AT(simplify), NULL, "reorder the steps so that there are the fewest preemptions",
     0, 0, NULL},
    {"output", 'o', OPTION_STRING, AT(output), "TRACE", "write what is shown to TRACE", 0, 0, NULL},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "print the trace as JSON", 0, 0, NULL},
    {"steps", 0, OPTION_INT, AT(steps), "N", "leave out the middle of traces longer than N steps", 2, INT32_MAX, NULL},
    {"width", 0, OPTION_INT, AT(width), "N", "columns of the page", 40, 10000, NULL},
    {"no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
};
#undef AT

/* Replaces the trace by a simpler one if there is one, and says what came of it. */
static void simplify(struct trace **t)
{
    const struct engine *e = engine_named((*t)->engine);
    if (!e || !e->simplify) {
        fprintf(stderr, "heddle: warning: traces of engine '%s' cannot be simplified\n", (*t)->engine);
        return;
    }
    struct trace *better = NULL;
    char *line = e->simplify(*t, &better);
    fprintf(stderr, "heddle: %s\n", line);
    free(line);
    if (!better) return;
    trace_free(*t);
    *t = better;
}

static void print(const struct trace *t, const struct show_options *o)
{
    if (o->json) {
        trace_print_json(t, stdout);
        return;
    }
    struct trace_style style = {.width = o->width ? (int)o->width : terminal_width(), .color = wants_color(o->no_color),
                                .most_steps = (size_t)o->steps};
    trace_print(t, stdout, style);
    result_print_verdict(&(struct result){.error = (struct trace *)t}, stdout);
}

int cmd_show(int argc, char **argv)
{
    struct show_options o = {0};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *path = command_word("show", &table, argc, argv, &arena);
    if (!path) return EXIT_OK;
    char *wrong = NULL;
    struct trace *t = trace_read(path, &wrong);
    if (!t) die("%s", wrong);
    if (o.simplify) simplify(&t);
    if (o.output && trace_write(t, o.output)) die("%s: %s", o.output, strerror(errno));
    print(t, &o);
    trace_free(t);
    arena_release(&arena);
    return EXIT_OK;
}
