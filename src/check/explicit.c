/* heddle check on Promela: explicit-state search of the compiled model. */
#include "check/explicit_int.h"

#include "base/archive.h"
#include "check/verify_int.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCREEN_STEPS = 40, LEDGER_LINES = 24, SIMPLIFY_NODES = 2000000 };
#define DEFAULT_BIT_FIELD ((size_t)128 << 20)
static const char *const search_names[] = {"ordered", "dfs", "bfs", NULL};

static const char *const search_titles[] = {"ordered", "depth-first", "breadth-first",
                                            "bounded context switching", "swarm"};
static const char *const order_names[] = {"listed", "reversed", "seeded", NULL}; /* enum step_order */
enum when_full { FULL_STOP, FULL_COMPACT, FULL_BITS };
static const char *const when_full_names[] = {"stop", "compact", "bits", NULL};
static const char *const links_names[] = {"rebuild", "keep", NULL};
static const char *const bcs_names[] = {"full", "no-pids", "pairs", "naive", NULL};

struct explicit_options {
    struct promela_flags flags;
    int search;
    int spin_bcs; /* -1: not wanted */
    int dump;     /* -1: not wanted */
    int order;
    int64_t swarm; /* searches, 0: as many as time allows; -1: not wanted */
    bool no_deadlock, hash_compact, shorten;
    struct option_maybe_size bitstate;
    int64_t depth, jobs;
    const char *trail;
    const char *checkpoint, *resume, *spill; /* directories */
    int when_full, links;
    double checkpoint_every;
};

#define ROW(...) {__VA_ARGS__}
#define AT(member) offsetof(struct explicit_options, member)
static const struct option rows[] = {
    ROW("search", 0, OPTION_CHOICE, AT(search), "ORDER", "order of the search (ordered: by preemptions)", 0, 0,
        search_names),
    ROW("no-deadlock", 0, OPTION_FLAG, AT(no_deadlock), NULL, "an invalid end state is not an error", 0, 0, NULL),
    ROW("hash-compact", 0, OPTION_FLAG, AT(hash_compact), NULL,
        "keep eight bytes of each state: a hash of those that need more", 0, 0, NULL),
    ROW("bitstate", 0, OPTION_MAYBE_SIZE, AT(bitstate), "SIZE",
        "keep three bits of each state in a field of SIZE bytes (default: half of --memory, or 128M)", 0, 0, NULL),
    ROW("jobs", 'j', OPTION_INT, AT(jobs), "N",
        "search for errors with N threads (ordered, bfs; default: as many as there are processors)",
        1, 256, NULL),
    ROW("depth", 0, OPTION_INT, AT(depth), "N", "follow no path beyond N steps (dfs, bfs, --spin-bcs)", 1, INT32_MAX,
        NULL),
    ROW("order", 0, OPTION_CHOICE, AT(order), "STEPS",
        "try the steps of a state as listed, the other way round, or as --seed decides (dfs)", 0, 0, order_names),
    ROW("swarm", 0, OPTION_INT, AT(swarm), "N",
        "N small depth-first searches with different orders, hashes and depths (0: until --time); see heddle help "
        "swarm", 0, UINT32_MAX / 2, NULL),
    ROW("shorten", 0, OPTION_FLAG, AT(shorten), NULL,
        "after an error go on until there is no shorter one (dfs, --spin-bcs)", 0, 0, NULL),
    ROW("checkpoint", 0, OPTION_STRING, AT(checkpoint), "DIR",
        "leave in DIR what is needed to go on: now and then, and when interrupted (ordered, bfs)", 0, 0, NULL),
    ROW("checkpoint-every", 0, OPTION_SECONDS, AT(checkpoint_every), "SECONDS",
        "how often (default: 120; at most a twentieth of the time is spent on it)", 0, 0, NULL),
    ROW("resume", 0, OPTION_STRING, AT(resume), "DIR",
        "go on from the checkpoint in DIR, with its model and options", 0, 0, NULL),
    ROW("spill", 0, OPTION_STRING, AT(spill), "DIR",
        "when half of --memory is in use, states that wait to be expanded go to files in DIR (ordered, bfs)", 0, 0,
        NULL),
    ROW("when-full", 0, OPTION_CHOICE, AT(when_full), "WHAT",
        "when memory is full stop, or begin again with --hash-compact (compact) or --bitstate (bits)", 0, 0,
        when_full_names),
    ROW("links", 0, OPTION_CHOICE, AT(links), "HOW",
        "find the way to an error by a second search (rebuild), or keep it for every state, with one thread (keep)",
        0, 0, links_names),
    ROW("trail", 0, OPTION_STRING, AT(trail), "FILE", "write the counterexample to FILE in the format of Spin's trails",
        0, 0, NULL),
    ROW("dump", 0, OPTION_CHOICE, AT(dump), "STAGE",
        "print the program as read, its automata or the C made of them, and stop", 0, 0, dump_names),
    ROW("spin-bcs", 0, OPTION_MAYBE_CHOICE, AT(spin_bcs), "KIND",
        "the published depth-first search with bound -b (default 0); "
        "no-pids, pairs: as Spin's -DBCS, -DSTORE_LAST; naive: no state twice",
        0, 0, bcs_names),
    PROMELA_FLAG_ROWS(struct explicit_options, flags),
    PROPERTY_FLAG_ROWS(struct explicit_options, flags),
};

static void options_init(void *options)
{
    struct explicit_options *o = options;
    o->spin_bcs = -1;
    o->dump = -1;
    o->swarm = -1;
    o->flags.por = -1;
}

#undef AT
#undef ROW

