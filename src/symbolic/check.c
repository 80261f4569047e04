/* The main loop: round by round until an error, a proof, or a limit. */
#include "symbolic/symbolic.h"

#include "symbolic/backward_int.h"
#include "symbolic/joint_int.h"
#include "symbolic/path_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Without -k. The first rounds come before the proof for all schedules, because most errors are there and are cheap. */
enum { MOST_ROUNDS = 8, FIRST_ROUNDS = 2 };
/* Nodes made: for impressions of an order (at most), for the first rounds, and before joint states are given up. */
enum { FIRST_TRIAL = 40000, LAST_TRIAL = 200000, FIRST_WORK = 10000000, MOST_JOINT_WORK = 125000000,
       MOST_SLOT_WORK = 5000000 };
enum { MANY_THREADS = 8, SMALL_CROWD = 4, CROWD_WORK = 2000000 };
enum { MOST_EXPLICIT = 50000 }; /* states of the search for a run with fewer preemptions */

struct checker {
    const struct bp_program *p;
    const struct symbolic_options *o;
    const char *const *labels;
    bool want_points;
    bool backwards; /* p is reversed: its runs are not for people */
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
    enum order_kind order;
    int done;        /* rounds of the present attempt */
    enum cut cut; /* of the last attempt */
};

static const char *order_word(enum order_kind kind)
{
    static const char *const words[] = {"assignment", "statement", "thread"};
    return words[kind];
}

static enum order_kind wanted_order(const struct checker *c)
{
    assert(c->o->order > 0);
    return (enum order_kind)(c->o->order - 1);
}

/* ---- counting ---- */

static BDD shared_states_at(struct checker *c, int thread, int node, int k, int entered)
{
    struct encoding *e = &c->rounds.e;
    BDD x = rounds_exact(&c->rounds, thread, node, k, entered);
    if (x == bddfalse) return x;
    return b_exist(&c->b, x, e->not_now_shared);
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
            points_list(c->p, c->rounds.e.now, fresh, node, k + 1, &c->r->arena, &c->r->points);
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
    c->done = k + 1;
    struct symbolic_round round = {k + 1, count_states(c), b_nodes(), seconds_now() - c->started};
    add_round(c, &round);
}

/* ---- errors ---- */

/* The run is cut at its first error and made simpler; each time the interpreter executes it. */
static void run_found(struct checker *c)
{
    struct bp_run *run = &c->r->run;
    if (!bp_run_finish(c->p, c->labels, run)) BUG("a counterexample without an error");
    c->r->has_run = true;
    c->r->verdict = SYMBOLIC_ERROR;
    if (c->backwards) return;
    bp_run_simplify(c->p, c->labels, c->o->limits, run);
    c->r->fewest = bp_run_fewest(c->p, c->labels, MOST_EXPLICIT, c->o->limits, run);
    char *wrong = bp_run_check(c->p, run, c->labels);
    if (wrong) BUG("counterexample: %s", wrong);
    c->r->error_node = run->error_node;
    c->r->error_edge = run->error_node < 0 ? vec_last(&run->steps).edge : -1;
}

static void error_found(struct checker *c, const struct hit *hit)
{
    const struct error_rel *x = &c->rounds.e.errors.at[hit->error];
    c->r->error_round = hit->context + 1;
    c->r->error_edge = x->edge;
    c->r->error_node = x->edge < 0 ? x->node : -1;
    bp_run_release(&c->r->run);
    find_witness(&c->rounds, hit, &c->r->run);
    run_found(c);
}

/* ---- rounds by tuples of shared states ---- */

