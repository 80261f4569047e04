/* The referee of finished checks: what was claimed is asked again, naively. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>

enum { DEFAULT_STATES = 200000, DEFAULT_DEPTH = 12 };

struct referee {
    const struct bp_program *p;
    const char *const *labels;
    const struct bp_claim *claim;
    struct bp_budget budget;
    enum bp_opinion opinion; /* the worst so far: disagreement before unfinished before agreement */
    struct str *how;
};

static void say(struct referee *r, enum bp_opinion opinion, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void say(struct referee *r, enum bp_opinion opinion, const char *fmt, ...)
{
    va_list ap;
    if (r->how->len) str_add(r->how, "; ");
    va_start(ap, fmt);
    str_vprintf(r->how, fmt, ap);
    va_end(ap);
    if (opinion == OPINION_DISAGREES || r->opinion == OPINION_AGREES) r->opinion = opinion;
}

static void explore(const struct referee *r, enum explore_by by, int most, struct explore_result *x)
{
    struct explore_options o = {.by = by, .most = most, .most_depth = r->budget.most_depth,
                                .most_states = r->budget.most_states, .labels = r->labels,
                                .limits = r->budget.limits};
    bp_explore(r->p, &o, x);
    if (r->budget.explored) *r->budget.explored += x->states;
}

static const char *cut_text(const struct explore_result *x)
{
    return x->states_cut ? "the states or choices were too many, or the time was up" : "the stacks were too deep";
}

static bool was_cut(const struct explore_result *x) { return x->states_cut || x->depth_cut; }

static void expect_none(struct referee *r, enum explore_by by, int most, const char *unit)
{
    struct explore_result x;
    char states[64];
    explore(r, by, most, &x);
    if (x.error_level >= 0 && by == EXPLORE_ALL) say(r, OPINION_DISAGREES, "there is a schedule with an error");
    else if (x.error_level >= 0) say(r, OPINION_DISAGREES, "there is an error with %d %s", x.error_level, unit);
    else if (was_cut(&x))
        say(r, OPINION_UNFINISHED, "no error in %s (%s), then %s", counted(states, x.states, "state"), unit,
            cut_text(&x));
    else say(r, OPINION_AGREES, "no error in all of %s (%s)", counted(states, x.states, "state"), unit);
    bp_explore_release(&x);
}

/* The first round with an error. */
static void expect_round(struct referee *r)
{
    struct explore_result x;
    int rounds = r->claim->rounds;
    explore(r, EXPLORE_ROUNDS, rounds, &x);
    if (x.error_level >= 0 && x.error_level < rounds)
        say(r, OPINION_DISAGREES, "there is an error with %d contexts per thread already", x.error_level);
    else if (x.error_level == rounds) say(r, OPINION_AGREES, "the first error is in round %d", rounds);
    else if (was_cut(&x)) say(r, OPINION_UNFINISHED, "no error found in %d rounds, but %s", rounds, cut_text(&x));
    else say(r, OPINION_DISAGREES, "there is no error with %d contexts per thread", rounds);
    bp_explore_release(&x);
}

/* The error of the run is among those with so many preemptions, and none has fewer if that was said. */
static void expect_run(struct referee *r)
{
    const struct bp_run *run = r->claim->run;
    char *wrong = bp_run_check(r->p, run, r->labels);
    if (wrong) {
        say(r, OPINION_DISAGREES, "the printed run: %s", wrong);
        free(wrong);
        return;
    }
    int preemptions = bp_run_preemptions(r->p, run), edge = run->error_node < 0 ? vec_last(&run->steps).edge : -1;
    const char *unit = preemptions == 1 ? "preemption" : "preemptions";
    struct explore_result x;
    bool reached = false;
    explore(r, EXPLORE_PREEMPTIONS, preemptions, &x);
    for (size_t i = 0; i < x.errors.len; i++)
        reached |= x.errors.at[i].edge == edge && (edge >= 0 || x.errors.at[i].node == run->error_node);
    bool fewer = x.error_level >= 0 && x.error_level < preemptions;
    if (fewer)
        say(r, r->claim->fewest ? OPINION_DISAGREES : OPINION_AGREES, "an error needs %d of the %d preemptions only",
            x.error_level, preemptions);
    if (!reached && !was_cut(&x)) say(r, OPINION_DISAGREES, "the printed error cannot be reached so");
    else if (!reached || (!fewer && was_cut(&x)))
        say(r, OPINION_UNFINISHED, "with at most %d %s %s", preemptions, unit, cut_text(&x));
    else if (!fewer) say(r, OPINION_AGREES, "no run has fewer than %d %s", preemptions, unit);
    bp_explore_release(&x);
}

enum bp_opinion boolprog_verify(const struct bp_program *p, const char *const *labels, const struct bp_claim *claim,
                                struct bp_budget budget, struct str *how)
{
    assert(claim->kind == CLAIM_NO_ERROR || claim->rounds > 0);
    if (!budget.most_states) budget.most_states = DEFAULT_STATES;
    if (!budget.most_depth) budget.most_depth = DEFAULT_DEPTH;
    struct referee r = {p, labels, claim, budget, OPINION_AGREES, how};
    switch (claim->kind) {
    case CLAIM_NO_ERROR: expect_none(&r, EXPLORE_ALL, 0, "all schedules"); break;
    case CLAIM_NO_ERROR_IN_ROUNDS:
        expect_none(&r, EXPLORE_ROUNDS, claim->rounds, "rounds");
        expect_none(&r, EXPLORE_SWITCHES, claim->switches, "switches");
        break;
    case CLAIM_ERROR:
        expect_round(&r);
        if (claim->run) expect_run(&r);
        break;
    }
    return r.opinion;
}
