/* The symbolic engine as an engine of `heddle check`: .bp and .pds files. */
#include "check/symbolic_int.h"
#include "cluster/cluster.h"
#include "check/verify_int.h"

#include "boolprog/boolprog.h"
#include "symbolic/symbolic.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCREEN_STEPS = 60, MOST_STARTS = 60, MOST_VERIFIED = 2000000, MOST_VIEW = 3 };

static const char *const methods[] = {"auto", "joint", "tuples", "steps", "crowd", NULL};
static const char *const orders[] = {"auto", "assignment", "statement", "thread", NULL};
static const char *const weights[] = {"none", "shortest", "reachability", NULL};
static const char *const saturations[] = {"none", "post", "pre", NULL};

#define AT(member) offsetof(struct symbolic_options, member)
static const struct option rows[] = {
    {"contexts", 'k', OPTION_INT, AT(rounds), "K", "stop after K contexts per thread (round robin)", 1, 100, NULL},
    {"lazy", 0, OPTION_UNFLAG, AT(eager), NULL, "follow shared states that some execution produces (default)", 0, 0,
     NULL},
    {"eager", 0, OPTION_FLAG, AT(eager), NULL, "guess all shared states, check afterwards", 0, 0, NULL},
    {"label", 0, OPTION_LIST, AT(labels), "NAME", "reaching this label is an error (default: ERROR, SLIC_ERROR)", 0, 0,
     NULL},
    {"threads", 0, OPTION_INT, AT(threads), "N", "a thread start in a loop starts at most N threads", 1,
     MOST_STARTS, NULL},
    {"no-proof", 0, OPTION_FLAG, AT(no_proof), NULL, "do not try to prove that further rounds add nothing", 0, 0, NULL},
    {"method", 0, OPTION_CHOICE, AT(method), "WORD",
     "rounds by joint states with whole turns (joint) or step by step (steps), or by tuples of shared states (tuples); "
     "crowd: threads that are alike are counted, however few they are",
     0, 0, methods},
    {"backward", 0, OPTION_FLAG, AT(backward), NULL, "from the errors back to the start", 0, 0, NULL},
    {"order", 0, OPTION_CHOICE, AT(order), "WORD",
     "what pulls BDD variables together: assignment, statement or thread (default: a short trial of each)", 0, 0,
     orders},
    {"saturation", 0, OPTION_CHOICE, AT(saturation), "WORD", ".pds: decide with explicit post* (post) or pre* (pre)", 0,
     0, saturations},
    {"projection", 0, OPTION_FLAG, AT(projection), NULL,
     "list all statements on runs to an error; .pds: all (thread, state, symbol)", 0, 0, NULL},
    {"weights", 0, OPTION_CHOICE, AT(weights), "WORD",
     ".pds: what all runs to the target weigh: the least sum (shortest), or whether there is one (reachability)",
     0, 0, weights},
    {"reorder", 0, OPTION_FLAG, AT(reorder), NULL, "reorder BDD variables while running", 0, 0, NULL},
};
#undef AT

static const char *const usual_labels[] = {"ERROR", "SLIC_ERROR"}; /* errors, unless --label names others */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t n = strlen(path), m = strlen(suffix);
    return n > m && !strcmp(path + n - m, suffix);
}

static bool accepts(const char *path) { return has_suffix(path, ".bp") || has_suffix(path, ".pds"); }

/* ---- input ---- */

/* cut: the limit at which reading ended; there is no program then. */
struct bp_input {
    struct bp_program *program;
    struct pds *pds;
    char *text;
    VEC(const char *) labels; /* error labels, NULL-terminated */
    struct diags diags;
    enum limit cut;
};

static void input_release(struct bp_input *in)
{
    boolprog_free(in->program);
    pds_free(in->pds);
    diags_release(&in->diags);
    free(in->text);
    vec_release(&in->labels);
}

