/* heddle check on Promela: explicit-state search of the compiled model. */
#include "check/explicit_check_int.h"
#include "cluster/cluster.h"

#include <stdlib.h>
#include <string.h>

enum { SCREEN_STEPS = 40, LEDGER_LINES = 24 };
#define DEFAULT_BIT_FIELD ((size_t)128 << 20)

const char *const explicit_search_titles[] = {"ordered", "depth-first", "breadth-first",
                                              "bounded context switching", "swarm", "directed"};

void explicit_level_done(void *ctx, const struct search_level *l)
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
               c->reduces ? " (reduced)" : "",
               seconds_words(time, l->seconds, &c->job->common));
    else if (c->talks && l->bound == LEDGER_LINES)
        printf("preemptions %lld and more: see --json for the numbers\n", (long long)l->bound);
    fflush(stdout); /* a line is worth most while the next level still runs */
}

/* Rounds that find less and less: not more states are left than three times as many as if each found as much less than
 * the one before (advice.c), unless there are bounds, with which they may find more again. */
static void show_rest(const struct search_result *r, bool bounds)
{
    double factor = r->recent[1] ? (double)r->recent[0] / (double)r->recent[1] : 1;
    if (factor > 0.9) return;
    double left = 3 * (double)r->recent[0] * factor / (1 - factor), done = (double)r->states;
    if (bounds) fprintf(stderr, ", rounds find fewer and fewer");
    else
        fprintf(stderr, ", probably at least %.0f %% of all, at most %.0f s left", 100 * done / (done + left + 1),
                left * r->seconds / (done + 1));
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
    else progress_show(&c->progress, "%s: ", explicit_search_titles[c->search.kind]);
    fprintf(stderr, "%s, %.1f M/s, %.0f bytes each, %zu of %zu MB", counted(states, r->states, "state"),
            (double)r->states / seconds / 1e6, (double)r->memory / (double)MAX(r->states, 1u), r->memory >> 20,
            c->job->limits.memory >> 20);
    if (!c->property) show_rest(r, c->search.kind != SEARCH_BFS);
    fflush(stderr);
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
                                        .workers = c->o->jobs ? (int)c->o->jobs : cluster_processors(),
                                        .cluster = cluster_joined(),
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
                                        .level_done = explicit_level_done,
                                        .tick = on_tick,
                                        .ctx = c};
    if (c->o->spin_bcs >= 0) {
        c->search.kind = SEARCH_BCS;
        c->search.bound = MAX(common->bound, 0);
        c->search.bcs = (enum bcs_kind)c->o->spin_bcs;
        c->search.reduce &= c->search.bcs == BCS_FULL;
    }
    if (c->o->hash_compact) c->search.store = STORE_COMPACT;
    if (c->o->bitstate.given) use_bits(c);
    if (c->o->swarm >= 0) plan_swarm(c);
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

static void print_traffic(const struct result *r)
{
    char messages[64];
    if (!r->cluster.processes) return;
    printf("%llu processes sent %s of %llu bytes on average, and waited %.1f s for each other (%.0f %% of their "
           "time)\n", (unsigned long long)r->cluster.processes, counted(messages, r->cluster.messages, "message"),
           (unsigned long long)(r->cluster.bytes / MAX(r->cluster.messages, 1u)), r->cluster.idle,
           100 * r->cluster.idle / MAX((double)r->cluster.processes * r->seconds, 1e-9));
}

static void print_summary(struct explicit_check *c)
{
    char states[64], transitions[64], time[32];
    const struct search_result *f = &c->found;
    const struct common_options *o = &c->job->common;
    counted(states, f->states, "state");
    if (c->probed.exists) explicit_print_probe(c);
    else if (c->search.kind == SEARCH_ORDERED && f->has_error)
        printf("preemptions %lld: error after %s%s\n", (long long)f->error_level, states,
               seconds_words(time, f->seconds, o));
    if (c->search.kind != SEARCH_ORDERED)
        printf("%s: %s%s%s\n", explicit_search_titles[c->search.kind], states, c->search.reduce ? " (reduced)" : "",
               seconds_words(time, f->seconds, o));
    if (o->verbose && !o->no_times)
        printf("%s, %s, largest state %llu bytes, %zu MB, compiled in %.3f s\n", states,
               counted(transitions, f->transitions, "transition"), (unsigned long long)f->state_bytes, f->memory >> 20,
               c->m->compile_seconds);
    if (o->verbose && !o->no_times) print_traffic(c->result);
}

/* One statement may fail in many states. */
static void print_error_count(const struct result *r)
{
    char count[32], different[32];
    if (r->errors < 2 || r->no_trace) return;
    printf("%s errors", with_commas(count, r->errors));
    if (r->others.len + 1 < r->errors) printf(", %s different", with_commas(different, r->others.len + 1));
    printf("; the first one:\n");
}

static void print_report(struct explicit_check *c)
{
    print_error_count(c->result);
    if (c->result->error && !c->result->no_trace)
        report_trace(c->result->error, (struct report){.trace_path = c->result->trace_path, .why = c->why,
                                                       .color = wants_color(c->job->common.no_color),
                                                       .most_steps = SCREEN_STEPS});
    else if (!c->properties.chosen && explicit_is_complete(&c->found) && c->search.kind != SEARCH_SWARM)
        c->m->ops->unreached(c->m, print_unreached, &(struct unreached_list){0});
}

