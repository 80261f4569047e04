/* The exploration of schedules without states: which thread goes next, and whether there is another schedule to try.
 *
 * Linked into the checked program beside the runtime, so: no stdio, no globals, no memory but from the allocator given,
 * and nothing known of C programs. Everything returned belongs to the sched and lives until sched_free().
 *
 * The runtime's loop, all calls on one kernel thread:
 *
 *     struct sched *s = sched_new(&config);
 *     while (sched_start(s)) {                          // another execution is wanted: begin the program anew
 *         while ((pick = sched_pick(s, &view)).thread >= 0)
 *             execute the pending operation of pick.thread, go on to that thread's next one;
 *             sched_executed(s, &outcome);
 *         sched_finish(s, how the execution ended);
 *     }
 *     sched_stats(s)->complete says whether everything within the bound was covered.
 *
 * What the runtime promises:
 * - A thread's steps are exactly its operations: the code between two operations touches nothing shared. The pending
 *   operation of every live thread is known at every sched_pick (a new thread runs to its first one when created).
 * - Given the same picks the program does the same: a difference from an earlier execution with the same prefix is
 *   found here and ends the search with SCHED_STOP_DIVERGED (sched_divergence() says where).
 * - Thread numbers are small (below SCHED_MAX_THREADS), and a thread has the same number in all executions that do the
 *   same up to its creation in their creator (number by creator and how manieth child, not by order of creation). The
 *   first is 0. The number of a thread that ended may be given to another by a thread that joined it: so everything
 *   with one number is ordered, as if one thread had done it. OPTIMAL and CBPOR do not take that.
 * - Addresses are nonzero. Memory and synchronisation objects are different things even at the same address. */
#ifndef HEDDLE_SCHEDULE_H
#define HEDDLE_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/set_int.h"

enum { SCHED_MAX_BOUND = 64 };

/* One row per kind of operation: name, text. The comments say what `object`, `object2`, `count` and `value` hold (0
 * where not named) and when the operation is enabled (always where not said). A mutex, rwlock, condition variable,
 * semaphore or barrier is named by its address. */
