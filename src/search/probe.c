/* Cheap searches that go deep, beside a search that goes in order of preemptions.
 *
 * Each *member* is a thread with its own handle on the model and a small share of memory, and runs one small search
 * after the other. Only one member runs at a time: it passes the turn on after a fixed number of states. What the
 * members do, and which of them finds an error first, therefore depends on the model alone. When one has found an
 * error all of them end, and another thread makes the error simpler for as long as there is time. */
#define _GNU_SOURCE
#include "search/vicinity_int.h"

#include "base/limits.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    DEEP, REVERSED, SEEDED, DIRECTED, SOME, MEMBERS, /* what each member does */
    LOOKS_PER_TURN = 16,          /* a search looks every 64 states, and so does a member after each search */
    MOST_MEMORY = 64 << 20,       /* of a member, */
    DEEP_SHARE = 4,               /* but for the one with the longest path: so many times as much */
    LEAST_LIMIT = 64 << 20,       /* with less the search needs all of it, */
    SHARE_OF_LIMIT = 12,          /* and else the members together get this part */
    LEAST_FIELD = 1 << 16, MOST_FIELD = 16 << 20, SEEDED_FIELD = 1 << 19,
    MOST_DOUBLINGS = 10,          /* of the searches of two processes, two at a time */
    FIRST_LOOKS = 16,             /* of the shortest searches with a seed, and of the first directed one */
    WEIGHT = 1024,                /* of a thread of usual priority, to the scheduler of Linux, */
    WEIGHT_BESIDE = 54,           /* and of the probes for each thread of the search beside them: a twentieth */
    EARLY_LOOKS = 4096,           /* of a member: beyond, its turns may be shorter */
};
#define SLEEP_BEFORE 0.004        /* seconds: a small check is over before that */
#define EAGER 0.3                /* seconds of processor time with the usual priority */

struct member {
    struct probe *probe;
    struct model *m;
    pthread_t thread;
    bool started;
    int number;
    uint32_t outing;              /* number of the present search */
    uint64_t looks, most_looks;   /* of the present search; most 0: no limit */
    uint64_t turn_looks, all_looks; /* of the present turn, and of all */
    bool urgent[MODEL_MOST_PROCESSES]; /* in the present search, if it is one of some processes, */
    int processes;                /* of so many */
    double charged;               /* processor time of this thread that is in probe->processor_seconds */
    bool is_nice;
};

struct probe {
    struct search_options beside;
    const struct property *property; /* NULL: assertions and end states */
    size_t memory;                /* of each member */
    struct member members[MEMBERS];
    pthread_t manager;            /* starts the members, and makes the error simpler that one of them finds */
    pthread_mutex_t lock;         /* for all that follows */
    pthread_cond_t turn_passes;
    int turn;
    bool gone[MEMBERS];           /* nothing is left for it to do */
    bool found_whole;             /* a member has searched everything; it is read and written in turns */
    double processor_seconds;
    struct probe_finding finding;
    struct schedule error;        /* of the manager alone once there is a finding */
    struct model *finder;         /* the handle with which it was found */
    uint64_t states;
    /* Read without the lock. */
    bool stops_searching, stops_all, has_finding;
};

/* Turns of a member are so many times as long as those of others, at first and later: a depth-first search in the order
 * of the model finds what a user of other tools expects to be found at once. */
struct weight { uint8_t early, later; };
static const struct weight weights[MEMBERS] = {
    [DEEP] = {8, 1}, [REVERSED] = {1, 1}, [SEEDED] = {1, 1}, [DIRECTED] = {1, 1}, [SOME] = {2, 2}};

static bool is_set(const bool *flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }
static void set(bool *flag) { __atomic_store_n(flag, true, __ATOMIC_RELEASE); }

static double processor_time(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- turns ---- */

/* Each step of niceness is worth a fifth of the time. */
static int niceness(int threads_beside)
{
    int steps = 0;
    for (double weight = WEIGHT; weight > (double)WEIGHT_BESIDE * threads_beside; weight /= 1.25) steps++;
    return steps;
}

/* The lock is held. The search beside must not lose more than a tenth of its time for long. */
static void charge(struct member *x)
{
    double now = processor_time(CLOCK_THREAD_CPUTIME_ID);
    x->probe->processor_seconds += now - x->charged;
    x->charged = now;
    if (x->is_nice || x->probe->processor_seconds < EAGER) return;
    x->is_nice = true;
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness(MAX(x->probe->beside.workers, 1)));
}