static int parse_input(const char *path, int spawn_limit, const struct limits *limits, struct bp_input *in)
{
    if (has_suffix(path, ".pds")) {
        in->pds = pds_parse_within(path, in->text, limits, &in->cut, &in->diags);
        if (in->pds) in->program = pds_to_program(in->pds);
    } else {
        in->program = boolprog_parse_within(path, in->text, spawn_limit, limits, &in->cut, &in->diags);
    }
    if (in->cut) return 0; /* what is in the diagnostics then comes from stopping in the middle */
    diags_print(&in->diags, stderr);
    if (!in->program != (in->diags.errors > 0)) BUG("%s: a program or an error", path);
    return in->program ? 0 : EXIT_BAD_INPUT;
}

static int read_input(const char *path, int spawn_limit, const struct limits *limits, struct bp_input *in)
{
    size_t len = 0;
    *in = (struct bp_input){.text = read_file(path, &len)};
    const char *wrong = NULL;
    if (!in->text) wrong = strerror(errno);
    else if (len > BOOLPROG_MOST_TEXT) wrong = "more than 256 MiB of text";
    else if (strlen(in->text) != len) wrong = "not a text file (contains a zero byte)";
    if (wrong) fprintf(stderr, "heddle: error: %s: %s\n", path, wrong);
    return wrong ? EXIT_BAD_INPUT : parse_input(path, spawn_limit, limits, in);
}

/* Labels given, or the usual ones, with a NULL behind them. A label that is asked for must exist. */
static int find_labels(struct bp_input *in, const struct option_list *given)
{
    const struct bp_program *p = in->program;
    for (size_t i = 0; i < given->len; i++) {
        if (!boolprog_has_label(p, given->at[i])) {
            fprintf(stderr, "heddle: error: %s: no label '%s' in any procedure that can run\n", p->file, given->at[i]);
            return EXIT_BAD_INPUT;
        }
        vec_push(&in->labels, given->at[i]);
    }
    if (in->pds) vec_push(&in->labels, "TARGET");
    for (size_t i = 0; !in->pds && !given->len && i < ARRAY_LEN(usual_labels); i++)
        vec_push(&in->labels, usual_labels[i]);
    vec_push(&in->labels, NULL);
    return 0;
}

static bool has_assertions(const struct bp_program *p)
{
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].assertion >= 0) return true;
    return false;
}

static bool has_error_labels(const struct bp_program *p, const char *const *labels)
{
    for (size_t i = 0; i < p->nodes.len; i++)
        if (boolprog_is_error_node(p, (int)i, labels)) return true;
    return false;
}

static bool nothing_to_check(const struct bp_program *p, const char *const *labels)
{
    return !has_assertions(p) && !has_error_labels(p, labels);
}

/* ---- output ---- */

/* Numbers of states can be larger than any integer; such a count is only ever shown. */
static uint64_t state_count(double states) { return states < 1e19 ? (uint64_t)states : UINT64_MAX; }

static void print_round(void *arg, const struct symbolic_round *r)
{
    const struct check_job *job = arg;
    char states[64], nodes[64], time[32];
    if (job->common.json || job->common.quiet) return;
    if (r->states < 1e19) counted(states, (uint64_t)r->states, "shared state");
    else snprintf(states, sizeof states, "%.3g shared states", r->states);
    printf("rounds %d: %s, %s%s\n", r->round, states, counted(nodes, (uint64_t)r->nodes, "BDD node"),
           seconds_words(time, r->seconds, &job->common));
    fflush(stdout);
}

static void add_options(const struct check_job *job, const struct symbolic_options *o, struct trace *t)
{
    vec_push(&t->options, arena_strdup(&t->arena, job->files[0]));
    for (size_t i = 0; i < o->labels.len; i++)
        vec_push(&t->options, arena_printf(&t->arena, "--label=%s", o->labels.at[i]));
    if (o->threads) vec_push(&t->options, arena_printf(&t->arena, "--threads=%d", (int)o->threads));
}

static struct trace *new_trace(const struct check_job *job, const char *text)
{
    struct trace *t = trace_new();
    char *hash = hash_text(text, strlen(text));
    t->input = arena_strdup(&t->arena, job->files[0]);
    t->input_hash = arena_strdup(&t->arena, hash);
    free(hash);
    t->engine = "symbolic";
    add_options(job, job->options, t);
    return t;
}

