/* Many small searches instead of a large one, after Holzmann, Joshi and Groce, "Swarm verification" (2008): depth
 * first with bit fields, each with its own order of steps, positions in the field, size of it, and longest path or most
 * preemptions. Each of them sees a different part of a state space that is too large for one; their overlap tells how
 * large the rest is (sketch_int.h).
 *
 * A search is decided by its number alone. They are run in batches, and of the errors in a batch that of the lowest
 * number counts. Searches with higher numbers count for nothing then, whether they ran or not: neither the error nor
 * any number that is printed depends on how many threads there are, nor on how many processes of a job, each of which
 * has its part of every batch. What the processes saw is put together at the end. */
#include "search/ranks_int.h"

#include "search/crew_int.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 4, SMALLEST_FIELD = 1 << 16 }; /* searches of a batch for each thread */

/* What one search of the batch found. */
struct outing {
    struct sketch *sketch; /* NULL: it did not run */
    uint64_t transitions, depth;
    double omission;
    bool completed;
};

struct swarm {
    struct run *run;
    int workers;
    struct model **models;   /* one for each thread */
    struct cluster *cluster; /* NULL: there is one process */
    uint32_t threads, before;/* of all processes, and of those with a lower rank */
    uint32_t first, from;    /* number of the first search of the batch, and of the first that is ours */
    struct outing *outings;  /* of our part of the batch */
    pthread_mutex_t lock;    /* for all that follows */
    struct overlap overlap;
    uint32_t best, own;      /* number of the lowest search that found an error, of all and of ours */
    struct search_result *res;
    struct schedule error;   /* of `own` */
    uint32_t why;            /* enum search_stop: a limit was reached */
};

/* Errors that need few preemptions are seldom where a deep search of a large model goes first. */
static void bound_search(const struct swarm *s, struct search_options *o, int64_t bound)
{
    o->kind = SEARCH_BCS;
    o->bcs = BCS_FULL;
    o->bound = bound;
    o->depth = s->run->opt->depth;
}

/* Every third search takes the steps as listed, the other way round, or at random. One in four has a bound on
 * preemptions, of the others one in four has no limit on the length of paths. */
static struct search_options plan_of(const struct swarm *s, uint32_t number)
{
    static const int64_t depths[] = {0, 10000, 1000, 100};
    const struct search_options *given = s->run->opt;
    struct search_options o = *given;
    o.kind = SEARCH_DFS;
    o.store = STORE_BITS;
    o.order = (enum step_order)(number % 3);
    o.seed = given->seed * UINT64_C(1000003) + number;
    o.depth = given->depth ? given->depth : depths[number / 3 % ARRAY_LEN(depths)];
    o.bound = -1;
    if (number % 4 == 3) bound_search(s, &o, 1 + number / 4 % 4);
    o.bit_field = MAX(given->bit_field >> 2 * (number % 3), (size_t)SMALLEST_FIELD);
    o.budget = o.bit_field + given->bit_field;
    o.all_errors = false;
    o.cluster = NULL;
    o.level_done = NULL;
    o.tick = NULL;
    return o;
}

static bool is_limit(enum search_stop why) { return why == STOP_TIME || why == STOP_INTERRUPTED; }

/* A search that ran out of its share of memory has seen what it has seen; one that ran into a limit of the whole
 * ends all. */
static void take_result(struct swarm *s, uint32_t number, struct search_result *found)
{
    pthread_mutex_lock(&s->lock);
    if (is_limit(found->stop) && !s->why) s->why = found->stop;
    if (found->has_error && number < s->best) {
        schedule_release(&s->error);
        s->error = found->error;
        found->error = (struct schedule){0};
        s->best = s->own = number;
    }
    pthread_mutex_unlock(&s->lock);
}

static bool is_pointless(struct swarm *s, uint32_t number)
{
    pthread_mutex_lock(&s->lock);
    bool pointless = s->why || number > s->best;
    pthread_mutex_unlock(&s->lock);
    return pointless;
}

static void search_one(void *ctx, int worker, uint32_t part)
{
    struct swarm *s = ctx;
    uint32_t number = s->from + part;
    if (is_pointless(s, number)) return;
    struct sketch *sketch = xmalloc(sizeof *sketch);
    struct search_options o = plan_of(s, number);
    struct search_result found;
    sketch_init(sketch);
    o.sketch = sketch;
    search_run(s->models[worker], &o, &found);
    take_result(s, number, &found);
    s->outings[part] = (struct outing){sketch, found.transitions, found.depth, found.omission, !is_limit(found.stop)};
    search_result_release(&found);
}

