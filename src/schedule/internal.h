/* What the strategies share: the log of steps, bounds, the happens-before order with its objects' model, memory.
 *
 * A strategy is a table of four calls (struct strategy). The log holds the steps of the current execution; the first
 * `prefix` of them are repeated from the execution before without asking the strategy. */
#ifndef HEDDLE_SCHEDULE_INTERNAL_H
#define HEDDLE_SCHEDULE_INTERNAL_H

#include "schedule/schedule.h"

/* Memory: every block belongs to the pool and is given back with it; `used` counts what the allocator was asked for. */
struct pool { const struct sched_config *config; struct pool_block *blocks; size_t used; };
void *pool_alloc(struct pool *p, size_t size); /* zeroed */
void pool_free(struct pool *p, void *block);
void pool_release(struct pool *p);
void *pool_grow(struct pool *p, void *at, size_t *cap, size_t need, size_t item);
bool pool_has_room(const struct pool *p, size_t size); /* a block of that size keeps within config.memory */

#define STACK(type) struct { type *at; size_t len, cap; }
#define stack_reserve(p, s, n) \
    ((void)((s)->cap >= (n) || ((s)->at = pool_grow(p, (s)->at, &(s)->cap, (n), sizeof *(s)->at), 0)))
/* x must not depend on the stack: its length may be raised before x is evaluated */
#define stack_push(p, s, x) (stack_reserve(p, s, (s)->len + 1), (s)->at[(s)->len++] = (x))
#define stack_push_event(p, s, e) (stack_reserve(p, s, (s)->len + 1), event_copy(&(s)->at[(s)->len++], e))
#define stack_last(s) ((s)->at[(s)->len - 1])

struct step {
    struct sched_op op;
    struct sched_outcome outcome;
    sched_set enabled;   /* before the step, as the runtime said */
    sched_set allowed;   /* of those, the ones that the fair bound lets go on */
    int thread;
    uint32_t choice;
    uint32_t block;      /* the first step of those of this thread in a row */
    int surprises;       /* up to and including this step: what the bound counts */
    bool preemption;
};

/* Happens-before. An event is a step with what it touches; a cell is a synchronisation object or eight bytes of memory.
 * A cut is a set of events closed under happens-before, given as the number of events of each thread; NULL: all. */
