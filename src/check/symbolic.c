/* The symbolic engine as an engine of `heddle check`: .bp and .pds files. */
#include "check/check.h"

#include "boolprog/pds.h"
#include "symbolic/pushdown.h"
#include "symbolic/symbolic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const saturations[] = {"none", "post", "pre", NULL};

#define AT(member) offsetof(struct symbolic_options, member)
static const struct option rows[] = {
    {"contexts", 'k', OPTION_INT, AT(rounds), "K", "stop after K contexts per thread (round robin)", 1, 100, NULL},
    {"lazy", 0, OPTION_UNFLAG, AT(eager), NULL, "follow shared states that some execution produces (default)", 0, 0,
     NULL},
    {"eager", 0, OPTION_FLAG, AT(eager), NULL, "guess all shared states, check afterwards", 0, 0, NULL},
    {"label", 0, OPTION_LIST, AT(labels), "NAME", "reaching this label is an error (default: ERROR, SLIC_ERROR)", 0, 0,
     NULL},
    {"threads", 0, OPTION_INT, AT(threads), "N", "a thread start in a loop starts at most N threads", 1, 60, NULL},
    {"no-proof", 0, OPTION_FLAG, AT(no_proof), NULL, "do not try to prove that further rounds add nothing", 0, 0, NULL},
    {"saturation", 0, OPTION_CHOICE, AT(saturation), "WORD", ".pds: decide with explicit post* (post) or pre* (pre)", 0,
     0, saturations},
    {"projection", 0, OPTION_FLAG, AT(projection), NULL, ".pds: list all (thread, state, symbol) on runs to the target",
     0, 0, NULL},
    {"reorder", 0, OPTION_FLAG, AT(reorder), NULL, "reorder BDD variables while running", 0, 0, NULL},
};
#undef AT

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

static bool accepts(const char *path) { return has_suffix(path, ".bp") || has_suffix(path, ".pds"); }

/* ---- input ---- */

struct input { struct bp_program *program; struct pds *pds; char *text; struct diags diags; };

static void input_release(struct input *in)
{
    boolprog_free(in->program);
    pds_free(in->pds);
    diags_release(&in->diags);
    free(in->text);
}

static int read_input(const char *path, int spawn_limit, struct input *in)
{
    size_t len = 0;
    *in = (struct input){.text = read_file(path, &len)};
    if (!in->text) {
        fprintf(stderr, "heddle: error: %s: %s\n", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    if (strlen(in->text) != len) {
        fprintf(stderr, "heddle: error: %s: not a text file (contains a zero byte)\n", path);
        return EXIT_BAD_INPUT;
    }
    if (has_suffix(path, ".pds")) {
        in->pds = pds_parse(path, in->text, &in->diags);
        if (in->pds) in->program = pds_to_program(in->pds);
    } else {
        in->program = boolprog_parse(path, in->text, spawn_limit, &in->diags);
    }
    diags_print(&in->diags, stderr);
    return in->program ? 0 : EXIT_BAD_INPUT;
}

/* Labels given, or the usual ones. A label that is asked for must exist. */
static int find_labels(const struct input *in, const struct symbolic_options *o, const char **labels, size_t most)
{
    const struct bp_program *p = in->program;
    size_t n = 0;
    for (size_t i = 0; i < o->labels.len && n + 1 < most; i++) {
        if (!boolprog_has_label(p, o->labels.at[i])) {
            fprintf(stderr, "heddle: error: %s: no label '%s' in any procedure that can run\n", p->file,
                    o->labels.at[i]);
            return EXIT_BAD_INPUT;
        }
        labels[n++] = o->labels.at[i];
    }
    if (in->pds) labels[n++] = "TARGET";
    else if (!o->labels.len) labels[n++] = "ERROR", labels[n++] = "SLIC_ERROR";
    labels[n] = NULL;
    return 0;
}

static void warn_if_nothing_to_check(const struct bp_program *p, const char *const *labels)
{
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].assertion >= 0) return;
    for (size_t i = 0; i < p->nodes.len; i++)
        if (boolprog_is_error_node(p, (int)i, labels)) return;
    fprintf(stderr, "heddle: warning: %s: nothing to check: no assertion and no error label (see --label)\n", p->file);
}

