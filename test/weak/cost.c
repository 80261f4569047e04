/* The fewest surprises with which a graph can be run.
 *
 * A run of a graph is an order of its steps that extends program order and reads-from; a step is an access or a fence,
 * and a read-modify-write is one step. (Since every graph has program order and reads-from without a cycle, it has
 * runs; since a part of a consistent graph that is closed under the two is consistent, an engine that only takes
 * consistent steps can follow each of them.) The surprises of a run are
 *   - preemptions: a step of another thread than the last one's, which could go on;
 *   - stale reads: a read from a write that is not the last in modification order of those that were executed;
 *   - misplaced writes: a write that is in modification order before one that was executed.
 * A read-modify-write that takes an old write is one surprise, not two: where its write goes is not another choice. The
 * threads wait only for a mutex that is held. The thread that starts and joins them adds nothing: it starts all of them
 * before the first step and waits. The cost of a graph is the smallest number over its runs.
 *
 * Whether a step surprises depends only on the set of steps that came before it, which is known from how far each
 * thread has come. So it is enough to go through these sets, with the thread that was last, in order of size: that is
 * all runs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

enum { NEVER = 1000000 };

struct step {
    uint64_t events, needs;  /* itself; the write that it reads */
    uint64_t newer;          /* what makes it a surprise if executed before it */
    uint64_t locks, unlocks; /* of the mutex that it locks, if it does */
};

struct runs {
    int threads, length[MAX_THREADS];
    int weight[MAX_THREADS]; /* a set of steps is a number: the sum of the steps done, each times its thread's weight */
    struct step step[MAX_THREADS][MAX_EVENTS];
    int sets;
    bool only_preemptions;
};

static uint64_t later_in_mo(const struct graph *g, int write)
{
    int p = g->event[write].place, i = g->writes[p] - 1;
    uint64_t later = 0;
    for (; g->mo[p][i] != write; i--)
        later |= (uint64_t)1 << g->mo[p][i];
    return later;
}

/* The steps that lock, or unlock, the mutex. */
static uint64_t writes_of(const struct graph *g, int mutex, bool locking)
{
    uint64_t found = 0;
    for (int i = 1; i < g->writes[mutex]; i++) /* the first is the initial one */
        if (g->event[g->mo[mutex][i]].value == locking)
            found |= (uint64_t)1 << g->mo[mutex][i];
    return found;
}

static void collect(struct runs *r, const struct graph *g)
{
    for (int i = 0; i < g->events; i++) {
        const struct event *e = &g->event[i];
        if (e->thread < 0)
            continue;
        struct step s = {.events = (uint64_t)1 << i};
        if (e->kind == EVENT_READ) {
            s.needs = (uint64_t)1 << e->from;
            s.newer = later_in_mo(g, e->from);
        } else if (e->kind == EVENT_WRITE) {
            s.newer = later_in_mo(g, i);
        }
        if (e->is_lock) {
            s.locks = writes_of(g, e->place, true);
            s.unlocks = writes_of(g, e->place, false);
        }
        if (e->kind == EVENT_READ && e->is_exclusive)
            s.events |= (uint64_t)1 << ++i;
        if (e->thread >= r->threads)
            r->threads = e->thread + 1;
        r->step[e->thread][r->length[e->thread]++] = s;
    }
    r->sets = 1;
    for (int t = 0; t < r->threads; t++) {
        r->weight[t] = r->sets;
        r->sets *= r->length[t] + 1;
    }
}

static int steps_done(const struct runs *r, int set, int t)
{
    return set / r->weight[t] % (r->length[t] + 1);
}

static uint64_t executed(const struct runs *r, int set)
{
    uint64_t done = 0;
    for (int t = 0; t < r->threads; t++)
        for (int i = steps_done(r, set, t); i > 0; i--)
            done |= r->step[t][i - 1].events;
    return done;
}

/* The thread has a step left and does not wait for a mutex. */
static bool could_go_on(const struct runs *r, int set, uint64_t done, int t)
{
    int position = steps_done(r, set, t);
    const struct step *s = &r->step[t][position];
    return position < r->length[t] && __builtin_popcountll(done & s->locks) == __builtin_popcountll(done & s->unlocks);
}

/* From this set and each thread that can have been last, one step further. */
static void extend(const struct runs *r, int set, uint64_t initial, int (*least)[MAX_THREADS + 1])
{
    uint64_t done = executed(r, set) | initial;
    for (int t = 0; t < r->threads; t++) {
        int position = steps_done(r, set, t);
        if (position == r->length[t])
            continue;
        const struct step *s = &r->step[t][position];
        bool surprises = s->newer & done;
        if ((s->needs & ~done) || (surprises && r->only_preemptions))
            continue;
        int *to = &least[set + r->weight[t]][t];
        for (int last = 0; last <= r->threads; last++) {
            bool preempts = last < r->threads && last != t && could_go_on(r, set, done, last);
            int cost = least[set][last] + preempts + surprises;
            if (cost < *to)
                *to = cost;
        }
    }
}

int graph_cost(const struct graph *g, bool only_preemptions)
{
    struct runs r = {.only_preemptions = only_preemptions};
    collect(&r, g);
    int (*least)[MAX_THREADS + 1] = malloc((size_t)r.sets * sizeof *least);
    for (int set = 0; set < r.sets; set++)
        for (int t = 0; t <= MAX_THREADS; t++)
            least[set][t] = NEVER;
    least[0][r.threads] = 0; /* nobody was last */
    uint64_t initial = 0;
    for (int i = 0; i < g->events && g->event[i].thread < 0; i++)
        initial |= (uint64_t)1 << i;
    for (int set = 0; set < r.sets; set++) /* a step makes the number larger */
        extend(&r, set, initial, least);
    int best = NEVER;
    for (int t = 0; t <= r.threads; t++)
        if (least[r.sets - 1][t] < best)
            best = least[r.sets - 1][t];
    free(least);
    assert(best < NEVER || only_preemptions);
    return best < NEVER ? best : -1;
}
