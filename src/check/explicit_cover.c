/* What a search of a Promela model covered.
 * Every mode has a row here that says what it has earned when nothing is left to explore. A mode without a row does not
 * compile, and a row of zeros has earned nothing. */
#include "check/explicit_check_int.h"

#include <assert.h>
#include <string.h>

static const enum reach reach_of[] = {
    [SEARCH_ORDERED] = REACH_ALL, [SEARCH_DFS] = REACH_ALL, [SEARCH_BFS] = REACH_ALL, [SEARCH_BCS] = REACH_ALL,
    [SEARCH_SWARM] = REACH_NOTHING, [SEARCH_DIRECTED] = REACH_NOTHING};
static_assert(ARRAY_LEN(reach_of) == SEARCH_KINDS, "every search says what it reaches");

struct keeping { bool all; enum loss loss; };
static const struct keeping stores[] = {
    [STORE_EXACT] = {.all = true}, [STORE_COMPACT] = {.loss = LOSS_HASHES}, [STORE_BITS] = {.loss = LOSS_BITS}};
static_assert(ARRAY_LEN(stores) == STORE_KINDS, "every store says what it loses");

/* Spin's own ways of bounding leave out schedules within the bound, and so does the naive one. */
static const struct keeping switches[] = {[BCS_FULL] = {.all = true}, [BCS_NO_PIDS] = {.loss = LOSS_SWITCHES},
                                          [BCS_PAIRS] = {.loss = LOSS_SWITCHES}, [BCS_NAIVE] = {.loss = LOSS_SWITCHES}};
static_assert(ARRAY_LEN(switches) == BCS_KINDS, "every way of bounding says what it loses");

static const struct keeping reductions[] = {[REDUCTION_NONE] = {.all = true},
                                            [REDUCTION_SI] = {.all = true},
                                            [REDUCTION_V1] = {.loss = LOSS_REDUCTION},
                                            [REDUCTION_V0] = {.loss = LOSS_REDUCTION}};
static_assert(ARRAY_LEN(reductions) == REDUCTIONS, "every reduction says what it loses");

bool explicit_is_unsound(enum reduction reduction) { return !reductions[reduction].all; }

/* An infinite execution with finitely many preemptions has none from some point on, and only such executions are looked
 * at in levels; so the last level is not the end of all executions. */
static enum reach reach_at_end(const struct explicit_check *c, const struct prepared *x)
{
    return x && c->search.bound >= 0 ? REACH_FINITE : reach_of[c->search.kind];
}

static void cover_stop(const struct explicit_check *c, const struct prepared *x, struct part *p)
{
    const struct limits *l = &c->job->limits;
    switch (c->found.stop) {
    case STOP_NOT_YET: BUG("a search without an end");
    case STOP_COMPLETE: p->reach = reach_at_end(c, x); break;
    case STOP_BOUND: p->reach = REACH_PREEMPTIONS; break;
    case STOP_ERROR: break;
    case STOP_ENOUGH:
        if (c->ahead_found.exists) part_omit(p, LOSS_STUCK, "stopped when a property was found to be violated");
        break;
    case STOP_TIME: part_omit_limit(p, LIMIT_TIME, l); break;
    case STOP_MEMORY:
        if (c->found.oversized) part_omit(p, LOSS_STUCK, "a state of more than 16 MB does not fit into the store");
        else part_omit_limit(p, LIMIT_MEMORY, l);
        break;
    case STOP_INTERRUPTED: part_omit_limit(p, LIMIT_INTERRUPT, l); break;
    }
}

/* Orders and depths were chosen, and what was seen can only be estimated. */
static void cover_swarm(const struct search_result *f, struct part *p)
{
    char runs[64];
    counted(runs, f->searches, "small run");
    if (f->share > 0)
        part_omit(p, LOSS_SWARM, "the overlap of %s says that they saw at most about %.3g %% of all states (both "
                  "numbers are estimates)", runs, 100 * f->share);
    else part_omit(p, LOSS_SWARM, "too few runs came to their end to tell how much of all states they saw (%s)", runs);
}