/* ---- output ---- */

static void print_round(void *arg, const struct symbolic_round *r)
{
    const struct check_job *job = arg;
    char states[32], nodes[32];
    if (job->common.json || job->common.quiet) return;
    printf("rounds %d: %s shared states, %s BDD nodes, %.2f s\n", r->round, with_commas(states, (uint64_t)r->states),
           with_commas(nodes, (uint64_t)r->nodes), r->seconds);
    fflush(stdout);
}

static void add_options(const struct check_job *job, const struct symbolic_options *o, struct trace *t)
{
    vec_push(&t->options, arena_strdup(&t->arena, job->files[0]));
    for (size_t i = 0; i < o->labels.len; i++)
        vec_push(&t->options, arena_printf(&t->arena, "--label=%s", o->labels.at[i]));
    if (o->threads) vec_push(&t->options, arena_printf(&t->arena, "--threads=%d", (int)o->threads));
}

static void report_error(const struct check_job *job, const struct bp_program *p, const char *text,
                         const struct symbolic_result *s, struct result *result)
{
    struct trace *t = trace_new();
    char *hash = hash_text(text, strlen(text));
    t->input = arena_strdup(&t->arena, job->files[0]);
    t->input_hash = arena_strdup(&t->arena, hash);
    free(hash);
    t->engine = "symbolic";
    add_options(job, job->options, t);
    bp_run_to_trace(p, &s->run, t);
    vec_push(&t->notes, arena_printf(&t->arena, "found with %d %s per thread; printed with the fewest preemptions",
                                     s->error_round, s->error_round == 1 ? "context" : "contexts"));
    result->error = t;
    result->errors = 1;
    bool silent = job->common.json || job->common.quiet;
    if (!silent)
        trace_print(t, stdout, (struct trace_style){.width = 120, .color = !job->common.no_color && isatty(1)});
    result_write_trace(result, t, job);
    struct str command = {0};
    str_add_shell(&command, job->trace_path);
    if (!silent && result->trace_path) printf("replay   heddle replay %s\n", str_get(&command));
    str_release(&command);
}

/* What was covered. K rounds cover one switch less in any case, or as many if the first thread is the one that starts.
 */
static void cover(const struct bp_program *p, const struct symbolic_result *s, struct coverage *c)
{
    struct part *part = coverage_add(c, NULL);
    bool first_starts = p->threads.len > 1 && p->threads.at[1].started >= 0;
    c->everything = true;
    part->unit = "shared states";
    part->explored = s->ledger.len ? (uint64_t)vec_last(&s->ledger).states : 0;
    part->reach = s->verdict == SYMBOLIC_VERIFIED ? REACH_ALL : REACH_CONTEXTS;
    part->bound = s->rounds ? s->rounds : -1;
    part->threads = (int)p->threads.len;
    part->switches = s->rounds - 1 + first_starts;
    if (s->verdict == SYMBOLIC_UNKNOWN) part_omit(part, LOSS_STUCK, "%s", s->cut);
    if (p->starts_limited) part_omit(part, LOSS_STARTS, "%d threads started per loop", p->starts_limited);
}

static void report(const struct check_job *job, const struct bp_program *p, const char *text,
                   const struct symbolic_result *s, struct result *result)
{
    for (size_t i = 0; i < s->ledger.len; i++) {
        const struct symbolic_round *r = &s->ledger.at[i];
        vec_push(&result->bounds,
                 ((struct level){.bound = r->round, .states = (uint64_t)r->states, .seconds = r->seconds}));
        result->states = (uint64_t)r->states;
    }
    result->memory_bytes = memory_resident();
    if (s->verdict == SYMBOLIC_ERROR) report_error(job, p, text, s, result);
    else cover(p, s, &result->coverage);
    if (s->proof_note && job->common.verbose && !job->common.json) printf("%s\n", s->proof_note);
}

/* ---- the engine ---- */