/* After a batch, when the error that counts is known. */
static void add_outings(struct swarm *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct outing *o = &s->outings[i];
        if (o->sketch && s->from + i <= s->best) {
            overlap_add(&s->overlap, o->sketch);
            s->res->transitions += o->transitions;
            s->res->depth = MAX(s->res->depth, o->depth);
            s->res->omission = MAX(s->res->omission, o->omission);
            s->res->searches += o->completed;
        }
        free(o->sketch);
    }
}

/* By all: as every process has them, one after the other. */
static uint32_t *numbers_of_all(const struct swarm *s, uint32_t mine, byte_list *all)
{
    cluster_gather(s->cluster, &mine, sizeof mine, all);
    assert(all->len == (size_t)cluster_size(s->cluster) * sizeof mine);
    return (uint32_t *)(void *)all->at;
}

static void count_threads(struct swarm *s)
{
    byte_list all = {0};
    s->cluster = s->run->opt->cluster;
    s->threads = (uint32_t)s->workers;
    if (!s->cluster) return;
    const uint32_t *threads = numbers_of_all(s, (uint32_t)s->workers, &all);
    s->threads = 0;
    for (int i = 0; i < cluster_size(s->cluster); i++) {
        if (i == cluster_rank(s->cluster)) s->before = s->threads;
        s->threads += threads[i];
    }
    vec_release(&all);
}

static void begin(struct swarm *s)
{
    struct run *r = s->run;
    int wanted = MAX(r->opt->workers, 1);
    pthread_mutex_init(&s->lock, NULL);
    overlap_init(&s->overlap);
    s->best = s->own = UINT32_MAX;
    s->res = r->res;
    s->models = xcalloc((size_t)wanted, sizeof *s->models);
    for (s->workers = 0; s->workers < wanted; s->workers++) {
        s->models[s->workers] = !s->workers ? r->m : r->m->ops->another ? r->m->ops->another(r->m) : NULL;
        if (!s->models[s->workers]) break;
    }
    assert(s->workers >= 1);
    s->outings = xcalloc(BATCH * (size_t)s->workers, sizeof *s->outings);
    count_threads(s);
}

static void end(struct swarm *s)
{
    for (int i = 1; i < s->workers; i++) s->models[i]->ops->free(s->models[i]);
    free(s->models);
    free(s->outings);
    overlap_release(&s->overlap);
    schedule_release(&s->error);
    pthread_mutex_destroy(&s->lock);
}

static void publish(struct swarm *s, uint64_t *states)
{
    *states = (uint64_t)(overlap_states(&s->overlap) + 0.5);
    s->res->share = overlap_share(&s->overlap);
    run_publish(s->run);
    if (s->run->opt->tick) s->run->opt->tick(s->run->opt->ctx, s->res);
}

static void finish(struct swarm *s)
{
    if (s->best < UINT32_MAX) {
        s->res->has_error = true;
        s->res->errors = 1;
        s->res->error = s->error;
        s->error = (struct schedule){0};
        run_stop(s->run, STOP_ERROR);
    } else run_stop(s->run, s->why ? (enum search_stop)s->why : STOP_COMPLETE);
}

/* A search may be over before it looks at the clock. */
static void keep_limits(struct swarm *s)
{
    static const enum search_stop stops[] = {[LIMIT_TIME] = STOP_TIME, [LIMIT_MEMORY] = STOP_MEMORY,
                                             [LIMIT_INTERRUPT] = STOP_INTERRUPTED};
    enum limit reached = limits_reached(s->run->opt->limits);
    if (reached != LIMIT_NONE && !s->why) s->why = stops[reached];
}

/* By all, after a batch: a limit of one ends all, and nobody goes on when one has found an error. */
static void agree(struct swarm *s)
{
    byte_list all = {0};
    if (!s->cluster) return;
    ranks_agree(s->cluster, NULL, 0, &s->why);
    const uint32_t *best = numbers_of_all(s, s->best, &all);
    for (int i = 0; i < cluster_size(s->cluster); i++) s->best = MIN(s->best, best[i]);
    vec_release(&all);
}