/* What was found without a run that shows it. */
static void report_error_only(const struct bp_input *in, const struct symbolic_result *s, struct result *result)
{
    struct str why = {0};
    assert(s->cut);
    bp_error_to_trace(in->program, s->error_edge, s->error_node, in->labels.at, result->error);
    str_printf(&why, "found in round %d, but its run could not be built: %s", s->error_round, s->cut);
    result->no_trace = why.at;
}

/* What was covered before this run was found; NULL: nothing that would explain it. */
static const char *reason(const struct symbolic_result *s, struct trace *t)
{
    long preemptions = trace_count(t).preemptions;
    if (!preemptions) return NULL; /* that is reason enough */
    if (s->fewest)
        return arena_printf(&t->arena, "every run with at most %ld preemption%s passes (all were checked)",
                            preemptions - 1, preemptions == 2 ? "" : "s");
    if (s->error_round > 1)
        return arena_printf(&t->arena,
                            "every run with at most %d context%s per thread in a round robin passes (all were checked)",
                            s->error_round - 1, s->error_round == 2 ? "" : "s");
    return "one context per thread is enough; another run may have fewer preemptions";
}

/* The run without the last preemption, beside the one that fails if it passes. */
static const char *compare_without_preemption(const struct bp_input *in, const struct bp_run *run, struct trace *t)
{
    size_t step;
    struct bp_run without;
    if (!bp_run_without_preemption(in->program, in->labels.at, run, &step, &without)) return NULL;
    t->other = trace_new();
    bp_run_to_trace(in->program, &without, NULL, t->other);
    bp_run_release(&without);
    return arena_printf(&t->arena, "without the preemption before step %zu the same schedule passes (tried)", step + 1);
}

/* What passes without a preemption says most, then what passes with fewer. */
static const char *why_it_fails(const struct bp_input *in, const struct symbolic_result *s, struct trace *t)
{
    const char *tried = compare_without_preemption(in, &s->run, t);
    return tried ? tried : reason(s, t);
}

static void report_error(const struct check_job *job, const struct bp_input *in, const struct symbolic_result *s,
                         struct result *result)
{
    struct trace *t = result->error = new_trace(job, in->text);
    result->errors = 1;
    if (!s->has_run) {
        report_error_only(in, s, result);
        return;
    }
    bp_run_to_trace(in->program, &s->run, in->labels.at, t);
    vec_push(&t->notes, arena_printf(&t->arena, "found with %d %s per thread; %s", s->error_round,
                                     s->error_round == 1 ? "context" : "contexts",
                                     s->fewest ? "no run has fewer preemptions than this one"
                                               : "another run may have fewer preemptions"));
    bool silent = job->common.json || job->common.quiet;
    const char *why = why_it_fails(in, s, t);
    result_write_trace(result, t, why, job);
    report_trace(t, (struct report){.why = why,
                                    .trace_path = result->trace_path,
                                    .color = wants_color(job->common.no_color),
                                    .quiet = silent,
                                    .most_steps = job->common.verbose ? 0 : SCREEN_STEPS});
}

/* --label leaves out the usual labels that it does not name: is there one of them? */
static bool leaves_labels_out(const struct bp_input *in)
{
    if (in->pds) return false;
    for (size_t i = 0; i < ARRAY_LEN(usual_labels); i++) {
        bool named = false;
        for (size_t k = 0; in->labels.at[k]; k++) named |= !strcmp(in->labels.at[k], usual_labels[i]);
        if (!named && boolprog_has_label(in->program, usual_labels[i])) return true;
    }
    return false;
}

/* What was looked for, where that is not everything (heap). */
static char *narrowed(const struct bp_input *in)
{
    struct str s = {0};
    str_printf(&s, "%sunreachability of ", has_assertions(in->program) ? "absence of failing assertions and " : "");
    for (size_t k = 0; in->labels.at[k]; k++) str_printf(&s, "%s%s", k ? ", " : "", in->labels.at[k]);
    return s.at;
}