#define SCHED_KINDS(X) \
    X(NONE, "none")             /* no such thread, or it has ended */ \
    X(READ, "read")             /* object: address, count: size in bytes, at most 16 (split what is longer); object2: a
                                   second location, touched in the same way (then at most 8 bytes each), or 0 */ \
    X(WRITE, "write")           /* same; atomic or not makes no difference here */ \
    X(RMW, "rmw")               /* same; exchange, fetch-add, compare-exchange of which nothing more is known */ \
    X(CAS, "cas")               /* same, at most 8 bytes within one aligned word; a compare-exchange, which only reads
                                   if it fails. value: what it expects there, SCHED_FITS: it is there now */ \
    X(LOCK, "lock")             /* mutex. Enabled: free. Relocking a recursive mutex by its owner is no operation */ \
    X(TRYLOCK, "trylock")       /* mutex; also the timed lock: it fails when picked while the mutex is taken */ \
    X(UNLOCK, "unlock")         /* mutex */ \
    X(RDLOCK, "rdlock")         /* rwlock. Enabled: no writer holds it */ \
    X(TRYRDLOCK, "tryrdlock")   \
    X(RDUNLOCK, "rdunlock")     \
    X(WRLOCK, "wrlock")         /* rwlock. Enabled: nobody holds it */ \
    X(TRYWRLOCK, "trywrlock")   \
    X(WRUNLOCK, "wrunlock")     \
    X(WRWAIT, "wrwait")         /* rwlock that prefers writers: from now on the thread waits; WRLOCK follows */ \
    X(COND_WAIT, "wait")        /* object: condition, object2: mutex, which it releases, or 0; COND_RESUME follows */ \
    X(COND_RESUME, "resume")    /* same; takes the mutex again. Enabled: mutex free, and woken or SCHED_TIMED. Without
                                   object2 it only stops waiting, and a LOCK follows: what times out does so whoever
                                   has the mutex, and what is signalled from then on is not for it */ \
    X(SIGNAL, "signal")         /* condition; count: threads waiting now and not yet woken; the choice says which (in
                                   order of thread number) */ \
    X(BROADCAST, "broadcast")   /* condition */ \
    X(SEM_WAIT, "sem-wait")     /* semaphore, value: its count when it was set up. Enabled: count above zero */ \
    X(SEM_TRYWAIT, "sem-trywait") /* same; also the timed wait */ \
    X(SEM_POST, "sem-post")     /* same */ \
    X(SEM_READ, "sem-getvalue") /* same */ \
    X(PUT, "put")               /* object: a channel, which has two addresses; count: bytes to put in behind those that
                                   are there, as many as fit, or with SCHED_WHOLE all or none; value: how many it holds.
                                   Fails if none fit. object2: 4 bytes of memory that it changes if it does not, or 0.
                                   Enabled: not SCHED_WAITS, or it does not fail */ \
    X(TAKE, "take")             /* same; takes at most count bytes, or with SCHED_WHOLE what was put in at once, and
                                   fails if there are none. Enabled: same */ \
    X(PEEK, "peek")             /* same; fails if no byte is there (count 0), or there is no room for count bytes */ \
    X(BARRIER, "barrier")       /* value: number of threads it is for; arrives. The next one is BARRIER_LEAVE */ \
    X(BARRIER_LEAVE, "leave")   /* same. Enabled: all threads of the round have arrived. If one of them is SCHED_ASKS
                                   the first one that leaves is the serial thread, and the others fail */ \
    X(CREATE, "create")         /* object: number of the new thread, which is in the view after this */ \
    X(JOIN, "join")             /* object: number of the thread. Enabled: it executed EXIT */ \
    X(EXIT, "exit")             /* the last one of every thread. Picked at once, for it only helps others */ \
    X(YIELD, "yield")           /* also sleep: the thread cannot go on usefully before others have run */ \
    X(CHOOSE, "choose")         /* count: number of values; the choice is one of 0 .. count-1; or SCHED_SURPRISE */ \
    X(INIT, "init")             /* object is set up anew (or destroyed); value: count of the semaphore, else 0 */ \
    X(GLOBAL, "global")         /* depends on every step of every other thread, e.g. the start of an atomic section */ \
    X(END, "end")               /* the program ends with it, in the middle of what others do: live stays as it is,
                                   enabled is 0 from then on, and sched_pick is still called once more before
                                   sched_finish. Picked when nobody else can go on: see doc/schedule.md */ \
    X(NEVER, "never")           /* Never enabled: the thread assumed something that does not hold */ \
    X(LOCAL, "local")           /* a step that touches nothing shared, e.g. the beginning of a thread */
enum sched_kind {
#define SCHED_KIND_ENUM(name, text) SCHED_##name,
    SCHED_KINDS(SCHED_KIND_ENUM)
#undef SCHED_KIND_ENUM
    SCHED_KIND_COUNT
};

enum sched_flag {
    SCHED_TIMED = 1, /* COND_RESUME: may also time out (or wake up spuriously): enabled whenever the mutex is free */
    SCHED_SPIN = 2,  /* READ or RMW about to repeat rounds of a loop that left nothing behind and saw nothing change:
                        it waits until another thread changes `object` or `object2` (0: none; only read).
                        The flag stays on the operation until it is executed, also once it is enabled.
                        A loop over more locations should be presented as yielding instead */
    SCHED_WAITS = 8, SCHED_WHOLE = 16, /* PUT, TAKE, PEEK */
    SCHED_CLOSED = 32, /* PUT, TAKE, PEEK: nobody is at the other end any more, which a GLOBAL step brought about: it is
                          enabled; PUT fails, what finds nothing does not */
    SCHED_ROUNDS = 16, /* BARRIER: arrivals of one round commute, for strategies that can make use of it. Not once
                          sched_rounds_overlap() */
    SCHED_ASKS = 32,   /* BARRIER: the thread may look whether it is the serial one */
    SCHED_BEHIND = 64, /* RDLOCK, TRYRDLOCK: also held back by writers that wait; WRLOCK: it was one of these */
    SCHED_SURPRISE = 128, /* CHOOSE: whether something happens for no reason, `older` is 2 if it may: an execution has
                             at most config.spurious choices of 1 there. Each costs as much as a preemption */
    SCHED_FITS = 4,  /* CAS: it would succeed in this state; SCHED_STORES: memory holds this value in this state; kept
                        up to date in the view, at every sched_pick. BARRIER_LEAVE in weak memory: it does not fail */
    SCHED_STORES = 64, /* WRITE, RMW, at most 8 bytes within one aligned word: value is what it leaves there. In a state
                          where memory holds it already the operation only reads. Not in weak memory, and not once
                          sched_writes_partly() */
};