/* One check, while it runs. */
struct explicit_check {
    const struct check_job *job;
    const struct explicit_options *o;
    struct result *result;
    struct model *m;
    struct properties properties;
    struct search_options search;
    struct search_result found;
    struct progress progress;
    bool talks; /* prints a ledger and more */
    const char *property; /* the one being checked, NULL: safety */
    char *why;
    int64_t passes; /* every schedule with at most so many preemptions was found to pass when an error was explained;
                       -1: none */
    VEC(struct question) questions; /* for --verify: what was asked and answered */
    struct search_checkpoints checkpoints;
    bool checkpoint_failed;         /* one could not be written */
};

static void on_level(void *ctx, const struct search_level *l)
{
    struct explicit_check *c = ctx;
    char states[64], time[32];
    vec_push(&c->result->bounds, ((struct level){.bound = l->bound,
                                                 .complete = true,
                                                 .states = l->states,
                                                 .transitions = l->transitions,
                                                 .seconds = l->seconds}));
    progress_clear(&c->progress);
    if (c->talks && l->bound < LEDGER_LINES)
        printf("preemptions %lld: %s%s%s\n", (long long)l->bound, counted(states, l->states, "state"),
               c->search.reduce && !c->property ? " (reduced)" : "",
               seconds_words(time, l->seconds, &c->job->common));
    else if (c->talks && l->bound == LEDGER_LINES)
        printf("preemptions %lld and more: see --json for the numbers\n", (long long)l->bound);
    fflush(stdout); /* a line is worth most while the next level still runs */
}

/* Rounds that find less and less: as many states are left as if each found as much less than the one before. */
static void show_rest_of_level(const struct search_result *r)
{
    double factor = r->recent[1] ? (double)r->recent[0] / (double)r->recent[1] : 1;
    if (factor > 0.9) return;
    double left = (double)r->recent[0] * factor / (1 - factor), done = (double)r->level_states;
    fprintf(stderr, ", about %.0f %% of the level, %.0f s left of it", 100 * done / (done + left + 1),
            left * r->seconds / ((double)r->states + 1));
}

static void on_tick(void *ctx, const struct search_result *r)
{
    struct explicit_check *c = ctx;
    char states[64];
    if (!progress_due(&c->progress)) return;
    double seconds = MAX(r->seconds, 1e-3);
    if (c->property && c->search.bound < 0) progress_show(&c->progress, "%s: ", c->property);
    else if (c->search.kind == SEARCH_ORDERED)
        progress_show(&c->progress, "preemptions %lld: ", (long long)r->bound + 1);
    else progress_show(&c->progress, "%s: ", search_titles[c->search.kind]);
    fprintf(stderr, "%s, %.1f M/s, %.0f bytes each, %zu of %zu MB", counted(states, r->states, "state"),
            (double)r->states / seconds / 1e6, (double)r->memory / (double)MAX(r->states, 1u), r->memory >> 20,
            c->job->limits.memory >> 20);
    if (!c->property) show_rest_of_level(r);
    fflush(stderr);
}

/* A swarm is a search of its own. */
static const char *bad_for_swarm(const struct check_job *job, const struct explicit_options *o)
{
    const struct promela_flags *f = &o->flags;
    if (o->search || o->spin_bcs >= 0) return "a swarm is a search of its own: leave --search and --spin-bcs out";
    if (job->common.bound >= 0 || o->shorten || job->common.all_errors || job->common.verify)
        return "a swarm proves nothing and ends at the first error: leave -b, --shorten, --all-errors and --verify out";
    if (o->hash_compact || o->checkpoint || o->spill || o->when_full || o->links)
        return "the searches of a swarm are small and have bit fields: leave options of other stores out";
    if (f->ltl.len || f->claims.len || f->acceptance || f->progress)
        return "a swarm is for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (!o->swarm && !job->common.time) return "a swarm without a number of searches needs --time";
    return NULL;
}

