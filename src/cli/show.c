/* heddle show: a trace file for people. */
#include "cli/input_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct show_options {
    bool no_color, simplify, trust, json, text, html, svg, mermaid, dot, schedule;
    int64_t width, steps;
    const char *output;
};
#define AT(member) offsetof(struct show_options, member)
static const struct option rows[] = {
    {"simplify", 0, OPTION_FLAG, AT(simplify), NULL, "reorder the steps so that there are the fewest preemptions",
     0, 0, NULL},
    {"trust", 0, OPTION_FLAG, AT(trust), NULL, "with --simplify: compile and run whatever the trace names", 0, 0, NULL},
    {"output", 'o', OPTION_STRING, AT(output), "FILE",
     "write the picture to FILE; without a picture, the trace as it is shown", 0, 0, NULL},
    {"text", 0, OPTION_FLAG, AT(text), NULL, "print it in columns (the default)", 0, 0, NULL},
    {"html", 0, OPTION_FLAG, AT(html), NULL, "print it as a page for a browser", 0, 0, NULL},
    {"svg", 0, OPTION_FLAG, AT(svg), NULL, "print it as a message sequence chart", 0, 0, NULL},
    {"mermaid", 0, OPTION_FLAG, AT(mermaid), NULL, "print it as a sequence diagram of Mermaid", 0, 0, NULL},
    {"dot", 0, OPTION_FLAG, AT(dot), NULL, "print it as a graph for dot", 0, 0, NULL},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "print the trace as JSON", 0, 0, NULL},
    {"schedule", 0, OPTION_FLAG, AT(schedule), NULL, "print a command that replays it without the file", 0, 0, NULL},
    {"steps", 0, OPTION_INT, AT(steps), "N", "leave out the middle of traces longer than N steps", 2, INT32_MAX, NULL},
    {"width", 0, OPTION_INT, AT(width), "N", "columns of the page", 40, 10000, NULL},
    {"no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
};
#undef AT

/* Replaces the trace by a simpler one if there is one, and says so. False: its input is bad. */
static bool simplify(struct trace **t, const char *path, bool trusted)
{
    const struct engine *e = engine_named((*t)->engine);
    if (!e || !e->simplify) {
        fprintf(stderr, "heddle: warning: traces of engine '%s' cannot be simplified\n", (*t)->engine);
        return true;
    }
    if ((*t)->text) {
        fprintf(stderr, "heddle: warning: a trace whose input was no file cannot be simplified\n");
        return true;
    }
    struct trace *better = NULL;
    char *directory = trust_directory_of(path);
    trust_or_refuse(*t, (struct trust_request){trusted, directory, path, "heddle show --simplify"});
    char *line = e->simplify(*t, &(struct replay_options){.trust = trusted}, &better);
    free(directory);
    if (line) fprintf(stderr, "heddle: %s\n", line);
    bool good = line != NULL;
    free(line);
    if (!better) return good;
    trace_free(*t);
    *t = better;
    return true;
}

/* Words about output and limits; *values: how many words they take up beside themselves. */
static bool is_about_output(const char *word, size_t *values)
{
    static const struct { const char *name; bool takes; } silent[] = {
        {"--json", false}, {"--quiet", false}, {"-q", false}, {"--verbose", false}, {"-v", false},
        {"--no-color", false}, {"--no-times", false}, {"--github", false}, {"--all-errors", false}, {"--verify", false},
        {"--output", true}, {"-o", true}, {"--html", true}, {"--svg", true}, {"--mermaid", true}, {"--dot", true},
        {"--junit", true}, {"--sarif", true}, {"--time", true}, {"--memory", true}};
    for (size_t i = 0; i < ARRAY_LEN(silent); i++) {
        size_t len = strcspn(word, "=");
        if (strlen(silent[i].name) != len || strncmp(silent[i].name, word, len)) continue;
        *values = silent[i].takes && !word[len];
        return true;
    }
    return false;
}

static void add_word(struct str *line, const char *word)
{
    str_addc(line, ' ');
    str_add_shell_word(line, word);
}

/* The user is to see that a command from a trace can do harm, so the trace itself is not believed. */
static bool needs_trust(const struct trace *t, const char *path)
{
    const struct engine *e = engine_named(t->engine);
    char *directory = trust_directory_of(path), *refused = trust_refusal(t, directory);
    bool needed = t->needs_trust || refused || (e && !t->text && !input_is_plain(t->input, e));
    free(refused);
    free(directory);
    return needed;
}