struct sched_op {
    uint8_t kind;  /* enum sched_kind */
    uint8_t flags;
    uint8_t order, fail_order; /* of an atomic access: 1 + __ATOMIC_RELAXED and so on; 0: it is none, or has no choices
                                  in weak memory because accesses of several sizes overlap there */
    uint32_t count;
    uint64_t object, object2;
    int64_t value;
    uint64_t older; /* READ, WRITE, RMW, CAS in weak memory: bit k, from 1: choice k is possible, which is to pass over
                       the k newest writes of the place: to read the one before them, to be placed before them. Kept up
                       to date in the view; changed by writes to the place only. Each choice but 0 costs as much as a
                       preemption */
    uint64_t taken;   /* of the choices that are not possible, those for which a write that is read by another
                         read-modify-write is the only reason */
    uint64_t updates; /* CAS, RMW: bit k, from 0: it writes if choice k is made */
    uint64_t site;    /* where in the program's code it is, for feedback of samplers; 0: not known */
};

/* What was put into a channel at once is named by the channel and the position of its first byte, counted from the
 * first one ever put in: not always differently. */
static inline uint64_t sched_channel_part(uint64_t channel, uint64_t position)
{
    enum { PARTS = 1021 };
    return channel ^ (1 + position % PARTS) << 48; /* addresses have 48 bits */
}

/* The state between two steps, kept up to date by the runtime (only what changed needs to be written). */
struct sched_view {
    sched_set live;    /* t exists and has not executed EXIT */
    sched_set ending;  /* next[t] is END, which counts as enabled until the program has ended */
    sched_set enabled; /* t is live and next[t] can be executed now, exactly as said at the kinds above: the
                         reductions also ask their own model of the objects about states not visited yet */
    struct sched_op next[SCHED_MAX_THREADS];
};

/* thread < 0: no step, call sched_finish now. NONE_ENABLED: with SCHED_END_NORMAL if live is empty or the program ended
 * itself, else with SCHED_END_DEADLOCK; STOP: with SCHED_END_CUTOFF; AWAIT: only threads could go on that would repeat
 * a round of a loop, with SCHED_END_ASSUMED; otherwise with SCHED_END_ABANDONED. */
enum sched_why {
    SCHED_PICK_STEP, SCHED_PICK_NONE_ENABLED, SCHED_PICK_REDUNDANT, SCHED_PICK_BOUND, SCHED_PICK_AWAIT, SCHED_PICK_STOP
};
struct sched_pick {
    int thread;
    uint32_t choice; /* SIGNAL with count > 1, CHOOSE: which; memory: how many writes are passed over; else 0 */
    bool preemption; /* the thread of the step before could have gone on */
    enum sched_why why;
};

struct sched_outcome {
    bool failed;    /* TRY..., CAS did not get it; COND_RESUME timed out; BARRIER_LEAVE: see there */
    bool changed;   /* WRITE, RMW, CAS: memory now differs (true is always safe; false for a failed compare-exchange) */
    bool has_words; /* before and after are the contents of the aligned words of 8 bytes around `object`: without them,
                       or if they are changed unseen, OPTIMAL and CBPOR take all CAS for writes */
    uint64_t before[2], after[2];
    sched_set woken; /* SIGNAL, BROADCAST: threads woken */
};