/* What contradicts itself is refused before anything runs; NULL if all is well. */
static const char *bad_combination(const struct check_job *job, const struct explicit_options *o)
{
    if (job->file_count > 1 && job->resume) return "--resume knows its model: leave it out";
    if (job->file_count > 1) return "one model at a time";
    if (o->checkpoint_every > 0 && !o->checkpoint) return "--checkpoint-every needs --checkpoint";
    if (o->checkpoint && (o->search == SEARCH_DFS || o->spin_bcs >= 0))
        return "--checkpoint needs the ordered or the breadth-first search";
    bool levels = o->search != SEARCH_DFS && o->spin_bcs < 0;
    if (!levels && (o->spill || o->when_full || o->links))
        return "--spill, --when-full and --links need the ordered or the breadth-first search";
    if (o->when_full && (o->hash_compact || o->bitstate.given)) return "--when-full is for the exact store";
    if (o->when_full && o->checkpoint) return "--when-full and --checkpoint exclude each other";
    if (o->links && o->jobs > 1) return "--links=keep means one thread: leave -j out";
    if (o->links && (o->checkpoint || o->hash_compact || o->bitstate.given))
        return "--links=keep is for the exact store, without checkpoints";
    if (job->rest_count) return "a model takes no program arguments";
    bool draws = o->swarm >= 0 || o->order == STEPS_SEEDED;
    if (job->common.seed >= 0 && !draws)
        return "this search draws nothing at random: --seed is for --order=seeded, heddle swarm and heddle sim";
    if (o->order && o->search != SEARCH_DFS) return "--order needs --search=dfs";
    if (o->swarm >= 0) return bad_for_swarm(job, o);
    if (o->bitstate.given && o->hash_compact) return "--bitstate and --hash-compact exclude each other";
    if (o->depth && o->search == SEARCH_ORDERED && o->spin_bcs < 0)
        return "--depth needs --search=dfs or --search=bfs: the ordered search has no depth";
    if (o->jobs && (o->search == SEARCH_DFS || o->spin_bcs >= 0))
        return "-j needs the ordered or the breadth-first search: the others have one thread";
    if (o->shorten && o->search != SEARCH_DFS && o->spin_bcs < 0)
        return "--shorten needs --search=dfs or --spin-bcs: the other searches find the simplest error at once";
    if (o->shorten && o->bitstate.given) return "--shorten needs to know how deep each state was: a bit field does not";
    if (o->shorten && job->common.all_errors) return "--shorten and --all-errors exclude each other";
    if (o->spin_bcs >= 0 && o->search != SEARCH_ORDERED) return "--spin-bcs is a search of its own: leave --search out";
    if (job->common.bound >= 0 && o->search != SEARCH_ORDERED) return "a bound needs the ordered search";
    const struct promela_flags *f = &o->flags;
    bool chosen = f->ltl.len || f->claims.len || f->acceptance || f->progress;
    if (chosen && (o->bitstate.given || o->hash_compact))
        return "--bitstate and --hash-compact are for safety checks, not for --ltl, --claim, --acceptance and "
               "--progress";
    if (chosen && o->checkpoint)
        return "--checkpoint is for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (chosen && o->spin_bcs >= 0)
        return "--spin-bcs is for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (chosen && o->search != SEARCH_ORDERED)
        return "--search is for safety checks: --ltl, --claim, --acceptance and --progress have a search of their own";
    if (chosen && (o->depth || o->shorten))
        return "--depth and --shorten are for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if ((f->ltl.len || f->claims.len) && f->no_claims) return "--no-claims and a choice of claims exclude each other";
    if (f->no_por && f->por >= 0) return "--por and --no-por exclude each other";
    if (f->por >= 0 && f->fair) return "--por cannot be combined with --fair";
    return NULL;
}

/* The same for the claims and formulas that the model has, once it is read: nothing is left out unasked. */
static const char *bad_for_claims(const struct explicit_check *c)
{
    if (!c->properties.list.len) return NULL;
    if (c->o->swarm >= 0)
        return "a swarm is for safety checks, and the model has claims or formulas: add --no-claims to leave them out";
    if (c->o->search == SEARCH_BFS)
        return "--search=bfs is for safety checks, and the model has claims or formulas: add --no-claims to leave "
               "them out";
    if (c->o->bitstate.given || c->o->hash_compact)
        return "--bitstate and --hash-compact are for safety checks, and the model has claims or formulas: add "
               "--no-claims to leave them out";
    return NULL;
}

static void use_bits(struct explicit_check *c)
{
    c->search.store = STORE_BITS;
    size_t limit = c->job->limits.memory, used = memory_resident(); /* the other half is for states on their way */
    size_t half = (c->job->limits.memory_is_given && limit > 2 * used ? limit - used : limit) / 2;
    size_t usual = c->job->limits.memory_is_given ? half : MIN(DEFAULT_BIT_FIELD, half);
    c->search.bit_field = c->o->bitstate.size ? c->o->bitstate.size : usual;
}

/* Small fields, of which each thread has one and as much again for the path that it is on. */
static void plan_swarm(struct explicit_check *c)
{
    size_t usual = (size_t)16 << 20, most = c->job->limits.memory / 4 / (size_t)c->search.workers;
    c->search.kind = SEARCH_SWARM;
    c->search.store = STORE_BITS;
    c->search.searches = (uint32_t)c->o->swarm;
    c->search.bit_field = MIN(c->o->bitstate.size ? c->o->bitstate.size : usual, most);
}

static void plan_search(struct explicit_check *c)
{
    const struct common_options *common = &c->job->common;
    c->search = (struct search_options){.kind = (enum search_kind)c->o->search,
                                        .bound = common->bound,
                                        .workers = c->o->jobs ? (int)c->o->jobs : processors_allowed(),
                                        .depth = c->o->depth,
                                        .order = (enum step_order)c->o->order,
                                        .seed = common->seed > 0 ? (uint64_t)common->seed : 0,
                                        .limits = &c->job->limits,
                                        .all_errors = common->all_errors,
                                        .no_deadlock = c->o->no_deadlock,
                                        .shorten = c->o->shorten,
                                        .reduce = !c->o->flags.no_por,
                                        .spill = c->o->spill,
                                        .keep_links = c->o->links,
                                        .level_done = on_level,
                                        .tick = on_tick,
                                        .ctx = c};
    if (c->o->spin_bcs >= 0) {
        c->search.kind = SEARCH_BCS;
        c->search.bound = MAX(common->bound, 0);
        c->search.bcs = (enum bcs_kind)c->o->spin_bcs;
        c->search.reduce &= c->search.bcs == BCS_FULL;
    }
    /* Whether one who waits for timeout could go on depends on all others: steps that commute may cost another number
     * of preemptions in another order, and an error within the bound was passed over. */
    bool counts = c->search.kind == SEARCH_ORDERED || c->search.kind == SEARCH_BCS;
    if (c->m->uses_timeout && counts) c->search.reduce = false;
    if (c->o->hash_compact) c->search.store = STORE_COMPACT;
    if (c->o->bitstate.given) use_bits(c);
    if (c->o->swarm >= 0) plan_swarm(c);
}

/* ---- what was covered ----
 * Every mode has a row here that says what it has earned when nothing is left to explore. A mode without a row does not
 * compile, and a row of zeros has earned nothing. */

