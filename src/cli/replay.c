/* heddle replay: run a counterexample again, from Heddle's own trace or from Spin's trail. */
#include "base/tempdir.h"
#include "cli/input_int.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct trail_options {
    struct promela_flags flags;
    const char *output;
};
#define AT(member) offsetof(struct replay_options, member)
static const struct option rows[] = {
    {"trust", 0, OPTION_FLAG, AT(trust), NULL, "compile and run whatever the trace names (look at it before)", 0, 0,
     NULL},
    {"no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "print the verdict only", 0, 0, NULL},
};
static const struct option program_rows[] = {
    {"gdb", 0, OPTION_FLAG, AT(gdb), NULL, "stop in gdb where the failure is found; forward and back by steps", 0, 0,
     NULL},
};
#undef AT
static const struct option schedule_rows[] = { /* listed only: schedule_word() finds it */
    {"schedule", 0, OPTION_STRING, 0, "SCHEDULE", "run this schedule on the input, without a trace", 0, 0, NULL},
};
#define AT(member) offsetof(struct trail_options, member)
static const struct option trail_rows[] = {
    {"output", 'o', OPTION_STRING, AT(output), "TRACE", "write the trail as a trace of heddle", 0, 0, NULL},
    {"define", 'D', OPTION_LIST, AT(flags.defines), "NAME[=V]", "define a macro of the preprocessor", 0, 0, NULL},
};
#undef AT

static bool is_trail(const char *path)
{
    size_t n = strlen(path);
    return n > 6 && !strcmp(path + n - 6, ".trail");
}

/* model.pml.trail and model.pml belong together. */
static char *model_of_trail(const char *trail)
{
    struct str s = {0};
    str_addn(&s, trail, strlen(trail) - 6);
    return s.at;
}

static int trail_command(int argc, char **argv)
{
    struct replay_options o = {0};
    struct trail_options trail = {0};
    struct option_table tables[] = {{"options", rows, ARRAY_LEN(rows), &o},
                                    {"trails", trail_rows, ARRAY_LEN(trail_rows), &trail}};
    struct option_words words = {0}, rest = {0};
    struct arena arena = {0};
    const char *error;
    if (options_parse(tables, 2, argc, argv, &words, &rest, &arena, &error)) die("%s", error);
    if (words.len > 2) die("usage: heddle replay FILE.trail [FILE.pml] [options]");
    char *model = words.len == 2 ? xstrdup(words.at[1]) : model_of_trail(words.at[0]);
    int status = promela_replay_trail(words.at[0], model, &trail.flags, trail.output, replay_style(&o));
    free(model);
    vec_release(&words);
    vec_release(&trail.flags.defines);
    arena_release(&arena);
    return status;
}

static void usage(void)
{
    printf("usage: heddle replay TRACE [options]\n       heddle replay FILE.trail [FILE.pml] [options]\n"
           "       heddle replay --schedule=SCHEDULE FILE [options of the check]\n");
    struct option_table tables[] = {{"options", rows, ARRAY_LEN(rows), NULL},
                                    {"options for C and C++ programs", program_rows, ARRAY_LEN(program_rows), NULL},
                                    {"without a trace", schedule_rows, ARRAY_LEN(schedule_rows), NULL},
                                    {"options for trails", trail_rows, ARRAY_LEN(trail_rows), NULL}};
    options_help(tables, ARRAY_LEN(tables), stdout);
}

/* Where the input of a trace is not found from here it may be from where the trace lies: that is where it was made,
 * unless it was told to be elsewhere. */
static void go_where_it_was_made(const struct trace *t, const char *path)
{
    const char *name = path_basename(path);
    struct str directory = {0}, input = {0};
    str_addn(&directory, path, (size_t)(name - path));
    str_printf(&input, "%s%s", str_get(&directory), t->input);
    bool elsewhere = directory.len && t->input[0] != '/' && access(t->input, F_OK) && !access(input.at, R_OK);
    if (elsewhere && !chdir(directory.at)) fprintf(stderr, "heddle: %s is taken from %s\n", t->input, directory.at);
    str_release(&directory);
    str_release(&input);
}

/* A trace that has the text of its input gets a file with it, for as long as it is needed. */
static void write_input(struct trace *t, struct tempdir *d)
{
    if (!t->text) return;
    tempdir_require(d);
    char *path = tempdir_file(d, path_basename(t->input));
    FILE *f = fopen(path, "w");
    if (!f || fputs(t->text, f) == EOF || file_finish(f, path)) die("%s: %s", path, strerror(errno));
    const char *named = arena_strdup(&t->arena, path);
    for (size_t i = 0; i < t->options.len; i++) {
        const char *word = t->options.at[i];
        if (!strcmp(word, "--")) break;
        if (trust_is_copied(word, path_basename(named))) t->options.at[i] = named;
    }
    t->input = named;
    free(path);
}

static const char *schedule_word(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], "--schedule=", 11)) return argv[i] + 11;
    return NULL;
}