static int check_usage(const struct check_job *job)
{
    const char *wrong = NULL;
    if (job->file_count != 1) wrong = "one .bp or .pds file at a time";
    else if (job->rest_count) wrong = "a Boolean program takes no arguments";
    else if (job->common.bound >= 0) wrong = "-b counts preemptions; this engine bounds contexts per thread: use -k";
    else if (job->common.seed >= 0) wrong = "this engine draws nothing at random: leave --seed out";
    else if (job->common.all_errors) wrong = "--all-errors is not an option of this engine";
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    return wrong ? EXIT_BAD_INPUT : 0;
}

/* ---- saturation ---- */

static void print_projection(const struct pds *s, const struct pushdown_result *r)
{
    for (size_t t = 0; t < s->threads.len; t++)
        for (size_t p = 0; p < s->states.len; p++)
            for (size_t a = 0; a < s->symbols.len; a++)
                if (r->projection[(t * s->states.len + p) * s->symbols.len + a])
                    printf("on a run to the target: %s %s %s\n", s->threads.at[t].name, s->states.at[p],
                           s->symbols.at[a]);
}

static double count_reached(const struct pds *s, const struct pushdown_result *r)
{
    double n = 0;
    for (size_t i = 0; i < s->states.len; i++) n += r->reached[i];
    return n;
}

/* Rounds 1 to K by post* or pre*; fills what a check fills. True if the target is not reached. */
static bool saturate(const struct check_job *job, const struct pds *s, const struct symbolic_options *o,
                     struct symbolic_result *out)
{
    int most = s->threads.len == 1 ? 1 : o->rounds ? (int)o->rounds : 2;
    bool backward = o->saturation == 2, silent = job->common.json || job->common.quiet;
    double start = seconds_now();
    out->verdict = s->threads.len == 1 ? SYMBOLIC_VERIFIED : SYMBOLIC_BOUNDED;
    for (int k = 1; k <= most; k++) {
        struct pushdown_result r;
        pushdown_check(s, k, backward, o->projection, &r);
        struct symbolic_round round = {k, count_reached(s, &r), 0, seconds_now() - start};
        if (r.too_big)
            out->verdict = SYMBOLIC_UNKNOWN, out->cut = "the reduced system is too large for explicit saturation";
        else if (!r.found) vec_push(&out->ledger, round), out->rounds = k;
        if (!silent && !r.too_big && backward)
            printf("rounds %d: target %s, %.2f s\n", k, r.found ? "reached" : "not reached", round.seconds);
        if (!silent && !r.too_big && !backward)
            printf("rounds %d: %.0f shared states, target %s, %.2f s\n", k, round.states,
                   r.found ? "reached" : "not reached", round.seconds);
        if (r.found && o->projection && !silent) print_projection(s, &r);
        bool stop = r.found || r.too_big;
        pushdown_release(&r);
        if (stop) return out->verdict == SYMBOLIC_UNKNOWN;
    }
    return true;
}

/* ---- the run ---- */

static int check_input(const struct input *in, const struct symbolic_options *o)
{
    const char *wrong = NULL;
    if (in->pds && o->labels.len) wrong = "--label is for Boolean programs; a pushdown system has a target";
    if (!in->pds && (o->saturation || o->projection))
        wrong = "--saturation and --projection are for pushdown systems (.pds)";
    if (o->projection && !o->saturation) wrong = "--projection needs --saturation=post or --saturation=pre";
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    return wrong ? EXIT_BAD_INPUT : 0;
}

static void decide(const struct check_job *job, const struct input *in, struct symbolic_options *o,
                   const char *const *labels, struct symbolic_result *s)
{
    *s = (struct symbolic_result){0};
    if (o->saturation && saturate(job, in->pds, o, s)) return;
    int found_in = o->saturation ? s->rounds + 1 : 0;
    symbolic_result_release(s);
    if (found_in) o->rounds = found_in, o->no_proof = true; /* for the run that leads there */
    struct symbolic_ledger ledger = {found_in ? NULL : print_round, (void *)job};
    symbolic_check(in->program, o, labels, false, ledger, s);
    if (found_in && s->verdict != SYMBOLIC_ERROR && s->verdict != SYMBOLIC_UNKNOWN) BUG("saturation and BDDs disagree");
}

