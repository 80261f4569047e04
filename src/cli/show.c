/* heddle show: a trace file for people. */
#include "cli/cli.h"

#include <stdlib.h>

struct show_options { bool no_color; int64_t width; };
static const struct option rows[] = {
    {"no-color", 0, OPTION_FLAG, offsetof(struct show_options, no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
    {"width", 0, OPTION_INT, offsetof(struct show_options, width), "N", "columns of the page", 40, 10000, NULL},
};

int cmd_show(int argc, char **argv)
{
    struct show_options o = {.width = 120};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct option_words words = {0}, rest = {0};
    struct arena arena = {0};
    const char *error = NULL;
    if (options_parse(&table, 1, argc, argv, &words, &rest, &arena, &error)) die("%s", error);
    if (words.len != 1) die("usage: heddle show TRACE [options]");
    char *wrong = NULL;
    struct trace *t = trace_read(words.at[0], &wrong);
    if (!t) die("%s", wrong);
    trace_print(t, stdout, (struct trace_style){.width = (int)o.width, .color = !o.no_color});
    struct result r = {.verdict = VERDICT_ERROR, .error = t};
    result_print_verdict(&r, stdout);
    trace_free(t);
    vec_release(&words);
    arena_release(&arena);
    return EXIT_OK;
}