enum { EVENT_ACCESSES = 4 };
struct access {
    uint32_t cell;
    uint8_t bytes;          /* of the cell */
    bool write;
};
/* What an object is like: a number, or a set of threads. */
typedef sched_set cell_state;
static inline cell_state number_state(uint64_t n)
{
    cell_state s = SET_NONE;
    SET_WORD(s, 0) = n;
    return s;
}
static inline uint64_t state_number(cell_state s) { return SET_WORD(s, 0); }
struct change {             /* what an access does to its cell */
    cell_state before, after; /* of the object; contents of memory, if known */
    uint32_t pos;           /* in the cell's list, once appended */
    bool has_contents;
};
struct event {
    int thread;
    uint32_t index;         /* how manieth of its thread, from 0 */
    uint8_t kind, flags;
    bool failed, changed;
    uint32_t choice;
    uint32_t choices;       /* how many values the choice has, at least 1 */
    uint32_t waker;         /* 1 + step that woke the thread after this event; 0: none did */
    sched_set woken;
    int other;              /* CREATE, JOIN: the thread, else -1 */
    uint32_t round;         /* BARRIER: so many rounds were complete before */
    uint32_t replaces;      /* CREATE: 1 + the creation of the thread that had the number before; 0: none had */
    struct sched_hash hash, thread_hash; /* of this event; of all events of the thread up to this one */
    unsigned accesses;
    unsigned looks;         /* of the accesses to memory, the first so many are made; the others are waited for */
    struct access access[EVENT_ACCESSES];
    struct change change[EVENT_ACCESSES]; /* last, so that a copy can stop at those used */
};
static inline void event_copy(struct event *to, const struct event *from)
{
    __builtin_memcpy(to, from, offsetof(struct event, change) + from->accesses * sizeof(struct change));
}
/* What of a step matters to others, without what it does in one execution. */
struct footprint {
    uint16_t thread;
    uint8_t kind, flags, accesses;
    uint32_t choice;
    sched_set woken;
    struct access access[EVENT_ACCESSES];
};
static inline void footprint_of(struct footprint *f, const struct event *e)
{
    *f = (struct footprint){(uint16_t)e->thread, e->kind, e->flags, (uint8_t)e->accesses, e->choice, e->woken};
    __builtin_memcpy(f->access, e->access, sizeof f->access);
}
struct cell_entry { uint32_t step, prev_write; uint8_t bytes; bool write; }; /* prev_write: 1 + pos, 0: none */
struct cell {
    uint64_t key;
    cell_state state;
    STACK(struct cell_entry) list;
    uint8_t asks[8], writes[8]; /* of memory, for each byte: all bytes of operations that cover it and ask memory, and
                                   those bytes that all writes have that cover it, in all executions */
    uint16_t noted;             /* the last operation that is in there */
};
uint64_t hash_mix(uint64_t a, uint64_t b);
struct hb {
    struct pool *pool;
    STACK(struct event) events;
    uint32_t *clocks;       /* one row of `stride` per event: how many events of each thread happen before or are it */
    size_t clocks_cap, stride;
    int threads;            /* 1 + highest thread number seen */
    STACK(struct cell) cells;
    uint32_t *slots;        /* key -> 1 + cell */
    size_t slot_mask;
    struct {
        STACK(uint32_t) steps;
        uint32_t creator;   /* 1 + step, 0: exists from the beginning; of those that had the number, the last one's */
    } thread[SCHED_MAX_THREADS];
    STACK(uint32_t) globals; /* steps of kind GLOBAL or END */
    STACK(uint32_t) spurious; /* steps that chose a SCHED_SURPRISE; in a cut there are at most */
    int most_spurious;
    bool hashing;           /* whether hashes are wanted */
    bool follows_words;     /* whether contents of memory are asked for in states that were not run */
    bool lost_words;        /* which turned out not to be known */
    bool writes_partly;     /* sched_writes_partly() */
    bool rounds_commute;    /* arrivals with SCHED_ROUNDS are reads of the barrier; else each is a write */
    bool has_rounds;        /* some step was such an arrival */
    bool rounds_overlap;    /* sched_rounds_overlap() */
    bool asks_memory;       /* whether a compare-exchange or a store writes depends on memory; else each does */
    struct sched_hash hash; /* of the graph */
};
void hb_init(struct hb *h, struct pool *pool);
uint32_t hb_cell(struct hb *h, uint64_t key); /* memory: address / 8 * 2; object: address * 2 + 1 */
/* What thread t does if it executes op in the cut: accesses, outcome. Returns whether it is enabled there. */
bool hb_predict(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, uint32_t choice, struct event *e);
/* The step was executed and found and left this in memory. False: it is not what the steps before it left there. */
bool hb_note_words(struct hb *h, struct event *e, const struct sched_outcome *o);
/* 1 + the step that created the thread whose first event comes after `before` (NULL: the first with that number). */
uint32_t hb_creator(const struct hb *h, int t, const struct event *before);
/* The event's clock if it is executed in the cut (out has h->stride entries). */
void hb_clock(const struct hb *h, const uint32_t *cut, const struct event *e, uint32_t *out);
struct sched_hash hb_event_hash(const struct hb *h, const struct event *e, const uint32_t *clock);
/* The entries of a barrier's cell with that number: the arrival, and those of its round before and after it. */
struct round { size_t from, to; };
struct round hb_round_of(const struct hb *h, const struct event *arrival);
void hb_expect_threads(struct hb *h, int threads); /* rows of clocks are long enough for them */
void hb_append(struct hb *h, const struct event *e);
void hb_truncate(struct hb *h, size_t len);
struct sched_hash hb_cut_hash(const struct hb *h, const uint32_t *cut);
static inline const uint32_t *hb_clock_of(const struct hb *h, size_t step) { return h->clocks + step * h->stride; }
/* Step a happens before step b, or is it. */
static inline bool hb_before(const struct hb *h, size_t a, size_t b)
{
    return h->events.at[a].index < hb_clock_of(h, b)[h->events.at[a].thread];
}
/* Step a is in the past of what thread t did so far, or of its creation. */
static inline bool hb_in_past_of(const struct hb *h, size_t a, int t)
{
    uint32_t creator = h->thread[t].creator, steps = (uint32_t)h->thread[t].steps.len;
    if (steps && stack_last(&h->thread[t].steps) >= creator)
        return hb_before(h, a, stack_last(&h->thread[t].steps));
    return creator && hb_before(h, a, creator - 1);
}
/* A step as event_conflict() sees it, wherever it is kept. */
struct acts { int kind, flags, thread; unsigned accesses; sched_set woken; const struct access *access; };
static inline struct acts event_acts(const struct event *e)
{
    return (struct acts){e->kind, e->flags, e->thread, e->accesses, e->woken, e->access};
}
static inline struct acts footprint_acts(const struct footprint *f)
{
    return (struct acts){f->kind, f->flags, f->thread, f->accesses, f->woken, f->access};
}
/* They touch something in common and one of them changes it; steps of one thread are another matter. */
bool acts_conflict_slow(struct acts a, struct acts b);
static inline bool acts_conflict(struct acts a, struct acts b)
{
    /* two accesses to memory or locks, the usual case; kinds up to WRUNLOCK neither wake nor time out */
    if (a.kind <= SCHED_WRUNLOCK && b.kind <= SCHED_WRUNLOCK && a.accesses == 1 && b.accesses == 1)
        return a.access->cell == b.access->cell && (a.access->bytes & b.access->bytes) &&
               (a.access->write || b.access->write);
    return acts_conflict_slow(a, b);
}
static inline bool event_conflict(const struct event *a, const struct event *b)
{
    return acts_conflict(event_acts(a), event_acts(b));
}
/* All others come before or after it. */
static inline bool event_is_global(const struct event *e) { return e->kind == SCHED_GLOBAL || e->kind == SCHED_END; }
/* What memory holds decides whether it writes. */
static inline bool op_asks_memory(const struct sched_op *op)
{
    bool stores = (op->kind == SCHED_WRITE || op->kind == SCHED_RMW) && (op->flags & SCHED_STORES);
    return op->kind == SCHED_CAS || stores;
}
/* Something happens for no reason. */
static inline bool event_is_surprise(const struct event *e) { return (e->flags & SCHED_SURPRISE) && e->choice; }
/* It concerns no other thread but one whose step concerns all. */
static inline bool touches_nothing(const struct event *e)
{
    return !e->accesses && !set_any(e->woken) && !(e->flags & SCHED_TIMED) && !event_is_global(e);
}
bool hb_spurious_left(const struct hb *h, const uint32_t *cut); /* one more surprise is possible in the cut */
bool event_may_block(const struct event *e);
bool kind_may_release(int kind, bool somebody_spins); /* it may enable another thread */
/* The steps of other threads that conflict with e, which its thread is about to do, and that it does not know of: the
 * latest ones, or if `beyond` also those before a conflicting write. Pushed on the stack; how many. */