static void run_rounds(struct checker *c, int contexts)
{
    rounds_init(&c->rounds, &c->b, c->p, contexts, c->o->eager, c->labels,
                (struct order_choice){c->order, c->o->reorder});
    c->r->variables = c->rounds.e.var_count;
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
    c->b.phase = c->r->mode = c->o->eager ? "eager" : "lazy";
    c->r->order = order_word(c->order);
    progress_start(&c->b.progress, c->o->progress);
    c->reached = bddfalse; /* what another attempt has left is not to be looked at: BuDDy was started again since */
    memset(c->reached_at, 0, (c->p->nodes.len + 1) * sizeof *c->reached_at);
    vec_clear(&c->r->points);
    int cut = setjmp(c->b.escape);
    if (!cut) run_rounds(c, contexts);
    c->cut = (enum cut)cut;
    c->r->nodes = b_made();
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

/* Each order has a trial; if none comes to the end, the one that came further goes on without a limit. */
static bool rounds_by_tuples(struct checker *c, int contexts, long most_work)
{
    static const enum order_kind orders[] = {ORDER_BY_ASSIGNMENT, ORDER_BY_STATEMENT};
    enum order_kind best = orders[0];
    int most = -1;
    if (c->o->order) {
        c->order = wanted_order(c);
        return clean_rounds(c, contexts, most_work);
    }
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        c->order = orders[i];
        c->done = 0;
        bool clean = clean_rounds(c, contexts, FIRST_TRIAL);
        if (c->cut != CUT_WORK) return clean;
        if (c->r->error_round) break;
        if (c->done > most) most = c->done, best = c->order;
    }
    if (!c->r->error_round) c->order = best;
    return clean_rounds(c, contexts, most_work);
}

/* ---- rounds by joint states ---- */

static void take_rounds(struct checker *c, const struct joint_result *j)
{
    for (size_t i = 0; i < j->ledger.len; i++) {
        struct symbolic_round round = j->ledger.at[i];
        round.seconds = seconds_now() - c->started;
        add_round(c, &round);
    }
}

static void take_error(struct checker *c, struct joint_result *j)
{
    take_rounds(c, j);
    c->r->error_round = j->rounds;
    c->r->error_edge = j->error_edge;
    c->r->error_node = j->error_node;
    c->r->verdict = SYMBOLIC_ERROR;
    c->cut = j->cut;
    bp_run_release(&c->r->run);
    c->r->run = j->run;
    j->run = (struct bp_run){0};
    if (j->has_run) run_found(c);
}

/* How joint states are computed: neither an order nor a way to take turns is best for all programs. */
struct joint_way { enum order_kind order; bool steps; };

static void ask_joint(struct checker *c, struct joint_request *q, struct joint_way way, long work,
                      struct joint_result *j)
{
    q->order = way.order;
    q->steps = way.steps;
    q->most_work = work;
    joint_release(j);
    joint_rounds(q, j);
    c->r->order = order_word(way.order);
    c->r->variables = j->variables;
    c->r->nodes = j->nodes;
}

static const struct joint_way joint_ways[] = {{ORDER_BY_THREAD, false}, {ORDER_BY_THREAD, true},
                                              {ORDER_BY_ASSIGNMENT, false}, {ORDER_BY_STATEMENT, false},
                                              {ORDER_BY_ASSIGNMENT, true}, {ORDER_BY_STATEMENT, true}};

/* turns: that were taken the last time; out: no more work for this way; second: when only one is left, one that takes
 * turns the other way, since how far one came with little work does not always say how much is left; -1: none. */
struct joint_trial { int turns[ARRAY_LEN(joint_ways)], second; bool out[ARRAY_LEN(joint_ways)]; };

static struct joint_trial new_trial(void) { return (struct joint_trial){.second = -1}; }

static bool is_wanted(const struct checker *c, struct joint_way way)
{
    if (c->o->order && way.order != wanted_order(c)) return false;
    return way.steps ? c->o->method != METHOD_JOINT : c->o->method != METHOD_STEPS;
}

/* Whoever is cut short begins anew: little more as long as there is a choice, then much more at once. */
static long more_work(long work) { return work < LAST_TRIAL ? 5 * work : 25 * work; }

/* The one among the ways that came furthest, or among those that are out and take turns this way; -1: none. */
static int furthest(const struct checker *c, const struct joint_trial *trial, bool out, bool steps)
{
    int best = -1;
    for (int i = 0; i < (int)ARRAY_LEN(joint_ways); i++)
        if (is_wanted(c, joint_ways[i]) && trial->out[i] == out && (!out || joint_ways[i].steps == steps) &&
            (best < 0 || trial->turns[i] > trial->turns[best]))
            best = i;
    return best;
}