static void run_batch(struct swarm *s, struct crew *crew, uint32_t most)
{
    uint32_t end = MIN(s->first + BATCH * s->threads, most);
    s->from = s->first + BATCH * s->before;
    uint32_t count = s->from < end ? MIN((uint32_t)(BATCH * s->workers), end - s->from) : 0;
    memset(s->outings, 0, BATCH * (size_t)s->workers * sizeof *s->outings);
    if (count) crew_run(crew, count, search_one, NULL, s);
    s->first = end;
    keep_limits(s);
    agree(s);
    add_outings(s, count);
}

/* ---- what the processes of a job have seen ---- */

struct seen {
    uint64_t transitions, searches, depth, limit, sightings, choices;
    double omission;
    uint32_t sketches;
    bool has_error, deadlock;
};

static void append(byte_list *to, const void *bytes, size_t count)
{
    vec_reserve(to, to->len + count);
    if (count) memcpy(to->at + to->len, bytes, count);
    to->len += count;
}

static void pack(const struct swarm *s, byte_list *to)
{
    const struct overlap *o = &s->overlap;
    struct seen mine;
    memset(&mine, 0, sizeof mine);
    mine.transitions = s->res->transitions, mine.searches = s->res->searches, mine.depth = s->res->depth;
    mine.omission = s->res->omission, mine.limit = o->limit, mine.sketches = o->searches;
    mine.sightings = o->seen.len, mine.choices = s->error.choices.len, mine.deadlock = s->error.deadlock;
    mine.has_error = s->own == s->best && s->best < UINT32_MAX;
    append(to, &mine, sizeof mine);
    append(to, o->seen.at, o->seen.len * sizeof *o->seen.at);
    append(to, s->error.choices.at, s->error.choices.len * sizeof *s->error.choices.at);
}

static void take_sightings(struct swarm *s, const struct seen *x, const uint8_t *sightings)
{
    struct overlap o = {.limit = x->limit, .searches = x->sketches};
    vec_reserve(&o.seen, x->sightings);
    if (x->sightings) memcpy(o.seen.at, sightings, x->sightings * sizeof *o.seen.at);
    o.seen.len = x->sightings;
    overlap_join(&s->overlap, &o);
    overlap_release(&o);
}

static void take_error(struct swarm *s, const struct seen *x, const uint8_t *choices)
{
    schedule_release(&s->error);
    vec_reserve(&s->error.choices, x->choices);
    if (x->choices) memcpy(s->error.choices.at, choices, x->choices * sizeof *s->error.choices.at);
    s->error.choices.len = x->choices;
    s->error.deadlock = x->deadlock;
}

/* Returns its length. */
static size_t unpack(struct swarm *s, const uint8_t *from)
{
    struct seen x;
    memcpy(&x, from, sizeof x);
    const uint8_t *sightings = from + sizeof x, *choices = sightings + x.sightings * sizeof(struct sighting);
    take_sightings(s, &x, sightings);
    if (x.has_error) take_error(s, &x, choices);
    s->res->transitions += x.transitions;
    s->res->searches += x.searches;
    s->res->depth = MAX(s->res->depth, x.depth);
    s->res->omission = MAX(s->res->omission, x.omission);
    return sizeof x + x.sightings * sizeof(struct sighting) + x.choices * sizeof *s->error.choices.at;
}

/* By all, at the end. */
static void put_together(struct swarm *s)
{
    byte_list mine = {0}, all = {0};
    if (!s->cluster) return;
    pack(s, &mine);
    cluster_gather(s->cluster, mine.at, mine.len, &all);
    overlap_release(&s->overlap);
    overlap_init(&s->overlap);
    s->res->transitions = s->res->searches = s->res->depth = 0;
    for (size_t at = 0; at < all.len;) at += unpack(s, all.at + at);
    vec_release(&mine);
    vec_release(&all);
    ranks_join_results(s->cluster, s->run);
}

void swarm_search(struct run *r)
{
    struct swarm s = {.run = r};
    uint64_t states = 0;
    uint32_t most = r->opt->searches ? r->opt->searches : UINT32_MAX / 2;
    begin(&s);
    struct crew *crew = crew_new(s.workers);
    r->states = &states;
    while (s.first < most && !s.why && s.best == UINT32_MAX) {
        run_batch(&s, crew, most);
        publish(&s, &states);
    }
    crew_free(crew);
    put_together(&s);
    publish(&s, &states);
    finish(&s);
    r->states = NULL;
    r->store.count = states;
    end(&s);
}