static void cover(const struct check_job *job, const struct bp_input *in, const struct symbolic_result *s,
                  struct coverage *c)
{
    const struct bp_program *p = in->program;
    char starts[64];
    c->everything = !leaves_labels_out(in);
    char *what = c->everything ? NULL : narrowed(in);
    struct part *part = coverage_add(c, what);
    free(what);
    part->unit = "shared state";
    part->explored = s->ledger.len ? state_count(vec_last(&s->ledger).states) : 0;
    part->reach = s->verdict == SYMBOLIC_VERIFIED ? REACH_ALL : REACH_CONTEXTS;
    part->bound = s->rounds ? s->rounds : -1;
    part->threads = (int)p->threads.len;
    part->switches = s->rounds ? symbolic_covered_switches(p, s->rounds) : 0;
    if (s->limit) part_omit_limit(part, s->limit, &job->limits);
    else if (s->verdict == SYMBOLIC_UNKNOWN) part_omit(part, LOSS_STUCK, "%s", s->cut);
    if (p->starts_limited && !s->any_number)
        part_omit(part, LOSS_STARTS, "%s started per loop", counted(starts, (uint64_t)p->starts_limited, "thread"));
    if (nothing_to_check(p, in->labels.at)) part_omit(part, LOSS_NO_CHECKS, "no assertion and no error label");
    else if (s->no_assertion_reached && !has_error_labels(p, in->labels.at))
        part_omit(part, LOSS_VACUOUS, "no assertion was reached");
}

static void report(const struct check_job *job, const struct bp_input *in, const struct symbolic_result *s,
                   struct result *result)
{
    for (size_t i = 0; i < s->ledger.len; i++) {
        const struct symbolic_round *r = &s->ledger.at[i];
        assert(!result->bounds.len || vec_last(&result->bounds).bound < r->round); /* each round once, in order */
        vec_push(&result->bounds, ((struct level){.bound = r->round,
                                                  .complete = true,
                                                  .states = state_count(r->states),
                                                  .seconds = r->seconds}));
        result->states = state_count(r->states);
    }
    result->memory_bytes = memory_resident();
    result->symbolic.mode = s->mode ? s->mode : "saturation";
    result->symbolic.order = s->mode ? s->order : "none"; /* no BDDs */
    result->symbolic.backward = ((const struct symbolic_options *)job->options)->backward;
    result->symbolic.rounds = s->verdict == SYMBOLIC_ERROR ? s->error_round : s->rounds;
    result->symbolic.threads = (int)in->program->threads.len;
    result->symbolic.variables = s->variables;
    result->symbolic.nodes = (uint64_t)s->nodes;
    if (s->verdict == SYMBOLIC_ERROR) {
        report_error(job, in, s, result);
        coverage_add(&result->coverage, NULL)->violated = true; /* nothing beside the error is claimed */
    } else cover(job, in, s, &result->coverage);
    if (s->proof_note && job->common.verbose && !job->common.json) printf("%s\n", s->proof_note);
}

/* ---- the second opinion ---- */

static struct bp_claim claim_of(const struct bp_program *p, const struct symbolic_result *s)
{
    struct bp_claim c = {.rounds = s->rounds};
    if (s->verdict == SYMBOLIC_VERIFIED) {
        c.kind = CLAIM_NO_ERROR;
    } else if (s->verdict == SYMBOLIC_ERROR) {
        c.kind = CLAIM_ERROR;
        c.rounds = s->error_round;
        c.run = s->has_run ? &s->run : NULL;
        c.fewest = s->fewest;
    } else {
        c.kind = CLAIM_NO_ERROR_IN_ROUNDS;
        c.switches = symbolic_covered_switches(p, s->rounds);
    }
    return c;
}

/* A run was executed by the interpreter: an error that has one exists, whatever else may be wrong. */
static void verify(const struct check_job *job, const struct bp_input *in, const struct symbolic_result *s,
                   struct result *r)
{
    static const enum verify_outcome outcomes[] = {[OPINION_UNFINISHED] = VERIFY_UNFINISHED,
                                                   [OPINION_AGREES] = VERIFY_AGREES,
                                                   [OPINION_DISAGREES] = VERIFY_DISAGREES};
    struct limits limits = verify_limits(&job->limits);
    struct str words = {0};
    double start = seconds_now();
    r->verification.method = "explicit search with the interpreter";
    if (!verify_has_time(r, &limits)) return;
    if (s->verdict == SYMBOLIC_UNKNOWN && !s->rounds) {
        verify_note(r, 0, VERIFY_UNFINISHED, false, "the check says nothing that could be compared");
        return;
    }
    struct bp_claim claim = claim_of(in->program, s);
    struct bp_budget budget = {.most_states = MOST_VERIFIED, .limits = &limits, .explored = &r->verification.states};
    enum bp_opinion opinion = boolprog_verify(in->program, in->labels.at, &claim, budget, &words);
    verify_note(r, 0, outcomes[opinion], s->verdict == SYMBOLIC_ERROR && !s->has_run, str_get(&words));
    r->verification.seconds = seconds_now() - start;
    str_release(&words);
}