enum sched_end {
    SCHED_END_NORMAL,    /* all threads ended */
    SCHED_END_ASSUMED,   /* nobody could go on, and somebody's assumption does not hold: no execution of interest. So
                            does a thread that waits in a loop and would find another value if it looked again */
    SCHED_END_DEADLOCK,  /* some live thread, none enabled; sched_is_livelock() if one of them spins */
    SCHED_END_FAILURE,   /* the program failed and could not go on, in a step or after it */
    SCHED_END_CUTOFF,    /* more steps than wanted: an endless loop, perhaps a livelock */
    SCHED_END_ABANDONED, /* sched_pick said so */
    SCHED_END_COUNT
};

enum sched_strategy {
    SCHED_DFS,     /* every schedule (within the bound) */
    SCHED_ICB,     /* the same, bound after bound, each schedule once */
    SCHED_RANDOM,
    SCHED_PCT,     /* random priorities with `bound` change points; without a bound 0 to 3 in turn */
    SCHED_REPLAY,  /* the schedule given */
    SCHED_SWAP,    /* random schedules that test whether independent steps commute (swap.c); needs config.states */
    SCHED_DPOR,    /* persistent sets and sleep sets; unbounded */
    SCHED_OPTIMAL, /* source sets and wakeup trees: every trace once; in weak memory every graph once; unbounded */
    SCHED_BPOR,    /* partial order reduction within a preemption bound, a fair bound or both */
    SCHED_CBPOR,   /* every happens-before graph within the preemption bound once */
    SCHED_CBPOR1,  /* the same by visiting every beginning of a graph once; not in weak memory */
    SCHED_DPOR_PLAIN, SCHED_BPOR_PLAIN, /* as their papers print them, without optimisations; not in weak memory */
    SCHED_DELAY_PLAIN, /* every schedule, by how often a deterministic scheduler is delayed: the bound counts that */
    SCHED_DELAY,   /* at least one schedule of every graph within such a bound */
    SCHED_POS,     /* partial order sampling: random priorities of operations */
    SCHED_SURW,    /* uniform over the orders of the accesses to places that are drawn for each execution */
    SCHED_RFF,     /* reads-from feedback: constraints on which write a read takes, mutated as fuzzers do */
    SCHED_RARE,    /* returns to states that earlier executions seldom reached, and samples from there */
    SCHED_ESTIMATE, /* random walks that predict how many executions a reduced search needs (stats.estimate) */
    SCHED_STRATEGY_COUNT
};

struct sched_step { int32_t thread; uint32_t choice; };

/* Others that explore parts of the tree (sched_give() below). */
struct sched_crew {
    /* What came of the part with that number, `size` bytes that are good until the next call; NULL: it has to be
     * explored here after all. May take as long as it takes. */
    const void *(*answer)(void *context, uint32_t number, size_t *size);
    void (*cancel)(void *context, uint32_t number); /* nobody will ask */
    void *context;
};

/* What executions showed of the program, for BPOR: an execution of a graph that was run before is followed to its end
 * without the program. Belongs to the caller, who gives it to one search or to several, in turns, of the same
 * program with the same operations; holds at most `memory` bytes. */
struct sched_known;

/* SWAP: the state between two steps, in everything that the program or its threads can notice, and what threads are
 * about to access. Addresses may differ if the program cannot tell. */
struct sched_states {
    bool (*keep)(void *context);    /* the present one, in the place of the one kept before; false: it cannot be told */
    bool (*is_kept)(void *context); /* the present one is the one kept last */
    void *context;
};