/* Everything that a replay needs, in one line. The input is called what it was called for the check. */
static void print_schedule(const struct trace *t, const char *path)
{
    char *schedule = trace_schedule_text(t);
    struct str line = {0};
    const char *language = t->given ? language_of_ending(t->input) : NULL;
    bool named = strcmp(t->engine, "native"); /* whose options name all of their files */
    if (!schedule) die("a trace of engine '%s' with such options has no schedule that fits in a line", t->engine);
    str_printf(&line, "heddle replay --schedule=%s", schedule);
    if (needs_trust(t, path)) str_add(&line, " --trust");
    if (named) str_addc(&line, ' ');
    if (named && t->given && !strcmp(t->given, "-")) str_addc(&line, '-');
    else if (named) str_add_shell(&line, t->given ? t->given : t->input);
    for (size_t i = 0, values = 0; i < t->options.len; i++) {
        const char *word = t->options.at[i];
        if (!strcmp(word, "--")) { /* the program's own */
            if (language) str_printf(&line, " --lang=%s", language), language = NULL;
            while (i < t->options.len) add_word(&line, t->options.at[i++]);
        } else if (is_about_output(word, &values)) i += values;
        else if (language && !strcmp(word, "--lang")) i++;
        else if (!(named && !strcmp(word, t->input)) && !(language && !strncmp(word, "--lang=", 7)))
            add_word(&line, word);
    }
    if (language) str_printf(&line, " --lang=%s", language);
    puts(str_get(&line));
    str_release(&line);
    free(schedule);
}

static void print(const struct trace *t, const char *path, const struct show_options *o)
{
    if (o->schedule) {
        print_schedule(t, path);
        return;
    }
    if (o->json) {
        trace_print_json(t, stdout);
        return;
    }
    struct trace_style style = {.width = o->width ? (int)o->width : terminal_width(), .color = wants_color(o->no_color),
                                .most_steps = (size_t)o->steps};
    trace_print(t, stdout, style);
    result_print_verdict(&(struct result){.error = (struct trace *)t}, stdout);
}

/* The picture that was asked for; PICTURES: none. */
static enum picture wanted_picture(const struct show_options *o)
{
    const bool wanted[] = {
        [PICTURE_HTML] = o->html, [PICTURE_SVG] = o->svg, [PICTURE_MERMAID] = o->mermaid, [PICTURE_DOT] = o->dot};
    enum picture found = PICTURES;
    int count = o->json + o->text + o->schedule;
    for (int p = 0; p < PICTURES; p++)
        if (wanted[p]) found = p, count++;
    if (count > 1) die("--text, --json, --schedule, --html, --svg, --mermaid and --dot exclude each other");
    return found;
}

/* model.trace -> model.html: a page in the middle of a terminal helps nobody. */
static char *file_beside(const char *trace, enum picture p)
{
    const char *base = path_basename(trace), *dot = strrchr(base, '.');
    struct str s = {0};
    str_addn(&s, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    str_printf(&s, ".%s", picture_name(p));
    return s.at;
}

static void draw(const struct trace *t, const char *path, enum picture p, const struct show_options *o)
{
    char *wrong = NULL, *beside = !o->output && isatty(1) ? file_beside(path, p) : NULL;
    const char *output = o->output ? o->output : beside;
    struct str directory = {0};
    str_addn(&directory, path, (size_t)(path_basename(path) - path));
    str_addc(&directory, '.');
    struct picture_style style = {.most_steps = (size_t)o->steps, .directory = directory.at, .trace_path = path};
    if (output ? picture_write(p, t, output, style, &wrong) : picture_print(p, t, stdout, style, &wrong))
        die("%s: %s", output ? output : path, wrong);
    if (output) printf("written: %s\n", output);
    str_release(&directory);
    free(beside);
}

int cmd_show(int argc, char **argv)
{
    struct show_options o = {0};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *path = command_word("show", &table, argc, argv, &arena);
    if (!path) return EXIT_OK;
    limits_end_on_signals();
    enum picture picture = wanted_picture(&o);
    char *wrong = NULL;
    struct trace *t = trace_read(path, &wrong);
    if (!t) die("%s", wrong);
    if (o.simplify && !simplify(&t, path, o.trust)) {
        trace_free(t);
        arena_release(&arena);
        return EXIT_BAD_INPUT;
    }
    if (picture != PICTURES) {
        draw(t, path, picture, &o);
    } else {
        if (o.output && trace_write(t, o.output)) die("%s: %s", o.output, strerror(errno));
        print(t, path, &o);
    }
    trace_free(t);
    arena_release(&arena);
    return EXIT_OK;
}