typedef STACK(uint32_t) step_stack;
size_t hb_races(const struct hb *h, const struct event *e, bool beyond, step_stack *out);
struct sched;
/* What thread t would do next in the cut: a step of this execution, or what it is about to do in the view; or NULL. */
const struct sched_op *pending_op(const struct sched *s, const struct sched_view *view, const uint32_t *cut, int t);
/* The threads that could go on in the cut, which need not have been run, but for those that could end the program. */
sched_set enabled_in_cut(const struct sched *s, const struct sched_view *view, const uint32_t *cut, sched_set *ending);

/* Parts of a tree (parts.c). */
struct bytes { char *at; size_t size, pos; bool short_of; };
void bytes_put(struct bytes *b, const void *from, size_t size);
bool bytes_get(struct bytes *b, void *to, size_t size);
enum { SCHED_MAX_GIVEN = 64 };
struct given {
    uint32_t number;   /* under which it was given away */
    size_t steps;      /* of the schedule that leads to it */
    size_t depth;      /* these two name it: a state of the present execution, and a thread there; or the number of */
    uint32_t which;    /* the first of executions drawn at random, and how many; */
    sched_set expected; /* this is what decides about it and may turn out otherwise */
};
struct part_rules {
    uint32_t node_size;
    bool (*choose)(struct sched *s, struct given *g);
    void (*give)(struct sched *s, const struct given *g, struct bytes *out);
    void (*take)(struct sched *s, struct bytes *in);    /* after `begin` */
    void (*answer)(struct sched *s, struct bytes *out); /* what the part leaves behind */
    bool counts_executions; /* parts keep within config.max_executions by themselves */
};
bool part_begin(struct sched *s);
void parts_cancel(struct sched *s);
bool part_is_given(const struct sched *s, size_t depth, uint32_t which);
/* The part was explored elsewhere: it is counted, and the strategy's share of the answer is in `own`. */
bool part_told(struct sched *s, size_t depth, uint32_t which, sched_set expected, struct bytes *own);