static void sort_out(const struct checker *c, struct joint_trial *trial, bool last)
{
    int best = furthest(c, trial, false, false);
    if (trial->second >= 0) return;
    for (int i = 0; i < (int)ARRAY_LEN(joint_ways); i++)
        trial->out[i] |= i != best && (last || trial->turns[i] < trial->turns[best]);
    if (last) trial->second = furthest(c, trial, true, !joint_ways[best].steps);
}

/* With so much work: the ways that came furthest so far, at first all of them. */
static void try_ways(struct checker *c, struct joint_request *q, long work, struct joint_trial *trial,
                     struct joint_result *j)
{
    for (int i = 0; i <= (int)ARRAY_LEN(joint_ways); i++) {
        bool last = i == (int)ARRAY_LEN(joint_ways);
        int way = last ? trial->second : i;
        if (way < 0 || (!last && trial->out[way]) || !is_wanted(c, joint_ways[way])) continue;
        ask_joint(c, q, joint_ways[way], work, j);
        if (j->cut != CUT_WORK || j->outcome == JOINT_ERROR) return;
        trial->turns[way] = j->turns;
    }
    sort_out(c, trial, work >= LAST_TRIAL);
}

static struct joint_request joint_request(const struct checker *c, int most_rounds, bool precise)
{
    return (struct joint_request){.p = c->p, .o = c->o, .labels = c->labels, .most_rounds = most_rounds,
                                  .want_points = c->want_points, .precise = precise};
}

static void take_joint(struct checker *c, struct joint_result *j)
{
    assert(j->exact);
    c->r->mode = "joint";
    if (j->outcome == JOINT_ERROR) {
        take_error(c, j);
    } else if (j->outcome != JOINT_GAVE_UP) {
        bool all = j->outcome == JOINT_PROVED;
        take_rounds(c, j);
        c->r->verdict = all && !c->p->starts_limited && !c->want_points ? SYMBOLIC_VERIFIED : SYMBOLIC_BOUNDED;
        if (all && c->r->verdict == SYMBOLIC_BOUNDED) c->r->rounds = c->contexts; /* more of them add nothing */
        c->asserted = j->asserted, c->counted = c->r->rounds;
        c->r->points = j->points;
        c->r->arena = j->arena;
        j->points = (explore_points){0}, j->arena = (struct arena){0};
    } else c->cut = j->cut;
}

/* The same work for tuples. True if they decided it; otherwise *done says whether they came to their end. */
static bool tuples_decide(struct checker *c, long work, bool *done)
{
    int contexts = c->o->rounds ? (int)c->o->rounds : FIRST_ROUNDS;
    if (c->o->order) c->order = wanted_order(c);
    *done = clean_rounds(c, contexts, work);
    if (c->r->error_round && c->cut == CUT_WORK) build_run(c);
    if (c->r->error_round || (c->cut && c->cut != CUT_WORK)) return true;
    c->cut = CUT_NONE;
    if (*done && c->o->rounds) c->r->verdict = SYMBOLIC_BOUNDED;
    return *done && c->o->rounds;
}

/* The next piece of work for joint states. True if they decided it. */
static bool joint_decide(struct checker *c, struct joint_request *q, long work, struct joint_trial *trial)
{
    struct joint_result j = {0};
    try_ways(c, q, work, trial, &j);
    if (j.outcome == JOINT_ERROR && j.cut == CUT_WORK) /* for its run */
        ask_joint(c, q, (struct joint_way){q->order, q->steps}, 0, &j);
    bool decided = j.cut != CUT_WORK && j.cut != CUT_VARIABLES; /* tuples need fewer of those */
    if (decided) take_joint(c, &j);
    joint_release(&j);
    return decided;
}