/* The words of a replay; only real programs can be stopped in gdb. */
static struct replay_options read_options(const struct engine *e, int argc, char **argv)
{
    struct replay_options o = {0};
    struct option_table tables[] = {{"", rows, ARRAY_LEN(rows), &o}, {"", program_rows, ARRAY_LEN(program_rows), &o}};
    struct option_words words = {0}, rest = {0};
    struct arena arena = {0};
    const char *error;
    size_t count = strcmp(e->name, "native") ? 1 : 2;
    if (options_parse(tables, count, argc, argv, &words, &rest, &arena, &error)) die("%s", error);
    vec_release(&words);
    vec_release(&rest);
    arena_release(&arena);
    return o;
}

static bool is_for_replay(const char *word)
{
    static const char *const words[] = {"-q", "--quiet", "--no-color", "--gdb", "--trust"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

/* The word behind --lang, if there is one; the first input; what both say about who replays it. */
struct schedule_words { const char *language, *input; const struct engine *engine; };

static struct schedule_words look_at_words(int argc, char **argv)
{
    struct schedule_words w = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") && !w.language; i++)
        w.language = word_of_language(argv[i], argv[i + 1]);
    for (int i = 1; i < argc && strcmp(argv[i], "--") && !w.input; i++) {
        bool file = argv[i][0] != '-' && !access(argv[i], R_OK);
        if (!strcmp(argv[i], "-") || (file && (w.language || engine_for(argv[i])))) w.input = argv[i];
    }
    if (w.input) w.engine = w.language ? engine_of_language(w.language) : engine_for(w.input);
    return w;
}

/* An input that has to be copied is text that the trace brings along, as that of a trace in a file is. */
static void name_input(struct trace *t, const struct schedule_words *w, struct tempdir *copies)
{
    char *path = input_as_file(w->input, w->language, copies), *text = NULL;
    t->input = arena_strdup(&t->arena, path);
    if (copies->path) text = read_file(path, &(size_t){0});
    if (text) t->text = arena_strdup(&t->arena, text);
    free(text);
    free(path);
}

/* A trace of nothing but a schedule: the other words are those of the check that it came from. */
static int schedule_command(const char *schedule, int argc, char **argv)
{
    struct trace *t = trace_new();
    struct schedule_words w = look_at_words(argc, argv);
    struct tempdir copies = {0};
    VEC(char *) words = {0};
    if (!w.engine) die("usage: heddle replay --schedule=SCHEDULE FILE [options of the check]");
    name_input(t, &w, &copies);
    bool all = !strcmp(w.engine->name, "native"), rest = false; /* whose traces name all of their files */
    vec_push(&words, "replay");
    for (int i = 1; i < argc; i++) {
        rest |= !strcmp(argv[i], "--");
        if (argv[i] == w.input) { if (all) vec_push(&t->options, t->input); }
        else if (rest) vec_push(&t->options, argv[i]);
        else if (word_of_language(argv[i], argv[i + 1])) i += !argv[i][6];
        else if (is_for_replay(argv[i])) vec_push(&words, argv[i]);
        else if (strncmp(argv[i], "--schedule=", 11)) vec_push(&t->options, argv[i]);
    }
    t->engine = w.engine->name;
    t->message = "";
    if (!trace_take_schedule(t, schedule))
        die("--schedule=%s: not a schedule (heddle show --schedule prints one)", schedule);
    struct replay_options o = read_options(w.engine, (int)words.len, words.at);
    trust_or_refuse(t, (struct trust_request){.trusted = o.trust, .directory = "."});
    int status = w.engine->replay(t, &o);
    vec_release(&words);
    trace_free(t);
    tempdir_remove(&copies);
    return status;
}

static int replay_file(const struct engine *e, struct trace *t, const char *path, struct replay_options o)
{
    struct tempdir copies = {0};
    char *named = trust_directory_of(path), *directory = realpath(named, NULL);
    if (!directory) die("%s: %s", named, strerror(errno));
    if (!t->text) go_where_it_was_made(t, path);
    trust_or_refuse(t, (struct trust_request){o.trust, directory, path, "heddle replay"});
    write_input(t, &copies);
    int status = e->replay(t, &o);
    tempdir_remove(&copies);
    free(directory);
    free(named);
    return status;
}

int cmd_replay(int argc, char **argv)
{
    int first = 1;
    limits_end_on_signals();
    const char *schedule = schedule_word(argc, argv);
    if (schedule) return schedule_command(schedule, argc, argv);
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage();
        return EXIT_OK;
    }
    while (first < argc && argv[first][0] == '-') first++;
    if (first >= argc) die("usage: heddle replay TRACE [options]");
    if (is_trail(argv[first])) return trail_command(argc, argv);
    char *wrong = NULL;
    struct trace *t = trace_read(argv[first], &wrong);
    if (!t) die("%s", wrong);
    int status = EXIT_BAD_INPUT;
    const struct engine *e = engine_named(t->engine);
    if (!e || !e->replay) {
        fprintf(stderr, "heddle: error: %s: no engine replays traces of '%s'\n", argv[first], t->engine);
    } else {
        status = replay_file(e, t, argv[first], read_options(e, argc, argv));
    }
    trace_free(t);
    return status;
}
