/* The main loop: round by round until an error, a proof, or a limit. */
#include "symbolic/symbolic.h"

#include "symbolic/joint_int.h"
#include "symbolic/path_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Without -k. The first rounds come before the proof for all schedules, because most errors are there and are cheap. */
enum { MOST_ROUNDS = 8, FIRST_ROUNDS = 2, FIRST_WORK = 10000000 };
enum { MOST_EXPLICIT = 50000 }; /* states of the search for a run with fewer preemptions */

struct checker {
    const struct bp_program *p;
    const struct symbolic_options *o;
    const char *const *labels;
    bool want_points;
    struct symbolic_ledger ledger;
    struct symbolic_result *r;
    struct bdds b;
    struct rounds rounds;
    BDD reached; /* shared states in all rounds so far */
    BDD *reached_at; /* want_points: by node */
    bool asserted;   /* some execution comes to an assertion */
    int counted;     /* rounds that this is about */
    double started;
    int contexts;
    enum cut cut; /* of the last attempt */
};

/* ---- counting ---- */

static BDD shared_states_at(struct checker *c, int thread, int node, int k, int entered)
{
    struct encoding *e = &c->rounds.e;
    BDD x = rounds_exact(&c->rounds, thread, node, k, entered);
    if (x == bddfalse) return x;
    return b_exist(&c->b, x, e->not_now_shared);
}

static void note_points(struct checker *c, int node, int round, BDD fresh)
{
    size_t n = c->p->shared.len;
    assert(n < 32);
    uint8_t *values = xcalloc(n + 1, 1);
    for (uint64_t number = 0; number < (uint64_t)1 << n; number++) {
        BDD x = fresh;
        for (size_t i = 0; i < n; i++) values[i] = (number >> i) & 1;
        while (x != bddtrue && x != bddfalse) {
            int var = bdd_var(x);
            uint8_t value = 0;
            for (size_t i = 0; i < n; i++)
                if (c->rounds.e.now[c->p->shared.at[i]] == var) value = values[i];
            x = value ? bdd_high(x) : bdd_low(x);
        }
        if (x == bddfalse) continue;
        uint8_t *copy = (uint8_t *)arena_strndup(&c->r->arena, (const char *)values, n);
        vec_push(&c->r->points, ((struct explore_point){node, round, copy}));
    }
    free(values);
}

static bool has_assertion(const struct bp_program *p, int node)
{
    if (node >= (int)p->nodes.len) return false;
    const struct bp_node *n = &p->nodes.at[node];
    for (size_t i = 0; i < n->out.len; i++)
        if (p->edges.at[n->out.at[i]].assertion >= 0) return true;
    return false;
}

static void collect_node(struct checker *c, int thread, int node, int k)
{
    for (int entered = 0; entered <= k; entered++) {
        size_t mark = b_mark(&c->b);
        BDD x = shared_states_at(c, thread, node, k, entered);
        b_set(&c->reached, b_or(&c->b, c->reached, x));
        c->asserted |= x != bddfalse && has_assertion(c->p, node);
        if (c->want_points && node < (int)c->p->nodes.len) {
            BDD fresh = b_diff(&c->b, x, c->reached_at[node]);
            note_points(c, node, k + 1, fresh);
            b_set(&c->reached_at[node], b_or(&c->b, c->reached_at[node], fresh));
        }
        b_release(&c->b, mark);
    }
}

static void collect(struct checker *c, int k)
{
    for (int j = 0; j < c->rounds.threads; j++)
        for (size_t i = 0; i < c->rounds.thread[j].order.len; i++)
            collect_node(c, j, c->rounds.thread[j].order.at[i], k);
    if (k == 0 && c->p->init >= 0)
        for (size_t i = 0; i < c->rounds.init.order.len; i++)
            collect_node(c, c->rounds.threads, c->rounds.init.order.at[i], 0);
}

static double count_states(struct checker *c)
{
    return c->p->shared.len ? bdd_satcountset(c->reached, c->rounds.e.now_shared) : c->reached != bddfalse;
}