static void cover_losses(const struct explicit_check *c, const struct prepared *x, struct part *p)
{
    const struct search_result *f = &c->found;
    const struct keeping *store = &stores[f->lossless ? STORE_EXACT : c->search.store];
    char steps[64];
    if (c->search.kind == SEARCH_SWARM) cover_swarm(f, p);
    if (f->depth_cut)
        part_omit(p, LOSS_DEPTH, "%s were not followed", counted(steps, (uint64_t)c->search.depth, "step"));
    if (!store->all)
        part_omit(p, store->loss, "%.1g%s)", f->omission, c->search.store == STORE_BITS ? " for each" : "");
    if (c->search.kind == SEARCH_BCS && !switches[c->search.bcs].all)
        part_omit(p, switches[c->search.bcs].loss, "--spin-bcs=%s", explicit_bcs_names[c->search.bcs]);
    if (x && !reductions[x->p.reduction].all)
        part_omit(p, reductions[x->p.reduction].loss, "--por=%s", por_names[c->o->flags.por]);
    if (x && x->p.fair) part_omit(p, LOSS_FAIRNESS, NULL);
    if (x && c->o->flags.no_stutter) part_omit(p, LOSS_ENDS, NULL);
    if (x && c->m->met_inside) part_omit(p, LOSS_ENDLESS_STEPS, NULL);
    if (f->faults_left) part_omit(p, LOSS_FAILING_STEPS, NULL);
    if (f->errors && !f->has_error && !store->all) part_omit(p, LOSS_WAY, NULL);
}

/* Only these count levels of preemptions. */
static bool has_levels(const struct explicit_check *c, const struct prepared *x)
{
    if (x) return c->search.bound >= 0;
    return c->search.kind == SEARCH_ORDERED || c->search.kind == SEARCH_BCS;
}

/* Adds what the search that has just ended covered; x is its property, NULL: assertions and end states. */
struct part *explicit_cover(struct explicit_check *c, const struct prepared *x, const char *what)
{
    assert(!c->found.has_error || c->found.errors);
    assert(c->found.stop != STOP_BOUND || c->search.bound >= 0);
    assert(!has_levels(c, x) || c->search.bound < 0 || c->found.bound <= c->search.bound);
    struct part *p = coverage_add(&c->result->coverage, what);
    p->explored = c->found.states;
    p->bound = has_levels(c, x) ? c->found.bound : -1;
    cover_stop(c, x, p);
    p->violated = c->found.errors;
    if (c->found.errors) p->reach = REACH_NOTHING; /* --all-errors goes on to the end, which proves nothing then */
    cover_losses(c, x, p);
    return p;
}

/* "No error" may be said only if every kind of error was looked for. Labels that are checked on request only are named.
 */
void explicit_cover_safety(struct explicit_check *c)
{
    bool all = !c->o->no_deadlock && !c->properties.left_out;
    struct part *p = explicit_cover(c, NULL, c->o->no_deadlock ? "absence of failing assertions"
                                                      : "absence of deadlocks and failing assertions");
    c->result->coverage.everything = all;
    if (c->o->no_deadlock && !model_has_assertions(c->m)) part_omit(p, LOSS_NO_CHECKS, "no assertion");
    if (part_verdict(p) != VERDICT_UNKNOWN && model_has_assertions_only_unreached(c->m))
        part_omit(p, LOSS_VACUOUS, "no assertion was reached");
    if (c->properties.accept_labels) part_omit(p, LOSS_NOT_LOOKED_FOR, "acceptance cycles; --acceptance does");
    if (c->properties.progress_labels) part_omit(p, LOSS_NOT_LOOKED_FOR, "cycles without progress; --progress does");
}

bool explicit_is_complete(const struct search_result *r) { return r->stop == STOP_COMPLETE && !r->depth_cut; }