struct sched_config {
    enum sched_strategy strategy;
    int bound;        /* preemptions and other surprises (struct sched_surprises) at most; -1: no bound. If rising, the
                         last bound to try, -1: until complete */
    bool rising;      /* go through bounds 0, 1, 2, ... until one leaves nothing out (always so for ICB and delays) */
    int fair_bound;   /* how many more yields than the least yielding enabled thread one may do; -1: no matter.
                         DPOR, OPTIMAL and CBPOR ignore it */
    size_t max_steps; /* of one execution; then sched_pick says SCHED_PICK_STOP: finish with SCHED_END_CUTOFF */
    size_t thread_steps; /* of one thread in one execution, 0: no limit. A thread that has done them is held back, and
                         if only such threads can go on sched_pick says SCHED_PICK_STOP. BPOR and DFS know this */
    size_t max_start; /* steps that do not count there: those before there is a second thread, up to so many */
    uint64_t max_executions; /* 0: no limit; strategies that sample never end without one */
    int spurious;     /* see SCHED_SURPRISE */
    uint64_t seed;
    bool weak;        /* memory is weak: what a compare-exchange reads is a choice, so each counts as a write */
    bool graphs;      /* for sched_graph() and sched_simplify() */
    bool locals;      /* count local states */
    bool verify;      /* BPOR: check its postconditions in every state (slow, for tests); SWAP: ask the model of the
                         objects in every state which threads are enabled */
    size_t memory;    /* bytes at most, 0: no limit */
    struct sched_crew crew;
    struct sched_states states;
    struct sched_known *known; /* NULL: all is run */
    const void *part; /* explore only this, of `part_size` bytes; made by sched_give() of a search with the same
                         configuration; must outlive the sched */
    size_t part_size;
    const struct sched_step *schedule; /* REPLAY: must outlive the sched; beyond its end the running thread goes on */
    size_t schedule_len;
    bool loose;                        /* REPLAY: steps that are not possible are passed over */
    struct { /* release gets the size that was asked for */
        void *(*alloc)(void *context, size_t size); /* 16-byte aligned, contents undefined; NULL is fatal after
                                                       sched_new(), so give less in `memory` than there is */
        void (*release)(void *context, void *p, size_t size);
        void *context;
    } memory_pool;
};

enum sched_stop {
    SCHED_STOP_NOT_YET,
    SCHED_STOP_COMPLETE,   /* every schedule there is, or with a bound every one within it */
    SCHED_STOP_EXECUTIONS, /* max_executions */
    SCHED_STOP_MEMORY,
    SCHED_STOP_DIVERGED,   /* the program did something else than before after the same steps */
    SCHED_STOP_KIND,       /* OPTIMAL in weak memory: an operation that it does not know there */
    SCHED_STOP_DIFFERS,    /* SWAP: two independent steps do not commute; sched_swap() says which */
};

/* One row of the ledger; `executions` and the like count this bound alone. */
struct sched_level {
    int bound;                                 /* -1: unbounded */
    bool done;                                 /* every schedule within this and all lower bounds came to its end */
    bool pruned;                               /* the bound left something out */
    uint64_t executions, ends[SCHED_END_COUNT]; /* executions without those that were abandoned, which are `blocked` */
    uint64_t blocked, steps;
    uint64_t locals;                           /* local states of this and all lower bounds */
};

struct sched_stats {
    enum sched_stop stop;
    bool complete;  /* stop is COMPLETE, nothing was cut off or failed, the last bound pruned nothing: all schedules */
    bool unfair;    /* the fair bound held a thread back: what it forbids was not covered; else it changed nothing */
    uint64_t executions, blocked, steps, ends[SCHED_END_COUNT];
    uint64_t locals; /* distinct local states that threads were in after a step; with config.locals */
    uint64_t swaps;  /* SWAP: pairs of steps that were found to commute */
    uint64_t known;  /* of the executions, those that were not run: config.known had seen their graphs */
    size_t max_depth, memory;
    double estimate; /* of the runs of the current level in all, from the share of the tree seen so far (weighted by the
                        branches passed on the way), smoothed; 0: not known (samples, CBPOR).
                        ESTIMATE: a prediction of the number of graphs */
    double doubt;    /* they are probably at least so many times less, at most so many times more; 0: not known yet */
    int levels;
    struct sched_level level[SCHED_MAX_BOUND + 1];
};