/* The lock is held. */
static void pass_turn(struct probe *p)
{
    for (int i = 1; i <= MEMBERS; i++) {
        int next = (p->turn + i) % MEMBERS;
        if (p->gone[next]) continue;
        p->turn = next;
        break;
    }
    pthread_cond_broadcast(&p->turn_passes);
}

static void await_turn(struct member *x)
{
    struct probe *p = x->probe;
    while (p->turn != x->number && !p->stops_searching) pthread_cond_wait(&p->turn_passes, &p->lock);
}

static void take_turns(struct member *x)
{
    struct probe *p = x->probe;
    pthread_mutex_lock(&p->lock);
    charge(x);
    pass_turn(p);
    await_turn(x);
    pthread_mutex_unlock(&p->lock);
}

static void count_look(struct member *x)
{
    uint64_t weight = ++x->all_looks < EARLY_LOOKS ? weights[x->number].early : weights[x->number].later;
    if (++x->turn_looks < LOOKS_PER_TURN * weight) return;
    x->turn_looks = 0;
    take_turns(x);
}

/* Asked by the member's search. */
static bool is_enough(void *ctx)
{
    struct member *x = ctx;
    if (is_set(&x->probe->stops_searching)) return true;
    x->looks++;
    count_look(x);
    return is_set(&x->probe->stops_searching) || (x->most_looks && x->looks >= x->most_looks);
}

/* Asked while an error is made simpler. */
static bool is_ending(void *ctx) { return is_set(&((struct probe *)ctx)->stops_all); }

/* ---- what each member does ---- */

/* 1, 1, 2, 1, 1, 2, 4, ...: of the searches that each length has had time for, none takes longer than the others
 * together (Luby, Sinclair and Zuckerman, 1993). */
static uint64_t luby(uint64_t i)
{
    for (;;) {
        uint64_t k = 1;
        while ((UINT64_C(1) << k) - 1 < i) k++;
        if ((UINT64_C(1) << k) - 1 == i) return UINT64_C(1) << (k - 1);
        i -= (UINT64_C(1) << (k - 1)) - 1;
    }
}

static size_t field_of(const struct probe *p, size_t most)
{
    size_t field = LEAST_FIELD;
    while (2 * field <= MIN(most, p->memory / 4)) field *= 2; /* the path needs the rest */
    return field;
}

/* One long search that takes the steps in this order. */
static const char *plan_deep(struct member *x, struct search_options *o, enum step_order order)
{
    o->order = order;
    o->bit_field = field_of(x->probe, MOST_FIELD);
    o->depth = x->outing ? 10000 : 0; /* the first one ends early if its path takes all the memory */
    return order == STEPS_LISTED ? "depth-first search" : "depth-first search in reversed order";
}

