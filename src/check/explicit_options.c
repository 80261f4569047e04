/* The engine for Promela models: its options, and which of them contradict each other. */
#include "check/explicit_check_int.h"
#include "cluster/cluster.h"

static const char *const search_names[] = {"ordered", "dfs", "bfs", NULL};
static const char *const order_names[] = {"listed", "reversed", "seeded", NULL}; /* enum step_order */
static const char *const when_full_names[] = {"stop", "compact", "bits", NULL};
static const char *const probe_names[] = {"on", "off", NULL};
static const char *const links_names[] = {"rebuild", "keep", NULL};
const char *const explicit_bcs_names[] = {"full", "no-pids", "pairs", "naive", NULL};

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
        "search with N threads (ordered, bfs, large properties; default: as many as there are processors)",
        1, 256, NULL),
    ROW("depth", 0, OPTION_INT, AT(depth), "N", "follow no path beyond N steps (dfs, bfs, --spin-bcs)", 1, INT32_MAX,
        NULL),
    ROW("order", 0, OPTION_CHOICE, AT(order), "STEPS",
        "try the steps of a state as listed, the other way round, or as --seed decides (dfs)", 0, 0, order_names),
    ROW("swarm", 0, OPTION_INT, AT(swarm), "N",
        "N small searches with different orders, hashes, depths and bounds (0: until --time); see heddle help "
        "swarm", 0, UINT32_MAX / 2, NULL),
    ROW("shorten", 0, OPTION_FLAG, AT(shorten), NULL,
        "after an error go on until there is no shorter one (dfs, --spin-bcs)", 0, 0, NULL),
    ROW("checkpoint", 0, OPTION_STRING, AT(checkpoint), "DIR",
        "leave in DIR what is needed to go on: now and then, and when interrupted (ordered, bfs)", 0, 0, NULL),
    ROW("checkpoint-every", 0, OPTION_SECONDS, AT(checkpoint_every), "SECONDS",
        "how often (default: 120; at most a twentieth of the time is spent on it)", 0, 0, NULL),
    ROW("resume", 0, OPTION_STRING, AT(resume), "DIR",
        "go on from the checkpoint in DIR, with its model and options", 0, 0, NULL),
    ROW("trust", 0, OPTION_FLAG, AT(trust), NULL,
        "with --resume: write the files that the checkpoint names, wherever they are", 0, 0, NULL),
    ROW("spill", 0, OPTION_STRING, AT(spill), "DIR",
        "when half of --memory is in use, states that wait to be expanded go to files in DIR (ordered, bfs)", 0, 0,
        NULL),
    ROW("when-full", 0, OPTION_CHOICE, AT(when_full), "WHAT",
        "when memory is full stop, or begin again with --hash-compact (compact) or --bitstate (bits)", 0, 0,
        when_full_names),
    ROW("links", 0, OPTION_CHOICE, AT(links), "HOW",
        "find the way to an error by a second search (rebuild), or keep it for every state, with one thread (keep)",
        0, 0, links_names),
    ROW("probe", 0, OPTION_CHOICE, AT(probe), "WHETHER",
        "beside the ordered search, give a small share of the time to searches that go deep, and make long "
        "counterexamples short (on, off)", 0, 0,
        probe_names),
    ROW("no-cache", 0, OPTION_FLAG, AT(flags.no_cache), NULL,
        "neither use nor keep compiled models ($XDG_CACHE_HOME/heddle or ~/.cache/heddle)", 0, 0, NULL),
    ROW("plan", 0, OPTION_MAYBE_STRING, AT(plan), "NETWORK",
        "run for 5 s, or --time, and print what the whole check would need, on more processes too (ordered, bfs); "
        "NETWORK: latency=2us,bandwidth=10GB", 0, 0, NULL),
    ROW("trail", 0, OPTION_STRING, AT(trail), "FILE", "write the counterexample to FILE in the format of Spin's trails",
        0, 0, NULL),
    ROW("dump", 0, OPTION_CHOICE, AT(dump), "STAGE",
        "print the program as read, its automata or the C made of them, and stop", 0, 0, dump_names),
    ROW("spin-bcs", 0, OPTION_MAYBE_CHOICE, AT(spin_bcs), "KIND",
        "the published depth-first search with bound -b (default 0); "
        "no-pids, pairs: as Spin's -DBCS, -DSTORE_LAST; naive: no state twice",
        0, 0, explicit_bcs_names),
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