/* What was proved for all schedules, without anything being said of rounds. */
static void take_proof(struct checker *c, const struct joint_result *j, const char *mode)
{
    c->r->verdict = SYMBOLIC_VERIFIED, c->r->mode = mode, c->r->proof_note = NULL;
    c->asserted = j->asserted, c->r->rounds = MAX(c->r->rounds, 1), c->counted = c->r->rounds;
}

/* Others may need less work, fewer variables and less memory. */
static bool is_final(enum cut cut) { return cut_limit(cut) && cut != CUT_MEMORY; }

/* Counters of one bit, then of two, and so on: those that are too small only lead to errors that there are not. True if
 * every schedule was covered, or if a limit was reached. */
static bool proved_by_counting(struct checker *c, const struct bp_crowds *crowds)
{
    struct joint_result j = {0};
    struct joint_way way = {c->o->order ? wanted_order(c) : ORDER_BY_THREAD, false};
    struct joint_request q = joint_request(c, 0, false);
    q.p = &crowds->seen, q.like = crowds->like;
    do {
        q.counter_bits++;
        ask_joint(c, &q, way, CROWD_WORK, &j);
    } while (j.outcome == JOINT_ERROR && !j.counts_all);
    bool proved = j.outcome == JOINT_PROVED;
    if (proved) take_proof(c, &j, "crowd");
    if (is_final(j.cut)) c->cut = j.cut;
    joint_release(&j);
    return proved || c->cut;
}

static bool first_rounds_decide(struct checker *c)
{
    if (c->o->order) c->order = wanted_order(c);
    clean_rounds(c, FIRST_ROUNDS, LAST_TRIAL);
    if (c->r->error_round && c->cut == CUT_WORK) build_run(c);
    if (c->r->error_round || is_final(c->cut)) return true;
    c->cut = CUT_NONE;
    return false;
}

/* Threads that nobody can tell apart: after the first rounds, where most errors are, a proof that hardly depends on how
 * many there are. True if there is nothing left to decide. */
static bool crowds_decide(struct checker *c)
{
    struct bp_crowds crowds;
    bool wanted = c->o->method == METHOD_CROWD || (c->o->method == METHOD_AUTO && c->contexts > FIRST_ROUNDS);
    if (!wanted || c->p->starts_limited || c->want_points) return false;
    boolprog_crowds(c->p, c->labels, &crowds);
    bool asked = c->o->method == METHOD_CROWD, large = crowds.largest >= (asked ? 2 : SMALL_CROWD);
    bool done = large && ((!asked && first_rounds_decide(c)) || proved_by_counting(c, &crowds));
    boolprog_crowds_release(&crowds);
    return done;
}

/* Few contexts of many threads: what each can do is little, and threads that are alike are looked at once. So much work
 * for tuples then, before anything else. */
static long early_tuples(const struct checker *c)
{
    if (!c->o->rounds || c->p->threads.len < MANY_THREADS) return 0;
    return c->o->rounds <= FIRST_ROUNDS ? FIRST_WORK : c->o->rounds == FIRST_ROUNDS + 1 ? FIRST_WORK / 5 : 0;
}

/* Tuples need many times the work for each context more, so they get the less of it the more contexts there are. */
static long tuples_share(const struct checker *c, long work)
{
    return work <= LAST_TRIAL ? work : c->o->rounds <= FIRST_ROUNDS + 1 ? work / 5 : work / 25;
}

/* Without recursion joint states answer everything; but it is not known beforehand whether they or the tuples are less.
 * So both get a little work, then both more, and so on; joint states first, because they can prove. Tuples are good at
 * two contexts of many threads: those come first when there is more work to do, without -k as well, where they are for
 * errors in the first rounds. */