struct strategy {
    const char *name;
    enum { NO_GRAPH, CLOCKS, CLOCKS_AND_HASHES } graph; /* what it needs of the happens-before order */
    void (*begin)(struct sched *s);                    /* the first execution of a level follows */
    struct sched_pick (*pick)(struct sched *s, const struct sched_view *view); /* at depth >= prefix */
    void (*arrived)(struct sched *s, const struct sched_view *view); /* in a state not seen before, also at the end;
                                                          may be NULL */
    bool (*next)(struct sched *s);                     /* after an execution: sets the prefix; false: level exhausted */
    double (*share)(const struct sched *s);            /* of the level's tree that is done, each branch of a node
                                                          weighing the same as far as they are known; may be NULL */
    const struct part_rules *parts;                    /* NULL: it cannot be divided */
    const struct feedback_rules *feedback;             /* of a sampler that learns from its executions, else NULL */
    bool rises;                                        /* it goes through all bounds, whatever the configuration says */
    bool samples;                                      /* it draws executions at random and never covers everything */
    bool ends_may_wait;                                /* of threads; else they are picked before it is asked */
};
extern const struct strategy strategy_dfs, strategy_icb, strategy_random, strategy_pct, strategy_replay, strategy_dpor,
    strategy_optimal, strategy_graphs, strategy_bpor, strategy_cbpor, strategy_cbpor1, strategy_cbgraphs,
    strategy_dpor_plain, strategy_bpor_plain, strategy_pos, strategy_delay, strategy_delay_plain, strategy_swap,
    strategy_surw, strategy_rff, strategy_rare, strategy_estimate;

/* Where states are kept that were reached (known.c): the graph that leads there with its addresses, and whose last step
 * changed memory. */
struct mark { struct sched_hash key; sched_set changed; };

struct halves { uint64_t runs; double at[3]; }; /* estimates, oldest first; runs: when the newest was made */