static const enum reach reach_of[] = {
    [SEARCH_ORDERED] = REACH_ALL, [SEARCH_DFS] = REACH_ALL, [SEARCH_BFS] = REACH_ALL, [SEARCH_BCS] = REACH_ALL,
    [SEARCH_SWARM] = REACH_NOTHING};
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
    char searches[64];
    counted(searches, f->searches, "small run");
    if (f->share > 0)
        part_omit(p, LOSS_SWARM, "the overlap of %s says that they saw at most about %.3g %% of all states (both "
                  "numbers are estimates)", searches,
                  100 * f->share);
    else part_omit(p, LOSS_SWARM, "too few runs came to their end to tell how much of all states they saw (%s)",
                   searches);
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
        part_omit(p, switches[c->search.bcs].loss, "--spin-bcs=%s", bcs_names[c->search.bcs]);
    if (x && !reductions[x->p.reduction].all)
        part_omit(p, reductions[x->p.reduction].loss, "--por=%s", por_names[c->o->flags.por]);
    if (x && x->p.fair) part_omit(p, LOSS_FAIRNESS, NULL);
    if (x && c->o->flags.no_stutter) part_omit(p, LOSS_ENDS, NULL);
    if (x && c->m->met_inside) part_omit(p, LOSS_ENDLESS_STEPS, NULL);
    if (f->errors && !f->has_error && !store->all) part_omit(p, LOSS_WAY, NULL);
}

/* Only these count levels of preemptions. */
static bool has_levels(const struct explicit_check *c, const struct prepared *x)
{
    if (x) return c->search.bound >= 0;
    return c->search.kind == SEARCH_ORDERED || c->search.kind == SEARCH_BCS;
}

/* Adds what the search that has just ended covered; x is its property, NULL: assertions and end states. */
static struct part *cover(struct explicit_check *c, const struct prepared *x, const char *what)
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
static void cover_safety(struct explicit_check *c)
{
    bool all = !c->o->no_deadlock && !c->properties.left_out;
    struct part *p = cover(c, NULL, c->o->no_deadlock ? "absence of failing assertions"
                                                      : "absence of deadlocks and failing assertions");
    c->result->coverage.everything = all;
    if (c->o->no_deadlock && !model_has_assertions(c->m)) part_omit(p, LOSS_NO_CHECKS, "no assertion");
    if (part_verdict(p) != VERDICT_UNKNOWN && model_has_assertions_only_unreached(c->m))
        part_omit(p, LOSS_VACUOUS, "no assertion was reached");
    if (c->properties.accept_labels) part_omit(p, LOSS_NOT_LOOKED_FOR, "acceptance cycles; --acceptance does");
    if (c->properties.progress_labels) part_omit(p, LOSS_NOT_LOOKED_FOR, "cycles without progress; --progress does");
}

static bool is_complete(const struct search_result *r) { return r->stop == STOP_COMPLETE && !r->depth_cut; }

static void copy_counts(struct explicit_check *c)
{
    struct result *r = c->result;
    const struct search_result *f = &c->found;
    r->states += f->states;
    r->transitions += f->transitions;
    r->depth = MAX(r->depth, f->depth);
    r->state_bytes = MAX(r->state_bytes, f->state_bytes);
    r->memory_bytes = MAX(r->memory_bytes, f->memory);
    r->errors += f->errors;
    r->seconds += f->seconds;
    r->compile_seconds = c->m->compile_seconds;
    memcpy(r->recent, f->recent, sizeof r->recent);
}

/* ---- the counterexample ---- */

static bool counts_preemptions(const struct explicit_check *c)
{
    return c->search.kind == SEARCH_ORDERED && c->search.store == STORE_EXACT;
}

static void simplify(struct explicit_check *c)
{
    struct schedule better;
    char steps[64], preemptions[64];
    long before = schedule_preemptions(c->m, &c->found.error);
    struct str why = {0};
    if (c->o->shorten)
        str_printf(&why, "shortened: the first one found had %s; ", counted(steps, c->found.first_steps, "step"));
    switch (schedule_simplify(c->m, &c->found.error, &better, SIMPLIFY_NODES, &c->job->limits)) {
    case SIMPLIFIED_SHORTER:
        str_printf(&why, "reordered: the search found it with %s in %s",
                   counted(preemptions, (uint64_t)before, "preemption"),
                   counted(steps, c->found.error.choices.len, "step"));
        schedule_release(&c->found.error);
        c->found.error = better;
        break;
    case SIMPLIFIED_MINIMAL_ALREADY:
        str_add(&why, "no other order of these steps has fewer preemptions (tried)");
        break;
    case SIMPLIFIED_GAVE_UP: str_add(&why, "too long to look for a simpler order of the same steps"); break;
    }
    c->why = why.at;
}

static void explain_level(struct explicit_check *c)
{
    struct str why = {0};
    int64_t level = c->found.error_level;
    c->passes = level - 1;
    if (level > 0)
        str_printf(&why, "every schedule with at most %lld preemption%s passes (all were checked)",
                   (long long)level - 1, level == 2 ? "" : "s");
    c->why = why.at;
}

/* With reduction the level of an error is a lower bound. If its schedule needs more preemptions than that, whether a
 * simpler one exists is found out without reduction. */