/* Many searches of all lengths, each in another order. */
static const char *plan_seeded(struct member *x, struct search_options *o)
{
    o->order = STEPS_SEEDED;
    o->seed = x->probe->beside.seed * UINT64_C(1000003) + x->outing + 1;
    x->most_looks = FIRST_LOOKS * luby(x->outing + 1);
    o->bit_field = field_of(x->probe, MAX((size_t)SEEDED_FIELD, (size_t)x->most_looks << 9));
    return "depth-first search in a random order";
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Asked inside a long step while a member prepares a search. */
static bool is_enough_to_plan(void *ctx)
{
    struct member *x = ctx;
    return limits_reached_memory(x->probe->beside.limits) != LIMIT_NONE || is_enough(x);
}

/* The largest number of processes in the states of the first steps. */
static int count_processes(struct member *x)
{
    enum { FIRST_STEPS = 200 };
    struct model *m = x->m;
    model_ask(m, is_enough_to_plan, x);
    struct replay *r = replay_new(m);
    int most = 2;
    for (int i = 0; i < FIRST_STEPS; i++) {
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        if (size) most = MAX(most, m->ops->process_count(m, state));
        if (!replay_step(r, 0)) break;
    }
    replay_free(r);
    model_ask(m, NULL, NULL);
    return most;
}

/* Pair number n of these processes, and again from the first after the last. Returns how often that has happened. */
static uint32_t choose_pair(bool *chosen, int processes, uint32_t n)
{
    uint32_t pairs = (uint32_t)(processes * (processes - 1) / 2), again = n / pairs;
    int a = 0;
    for (n %= pairs; n >= (uint32_t)(processes - 1 - a); a++) n -= (uint32_t)(processes - 1 - a);
    chosen[a] = chosen[a + 1 + (int)n] = true;
    return again;
}

static uint64_t looks_of_pair(uint32_t again) { return FIRST_LOOKS << 2 * MIN(again + 1, MOST_DOUBLINGS); }

static void choose_at_random(bool *chosen, uint64_t seed, bool half)
{
    uint64_t share = half ? 1 : 3;
    for (uint64_t pid = 0; pid < MODEL_MOST_PROCESSES; pid++) chosen[pid] = !(mix(seed << 8 | pid) >> 20 & share);
}

/* By turns two of the processes, all pairs and then longer, and half of them or a quarter; the others where none of
 * these can move. What needs a few processes to interrupt each other at the right places is found where the others are
 * left out. */
static const char *plan_some(struct member *x, struct search_options *o)
{
    plan_seeded(x, o);
    if (!x->processes) x->processes = count_processes(x);
    memset(x->urgent, 0, sizeof x->urgent);
    if (x->outing % 2) choose_at_random(x->urgent, o->seed, x->outing % 4 == 1);
    else x->most_looks = looks_of_pair(choose_pair(x->urgent, x->processes, x->outing / 2));
    o->urgent = x->urgent;
    o->reduce = false;
    o->bit_field = field_of(x->probe, MAX((size_t)LEAST_FIELD, (size_t)x->most_looks << 9));
    return "depth-first search of some processes";
}

static const char *plan_directed(struct member *x, struct search_options *o)
{
    o->kind = SEARCH_DIRECTED;
    o->store = STORE_EXACT;
    o->reduce = false;
    o->for_assertions = x->outing % 2 || o->no_deadlock;
    x->most_looks = (uint64_t)FIRST_LOOKS << x->outing / 2 * 2;
    return "directed search";
}

/* What the member searches for next, and how that is called. */
static const char *plan_outing(struct member *x, struct search_options *o)
{
    const struct search_options *beside = &x->probe->beside;
    size_t memory = x->probe->memory * (x->number == DEEP ? DEEP_SHARE : 1);
    *o = (struct search_options){.kind = SEARCH_DFS, .store = STORE_BITS, .budget = memory, .bound = -1,
                                 .limits = beside->limits, .no_deadlock = beside->no_deadlock,
                                 .leave_faults = beside->leave_faults, .reduce = beside->reduce,
                                 .enough = is_enough, .enough_ctx = x};
    x->looks = x->most_looks = 0;
    switch (x->number) {
    case DEEP: return plan_deep(x, o, STEPS_LISTED);
    case REVERSED: return plan_deep(x, o, STEPS_REVERSED);
    case DIRECTED: return plan_directed(x, o);
    case SOME: return plan_some(x, o);
    default: return plan_seeded(x, o);
    }
}

/* What was searched to the end needs no further search in another order, nor one that had all the memory twice. */
static bool is_done(struct member *x, const struct search_result *found)
{
    bool whole = found->stop == STOP_COMPLETE && !found->depth_cut, full = found->stop == STOP_MEMORY;
    bool limit = found->stop == STOP_TIME || found->stop == STOP_INTERRUPTED;
    if (limit || is_set(&x->probe->stops_searching)) return true;
    if (x->number == SOME) return x->probe->found_whole;
    if (whole) x->probe->found_whole = true;
    if (x->number == DIRECTED) return whole || (full && x->outing % 2);
    return whole || (x->number != SEEDED && x->outing > 0);
}

/* ---- an error ---- */

/* Takes the schedule over if it is simpler than the one that is known. */
static void publish(struct probe *p, struct model *m, struct schedule *s)
{
    long preemptions = schedule_preemptions(m, s);
    pthread_mutex_lock(&p->lock);
    if (preemptions >= 0 || !p->error.choices.len) {
        schedule_release(&p->error);
        p->error = *s;
        *s = (struct schedule){0};
        p->finding.preemptions = preemptions;
        p->finding.steps = p->error.choices.len;
    }
    pthread_mutex_unlock(&p->lock);
    schedule_release(s);
}

static void keep_simpler(void *probe, struct schedule *s)
{
    struct probe *p = probe;
    publish(p, p->finder, s);
}

/* A violation is made short and not cheap. */
static void shorten_violation(struct probe *p, const struct search_options *o)
{
    struct search_result r = {.has_error = true, .error_level = -1};
    struct schedule copy = {.deadlock = p->error.deadlock, .violates = p->error.violates, .lasso = p->error.lasso,
                            .cycle_start = p->error.cycle_start};
    for (size_t i = 0; i < p->error.choices.len; i++) vec_push(&copy.choices, p->error.choices.at[i]);
    r.error = copy;
    violation_shorten(p->finder, p->property, o, &r);
    size_t steps = r.error.choices.len, before = p->error.choices.len;
    long preemptions = schedule_preemptions(p->finder, &r.error);
    if (steps < before || (steps == before && preemptions < p->finding.preemptions)) publish(p, p->finder, &r.error);
    else schedule_release(&r.error);
}

static void simplify(struct probe *p)
{
    struct search_options o = p->beside;
    o.level_done = NULL, o.tick = NULL, o.round_done = NULL, o.checkpoints = NULL; /* these are for another thread */
    o.budget = p->memory;
    o.enough = is_ending, o.enough_ctx = p;
    model_ask(p->finder, is_ending, p);
    if (p->property && p->error.violates) shorten_violation(p, &o);
    else schedule_make_simple(p->finder, &o, &p->error, keep_simpler, p);
    model_ask(p->finder, NULL, NULL);
    pthread_mutex_lock(&p->lock);
    p->finding.settled = true;
    pthread_mutex_unlock(&p->lock);
}

/* Only the member whose turn it is can find an error, so the first one does not depend on the clock. */
static void take_error(struct member *x, struct search_result *found, const char *by)
{
    struct probe *p = x->probe;
    pthread_mutex_lock(&p->lock);
    bool first = !p->stops_searching;
    charge(x);
    if (first) {
        p->finding = (struct probe_finding){.exists = true, .by = by, .states = p->states + found->states,
                                            .seconds = seconds_now(), .own_seconds = p->processor_seconds,
                                            .processor_seconds = processor_time(CLOCK_PROCESS_CPUTIME_ID)};
        p->finder = x->m;
    }
    pthread_mutex_unlock(&p->lock);
    if (!first) return;
    model_ask(x->m, is_ending, p);
    publish(p, x->m, &found->error);
    model_ask(x->m, NULL, NULL);
    pthread_mutex_lock(&p->lock);
    set(&p->has_finding);
    set(&p->stops_searching);
    pthread_mutex_unlock(&p->lock);
}

static void search(struct member *x, const struct search_options *o, struct search_result *found)
{
    if (x->probe->property) cycles_search(x->m, x->probe->property, o, found);
    else search_run(x->m, o, found);
}

/* Returns false after the last one. */
static bool go_out(struct member *x)
{
    struct search_options o;
    struct search_result found;
    const char *by = plan_outing(x, &o);
    search(x, &o, &found);
    if (found.has_error && !found.unbuilt) take_error(x, &found, by);
    pthread_mutex_lock(&x->probe->lock);
    x->probe->states += found.states;
    pthread_mutex_unlock(&x->probe->lock);
    bool done = is_done(x, &found);
    search_result_release(&found);
    x->outing++;
    if (!done) count_look(x);
    return !done;
}

static void *run_member(void *ctx)
{
    struct member *x = ctx;
    struct probe *p = x->probe;
    pthread_mutex_lock(&p->lock);
    await_turn(x);
    pthread_mutex_unlock(&p->lock);
    while (!is_set(&p->stops_searching) && go_out(x)) continue;
    pthread_mutex_lock(&p->lock);
    charge(x);
    p->gone[x->number] = true;
    pass_turn(p);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* The lock is held. */
static void start_members(struct probe *p)
{
    for (int i = 0; i < MEMBERS; i++) {
        struct member *x = &p->members[i];
        bool has_work = i != DIRECTED || !p->property;
        x->started = has_work && !pthread_create(&x->thread, NULL, run_member, x);
        p->gone[i] = !x->started;
    }
    if (p->gone[0]) pass_turn(p);
}

static bool all_gone(const struct probe *p)
{
    bool all = true;
    for (int i = 0; i < MEMBERS; i++) all &= p->gone[i];
    return all;
}

/* Waits a moment, starts the members and, when they have ended, looks after the error. */
static void *manage(void *ctx)
{
    struct probe *p = ctx;
    struct timespec until;
    int error = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)(SLEEP_BEFORE * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000, until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&p->lock);
    while (!p->stops_searching && !error) error = pthread_cond_timedwait(&p->turn_passes, &p->lock, &until);
    bool starts = !p->stops_searching;
    if (starts) start_members(p);
    while (starts && !all_gone(p)) pthread_cond_wait(&p->turn_passes, &p->lock);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < MEMBERS; i++)
        if (p->members[i].started) pthread_join(p->members[i].thread, NULL);
    if (p->finding.exists && !is_ending(p)) simplify(p);
    return NULL;
}