static bool decided_in_turns(struct checker *c)
{
    bool bounded = c->o->rounds || c->p->starts_limited || c->want_points;
    struct joint_request q = joint_request(c, bounded ? c->contexts : 0, false);
    struct joint_trial trial = new_trial();
    bool tuples_done = c->o->method == METHOD_JOINT || c->o->method == METHOD_STEPS;
    long early = tuples_done ? 0 : early_tuples(c);
    if (crowds_decide(c)) return true;
    if (early && tuples_decide(c, early, &tuples_done)) return true;
    for (long work = FIRST_TRIAL; work <= MOST_JOINT_WORK; work = more_work(work)) {
        long share = tuples_share(c, work);
        c->b.much_work = work > LAST_TRIAL;
        bool tuples_first = c->o->rounds <= FIRST_ROUNDS && work > FIRST_TRIAL;
        if (!tuples_done && tuples_first && tuples_decide(c, share, &tuples_done)) return true;
        if (joint_decide(c, &q, work, &trial)) return true;
        if (!tuples_done && !tuples_first && tuples_decide(c, share, &tuples_done)) return true;
    }
    return false;
}

/* After the first rounds by tuples: a proof, which is all that they can do with recursion. True if every schedule was
 * covered, or if a limit was reached. */
static bool proved_by_joint(struct checker *c)
{
    bool done = false;
    for (int precise = 0; precise < 2 && !done && !c->cut; precise++) {
        struct joint_request q = joint_request(c, (int)c->o->rounds, precise);
        struct joint_result j = {0};
        struct joint_trial trial = new_trial();
        for (long work = FIRST_TRIAL; work <= MOST_JOINT_WORK && (work == FIRST_TRIAL || j.cut == CUT_WORK);
             work = more_work(work))
            try_ways(c, &q, work, &trial, &j);
        done = j.outcome == JOINT_PROVED;
        if (j.outcome == JOINT_ERROR && j.exact && !c->o->rounds) c->contexts = MAX(c->contexts, j.rounds);
        if (j.exact) precise = true; /* nothing to gain */
        if (cut_limit(j.cut)) c->cut = j.cut;
        c->r->proof_note = j.outcome == JOINT_GAVE_UP ? "proof for all schedules given up: too much work"
                                                      : "no proof for all schedules: recursion was approximated";
        if (done) take_proof(c, &j, "joint");
        joint_release(&j);
    }
    return done || c->cut;
}

/* One piece of work after the other, as long as that is what is missing. */
bool symbolic_prove_slots(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                          struct symbolic_result *r)
{
    struct symbolic_options options = *o;
    *r = (struct symbolic_result){.verdict = SYMBOLIC_UNKNOWN};
    options.rounds = 0;
    struct checker c = {.p = p, .o = &options, .labels = labels, .r = r};
    struct joint_request q = joint_request(&c, 0, false);
    struct joint_result j = {0};
    struct joint_trial trial = new_trial();
    assert(p->slots.len);
    for (long work = FIRST_TRIAL; work <= MOST_SLOT_WORK && (work == FIRST_TRIAL || j.cut == CUT_WORK);
         work = more_work(work))
        try_ways(&c, &q, work, &trial, &j);
    bool proved = j.outcome == JOINT_PROVED;
    if (proved) r->verdict = SYMBOLIC_VERIFIED, r->mode = "joint";
    r->limit = cut_limit(j.cut);
    r->no_assertion_reached = proved && !j.asserted;
    joint_release(&j);
    return proved;
}

/* ---- which of them ---- */

/* Joint states grow with what threads can do together, tuples with what one thread can do in K contexts, to the power
 * of K. Measured (doc/boolean-programs.md), joint states are ahead from three contexts on, tuples for two contexts of
 * many threads. Joint states are exact without recursion only. */
static bool joint_decides(const struct checker *c)
{
    if (boolprog_is_recursive(c->p)) return false;
    if (c->o->method) return c->o->method != METHOD_TUPLES;
    return c->p->threads.len > 1 && !c->o->eager && !c->o->no_proof && !c->want_points;
}

