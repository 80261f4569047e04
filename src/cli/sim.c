/* heddle sim: one execution of a model, chosen at random or by hand. */
#include "cli/cli.h"

#include "search/search.h"

#include <stdlib.h>
#include <string.h>

struct sim_options {
    struct promela_flags flags;
    int64_t seed, steps;
    bool interactive, quiet, no_color;
};
#define AT(member) offsetof(struct sim_options, member)
static const struct option rows[] = {
    {"seed", 0, OPTION_INT, AT(seed), "N", "seed of the random choices", 0, INT64_MAX, NULL},
    {"steps", 0, OPTION_INT, AT(steps), "N", "stop after N steps", 1, 100000000, NULL},
    {"interactive", 'i', OPTION_FLAG, AT(interactive), NULL, "ask before every step", 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "print what the model prints, not the steps", 0, 0, NULL},
    {"no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
    PROMELA_FLAG_ROWS(struct sim_options, flags),
};
#undef AT

struct sim {
    struct model *m;
    const struct sim_options *o;
    struct replay *replay;
    struct schedule schedule;
    uint64_t random;
    bool quit;
};

/* xorshift64*: the same seed gives the same run everywhere. */
static uint64_t next_random(struct sim *s)
{
    s->random ^= s->random >> 12;
    s->random ^= s->random << 25;
    s->random ^= s->random >> 27;
    return s->random * UINT64_C(2685821657736338717);
}

static void print_move(struct sim *s, const struct successor *t)
{
    for (uint32_t i = 0; i < t->move_count; i++) {
        const struct transition *r = s->m->ops->transition(s->m, t->moves[i].transition);
        printf("%s%s:%d  %s:%d  %s", i ? "; " : "", s->m->ops->proctype_name(s->m, r->proctype), t->moves[i].pid,
               r->file ? path_basename(r->file) : "", r->line, r->text ? r->text : "");
    }
    putchar('\n');
}

struct listing { struct sim *s; uint32_t count; bool print; };

static bool list_step(void *ctx, const struct successor *t)
{
    struct listing *l = ctx;
    l->count++;
    if (l->print) {
        printf("%6u  ", l->count);
        print_move(l->s, t);
    }
    return true;
}

static uint32_t count_steps(struct sim *s, bool print)
{
    uint32_t size;
    const uint8_t *state = replay_state(s->replay, &size);
    struct listing l = {s, 0, print};
    if (size) s->m->ops->successors(s->m, state, size, MODEL_ALL, false, list_step, &l);
    return l.count;
}

/* Reads a number between 1 and count; q or the end of the input ends the simulation. */
static uint32_t ask(struct sim *s, uint32_t count)
{
    char line[64];
    for (;;) {
        printf("step %zu, choose 1-%u or q: ", s->schedule.choices.len + 1, count);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin) || line[0] == 'q') {
            if (line[0] != 'q' || feof(stdin)) putchar('\n');
            s->quit = true;
            return 0;
        }
        char *end;
        unsigned long n = strtoul(line, &end, 10);
        if (end != line && (*end == '\n' || !*end) && n >= 1 && n <= count) return (uint32_t)n - 1;
        printf("not a number between 1 and %u\n", count);
    }
}

static void run(struct sim *s)
{
    for (int64_t i = 0; i < s->o->steps && !s->quit; i++) {
        uint32_t count = count_steps(s, s->o->interactive);
        if (!count) return;
        uint32_t choice = s->o->interactive ? ask(s, count) : (uint32_t)(next_random(s) % count);
        if (s->quit) return;
        const struct successor *t = replay_step(s->replay, choice);
        vec_push(&s->schedule.choices, choice);
        if (s->o->interactive && *replay_output(s->replay)) fputs(replay_output(s->replay), stdout);
        if (t->fault) return;
    }
}

static void print_output_only(const struct trace *t)
{
    for (size_t i = 0; i < t->steps.len; i++)
        if (t->steps.at[i].output) fputs(t->steps.at[i].output, stdout);
}

static const char *how_it_ended(const struct sim *s)
{
    if (s->quit) return "stopped";
    return (int64_t)s->schedule.choices.len == s->o->steps ? "stopped by --steps" : "all processes are at a valid end";
}

static int finish(struct sim *s)
{
    struct trace *t = trace_of_run(s->m, &s->schedule);
    if (!t) BUG("a simulation cannot be run again");
    if (s->o->quiet) print_output_only(t);
    else trace_print(t, stdout, (struct trace_style){.width = terminal_width(), .color = wants_color(s->o->no_color)});
    bool failed = t->kind;
    if (failed) result_print_verdict(&(struct result){.error = t}, stdout);
    else printf("%zu steps, %s\n", t->steps.len, how_it_ended(s));
    trace_free(t);
    return failed ? EXIT_ERROR_FOUND : EXIT_OK;
}

static int simulate(const char *path, const struct sim_options *o)
{
    struct sim s = {.m = promela_load(path, &o->flags), .o = o};
    s.random = ((uint64_t)o->seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (!s.m) return EXIT_BAD_INPUT;
    if (o->interactive) s.m->ops->want_output(s.m, true);
    s.replay = replay_new(s.m);
    run(&s);
    replay_free(s.replay);
    int status = finish(&s);
    schedule_release(&s.schedule);
    s.m->ops->free(s.m);
    return status;
}

int cmd_sim(int argc, char **argv)
{
    struct sim_options o = {.seed = 1, .steps = 1000};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *path = command_word("sim", &table, argc, argv, &arena);
    limits_end_on_signals();
    int status = path ? simulate(path, &o) : EXIT_OK;
    vec_release(&o.flags.defines);
    arena_release(&arena);
    return status;
}