static void settle_reduced(struct explicit_check *c)
{
    simplify(c);
    long fewest = schedule_preemptions(c->m, &c->found.error);
    struct search_result again = {0};
    if (c->m->cut) return;
    if (fewest > c->found.error_level) {
        struct search_options full = c->search;
        full.reduce = false;
        full.bound = fewest - 1;
        full.all_errors = false;
        full.level_done = NULL;
        search_run(c->m, &full, &again);
    }
    if (again.has_error) {
        schedule_release(&c->found.error);
        c->found.error = again.error;
        again.error = (struct schedule){0};
        fewest = again.error_level;
    }
    bool settled =
        fewest == c->found.error_level || again.has_error || again.stop == STOP_BOUND || again.stop == STOP_COMPLETE;
    c->found.error_level = fewest;
    if (settled) {
        free(c->why);
        explain_level(c);
    }
    search_result_release(&again);
}

/* The run without the last preemption, beside the one that fails if it passes; what came of it goes where nothing else
 * explains the error. x: the property, NULL: assertions and end states. */
static void compare_without_preemption(struct explicit_check *c, const struct prepared *x, struct trace *t)
{
    struct schedule without;
    size_t step;
    if (x && x->p.fair) return; /* who never preempts is not fair */
    if (!schedule_without_preemption(c->m, &c->found.error, &step, &without)) return;
    struct trace *run = trace_of_run(c->m, &without), *fails = NULL;
    if (x && c->found.error.violates) fails = trace_of_violation(c->m, &x->p, &without);
    bool passes = run && !run->kind && !fails && !c->m->cut;
    struct str why = {0};
    if (passes) t->other = run;
    else trace_free(run);
    trace_free(fails);
    schedule_release(&without);
    if ((c->why && *c->why) || c->m->cut) return;
    str_printf(&why, passes ? "without the preemption before step %zu the same schedule passes (tried)"
                            : "it fails without the preemption before step %zu, too (tried)", step + 1);
    free(c->why);
    c->why = why.at;
}

static void write_files(struct explicit_check *c, struct trace *t)
{
    result_write_trace(c->result, t, c->why, c->job);
    if (c->o->trail && trail_write(c->m, t, c->o->trail)) result_lost_file(c->result, c->o->trail, true);
}

/* An error that is certain, but a limit was reached before there was a run of it. */
static void report_unbuilt(struct explicit_check *c, const char *kind, const char *message)
{
    enum limit reached = limits_reached_memory(&c->job->limits);
    struct str why = {0};
    if (c->result->error) return;
    struct trace *t = trace_new();
    t->kind = arena_strdup(&t->arena, kind);
    t->message = arena_strdup(&t->arena, message);
    str_printf(&why, "found, but %s before its run was built",
               reached == LIMIT_TIME ? "out of time" : reached == LIMIT_INTERRUPT ? "interrupted" : "out of memory");
    c->result->error = t;
    c->result->no_trace = why.at;
}

static void report_unbuilt_error(struct explicit_check *c)
{
    bool deadlock = c->found.error.deadlock;
    report_unbuilt(c, deadlock ? "deadlock" : "model", deadlock ? "no process can move" : "a statement fails");
}

/* The error that was found, with the fewest preemptions that can be told, as a trace; NULL: a limit was reached. */
static struct trace *simplest_trace(struct explicit_check *c)
{
    if (counts_preemptions(c) && c->search.reduce) settle_reduced(c);
    else if (counts_preemptions(c)) explain_level(c);
    else simplify(c);
    struct trace *t = trace_of_schedule(c->m, &c->found.error);
    if (c->m->cut) {
        trace_free(t);
        return NULL;
    }
    if (!t) BUG("the schedule of an error does not fail when it is replayed");
    promela_describe(t, c->job->files[0], &c->o->flags);
    return t;
}

static void build_trace(struct explicit_check *c)
{
    struct trace *t = simplest_trace(c);
    if (!t) {
        report_unbuilt_error(c);
        return;
    }
    c->result->error = t;
    compare_without_preemption(c, NULL, t);
    write_files(c, t);
}

/* --all-errors: the search runs again, without those that have a trace, until it finds no more. Errors are the same if
 * it is the same statement that fails, and ends are all the same. */
static void build_other_traces(struct explicit_check *c)
{
    enum { MOST_TRACES = 100 };
    struct explicit_check again = {.job = c->job, .o = c->o, .result = c->result, .m = c->m, .search = c->search,
                                   .progress = c->progress};
    struct known_errors known = {0};
    again.search.kind = SEARCH_ORDERED;
    again.search.workers = 0;
    again.search.depth = 0;
    again.search.all_errors = again.search.shorten = false;
    again.search.level_done = NULL;
    again.search.ctx = &again;
    again.search.known = &known;
    known_errors_add(&known, c->m, &c->found.error);
    while (c->result->others.len + 1 < MOST_TRACES) {
        search_run(c->m, &again.search, &again.found);
        if (!again.found.has_error) break;
        struct trace *t = simplest_trace(&again); /* which may turn out to be yet another error */
        if (!t) break;
        known_errors_add(&known, c->m, &again.found.error);
        result_add_error(c->result, t, NULL, c->job);
        free_null((void **)&again.why);
        search_result_release(&again.found);
    }
    progress_clear(&again.progress);
    search_result_release(&again.found);
    vec_release(&known.transitions);
}

/* In an exact store the way to an error is there; whoever did not find it ran into a limit. Then its kind is not known
 * beyond this. */
static bool is_unbuilt(const struct explicit_check *c)
{
    return c->found.errors && !c->found.has_error && stores[c->search.store].all;
}

/* ---- printing ---- */

struct unreached_list { const char *proctype; };

static void print_unreached(void *ctx, const char *proctype, const char *what)
{
    struct unreached_list *l = ctx;
    if (!l->proctype || strcmp(l->proctype, proctype)) printf("unreached in proctype %s\n", proctype);
    l->proctype = proctype;
    printf("\t%s\n", what);
}