struct sched {
    struct sched_config config;
    struct pool pool;
    const struct strategy *strategy;
    void *own;                    /* the strategy's */
    STACK(struct step) log;
    STACK(struct sched_step) schedule; /* for sched_schedule(), filled on demand */
    size_t depth, prefix;         /* steps executed; how many of them are repeated */
    size_t alone;                 /* in the first so many states of the execution there was one thread */
    size_t repeats;               /* as many steps are the same as in the last execution that was run */
    size_t arrived;               /* the strategy was in the states up to this depth */
    size_t script;                /* the steps between `prefix` and this one were followed in known.c and not run */
    bool following, is_known;     /* in known.c; the execution was followed to its end */
    bool known_wrong;             /* the program did something else than was known */
    STACK(struct mark) marks;     /* of the states of the execution; none if nothing is kept */
    size_t floor;                 /* of a part: the steps that lead to it, which are in `schedule` to begin with */
    STACK(struct given) given;    /* parts that others explore */
    bool told_to_stop;            /* one of them failed */
    bool started, seen_initial;
    enum sched_end end;           /* of the execution before */
    int bound;                    /* of the current level; -1: none */
    bool pruned;                  /* something was left out because of the preemption bound */
    bool in_step;                 /* picked, not yet executed */
    sched_set enabled;            /* in the state just reached, as the strategies are to see it */
    bool only_ends;               /* all that they can do is to end the program */
    uint32_t yields[SCHED_MAX_THREADS];
    uint32_t taken[SCHED_MAX_THREADS]; /* config.thread_steps: steps since there is a second thread */
    bool all_held;                     /* only threads that have done so many could go on */
    bool has_yielded;                   /* some step of some execution was a yield */
    struct event predicted;       /* of the step picked, if the strategy computed it */
    bool has_predicted;
    struct hb *hb;                /* NULL if neither strategy nor user wants it */
    struct locals *locals;        /* those counted */
    struct sched_divergence divergence;
    struct halves halves;
    uint64_t estimate_at;         /* runs of the level after which to estimate again */
    struct sched_stats stats;
};

/* Executions drawn at random, by their numbers (sample.c). It is the first member of the state of every strategy that
 * samples, so that s->own points to it. */
struct sample {
    uint64_t number, until; /* of the execution at hand; of the first that is not wanted */
    uint64_t state;         /* of the generator that it is drawn with */
    size_t longest;         /* execution with a number below the last power of two */
    size_t reached;         /* the longest so far, of a part only its own */
    uint64_t batch_end;     /* the first execution of the next batch; strategies with feedback only */
    bool is_new;            /* the execution at hand has not asked for a thread yet */
};
void sample_begin(struct sched *s, struct sample *a);
bool sample_is_new(struct sample *a); /* true once in each execution: at its first decision */
bool sample_next_execution(struct sched *s);
uint32_t sample_choice(struct sample *a, const struct sched_op *op); /* stale accesses in one step of four */
extern const struct part_rules sample_parts;

/* Feedback of a sampler. Executions form batches. An execution depends on the seed, its number and what was known when
 * its batch began. What a batch shows becomes known at its end, in the order of the numbers of its executions. So the
 * feedback does not depend on which process ran which execution. */
struct feedback_rules {
    void (*note)(struct sched *s);                      /* the execution at hand has ended: remember what it showed */
    void (*learn)(struct sched *s);                     /* the batch has ended: what it showed becomes known */
    void (*give)(struct sched *s, struct bytes *out);   /* what is known, for a part of the batch */
    void (*take)(struct sched *s, struct bytes *in);
    void (*answer)(struct sched *s, struct bytes *out); /* what the executions of a part showed */
    void (*merge)(struct sched *s, struct bytes *in);   /* as if the part's executions had been noted here */
};

/* Counts for pairs of numbers (tally.c). Rows keep the order in which they were added. */
struct tally_row { uint64_t a, b, count; };
struct tally { STACK(struct tally_row) rows; uint32_t *slots; size_t mask, most; }; /* most: no rows beyond that */
void tally_init(struct tally *t, struct pool *pool, size_t most);
struct tally_row *tally_find(const struct tally *t, uint64_t a, uint64_t b); /* NULL: not there */
struct tally_row *tally_add(struct tally *t, struct pool *pool, uint64_t a, uint64_t b); /* NULL: no room */
void tally_clear(struct tally *t);

/* What an operation touches, for feedback: names of places, which are the same in every execution and process. */
enum { OP_PLACES = 2 };
int op_places(const struct sched_op *op, uint64_t *places); /* how many; 0: it touches nothing that is shared */
bool op_is_memory(const struct sched_op *op);

