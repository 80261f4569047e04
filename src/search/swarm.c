/* Many small searches instead of a large one, after Holzmann, Joshi and Groce, "Swarm verification" (2008): depth
 * first with bit fields, each with its own order of steps, positions in the field, size of it and longest path. Each
 * of them sees a different part of a state space that is too large for one; their overlap tells how large the rest
 * is (sketch_int.h).
 *
 * A search is decided by its number alone. They are run in batches, and of the errors in a batch that of the lowest
 * number counts: which error is found does not depend on how many threads there are. */
#include "search/search_int.h"

#include "search/crew_int.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { BATCH = 4, SMALLEST_FIELD = 1 << 16 }; /* searches of a batch for each thread */

struct swarm {
    struct run *run;
    int workers;
    struct model **models;   /* one for each thread */
    pthread_mutex_t lock;    /* for all that follows */
    struct overlap overlap;
    uint32_t first, best;    /* number of the first search of the batch; of the lowest one that found an error */
    struct search_result *res;
    struct schedule error;
    bool over;               /* a limit was reached */
    enum search_stop why;
};

/* Every third search takes the steps as listed, the other way round, or at random; one in four has no limit on the
 * length of paths. */
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
    o.bit_field = MAX(given->bit_field >> 2 * (number % 3), (size_t)SMALLEST_FIELD);
    o.budget = o.bit_field + given->bit_field;
    o.bound = -1;
    o.all_errors = false;
    o.level_done = NULL;
    o.tick = NULL;
    return o;
}

static bool is_limit(enum search_stop why) { return why == STOP_TIME || why == STOP_INTERRUPTED; }

/* A search that ran out of its share of memory has seen what it has seen; one that ran into a limit of the whole
 * ends all. */
static void take_result(struct swarm *s, uint32_t number, struct search_result *found, struct sketch *sketch)
{
    pthread_mutex_lock(&s->lock);
    overlap_add(&s->overlap, sketch);
    s->res->transitions += found->transitions;
    s->res->depth = MAX(s->res->depth, found->depth);
    s->res->omission = MAX(s->res->omission, found->omission);
    s->res->searches += !is_limit(found->stop);
    if (is_limit(found->stop) && !s->over) s->over = true, s->why = found->stop;
    if (found->has_error && number < s->best) {
        schedule_release(&s->error);
        s->error = found->error;
        found->error = (struct schedule){0};
        s->best = number;
    }
    pthread_mutex_unlock(&s->lock);
}

static bool is_pointless(struct swarm *s, uint32_t number)
{
    pthread_mutex_lock(&s->lock);
    bool pointless = s->over || number > s->best;
    pthread_mutex_unlock(&s->lock);
    return pointless;
}

static void search_one(void *ctx, int worker, uint32_t part)
{
    struct swarm *s = ctx;
    uint32_t number = s->first + part;
    if (is_pointless(s, number)) return;
    struct sketch *sketch = xmalloc(sizeof *sketch);
    struct search_options o = plan_of(s, number);
    struct search_result found;
    sketch_init(sketch);
    o.sketch = sketch;
    search_run(s->models[worker], &o, &found);
    take_result(s, number, &found, sketch);
    search_result_release(&found);
    free(sketch);
}

static void begin(struct swarm *s)
{
    struct run *r = s->run;
    int wanted = MAX(r->opt->workers, 1);
    pthread_mutex_init(&s->lock, NULL);
    overlap_init(&s->overlap);
    s->best = UINT32_MAX;
    s->res = r->res;
    s->models = xcalloc((size_t)wanted, sizeof *s->models);
    for (s->workers = 0; s->workers < wanted; s->workers++) {
        s->models[s->workers] = !s->workers ? r->m : r->m->ops->another ? r->m->ops->another(r->m) : NULL;
        if (!s->models[s->workers]) break;
    }
    assert(s->workers >= 1);
}

static void end(struct swarm *s)
{
    for (int i = 1; i < s->workers; i++) s->models[i]->ops->free(s->models[i]);
    free(s->models);
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
    } else run_stop(s->run, s->over ? s->why : STOP_COMPLETE);
}

/* A search may be over before it looks at the clock. */
static void keep_limits(struct swarm *s)
{
    static const enum search_stop stops[] = {[LIMIT_TIME] = STOP_TIME, [LIMIT_MEMORY] = STOP_MEMORY,
                                             [LIMIT_INTERRUPT] = STOP_INTERRUPTED};
    enum limit reached = limits_reached(s->run->opt->limits);
    if (reached != LIMIT_NONE && !s->over) s->over = true, s->why = stops[reached];
}

void swarm_search(struct run *r)
{
    struct swarm s = {.run = r};
    uint64_t states = 0;
    uint32_t most = r->opt->searches ? r->opt->searches : UINT32_MAX / 2;
    begin(&s);
    struct crew *crew = crew_new(s.workers);
    r->states = &states;
    while (s.first < most && !s.over && s.best == UINT32_MAX) {
        uint32_t batch = MIN((uint32_t)(BATCH * s.workers), most - s.first);
        crew_run(crew, batch, search_one, NULL, &s);
        s.first += batch;
        publish(&s, &states);
        keep_limits(&s);
    }
    crew_free(crew);
    finish(&s);
    r->states = NULL;
    r->store.count = states;
    end(&s);
}