static void print_summary(struct explicit_check *c)
{
    char states[64], transitions[64], time[32];
    const struct search_result *f = &c->found;
    const struct common_options *o = &c->job->common;
    counted(states, f->states, "state");
    if (c->search.kind == SEARCH_ORDERED && f->has_error)
        printf("preemptions %lld: error after %s%s\n", (long long)f->error_level, states,
               seconds_words(time, f->seconds, o));
    if (c->search.kind != SEARCH_ORDERED)
        printf("%s: %s%s%s\n", search_titles[c->search.kind], states, c->search.reduce ? " (reduced)" : "",
               seconds_words(time, f->seconds, o));
    if (o->verbose && !o->no_times)
        printf("%s, %s, largest state %llu bytes, %zu MB, compiled in %.3f s\n", states,
               counted(transitions, f->transitions, "transition"), (unsigned long long)f->state_bytes, f->memory >> 20,
               c->m->compile_seconds);
    if (f->errors > 1) printf("%s errors; the first one:\n", with_commas(states, f->errors));
}

static void print_report(struct explicit_check *c)
{
    if (c->result->error && !c->result->no_trace)
        report_trace(c->result->error, (struct report){.trace_path = c->result->trace_path, .why = c->why,
                                                       .color = wants_color(c->job->common.no_color),
                                                       .most_steps = SCREEN_STEPS});
    else if (!c->properties.chosen && is_complete(&c->found) && c->search.kind != SEARCH_SWARM)
        c->m->ops->unreached(c->m, print_unreached, &(struct unreached_list){0});
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
    bool all = v == VERDICT_VERIFIED || (v == VERDICT_BOUNDED && p->reach == REACH_FINITE);
    a.none_within = all ? ANY_NUMBER : part_bound(p);
    if (c->found.has_error && c->search.all_errors) a.none_within = -1; /* levels were completed in spite of errors */
    if (c->found.has_error) a.none_within = MAX(a.none_within, c->passes);
    return a;
}

/* The part that was covered last; owns_error: the error of the result was found there. */
static struct question *ask(struct explicit_check *c, int property, bool owns_error)
{
    struct question q = {.part = c->result->coverage.parts.len - 1, .property = property, .owns_error = owns_error};
    q.check = answer_of_part(c, &vec_last(&c->result->coverage.parts));
    q.on_the_way = property >= 0 && c->found.has_error && !c->found.error.violates;
    if (c->found.has_error || owns_error) q.check.error_at = ANY_NUMBER;
    if (q.on_the_way) q.check.none_within = -1;
    if (owns_error && !c->result->no_trace && (property < 0 || c->search.bound >= 0))
        q.check.error_at = trace_count(c->result->error).preemptions;
    vec_push(&c->questions, q);
    return &vec_last(&c->questions);
}

static void ask_safety(struct explicit_check *c)
{
    struct question *q = ask(c, -1, c->result->error != NULL);
    if (!counts_states(c)) return;
    for (size_t i = 0; i < c->result->bounds.len; i++) vec_push(&q->check.levels, c->result->bounds.at[i].states);
    if (is_complete(&c->found)) q->check.states = c->found.states;
}

static void verify(struct explicit_check *c)
{
    struct verify_models v = {.path = c->job->files[0], .flags = &c->o->flags, .no_deadlock = c->o->no_deadlock,
                              .bounded = c->search.bound >= 0, .all_errors = c->search.all_errors, .talks = c->talks,
                              .limits = &c->job->limits, .questions = c->questions.at, .count = c->questions.len};
    verify_models(&v, c->result);
}

static void questions_release(struct explicit_check *c)
{
    for (size_t i = 0; i < c->questions.len; i++) answer_release(&c->questions.at[i].check);
    vec_release(&c->questions);
}

/* ---- properties of infinite executions ---- */

static bool is_same_error(const struct trace *a, const struct trace *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->message, b->message);
}

/* After the first error. One that was met on the way to a violation may have a trace already. */
static void add_error(struct explicit_check *c, const struct prepared *x, struct trace *t)
{
    const struct result *r = c->result;
    bool known = !c->found.error.violates && is_same_error(t, r->error);
    for (size_t i = 0; !c->found.error.violates && i < r->others.len; i++)
        known |= is_same_error(t, r->others.at[i].trace);
    if (known) trace_free(t);
    else result_add_error(c->result, t, c->found.error.violates ? x->p.name : NULL, c->job);
}

static void build_violation_trace(struct explicit_check *c, const struct prepared *x)
{
    const struct schedule *s = &c->found.error;
    if (c->found.unbuilt) {
        report_unbuilt(c, x->p.kind, x->p.text);
        return;
    }
    violation_shorten(c->m, &x->p, &c->search, &c->found);
    struct trace *t = s->violates ? trace_of_violation(c->m, &x->p, s) : trace_of_schedule(c->m, s);
    if (c->m->cut) {
        trace_free(t);
        report_unbuilt(c, x->p.kind, x->p.text);
        return;
    }
    if (!t) BUG("the execution that violates %s does not do so when it is run again", x->p.name);
    promela_describe(t, c->job->files[0], &c->o->flags);
    if (c->properties.needs_exact && !c->o->flags.exact) vec_push(&t->options, "--exact");
    if (s->violates) property_describe(t, &c->o->flags, x);
    if (c->result->error) {
        add_error(c, x, t);
        return;
    }
    if (c->found.error_level >= 0) explain_level(c);
    compare_without_preemption(c, x, t);
    c->result->error = t;
    write_files(c, t);
}