/* Random priorities of pending operations (priorities.c). */
struct priorities {
    uint64_t of[SCHED_MAX_THREADS];    /* the highest one runs; 0: not drawn yet */
    bool gives_way[SCHED_MAX_THREADS]; /* the thread's last step was a yield */
    size_t depth;                      /* steps of the execution that were followed */
};
void priorities_begin(struct priorities *p);
void priorities_follow(const struct sched *s, struct priorities *p, const struct sched_view *view);
int priorities_highest(struct priorities *p, sched_set among, uint64_t *random);
/* A guess from the operations alone, for strategies that sample: it decides about probabilities, never about what is
 * left out. */
bool ops_conflict(const struct sched_op *a, const struct sched_op *b);

/* The stack that DPOR and BPOR share (por.c). */
enum { POR_DOZING = 4 };
struct por_node {
    sched_set enabled, allowed;
    sched_set releases;       /* of the enabled ones, those whose next operation may enable another thread */
    sched_set backtrack;      /* threads to try here */
    sched_set conservative;   /* and these, if not all was seen below; they may be in backtrack too */
    sched_set done;           /* tried, or beyond the bound */
    sched_set finished;       /* of those, the ones below which nothing was cut off: they may sleep below siblings */
    sched_set sleep;          /* need not be tried: all that they lead to was seen */
    struct { uint64_t asleep; int16_t thread; } dozing[POR_DOZING]; /* weak memory: these choices need not be tried */
    unsigned dozing_count;
    int thread;               /* the one being tried */
    uint32_t choice, next_choice; /* of its operation; next: 0: none */
    bool only_ends;           /* as in struct sched */
    bool branch_partial, partial; /* the bound cut off something: below the thread being tried; below this state */
};
struct por_rules {
    void (*initialize)(struct sched *s, struct por_node *n);
    void (*backtrack)(struct sched *s, size_t step, int thread, const uint32_t *clock);
    bool plain; /* as published: every conflict counts, and nothing is put off */
};
struct por {
    STACK(struct por_node) nodes;
    step_stack races;
    const struct por_rules *rules;
    bool fair;    /* yields count: there is a fair bound, and somebody was seen about to yield */
    bool restart; /* which was just found out: what was searched without counting them is searched again */
    int only;     /* of a part: the thread to try in its first state */
};
/* The threads to try before the step so that thread u, whose pending operation has the given clock, comes before it. */
sched_set por_alternatives(const struct sched *s, size_t step, int u, const uint32_t *clock);
void por_begin(struct sched *s, const struct por_rules *rules);
void por_arrived(struct sched *s, const struct sched_view *view);
struct sched_pick por_pick(struct sched *s, const struct sched_view *view);
bool por_next(struct sched *s);
/* Threads that sleep in the new state: those asleep or done in the state before that the last step does not concern. */
void por_pass_on_sleep(struct sched *s, const struct por_node *before, struct por_node *n,
                       const struct sched_view *view);
extern const struct part_rules por_parts; /* porparts.c */
void por_set_fair(struct sched *s, bool fair); /* whether yields count */
bool por_take_answer(struct sched *s, size_t depth, int thread);
bool por_is_partial(const struct por *p, size_t depth); /* something was cut off so far below the step being tried */
double por_share(const struct sched *s);

/* Wakeup trees (wakeup.c): nodes by number, 0 is none; a list of branches is linked by `next`. What is looked at most
 * is kept close together, for these trees get large. */
struct wakeup_node {
    uint32_t child, next, choice;
    int16_t thread;
    bool inert; /* touches nothing: concerns no other thread */
};
struct wakeup { STACK(struct wakeup_node) nodes; STACK(struct footprint) steps; uint32_t free; };
/* Steps that could be done instead of step `start`: those that do not happen after it, of each thread beginning with
 * its event number `from`, and then a last one. Taking away what the sequence can begin with moves `from`. */