static int run(const struct check_job *job, struct result *result)
{
    struct symbolic_options o = *(struct symbolic_options *)job->options;
    const char *labels[64];
    struct input in = {0};
    double start = seconds_now();
    int status = check_usage(job);
    o.time = job->common.time;
    o.memory = job->common.memory;
    o.progress = !job->common.quiet && !job->common.json;
    if (!status) status = read_input(job->files[0], (int)o.threads, &in);
    if (!status) status = check_input(&in, &o);
    if (!status) status = find_labels(&in, &o, labels, ARRAY_LEN(labels));
    if (!status) {
        struct symbolic_result s;
        warn_if_nothing_to_check(in.program, labels);
        decide(job, &in, &o, labels, &s);
        report(job, in.program, in.text, &s, result);
        result->seconds = seconds_now() - start;
        symbolic_result_release(&s);
    }
    input_release(&in);
    vec_release(&o.labels); /* the list is the option parser's, and nobody else's after this */
    return status;
}

/* ---- replay ---- */

static int replay_run(const struct trace *t, const struct bp_program *p, const char *const *labels)
{
    struct bp_run r = {0};
    char *wrong = NULL;
    if (!bp_run_from_trace(p, t, &r)) wrong = xstrdup("the trace does not fit the program");
    if (!wrong && !strcmp(t->kind, "label"))
        for (size_t i = 0; i < p->nodes.len && r.error_node < 0; i++) {
            struct bp_run at = r;
            at.error_node = (int)i;
            char *not_here = boolprog_is_error_node(p, (int)i, labels) ? bp_run_check(p, &at, labels) : xstrdup("");
            if (!not_here) r.error_node = (int)i;
            free(not_here);
        }
    if (!wrong) wrong = bp_run_check(p, &r, labels);
    if (wrong) fprintf(stderr, "heddle: error: %s: %s\n", t->input, wrong);
    int status = wrong ? EXIT_BAD_INPUT : EXIT_ERROR_FOUND;
    if (!wrong) {
        struct trace *again = trace_new();
        bp_run_to_trace(p, &r, again);
        trace_print(again, stdout, (struct trace_style){.width = 120});
        status = result_print_reproduced(again);
    }
    free(wrong);
    bp_run_release(&r);
    return status;
}

/* What add_options() writes, and nothing else. */
static int read_options(const struct trace *t, struct symbolic_options *o)
{
    static const struct option recorded[] = {
        {"label", 0, OPTION_LIST, offsetof(struct symbolic_options, labels), "NAME", "", 0, 0, NULL},
        {"threads", 0, OPTION_INT, offsetof(struct symbolic_options, threads), "N", "", 1, 60, NULL},
    };
    struct option_table table = {"", recorded, ARRAY_LEN(recorded), o};
    struct option_words argv = {0}, words = {0}, rest = {0};
    struct arena arena = {0};
    const char *error;
    vec_push(&argv, "trace");
    for (size_t i = 0; i < t->options.len; i++) vec_push(&argv, t->options.at[i]);
    options_parse(&table, 1, (int)argv.len, (char **)argv.at, &words, &rest, &arena, &error);
    if (!error && (words.len > 1 || rest.len)) error = "more than one input";
    if (error) fprintf(stderr, "heddle: error: in the trace's options: %s\n", error);
    vec_release(&argv);
    vec_release(&words);
    vec_release(&rest);
    arena_release(&arena);
    return error ? EXIT_BAD_INPUT : 0;
}

static int replay(const struct trace *t, int argc, char **argv)
{
    struct symbolic_options o = {0};
    struct input in = {0};
    const char *labels[64];
    (void)argc, (void)argv;
    int status = read_options(t, &o);
    if (!status) status = read_input(t->input, (int)o.threads, &in);
    if (!status) status = find_labels(&in, &o, labels, ARRAY_LEN(labels));
    if (!status) status = replay_run(t, in.program, labels);
    vec_release(&o.labels);
    input_release(&in);
    return status;
}

const struct engine symbolic_engine = {
    .name = "symbolic",
    .title = "options for Boolean programs and pushdown systems (.bp .pds)",
    .accepts = accepts,
    .rows = rows,
    .row_count = ARRAY_LEN(rows),
    .options_size = sizeof(struct symbolic_options),
    .run = run,
    .replay = replay,
};