/* ---- the engine ---- */

static int check_usage(const struct check_job *job)
{
    const char *wrong = NULL;
    if (job->file_count != 1) wrong = "one .bp or .pds file at a time";
    else if (job->rest_count) wrong = "a Boolean program takes no arguments";
    else if (job->common.bound >= 0) wrong = "-b counts preemptions; this engine bounds contexts per thread: use -k";
    else if (job->common.verify == VERIFY_SWAP) wrong = "this engine takes no steps for independent: use --verify";
    else if (job->common.seed >= 0) wrong = "this engine draws nothing at random: leave --seed out";
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    return wrong ? EXIT_BAD_INPUT : 0;
}

/* ---- saturation ---- */

/* Pushdown systems are reduced for a number of rounds. */
static int saturated_rounds(const struct pds *s, const struct symbolic_options *o)
{
    return s->threads.len == 1 ? 1 : o->rounds ? (int)o->rounds : 2;
}

static uint64_t count_reached(const struct pds *s, const struct pushdown_result *r)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->states.len; i++) n += r->reached[i];
    return n;
}

static void print_saturated(const struct pds *s, const struct pushdown_result *r, int k, bool backward, double seconds,
                            const struct common_options *o)
{
    char states[64], time[32];
    printf("rounds %d: ", k);
    if (!backward) printf("%s, ", counted(states, count_reached(s, r), "shared state"));
    printf("target %s%s\n", r->found ? "reached" : "not reached", seconds_words(time, seconds, o));
}

/* Rounds 1 to K by post* or pre*; fills what a check fills. True if the target was reached in the round after those. */
static bool saturate(const struct check_job *job, const struct pds *s, const struct symbolic_options *o,
                     struct symbolic_result *out, struct projection *projection)
{
    int most = saturated_rounds(s, o);
    bool backward = o->saturation == 2, silent = job->common.json || job->common.quiet, found = false;
    for (int k = 1; k <= most && !found && !out->cut; k++) {
        struct pushdown_result r;
        pushdown_check(s, k, backward, o->projection, o->limits, &r);
        double seconds = seconds_now() - job->limits.started;
        found = r.found; /* certain, even if the rest was cut short */
        if (!found) out->cut = r.cut, out->limit = r.limit;
        if ((found || !r.cut) && !silent) print_saturated(s, &r, k, backward, seconds, &job->common);
        if (found && o->projection) pushdown_projection(s, &r, projection);
        if (!r.cut && !found) {
            vec_push(&out->ledger, ((struct symbolic_round){k, (double)count_reached(s, &r), 0, seconds}));
            out->rounds = k;
        }
        pushdown_release(&r);
    }
    if (out->cut) out->verdict = SYMBOLIC_UNKNOWN;
    else if (!found) out->verdict = s->threads.len == 1 ? SYMBOLIC_VERIFIED : SYMBOLIC_BOUNDED;
    return found;
}

/* ---- weights ---- */

static void weigh(const struct check_job *job, const struct pds *s, const struct symbolic_options *o,
                  struct result *result)
{
    int rounds = saturated_rounds(s, o);
    struct pushdown_weight w = pushdown_weigh(s, rounds, (enum pushdown_weights)o->weights, o->limits);
    result->symbolic.weights = w.cut ? NULL : weights[o->weights];
    result->symbolic.reached = w.exists;
    result->symbolic.weight = w.exists ? w.weight : 0;
    if (job->common.json || job->common.quiet) return;
    printf("%s, at most %d context%s per thread: ", weights[o->weights], rounds, rounds == 1 ? "" : "s");
    if (w.cut) printf("not known: %s\n", w.cut);
    else if (w.exists) printf("%lld\n", (long long)w.weight);
    else puts("no run to the target");
}