void explicit_copy_counts(struct explicit_check *c)
{
    struct result *r = c->result;
    const struct search_result *f = &c->found;
    r->states += f->states;
    r->transitions += f->transitions;
    r->depth = MAX(r->depth, f->depth);
    r->state_bytes = MAX(r->state_bytes, f->state_bytes);
    r->memory_bytes = MAX(r->memory_bytes, f->memory + f->memory_elsewhere);
    r->errors += f->errors;
    r->seconds += f->seconds;
    r->compile_seconds = c->m->compile_seconds;
    memcpy(r->recent, f->recent, sizeof r->recent);
    if (!f->traffic.processes) return;
    r->cluster.processes = f->traffic.processes; /* since the job began, so not to be added up */
    r->cluster.messages = f->traffic.messages;
    r->cluster.items = f->traffic.items;
    r->cluster.bytes = f->traffic.bytes;
    r->cluster.idle = f->traffic.idle;
}

/* In an exact store the way to an error is there; whoever did not find it ran into a limit. Then its kind is not known
 * beyond this. */
bool explicit_is_unbuilt(const struct explicit_check *c)
{
    return c->found.errors && !c->found.has_error && stores[c->search.store].all;
}

/* ---- what a second method is asked ---- */

/* States are counted alike only in the plain model, without reduction. */
static bool counts_states(const struct explicit_check *c)
{
    return c->o->flags.exact && !c->search.reduce && c->search.store == STORE_EXACT && c->search.kind != SEARCH_BCS;
}

static struct answer answer_of_part(const struct explicit_check *c, const struct part *p)
{
    enum verdict v = part_verdict(p);
    struct answer a = NO_ANSWER;
    bool narrowed = c->found.faults_left && !c->m->met_inside; /* and the second method leaves out the same */
    bool all = v == VERDICT_VERIFIED || (v == VERDICT_BOUNDED && (p->reach == REACH_FINITE || narrowed));
    a.none_within = all ? ANY_NUMBER : part_bound(p);
    if (c->found.has_error && c->search.all_errors) a.none_within = -1; /* levels were completed in spite of errors */
    if (c->found.has_error) a.none_within = MAX(a.none_within, c->passes);
    return a;
}

/* The part that was covered last; owns_error: the error of the result was found there. */
bool explicit_finds_fewest(const struct explicit_check *c)
{
    return c->search.bound >= 0 && c->search.kind != SEARCH_BCS && c->search.store == STORE_EXACT;
}

struct question *explicit_ask(struct explicit_check *c, int property, bool owns_error)
{
    struct question q = {.part = c->result->coverage.parts.len - 1, .property = property, .owns_error = owns_error};
    q.check = answer_of_part(c, &vec_last(&c->result->coverage.parts));
    q.on_the_way = property >= 0 && c->found.has_error && !c->found.error.violates;
    if (c->found.has_error || owns_error) q.check.error_at = ANY_NUMBER;
    if (q.on_the_way) q.check.none_within = -1;
    bool fewest = owns_error && !c->result->no_trace && c->result->error->at_least < 0;
    if (fewest && (property < 0 || explicit_finds_fewest(c)))
        q.check.error_at = trace_count(c->result->error).preemptions;
    vec_push(&c->questions, q);
    return &vec_last(&c->questions);
}

void explicit_ask_safety(struct explicit_check *c)
{
    struct question *q = explicit_ask(c, -1, c->result->error != NULL);
    if (!counts_states(c)) return;
    for (size_t i = 0; i < c->result->bounds.len; i++) vec_push(&q->check.levels, c->result->bounds.at[i].states);
    if (explicit_is_complete(&c->found)) q->check.states = c->found.states;
}

void explicit_verify(struct explicit_check *c)
{
    struct verify_models v = {.path = c->job->files[0], .flags = &c->o->flags, .no_deadlock = c->o->no_deadlock,
                              .bounded = c->search.bound >= 0, .all_errors = c->search.all_errors, .talks = c->talks,
                              .limits = &c->job->limits, .questions = c->questions.at, .count = c->questions.len};
    if (c->job->common.verify == VERIFY_SWAP) verify_swap_models(&v, c->result);
    else verify_models(&v, c->result);
}

void explicit_questions_release(struct explicit_check *c)
{
    for (size_t i = 0; i < c->questions.len; i++) answer_release(&c->questions.at[i].check);
    vec_release(&c->questions);
}