/* ---- begin and end ---- */

enum { SHARES = MEMBERS - 1 + DEEP_SHARE };

static size_t memory_of_member(const struct search_options *o)
{
    size_t limit = limit_of_memory(o);
    if (!limit) return MOST_MEMORY;
    return limit < LEAST_LIMIT ? 0 : MIN(limit / (SHARE_OF_LIMIT * SHARES), (size_t)MOST_MEMORY);
}

size_t probe_memory(const struct search_options *beside) { return SHARES * memory_of_member(beside); }

static bool init_member(struct probe *p, struct model *m, int number)
{
    struct member *x = &p->members[number];
    *x = (struct member){.probe = p, .number = number, .m = m->ops->another ? m->ops->another(m) : NULL};
    if (x->m) x->m->apart = true;
    return x->m;
}

static void release(struct probe *p)
{
    for (int i = 0; i < MEMBERS; i++)
        if (p->members[i].m) p->members[i].m->ops->free(p->members[i].m);
    pthread_cond_destroy(&p->turn_passes);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

struct probe *probe_start(struct model *m, const struct search_options *beside, const struct property *property)
{
    if (!memory_of_member(beside)) return NULL;
    struct probe *p = xcalloc(1, sizeof *p);
    p->beside = *beside;
    p->property = property;
    p->memory = memory_of_member(beside);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->turn_passes, NULL);
    bool ready = true;
    for (int i = 0; i < MEMBERS && ready; i++) ready = init_member(p, m, i);
    if (ready && !pthread_create(&p->manager, NULL, manage, p)) return p;
    release(p);
    return NULL;
}

/* The manager waits until there is something to be made simpler. */
static double worked(const struct probe *p)
{
    clockid_t clock;
    return pthread_getcpuclockid(p->manager, &clock) ? 0 : processor_time(clock);
}

struct probe_finding probe_look(struct probe *p)
{
    if (!is_set(&p->has_finding)) return (struct probe_finding){0};
    pthread_mutex_lock(&p->lock);
    struct probe_finding f = p->finding;
    if (!f.settled) f.worked = worked(p);
    pthread_mutex_unlock(&p->lock);
    return f;
}

struct probe_finding probe_end(struct probe *p, struct schedule *error)
{
    pthread_mutex_lock(&p->lock);
    set(&p->stops_searching);
    set(&p->stops_all);
    pthread_cond_broadcast(&p->turn_passes);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->manager, NULL);
    struct probe_finding f = p->finding;
    *error = p->error;
    release(p);
    return f;
}