static void print_property(const struct explicit_check *c, const struct prepared *x)
{
    char states[64], time[32];
    printf("%s: %s%s; ", x->title, counted(states, c->found.states, "state"),
           seconds_words(time, c->found.seconds, &c->job->common));
    if (x->is_safety) printf("a safety property; ");
    if (c->found.has_error) printf(c->found.error.violates ? "violated; " : "an error on the way; ");
    if (c->search.bound >= 0) printf("not reduced: a bound was given\n");
    else if (x->p.reduction == REDUCTION_NONE) printf("not reduced: %s\n", x->not_reduced);
    else printf("reduced%s\n", x->p.reduction == REDUCTION_SI ? "" : ", UNSOUNDLY");
}

/* Looked at only where nothing was found and something is claimed. */
static void note_premises(struct explicit_check *c, const struct prepared *x, struct part *p)
{
    if (part_verdict(p) == VERDICT_UNKNOWN) return;
    struct search_options again = c->search;
    again.level_done = NULL;
    const char *premise = premises_never_true(c->m, x, &again, p->reach == REACH_PREEMPTIONS);
    progress_clear(&c->progress);
    if (premise) part_omit(p, LOSS_VACUOUS, "%s", premise);
}

static void check_property(struct explicit_check *c, int number)
{
    struct prepared *x = c->properties.list.at[number];
    bool had_error = c->result->error != NULL;
    search_result_release(&c->found);
    c->passes = -1;
    c->property = x->p.name;
    if (c->talks && c->search.bound >= 0 && c->search.level_done) printf("%s:\n", x->p.name);
    if (c->search.bound >= 0) x->p.reduction = REDUCTION_NONE;
    if (!reductions[x->p.reduction].all)
        fprintf(stderr, "heddle: warning: --por=%s misses errors; it is here to show that\n",
                por_names[c->o->flags.por]);
    cycles_search(c->m, &x->p, &c->search, &c->found);
    progress_clear(&c->progress);
    copy_counts(c);
    if (c->found.has_error) build_violation_trace(c, x);
    note_premises(c, x, cover(c, x, x->title));
    ask(c, number, !had_error && c->result->error);
    if (c->talks) print_property(c, x);
}

static void check_properties(struct explicit_check *c)
{
    assert(!c->properties.list.len || c->search.store == STORE_EXACT);
    if (!c->properties.chosen) c->search.level_done = NULL; /* the ledger is that of safety */
    bool all = c->job->common.all_errors;
    for (size_t i = 0; i < c->properties.list.len && (all || !c->result->error); i++) check_property(c, (int)i);
}

/* ---- checkpoints ---- */

/* What must be the same for a search to go on; the model itself looks after its own. */
static char *search_identity(const struct explicit_check *c)
{
    struct str s = {0};
    char *hash = hash_file(c->job->files[0]);
    str_printf(&s, "%s search %d store %d bound %lld depth %lld reduce %d ends %d all %d", hash ? hash : "",
               c->search.kind, c->search.store, (long long)c->search.bound, (long long)c->search.depth,
               c->search.reduce, !c->search.no_deadlock, c->search.all_errors);
    free(hash);
    return s.at;
}

static void write_preface(void *ctx, struct archive *a)
{
    const struct explicit_check *c = ctx;
    command_save(c->job, a);
    char *identity = search_identity(c);
    archive_put_text(a, identity);
    free(identity);
    archive_put_word(a, c->search.bit_field);
    archive_put_word(a, c->result->bounds.len);
    archive_put(a, c->result->bounds.at, c->result->bounds.len * sizeof *c->result->bounds.at);
}

/* Levels that were completed are printed again: the whole looks as if it had never been left. NULL, or what is wrong.
 */
static const char *read_preface(struct explicit_check *c, struct archive *a)
{
    char *then = archive_get_text(a), *now = search_identity(c);
    bool same = !strcmp(then, now), same_model = !strncmp(then, now, strcspn(now, " ") + 1);
    free(then);
    free(now);
    if (!same_model) return "the model has changed since the checkpoint was written";
    if (!same) return "the checkpoint is of a search with other options";
    c->search.bit_field = archive_get_word(a);
    uint64_t levels = archive_get_word(a);
    for (uint64_t i = 0; i < levels && !archive_is_bad(a); i++) {
        struct level l;
        archive_get(a, &l, sizeof l);
        struct search_level done = {l.bound, l.states, l.transitions, l.seconds};
        if (!archive_is_bad(a)) on_level(c, &done);
    }
    return archive_is_bad(a) ? "the checkpoint is damaged" : NULL;
}

static void checkpoint_lost(void *ctx, int error)
{
    struct explicit_check *c = ctx;
    progress_clear(&c->progress);
    if (!c->checkpoint_failed)
        fprintf(stderr, "heddle: warning: %s: %s; there is no checkpoint\n", c->checkpoints.path, strerror(error));
    c->checkpoint_failed = true;
}

/* NULL, or why there can be none. */
static const char *plan_checkpoints(struct explicit_check *c)
{
    const struct explicit_options *o = c->o;
    if (!o->checkpoint && !c->job->resume) return NULL;
    if (!c->m->is_portable) return "--checkpoint does not work with embedded C, which may keep addresses";
    if (!o->checkpoint) return "the checkpoint does not know where it is: resume it with --checkpoint DIR";
    if (mkdir(o->checkpoint, 0777) && errno != EEXIST) {
        fprintf(stderr, "heddle: error: %s: %s\n", o->checkpoint, strerror(errno));
        return "there is no place for a checkpoint";
    }
    c->checkpoints = (struct search_checkpoints){.path = checkpoint_path(o->checkpoint),
                                                 .interval = o->checkpoint_every > 0 ? o->checkpoint_every : 120,
                                                 .resume = c->job->resume, .preface = write_preface,
                                                 .failed = checkpoint_lost, .ctx = c};
    c->search.checkpoints = &c->checkpoints;
    return c->job->resume ? read_preface(c, c->job->resume) : NULL;
}