/* Memory is full, and it was asked to go on with less of each state: from the beginning, for what is known
 * takes the memory. */
void explicit_use_less(struct explicit_check *c)
{
    char states[64];
    bool bits = c->o->when_full == FULL_BITS;
    fprintf(stderr, "heddle: memory is full after %s: once more with %s, which may take two for one\n",
            counted(states, c->found.states, "state"), bits ? "three bits of each" : "a hash of each");
    if (bits) use_bits(c);
    else c->search.store = STORE_COMPACT;
    c->search.keep_links = false;
    search_result_release(&c->found);
}

static void search_with_less(struct explicit_check *c)
{
    explicit_use_less(c);
    vec_clear(&c->result->bounds);
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
    c->reduces = c->search.reduce;
    if (!explicit_recall(c)) {
        explicit_probe_begin(c, NULL);
        search_run(c->m, &c->search, &c->found);
        explicit_probe_end(c);
    }
    progress_clear(&c->progress);
    warn_of_spill(c);
    if (c->o->when_full && c->found.stop == STOP_MEMORY && !c->found.errors) search_with_less(c);
    explicit_remember(c, NULL, !c->properties.list.len);
    if (c->found.bad_checkpoint) return;
    explicit_copy_counts(c);
    if (c->found.has_error) {
        explicit_build_trace(c);
        if (c->found.errors > 1 && c->result->error && !c->result->no_trace) explicit_build_other_traces(c);
    } else if (explicit_is_unbuilt(c)) explicit_report_unbuilt_error(c);
    explicit_cover_safety(c);
    explicit_ask_safety(c);
    if (c->talks) print_summary(c);
}

/* What long steps explicit_ask outside of a search, which asks for itself. */
static bool is_over(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

/* NULL, or why several processes cannot do it. */
static const char *bad_for_cluster(const struct explicit_check *c)
{
    if (!c->search.cluster) return NULL;
    if (!c->m->is_portable) return "a model with embedded C, which may keep addresses, is checked by one process only";
    if (c->search.kind == SEARCH_DFS || c->search.kind == SEARCH_BCS)
        return "several processes search in order of preemptions, breadth first or as a swarm; a depth-first search "
               "has one";
    return NULL;
}

/* A process of a job that is not the first: it takes part in the searches, and has nothing to say. */
static void serve(struct explicit_check *c)
{
    VEC(const struct property *) known = {0};
    for (size_t i = 0; i < c->properties.list.len; i++) vec_push(&known, &c->properties.list.at[i]->p);
    search_serve(c->m, &c->search, known.at);
    vec_release(&known);
    c->result->nothing_to_report = true;
}

int explicit_run(const struct check_job *job, struct result *result)
{
    struct explicit_check c = {.job = job, .o = job->options, .result = result, .passes = -1, .at_least = -1};
    struct promela_flags *flags = &((struct explicit_options *)job->options)->flags;
    if (job->resume) flags->distrust = "is C: a checkpoint is of a model without any";
    c.talks = !job->common.quiet && !job->common.json;
    const char *wrong = explicit_bad_options(job, c.o);
    if (!wrong && c.o->dump >= 0) {
        result->nothing_to_report = true;
        return promela_dump(job->files[0], flags, c.o->dump) ? 0 : EXIT_BAD_INPUT;
    }
    if (!wrong) c.m = promela_load_with(job->files[0], &c.o->flags, &job->limits, &c.properties);
    if (c.m && flags->fair && !c.properties.list.len)
        wrong = "--fair needs a property: --ltl, --claim, --acceptance or --progress";
    if (!wrong && c.m) wrong = explicit_bad_for_claims(&c);
    if (!wrong && c.m) {
        plan_search(&c);
        wrong = explicit_plan_checkpoints(&c);
    }
    if (!wrong && c.m) wrong = bad_for_cluster(&c);
    if (!wrong && c.m && c.o->plan) {
        wrong = explicit_plan(&c);
        result->nothing_to_report = true;
    }
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    if (!wrong && c.m && cluster_is_other()) {
        serve(&c);
    } else if (!wrong && c.m && !c.o->plan) {
        model_ask(c.m, is_over, (void *)&job->limits);
        progress_start(&c.progress, c.talks);
        if (!c.properties.chosen) check_safety(&c);
        if (!c.found.bad_checkpoint && (!c.result->error || job->common.all_errors)) explicit_check_properties(&c);
        if (c.found.bad_checkpoint) {
            wrong = c.found.bits_of_others
                        ? "with --bitstate only as many processes as wrote the checkpoint can go on with it"
                        : "the checkpoint is of another build of heddle, or damaged";
            fprintf(stderr, "heddle: error: %s\n", wrong);
        }
        if (c.talks && !wrong) print_report(&c);
        if (c.talks && !wrong && result_wants_advice(result, job->common.no_times))
            result->advice = explicit_advice(c.m, &job->limits);
        search_result_release(&c.found);
        if (job->common.verify != VERIFY_NOT && !wrong) explicit_verify(&c);
        explicit_questions_release(&c);
        explicit_checkpoints_release(&c);
    }
    enum limit reached = c.properties.reached ? c.properties.reached : limits_reached(&job->limits);
    bool cut = !wrong && !c.m && reached; /* while automata or the model were made: said on stderr */
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