/* Rounds are gone through again after the proof was tried: each is reported once. */
static void add_round(struct checker *c, const struct symbolic_round *round)
{
    if (round->round <= c->r->rounds) return;
    progress_clear(&c->b.progress);
    vec_push(&c->r->ledger, *round);
    c->r->rounds = round->round;
    if (c->ledger.round) c->ledger.round(c->ledger.arg, round);
}

static void end_round(struct checker *c, int k)
{
    collect(c, k);
    c->counted = MAX(c->counted, k + 1);
    struct symbolic_round round = {k + 1, count_states(c), b_nodes(), seconds_now() - c->started};
    add_round(c, &round);
}

/* ---- the loop ---- */

/* The run is built, cut at its first error, and made simpler; each time the interpreter executes it. */
static void error_found(struct checker *c, const struct hit *hit)
{
    const struct error_rel *x = &c->rounds.e.errors.at[hit->error];
    struct bp_run *run = &c->r->run;
    c->r->error_round = hit->context + 1;
    c->r->error_edge = x->edge;
    c->r->error_node = x->edge < 0 ? x->node : -1;
    bp_run_release(run);
    find_witness(&c->rounds, hit, run);
    if (!bp_run_finish(c->p, c->labels, run)) BUG("a counterexample without an error");
    c->r->has_run = true;
    bp_run_simplify(c->p, c->labels, c->o->limits, run);
    c->r->fewest = bp_run_fewest(c->p, c->labels, MOST_EXPLICIT, c->o->limits, run);
    char *wrong = bp_run_check(c->p, run, c->labels);
    if (wrong) BUG("counterexample: %s", wrong);
    c->r->error_node = run->error_node;
    c->r->error_edge = run->error_node < 0 ? vec_last(&run->steps).edge : -1;
    c->r->verdict = SYMBOLIC_ERROR;
}

/* True if every schedule was covered. What the proof found out otherwise only decides how far to go. */
static bool proved(struct checker *c)
{
    struct joint_result j;
    joint_prove(c->p, c->o, c->labels, &j);
    if (cut_limit(j.cut)) c->cut = j.cut;
    bool done = j.outcome == JOINT_PROVED && (!c->o->rounds || j.rounds <= c->o->rounds);
    for (size_t i = 0; done && i < j.ledger.len; i++) {
        j.ledger.at[i].seconds = seconds_now() - c->started;
        add_round(c, &j.ledger.at[i]);
    }
    if (j.outcome == JOINT_GAVE_UP) c->r->proof_note = "proof for all schedules given up: too much work";
    else if (j.outcome == JOINT_ERROR && !j.exact)
        c->r->proof_note = "no proof for all schedules: recursion was approximated";
    if (j.outcome == JOINT_ERROR && j.exact && !c->o->rounds) c->contexts = MAX(c->contexts, j.rounds);
    if (done) c->r->verdict = SYMBOLIC_VERIFIED, c->r->rounds = MAX(c->r->rounds, j.rounds);
    if (done) c->asserted = j.asserted, c->counted = c->r->rounds;
    joint_release(&j);
    return done;
}

static void run_rounds(struct checker *c, int contexts)
{
    rounds_init(&c->rounds, &c->b, c->p, contexts, c->o->eager, c->labels,
                (struct order_choice){ORDER_BY_ASSIGNMENT, c->o->reorder});
    if (c->want_points) c->rounds.e.errors.len = 0; /* everything is wanted, also what lies behind an error */
    struct hit hit;
    bool error = rounds_init_phase(&c->rounds, &hit);
    for (int k = 0; !error && k < contexts; k++) {
        c->b.round = k + 1;
        error = rounds_run(&c->rounds, k, &hit);
        if (!error) end_round(c, k);
    }
    if (error) error_found(c, &hit);
}