struct sched;
struct sched *sched_new(const struct sched_config *config); /* NULL: no memory */
bool sched_start(struct sched *s);
/* How many steps the execution that was started has in common with the last one that was run. Where the program can go
 * back to a state on the way, sched_resume() takes the place of its first steps: the next sched_pick() is for the step
 * after the first `depth`, which are at most so many. sched_depth(): those done so far. */
size_t sched_repeats(const struct sched *s);
void sched_resume(struct sched *s, size_t depth);
size_t sched_depth(const struct sched *s);
size_t sched_counted_steps(const struct sched *s); /* those done so far that count for max_steps */
bool sched_is_cut(const struct sched *s); /* the execution has all the steps that it may have */
/* With config.known: the execution that was started is over, in this way, and nothing is to be run. */
bool sched_is_known(const struct sched *s, enum sched_end *end); /* end may be NULL */
struct sched_pick sched_pick(struct sched *s, const struct sched_view *view);
void sched_executed(struct sched *s, const struct sched_outcome *outcome);
void sched_finish(struct sched *s, enum sched_end end);
const struct sched_stats *sched_stats(const struct sched *s);
void sched_free(struct sched *s);
struct sched_known *sched_known_new(const struct sched_config *config, size_t memory); /* NULL: no memory */
void sched_known_free(struct sched_known *k);
/* What a thread does next, or at which addresses, is not decided by what happens before it alone. */
void sched_known_whole(struct sched_known *k);

/* ---- Dividing a search ----
 *
 * What is named: a part is a step that the search will take later, with all below it; of executions drawn at random a
 * range of their numbers. It is bytes: the strategy, the bound of the level, the schedule that leads to the state
 * before the step (thread and choice of each step), and what of the strategy's own state decides about everything
 * below. There are no addresses in it, so it means the same wherever the same program, built alike, knows as much of
 * itself.
 * What comes back: an answer, bytes too. Counts to be added to the row of the ledger, what was found out about the
 * states above the part, and whether an execution failed, which ends the search there.
 *
 * The search that gives parts away goes on where it is. When it comes to the step it takes the answer, if there is one
 * and what decides about the part is as was expected; otherwise it goes down itself. So what it does, counts and finds
 * is decided by the tree: the same whether parts are given away or not, to whom, and in which order they come back. */

/* Between two executions: writes down a part, and remembers it by the number. Returns its size; 0: there is none, or it
 * needs more room. */
size_t sched_give(struct sched *s, uint32_t number, void *out, size_t room);
/* Of a search of one part, at its end, or after an execution that failed if that ends the search (failed); 0: it has no
 * answer, or it needs more room. */
size_t sched_answer(struct sched *s, bool failed, void *out, size_t room);
/* Some write covers only a part of what a CAS or a SCHED_STORES covers. Then whether two steps commute may depend on a
 * step that commutes with one of them, and executions may be lost: the program has to be explored anew with RMW instead
 * of CAS, and without SCHED_STORES. */
bool sched_writes_partly(const struct sched *s);
/* A thread arrived at a barrier with SCHED_ROUNDS and need not come after the round before. Then the order of arrivals
 * decides which threads make up a round, and executions may be lost: the program has to be explored anew without
 * SCHED_ROUNDS. */
bool sched_rounds_overlap(const struct sched *s);
bool sched_has_given(const struct sched *s); /* parts of which the answers are not known yet */
/* Searches of this kind, with config.weak or without, have parts; limited: also with max_executions. */
bool sched_divides(enum sched_strategy strategy, bool weak, bool limited);
bool sched_is_for_interleavings(enum sched_strategy strategy); /* it does not know weak memory */
bool sched_samples(enum sched_strategy strategy); /* it draws executions at random and never covers everything */
bool sched_counts_delays(enum sched_strategy strategy);
bool sched_asks_of_cuts(enum sched_strategy strategy); /* they ask what threads would do in states that were not run */