/* Nobody will go on from a search that has come to its end. */
static void end_checkpoints(struct explicit_check *c)
{
    if (!c->search.checkpoints) return;
    bool ended = c->found.stop == STOP_COMPLETE || c->found.stop == STOP_BOUND || c->found.stop == STOP_ERROR;
    bool there = access(c->checkpoints.path, R_OK) == 0;
    if (ended) unlink(c->checkpoints.path);
    else if (there && !c->found.bad_checkpoint)
        fprintf(stderr, "heddle: to go on: heddle check --resume %s\n", c->o->checkpoint);
    c->search.checkpoints = NULL;
    free((char *)c->checkpoints.path);
}

/* Memory is full, and it was asked to go on with less of each state: from the beginning, for what is known
 * takes the memory. */
static void search_with_less(struct explicit_check *c)
{
    char states[64];
    bool bits = c->o->when_full == FULL_BITS;
    fprintf(stderr, "heddle: memory is full after %s: once more with %s, which may take two for one\n",
            counted(states, c->found.states, "state"), bits ? "three bits of each" : "a hash of each");
    if (bits) use_bits(c);
    else c->search.store = STORE_COMPACT;
    c->search.keep_links = false;
    vec_clear(&c->result->bounds);
    search_result_release(&c->found);
    search_run(c->m, &c->search, &c->found);
    progress_clear(&c->progress);
}

static void warn_of_spill(struct explicit_check *c)
{
    if (c->found.spill_error)
        fprintf(stderr, "heddle: warning: %s: %s; what could not be written there took memory\n", c->o->spill,
                strerror(c->found.spill_error));
}

static void check_safety(struct explicit_check *c)
{
    search_run(c->m, &c->search, &c->found);
    progress_clear(&c->progress);
    warn_of_spill(c);
    if (c->o->when_full && c->found.stop == STOP_MEMORY && !c->found.errors) search_with_less(c);
    end_checkpoints(c);
    if (c->found.bad_checkpoint) return;
    copy_counts(c);
    if (c->found.has_error) {
        build_trace(c);
        if (c->found.errors > 1 && c->result->error && !c->result->no_trace) build_other_traces(c);
    } else if (is_unbuilt(c)) report_unbuilt_error(c);
    cover_safety(c);
    ask_safety(c);
    if (c->talks) print_summary(c);
}

/* What long steps ask outside of a search, which asks for itself. */
static bool is_over(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

static int run(const struct check_job *job, struct result *result)
{
    struct explicit_check c = {.job = job, .o = job->options, .result = result, .passes = -1};
    struct promela_flags *flags = &((struct explicit_options *)job->options)->flags;
    c.talks = !job->common.quiet && !job->common.json;
    const char *wrong = bad_combination(job, c.o);
    if (!wrong && c.o->dump >= 0) {
        result->nothing_to_report = true;
        return promela_dump(job->files[0], flags, c.o->dump) ? 0 : EXIT_BAD_INPUT;
    }
    if (!wrong) c.m = promela_load_with(job->files[0], &c.o->flags, &job->limits, &c.properties);
    if (c.m && flags->fair && !c.properties.list.len)
        wrong = "--fair needs a property: --ltl, --claim, --acceptance or --progress";
    if (!wrong && c.m) wrong = bad_for_claims(&c);
    if (!wrong && c.m) {
        plan_search(&c);
        wrong = plan_checkpoints(&c);
    }
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    if (!wrong && c.m) {
        model_ask(c.m, is_over, (void *)&job->limits);
        progress_start(&c.progress, c.talks);
        if (!c.properties.chosen) check_safety(&c);
        if (c.found.bad_checkpoint) {
            wrong = "the checkpoint is of another build of heddle, or damaged";
            fprintf(stderr, "heddle: error: %s\n", wrong);
        }
        if (!wrong && (!c.result->error || job->common.all_errors)) check_properties(&c);
        if (c.talks && !wrong) print_report(&c);
        if (c.talks && !wrong && result_wants_advice(result, job->common.no_times))
            result->advice = explicit_advice(c.m, &job->limits);
        search_result_release(&c.found);
        if (job->common.verify && !wrong) verify(&c);
        questions_release(&c);
    }
    enum limit reached = limits_reached(&job->limits);
    bool cut = !wrong && !c.m && reached; /* while automata were made: said on stderr */
    if (cut) part_omit_limit(coverage_add(&result->coverage, "the model"), reached, &job->limits);
    int status = wrong || (!c.m && !cut) ? EXIT_BAD_INPUT : 0;
    properties_release(&c.properties);
    if (c.m) c.m->ops->free(c.m);
    free(c.why);
    vec_release(&flags->defines);
    vec_release(&flags->ltl);
    vec_release(&flags->claims);
    return status;
}

const struct engine engine_explicit = {
    .name = "explicit",
    .title = "options for Promela models",
    .accepts = promela_accepts,
    .rows = rows,
    .row_count = ARRAY_LEN(rows),
    .options_size = sizeof(struct explicit_options),
    .options_init = options_init,
    .run = run,
    .replay = explicit_replay,
    .simplify = explicit_simplify,
};