/* ---- the run ---- */

static int check_input(const struct bp_input *in, const struct symbolic_options *o)
{
    const char *wrong = NULL;
    if (in->pds && o->labels.len) wrong = "--label is for Boolean programs; a pushdown system has a target";
    if (!in->pds && (o->saturation || o->weights))
        wrong = "--saturation and --weights are for pushdown systems (.pds)";
    if (o->method && o->method != METHOD_TUPLES && (o->eager || o->no_proof))
        wrong = "--method=joint, steps and crowd have no --eager and no --no-proof: leave them out";
    if (o->backward && o->saturation) wrong = "--backward is for BDDs; --saturation=pre goes backwards by itself";
    if (in->pds && o->projection && !o->saturation)
        wrong = "--projection of a pushdown system needs --saturation=post or --saturation=pre";
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    return wrong ? EXIT_BAD_INPUT : 0;
}

/* Nothing was found with so many threads: then perhaps a few of them speak for any number. */
static void prove_any_number(const struct bp_input *in, const struct symbolic_options *o, struct symbolic_result *s)
{
    bool wanted = !o->no_proof && !o->eager && !o->backward && o->method != METHOD_TUPLES;
    enum limit cut = LIMIT_NONE;
    for (int n = 1; wanted && !cut && !s->any_number && n <= (int)o->threads && n <= MOST_VIEW; n++) {
        struct bp_program *slots = boolprog_parse_slots(in->program->file, in->text, n + 1, o->limits);
        struct symbolic_result proof;
        if (!slots) return;
        s->any_number = symbolic_prove_slots(slots, o, in->labels.at, &proof);
        cut = proof.limit;
        if (s->any_number) {
            s->verdict = SYMBOLIC_VERIFIED;
            s->mode = proof.mode, s->order = proof.order, s->variables = proof.variables, s->nodes = proof.nodes;
            s->no_assertion_reached &= proof.no_assertion_reached;
        }
        symbolic_result_release(&proof);
        boolprog_free(slots);
    }
}

static void decide(const struct check_job *job, const struct bp_input *in, struct symbolic_options *o,
                   struct symbolic_result *s, struct projection *projection)
{
    *s = (struct symbolic_result){0};
    if (o->saturation && !saturate(job, in->pds, o, s, projection)) return;
    int found_in = o->saturation ? s->rounds + 1 : 0;
    symbolic_result_release(s);
    if (found_in) o->rounds = found_in, o->no_proof = true; /* for the run that leads there */
    struct symbolic_ledger ledger = {found_in ? NULL : print_round, (void *)job};
    symbolic_check(in->program, o, in->labels.at, false, ledger, s);
    if (in->program->starts_limited && s->verdict == SYMBOLIC_BOUNDED) prove_any_number(in, o, s);
    if (!found_in || s->verdict == SYMBOLIC_ERROR) return;
    if (s->verdict != SYMBOLIC_UNKNOWN) BUG("saturation and BDDs disagree");
    symbolic_set_error(in->program, in->labels.at, found_in, s);
}

/* --all-errors: the program is checked again without those that are known, until there are no more or a limit is
 * reached. Errors are the same if it is the same statement that fails, or the same label. */
static void report_other_errors(const struct check_job *job, const struct bp_input *in, struct symbolic_options *o,
                                const struct symbolic_result *first, struct result *result)
{
    enum { MOST_TRACES = 100 };
    struct bp_input rest = {0};
    enum limit cut = 0;
    if (in->pds || !first->has_run) return; /* a pushdown system has one target */
    rest.program =
        boolprog_parse_within(job->files[0], in->text, (int)o->threads, &job->limits, &cut, &rest.diags);
    if (rest.program) boolprog_disarm(rest.program, &first->run, in->labels.at);
    while (rest.program && result->others.len + 1 < MOST_TRACES) {
        struct symbolic_result s;
        symbolic_check(rest.program, o, in->labels.at, false, (struct symbolic_ledger){0}, &s);
        bool found = s.verdict == SYMBOLIC_ERROR && s.has_run;
        if (found) {
            struct trace *t = new_trace(job, in->text);
            bp_run_to_trace(in->program, &s.run, in->labels.at, t);
            result_add_error(result, t, NULL, job);
            boolprog_disarm(rest.program, &s.run, in->labels.at);
        }
        symbolic_result_release(&s);
        if (!found) break;
    }
    result->errors = result->others.len + 1;
    input_release(&rest);
}