struct sequence {
    size_t start;
    size_t first;       /* no step before this one is in it */
    int thread;         /* of step `start`, */
    uint32_t index;     /* which is that event of it */
    uint32_t from[SCHED_MAX_THREADS];
    bool has_global;    /* a step that concerns all */
    struct event last;
    bool has_last, has_clock;
    uint32_t clock[SCHED_MAX_THREADS]; /* of the last one; computed when it is needed */
};
static inline bool sequence_has(const struct hb *h, const struct sequence *v, size_t step)
{
    const struct event *e = &h->events.at[step];
    return e->index >= v->from[e->thread] && hb_clock_of(h, step)[v->thread] <= v->index;
}
void sequence_cut(const struct hb *h, const struct sequence *v, uint32_t *cut); /* the state before the last one */
uint32_t wakeup_new(struct pool *pool, struct wakeup *w, const struct event *e);
void wakeup_free(struct wakeup *w, uint32_t i);
/* An event of the thread, with that clock, happens after no event but the first `from` of each thread. */
static inline bool is_initial(const struct hb *h, const uint32_t *from, int thread, const uint32_t *clock)
{
    for (int t = 0; t < h->threads; t++)
        if (clock[t] > from[t] && t != thread)
            return false;
    return true;
}
/* The sequence can begin with q, or q does not concern it. */
bool wakeup_is_weak_initial(const struct hb *h, struct sequence *v, const struct footprint *q);
/* Adds the sequence to the branches of a state unless they cover it; how many branches the state got, 0 or 1. */
uint32_t wakeup_insert(const struct hb *h, struct pool *pool, struct wakeup *w, uint32_t *root, struct sequence *v);

/* Which choices of the thread's next step need not be tried (doze.c). */
uint64_t doze_asleep(const struct por_node *n, int thread);
/* The same for the state just reached, if its next step is an access to weak memory: asleep, dozing or awake in n. */
bool doze_passes_on(struct sched *s, const struct por_node *before, struct por_node *n, int thread,
                    const struct sched_op *op);

void locals_note(struct sched *s); /* locals.c */
void swap_note_broken_promise(struct sched *s, const struct step *step); /* swap.c */
void sched_move_to(struct sched *s, size_t depth); /* after that many steps of the log */

/* States that were reached, by their graphs (known.c); all do nothing without config.known. */
void known_step(struct sched *s, bool changed); /* the step was done */
bool known_arrived(struct sched *s, const struct sched_view *view); /* false: it was known to be otherwise */
void known_end(struct sched *s, enum sched_end end);
void known_follow(struct sched *s); /* the execution that begins, as far as it is known */
size_t known_memory(const struct sched_known *k);
bool known_is_on(const struct sched_known *k);
bool known_is_doubted(const struct sched_known *k); /* what was concluded may be wrong */
bool needs_hashes(const struct sched *s); /* whatever is known */

/* Copies what a view says about live threads; the rest of `to` is left alone. */
void view_copy(struct sched_view *to, const struct sched_view *from);

/* Bounds (bound.c). `last` is the thread of the step before, -1 at the beginning. */
int sched_last(const struct sched *s);
bool is_held(const struct sched *s, const struct sched_view *view, int thread); /* it has done config.thread_steps */
sched_set may_go_on(struct sched *s, const struct sched_view *view);
sched_set fair_allowed(const struct sched *s, sched_set enabled);
bool is_preemption(const struct sched *s, sched_set allowed, int thread);
int surprises_so_far(const struct sched *s);
bool within_bound(const struct sched *s, sched_set allowed, int thread, int more); /* more: that the step costs */
struct sched_pick pick_step(int thread, uint32_t choice);
struct sched_pick pick_nothing(enum sched_why why);
uint64_t random_next(uint64_t *state);
uint32_t op_choices(const struct sched_op *op); /* how many there are */
uint32_t free_choices(const struct sched_op *op); /* those that cost nothing: 0 .. n-1 */
uint32_t nth_choice(const struct sched_op *op, uint64_t n); /* of op_choices() */
bool op_has_choice(const struct sched_op *op, uint32_t choice);
int choice_cost(const struct sched_op *op, uint32_t choice);
/* The choice to try after this one if the others cost so much already; 0: none. Notes what the bound leaves out. */
uint32_t next_choice(struct sched *s, const struct sched_op *op, uint32_t choice, int cost);
/* The same, for the step at that depth of the execution just run. */
uint32_t next_choice_at(struct sched *s, size_t depth);

#endif