/* A swarm is a search of its own. */
static const char *bad_for_swarm(const struct check_job *job, const struct explicit_options *o)
{
    const struct promela_flags *f = &o->flags;
    if (o->search || o->spin_bcs >= 0) return "a swarm is a search of its own: leave --search and --spin-bcs out";
    if (job->common.bound >= 0 || o->shorten || job->common.all_errors || job->common.verify != VERIFY_NOT)
        return "a swarm proves nothing and ends at the first error: leave -b, --shorten, --all-errors and --verify out";
    if (o->hash_compact || o->checkpoint || o->spill || o->when_full || o->links)
        return "the searches of a swarm are small and have bit fields: leave options of other stores out";
    if (f->ltl.len || f->claims.len || f->acceptance || f->progress)
        return "a swarm is for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (!o->swarm && !job->common.time) return "a swarm without a number of searches needs --time";
    return NULL;
}

/* A plan says what a whole search would need, and nothing of the model. */
static const char *bad_for_plan(const struct check_job *job, const struct explicit_options *o)
{
    const struct promela_flags *f = &o->flags;
    if (job->resume) return "--plan measures a check from its beginning: leave --resume out";
    if (cluster_joined()) return "--plan measures one process: run it without mpirun or srun";
    if (o->search == SEARCH_DFS || o->spin_bcs >= 0 || o->swarm >= 0)
        return "--plan is for the ordered and the breadth-first search, which have several threads and processes";
    if (o->bitstate.given || o->when_full || o->links || o->spill || o->checkpoint || o->depth)
        return "--plan is for searches in memory: leave --bitstate, --when-full, --links, --spill, --checkpoint and "
               "--depth out";
    if (f->ltl.len || f->claims.len || f->acceptance || f->progress)
        return "--plan is for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (job->common.verify != VERIFY_NOT || job->common.no_times)
        return "--plan claims nothing, and consists of times: leave --verify and --no-times out";
    return NULL;
}

/* What contradicts itself is refused before anything runs; NULL if all is well. */
const char *explicit_bad_options(const struct check_job *job, const struct explicit_options *o)
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
    if (o->plan && bad_for_plan(job, o)) return bad_for_plan(job, o);
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
    const struct promela_flags *f = &o->flags;
    bool chosen = f->ltl.len || f->claims.len || f->acceptance || f->progress;
    bool lossy = o->bitstate.given || o->hash_compact;
    if (job->common.bound >= 0 && o->search != SEARCH_ORDERED && !(chosen && o->search == SEARCH_BFS))
        return "a bound needs the ordered search";
    if (f->por > 0 && (lossy || o->when_full || o->spin_bcs >= 0 || o->search == SEARCH_BFS))
        return "--por=v0 and --por=v1 look at the search path: they need the exact store and no other search";
    if (chosen && o->checkpoint && (lossy || f->por > 0))
        return "--checkpoint needs the exact store, and no --por=v0 or v1, for --ltl, --claim, --acceptance and "
               "--progress";
    if (chosen && o->spin_bcs > BCS_FULL)
        return "no-pids, pairs and naive are for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if (chosen && o->search == SEARCH_DFS)
        return "--search=dfs is for safety checks: --ltl, --claim, --acceptance and --progress begin depth first "
               "anyway";
    if (chosen && o->search == SEARCH_BFS && lossy)
        return "--ltl, --claim, --acceptance and --progress with a lossy store have a depth-first search: leave "
               "--search out";
    if (chosen && (o->depth || o->shorten))
        return "--depth and --shorten are for safety checks, not for --ltl, --claim, --acceptance and --progress";
    if ((f->ltl.len || f->claims.len) && f->no_claims) return "--no-claims and a choice of claims exclude each other";
    if (f->no_por && f->por >= 0) return "--por and --no-por exclude each other";
    if (f->por >= 0 && f->fair) return "--por cannot be combined with --fair";
    return NULL;
}

/* The same for the claims and formulas that the model has, once it is read: nothing is left out unasked. */
const char *explicit_bad_for_claims(const struct explicit_check *c)
{
    if (!c->properties.list.len) return NULL;
    if (c->o->swarm >= 0)
        return "a swarm is for safety checks, and the model has claims or formulas: add --no-claims to leave them out";
    if (c->o->search == SEARCH_BFS && (c->o->bitstate.given || c->o->hash_compact))
        return "claims and formulas have a depth-first search with a lossy store: leave --search out, or add "
               "--no-claims to leave them out";
    if (c->o->spin_bcs > BCS_FULL)
        return "no-pids, pairs and naive are for safety checks, and the model has claims or formulas: add --no-claims "
               "to leave them out";
    return NULL;
}

const struct engine engine_explicit = {
    .name = "explicit",
    .title = "options for Promela models",
    .accepts = promela_accepts,
    .rows = rows,
    .row_count = ARRAY_LEN(rows),
    .options_size = sizeof(struct explicit_options),
    .options_init = options_init,
    .run = explicit_run,
    .replay = explicit_replay,
    .simplify = explicit_simplify,
    .distrusts = explicit_distrusts,
};