/* Rounds 1 to contexts. True if they were completed without an error. */
static bool clean_rounds(struct checker *c, int contexts, long most_work)
{
    c->b.most_work = most_work;
    c->b.limits = c->o->limits;
    c->b.phase = c->o->eager ? "eager" : "lazy";
    progress_start(&c->b.progress, c->o->progress);
    c->reached = bddfalse;
    int cut = setjmp(c->b.escape);
    if (!cut) run_rounds(c, contexts);
    c->cut = (enum cut)cut;
    rounds_release(&c->rounds);
    bdds_stop(&c->b);
    memset(&c->rounds, 0, sizeof c->rounds);
    return !c->cut && c->r->verdict != SYMBOLIC_ERROR;
}

/* An error was found, but its run was too much work for the first rounds: once more without that limit. */
static void build_run(struct checker *c)
{
    if (!clean_rounds(c, c->r->error_round, 0) && !c->cut) return;
    if (!c->cut) BUG("an error of round %d is gone", c->r->error_round);
    c->r->verdict = SYMBOLIC_ERROR;
}

static void run(struct checker *c)
{
    bool several = c->p->threads.len > 1,
         proof = several && !c->o->no_proof && !c->want_points && !c->p->starts_limited;
    if (proof && c->contexts > FIRST_ROUNDS) clean_rounds(c, FIRST_ROUNDS, FIRST_WORK);
    if (c->r->error_round && c->cut == CUT_WORK) build_run(c);
    if (c->r->error_round || (c->cut && c->cut != CUT_WORK)) return;
    c->cut = CUT_NONE;
    if (proof && (proved(c) || c->cut)) return;
    if (!clean_rounds(c, c->contexts, 0)) return;
    c->r->verdict = several || c->p->starts_limited || c->want_points ? SYMBOLIC_BOUNDED : SYMBOLIC_VERIFIED;
}

void symbolic_check(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                    bool want_points, struct symbolic_ledger ledger, struct symbolic_result *r)
{
    static const char *const no_labels[] = {NULL};
    *r = (struct symbolic_result){.verdict = SYMBOLIC_UNKNOWN};
    struct checker *c = xcalloc(1, sizeof *c);
    *c = (struct checker){.p = p, .o = o, .labels = labels ? labels : no_labels, .want_points = want_points,
                          .ledger = ledger, .r = r, .started = seconds_now()};
    c->contexts = p->threads.len == 1 && !want_points ? 1 : o->rounds ? (int)o->rounds : MOST_ROUNDS;
    c->reached_at = xcalloc(p->nodes.len + 1, sizeof *c->reached_at);
    run(c);
    if (c->cut) r->cut = cut_text(c->cut), r->limit = cut_limit(c->cut);
    if (c->cut && r->error_round) r->verdict = SYMBOLIC_ERROR;
    r->no_assertion_reached = !c->asserted && r->rounds > 0 && c->counted >= r->rounds;
    assert((r->verdict == SYMBOLIC_ERROR) == (r->error_round > 0));
    assert(r->verdict != SYMBOLIC_ERROR || r->has_run || r->cut);
    assert(r->verdict != SYMBOLIC_UNKNOWN || r->cut);
    free(c->reached_at);
    free(c);
}

int symbolic_covered_switches(const struct bp_program *p, int rounds)
{
    bool first_starts = p->threads.len > 1;
    for (size_t i = 1; i < p->threads.len; i++) first_starts &= p->threads.at[i].started >= 0;
    assert(rounds > 0);
    return rounds - 1 + first_starts;
}

void symbolic_set_error(const struct bp_program *p, const char *const *labels, int round, struct symbolic_result *r)
{
    assert(r->verdict == SYMBOLIC_UNKNOWN && r->cut && round > 0);
    r->verdict = SYMBOLIC_ERROR;
    r->error_round = round;
    r->error_edge = r->error_node = -1;
    for (size_t i = 0; i < p->nodes.len && r->error_node < 0; i++)
        if (boolprog_is_error_node(p, (int)i, labels)) r->error_node = (int)i;
    assert(r->error_node >= 0);
}

void symbolic_result_release(struct symbolic_result *r)
{
    bp_run_release(&r->run);
    vec_release(&r->ledger);
    vec_release(&r->points);
    arena_release(&r->arena);
}