/* The way of parts and answers (depot.c): a table in memory that those who explore one tree share, zeroed to begin
 * with. Members have numbers; 0 is the one whose search is the whole. All may give parts of theirs, and take others'.
 * It has room for DEPOT_SLOTS parts on their way.
 *
 *   giver      while (depot_wanted(d) > 0 && depot_open(d, &n))
 *                  depot_post(d, n, sched_give(s, n, depot_part_room(d, n), DEPOT_ROOM));
 *   taker      depot_take(d, &n, &size): sched_new() with that part; as long as depot_is_wanted(d, n) it runs
 *              executions, gives parts of it away itself, and tells of its progress with depot_note(); at the end
 *              depot_answer(d, n, sched_answer(s, ..., depot_answer_room(d, n), DEPOT_ROOM), ...)
 *   giver      in sched_crew.answer: depot_ask(d, n), and depot_read(d, n) if there is one; in
 *              sched_crew.cancel, and when the answer is not needed any more: depot_withdraw(d, n)
 *
 * Between machines: whoever carries the messages is a member of the table at the giver's side for each that explores
 * elsewhere. It is idle when that one is, takes a part, sends its bytes, and on the other side opens a slot of another
 * table, posts the bytes, asks until there is news, and sends answer and failed schedule back, which it hands in as its
 * own. A machine that is lost is depot_forget(): its parts have no answer, and are explored by who gave them. */
enum { DEPOT_SLOTS = 64, DEPOT_MEMBERS = 1024 };
#define DEPOT_ROOM ((size_t)64 << 20) /* of a part, and of its answer with a schedule */
struct depot { /* a member's */
    struct depot_table *table; /* depot_size() bytes */
    int member;
    void (*wake)(uint32_t *bell); /* those who wait for the bell to change */
};
size_t depot_size(void);
uint32_t *depot_bell(const struct depot *d); /* changes with whatever somebody may wait for */
int depot_wanted(const struct depot *d);     /* members that wait, without those for which there is something */
void depot_set_idle(const struct depot *d, bool is_idle);
bool depot_is_idle(const struct depot *d, int member);
void depot_forget(const struct depot *d, int member); /* it is gone, or ends */

bool depot_open(const struct depot *d, uint32_t *number); /* a slot; false: all are in use */
void *depot_part_room(const struct depot *d, uint32_t number);
void depot_post(const struct depot *d, uint32_t number, size_t size); /* 0: nothing after all */
void depot_withdraw(const struct depot *d, uint32_t number);

bool depot_take(const struct depot *d, uint32_t *number, size_t *size); /* false: there is nothing to take */
bool depot_is_wanted(const struct depot *d, uint32_t number);
void depot_note(const struct depot *d, uint32_t number, const struct sched_stats *stats);
void *depot_answer_room(const struct depot *d, uint32_t number);
/* The answer is in its room; size 0: there is none. If an execution failed, its schedule. */
void depot_answer(const struct depot *d, uint32_t number, size_t size, const struct sched_step *failed,
                     size_t failed_steps);
void depot_drop(const struct depot *d, uint32_t number); /* it will have no answer */

enum depot_news { DEPOT_NO_ANSWER, DEPOT_IN_HAND, DEPOT_ANSWERED };
enum depot_news depot_ask(const struct depot *d, uint32_t number);
struct depot_answer { const void *at; size_t size; const struct sched_step *failed; size_t failed_steps; };
struct depot_answer depot_read(const struct depot *d, uint32_t number); /* once */
/* The same, and it stays there; of anybody's part, if he has been stopped. */
struct depot_answer depot_look(const struct depot *d, uint32_t number);
void depot_add_unfinished(const struct depot *d, struct sched_stats *stats); /* of parts not read so far */

/* The execution just run or finished: its schedule (enough for SCHED_REPLAY), including a step that was picked and
 * failed before sched_executed; and its preemptions. */
size_t sched_schedule(const struct sched *s, const struct sched_step **steps);
int sched_preemptions(const struct sched *s);
/* All that the bound counts: preemptions, reads of a write that is not the newest, writes placed before others, and
 * what happened for no reason. */