static void run(struct checker *c)
{
    bool several = c->p->threads.len > 1, proof = several && !c->o->no_proof && c->o->method != METHOD_TUPLES &&
                                                  !c->want_points && !c->p->starts_limited;
    if (joint_decides(c)) {
        if (decided_in_turns(c)) return;
        proof = false;
    }
    if (proof && c->contexts > FIRST_ROUNDS) rounds_by_tuples(c, FIRST_ROUNDS, FIRST_WORK);
    if (c->r->error_round && c->cut == CUT_WORK) build_run(c);
    if (c->r->error_round || (c->cut && c->cut != CUT_WORK)) return;
    c->cut = CUT_NONE;
    if (proof && proved_by_joint(c)) return;
    if (!rounds_by_tuples(c, c->contexts, 0)) return;
    c->r->verdict = several || c->p->starts_limited || c->want_points ? SYMBOLIC_BOUNDED : SYMBOLIC_VERIFIED;
}

/* Rounds, then the answer. */
static void check(struct checker *c)
{
    struct symbolic_result *r = c->r;
    const struct bp_program *p = c->p;
    c->started = seconds_now();
    c->contexts = p->threads.len == 1 && !c->want_points ? 1 : c->o->rounds ? (int)c->o->rounds : MOST_ROUNDS;
    c->reached_at = xcalloc(p->nodes.len + 1, sizeof *c->reached_at);
    run(c);
    if (c->cut) r->cut = cut_text(c->cut), r->limit = cut_limit(c->cut);
    if (c->cut && r->error_round) r->verdict = SYMBOLIC_ERROR;
    r->no_assertion_reached = !c->asserted && r->rounds > 0 && c->counted >= r->rounds;
    assert((r->verdict == SYMBOLIC_ERROR) == (r->error_round > 0));
    assert(r->verdict != SYMBOLIC_ERROR || r->has_run || r->cut);
    assert(r->verdict != SYMBOLIC_UNKNOWN || r->cut);
    free(c->reached_at);
}

/* ---- backwards ---- */

/* The run of the reversed program is in r; what it takes back, in order, is a run of the program. */
static void turn_run(struct checker *c, const struct bp_program *p, const char *const *labels,
                     const struct bp_reversal *reversal)
{
    struct bp_liveness live = {0};
    struct script script;
    struct bp_run backwards = c->r->run;
    c->r->run = (struct bp_run){0};
    c->r->has_run = false;
    backward_script(p, reversal, &backwards, &script);
    c->p = p, c->labels = labels, c->backwards = false;
    int cut = setjmp(c->b.escape);
    if (!cut) {
        if (!boolprog_liveness(p, c->o->limits, &live)) b_leave(&c->b, CUT_TIME);
        script_play(&c->b, p, &live, &script, &c->r->run);
        run_found(c);
    } else {
        c->r->cut = cut_text((enum cut)cut), c->r->limit = cut_limit((enum cut)cut);
        c->r->error_edge = script.error_edge, c->r->error_node = script.error_edge < 0 ? script.error_node : -1;
    }
    free(live.live);
    script_release(p, &script);
    bp_run_release(&backwards);
}

static void check_backwards(struct checker *c)
{
    const struct bp_program *p = c->p;
    const char *const *labels = c->labels;
    static const char *const goal[] = {BOOLPROG_REVERSED_GOAL, NULL};
    struct bp_reversal reversal;
    boolprog_reverse(p, labels, &reversal);
    c->p = reversal.program, c->labels = goal, c->backwards = true;
    check(c);
    c->r->no_assertion_reached = false; /* nobody looked */
    c->r->error_edge = c->r->error_node = -1;
    if (c->r->has_run) turn_run(c, p, labels, &reversal);
    boolprog_reversal_release(&reversal);
}

void symbolic_check(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                    bool want_points, struct symbolic_ledger ledger, struct symbolic_result *r)
{
    static const char *const no_labels[] = {NULL};
    *r = (struct symbolic_result){.verdict = SYMBOLIC_UNKNOWN};
    struct checker *c = xcalloc(1, sizeof *c);
    *c = (struct checker){.p = p, .o = o, .labels = labels ? labels : no_labels, .want_points = want_points,
                          .ledger = ledger, .r = r};
    assert(!o->backward || !want_points);
    if (o->backward) check_backwards(c);
    else check(c);
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