/* Reading alone took too long. */
static void report_unread(const struct check_job *job, const struct bp_input *in, struct result *result)
{
    struct part *part = coverage_add(&result->coverage, NULL);
    result->coverage.everything = true;
    part->unit = "shared state";
    part_omit_limit(part, in->cut, &job->limits);
}

static void project(const struct check_job *job, const struct bp_input *in, const struct symbolic_options *o,
                    const struct symbolic_result *s, struct projection *out)
{
    struct projection_input input = {job->files[0], in->text, o, in->labels.at};
    symbolic_projection(in->program, &s->run, &input, out);
}

static int run(const struct check_job *job, struct result *result)
{
    struct symbolic_options o = *(struct symbolic_options *)job->options;
    struct bp_input in = {0};
    if (cluster_is_other()) { /* one process does it all */
        result->nothing_to_report = true;
        return 0;
    }
    int status = check_usage(job);
    o.limits = &job->limits;
    o.progress = !job->common.quiet && !job->common.json;
    if (!status) status = read_input(job->files[0], (int)o.threads, &job->limits, &in);
    if (!status && in.cut) report_unread(job, &in, result);
    else if (!status) status = check_input(&in, &o);
    if (!status && !in.cut) status = find_labels(&in, &o.labels);
    if (!status && !in.cut) {
        struct symbolic_result s;
        if (nothing_to_check(in.program, in.labels.at))
            fprintf(stderr, "heddle: warning: %s: nothing to check: no assertion and no error label (see --label)\n",
                    in.program->file);
        if (o.weights) weigh(job, in.pds, &o, result);
        decide(job, &in, &o, &s, &result->symbolic.projection);
        report(job, &in, &s, result);
        if (job->common.all_errors && result->error) report_other_errors(job, &in, &o, &s, result);
        if (o.projection && !in.pds && s.has_run) project(job, &in, &o, &s, &result->symbolic.projection);
        if (!job->common.json && !job->common.quiet)
            projection_print(in.program->file, in.pds, &result->symbolic.projection);
        if (job->common.verify == VERIFY_RESULT) verify(job, &in, &s, result);
        if (!job->common.json && !job->common.quiet && result_wants_advice(result, job->common.no_times))
            result->advice = symbolic_advice(in.program, &job->limits);
        symbolic_result_release(&s);
    }
    result->seconds = seconds_now() - job->limits.started;
    input_release(&in);
    vec_release(&o.labels); /* the list is the option parser's, and nobody else's after this */
    return status;
}

/* ---- replay ---- */

static int replay_run(const struct trace *t, const struct bp_program *p, const char *const *labels, struct report how)
{
    struct bp_run r = {0};
    char *wrong = NULL;
    if (!bp_run_from_trace(p, t, &r)) wrong = xstrdup("the trace does not fit the program");
    size_t steps = r.steps.len;
    if (!wrong && (!bp_run_finish(p, labels, &r) || r.steps.len != steps))
        wrong = xstrdup("the trace does not end with the first error of its run");
    if (wrong) fprintf(stderr, "heddle: error: %s: %s\n", t->input, wrong);
    int status = wrong ? EXIT_BAD_INPUT : EXIT_ERROR_FOUND;
    if (!wrong) {
        struct trace *again = trace_new();
        bp_run_to_trace(p, &r, labels, again);
        report_trace(again, how);
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
        {"threads", 0, OPTION_INT, offsetof(struct symbolic_options, threads), "N", "", 1, MOST_STARTS, NULL},
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

static int replay(const struct trace *t, const struct replay_options *options)
{
    struct symbolic_options o = {0};
    struct bp_input in = {0};
    struct report how = replay_style(options);
    int status = read_options(t, &o);
    if (!status) status = read_input(t->input, (int)o.threads, NULL, &in);
    if (!status && in.cut) status = EXIT_UNKNOWN;
    if (!status) status = find_labels(&in, &o.labels);
    if (!status) status = replay_run(t, in.program, in.labels.at, how);
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