struct sched_surprises { int preemptions, stale_reads, early_writes, spurious; };
struct sched_surprises sched_surprises(const struct sched *s);
/* In the state of the last sched_pick: the threads from which it would be a preemption to switch away, but for the fair
 * bound. */
sched_set sched_could_go_on(const struct sched *s);
/* The equivalent order (same happens-before) with the fewest preemptions in which the threads of the goal do all the
 * steps that they did in the execution just finished; the others may stop earlier. `end` is the state at its end.
 * Returns how many preemptions, or -1 after most_nodes nodes. With config.graphs, or a strategy that reduces. */
struct sched_goal {
    sched_set threads;
    int last; /* the thread whose last step comes after all others, e.g. because it fails; -1: any */
};
int sched_simplify(struct sched *s, const struct sched_view *end, const struct sched_goal *goal, size_t most_nodes,
                   const struct sched_step **steps, size_t *len);
/* A thread of the view waits in a loop for a location that nobody will change any more. */
bool sched_is_livelock(const struct sched_view *view);
/* After SCHED_STOP_DIVERGED: at which step which thread was expected to do what, and what it was about to do. */
struct sched_divergence { size_t step; int thread; struct sched_op expected, found; };
struct sched_divergence sched_divergence(const struct sched *s);

/* After SCHED_STOP_DIFFERS: how the order of two steps that the relation calls independent shows. */
enum sched_swap_kind {
    SWAP_DISABLED, /* a step of the pair cannot be done in the other order */
    SWAP_PENDING,  /* it is another operation there */
    SWAP_OUTCOME,  /* its outcome is another one */
    SWAP_FOOTPRINT, /* it touches something else, or in another way */
    SWAP_LIVE, SWAP_ENABLED, SWAP_NEXT, /* after both: a thread lives, is enabled, or is about to do something else */
    SWAP_STATE,    /* memory, or an object of the runtime */
    SWAP_ENDED,    /* the execution ends before both are done */
    SWAP_PROMISE,  /* of a single step: its outcome is not the one that the model of the objects predicts */
};
struct sched_swap {
    enum sched_swap_kind kind;
    size_t depth;         /* the pair are the last two of so many steps */
    int threads[2];
    struct sched_op ops[2];
    int thread;           /* that differs, or -1 */
    struct sched_op first, second; /* its operation, in either order */
};
struct sched_swap sched_swap(const struct sched *s);

const char *sched_kind_name(enum sched_kind kind);
const char *sched_strategy_name(enum sched_strategy strategy); /* as in --explore=NAME */

/* The happens-before graph of the execution so far as a hash, equal for equivalent executions; with config.graphs. */
struct sched_hash { uint64_t lo, hi; };
struct sched_hash sched_graph(const struct sched *s); /* 0, 0 without config.graphs */

/* Execution graphs of weak memory, RC11 (rc11.c, doc/memory-model.md). Events are listed in an order in which they were
 * or could be executed; that of each thread is its program order. */
enum { RC11_READ = 1, RC11_WRITE = 2, RC11_FENCE = 4, RC11_SC = 8 };
enum { RC11_INITIAL = 65535 }; /* as a thread: before everything */
struct rc11_event {
    uint16_t thread;
    uint8_t what;
    uint32_t index;  /* grows within the thread */
    uint32_t epoch;  /* another thread's event comes after it in happens-before if that knows this much of the thread */
    uint32_t place;  /* 0: none */
    uint32_t rf;     /* READ: the event read from */
    uint32_t pos;    /* WRITE: in the order of modification of its place */
};
struct rc11_graph {
    const struct rc11_event *events;
    uint32_t count;
    const uint32_t *clocks; /* a row of `stride` for each event: what it knows of each thread */
    size_t stride;
};
bool rc11_before(const struct rc11_graph *g, uint32_t a, uint32_t b); /* happens-before, not itself */
/* The order that RC11 asks of seq_cst accesses and fences (psc) has no cycle that was closed by the newest event, an
 * access. `room` is 4 bytes per event. */
bool rc11_sc_consistent(const struct rc11_graph *g, uint8_t *room);

#endif
