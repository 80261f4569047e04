/* Inside the runtime: threads, scheduling points, and the one struct that holds everything that changes.
 *
 * Nothing here may use malloc, stdio, errno or thread-local variables: the code runs between any two instructions of
 * the program. Memory is mapped once at the start. All threads of the program are contexts on one kernel thread. */
#ifndef HEDDLE_RUNTIME_INTERNAL_H
#define HEDDLE_RUNTIME_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/calls_int.h"
#include "runtime/runtime.h"

#include <assert.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unwind.h>

/* Weak: a program may bring its own, e.g. reach_error(). */
#define EXPORT __attribute__((visibility("default"), weak))
#define CALLER ((uintptr_t)__builtin_return_address(0))
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define PAGE 4096ul
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* As in base/base.h. The runtime is never built with sanitizers itself, so that the Makefile says it. Both are about
 * what only the runtime writes: whatever the program can write to may be anything. */
#ifdef CHECK_EVERYTHING
enum { CHECKS_EVERYTHING = 1 };
#else
enum { CHECKS_EVERYTHING = 0 };
#endif
#define assert_costly(condition) assert(!CHECKS_EVERYTHING || (condition))

enum { MAX_THREADS = SCHED_MAX_THREADS, MAX_KEYS = 1024, MAX_CALLS = 1024, MAX_QUIET = 32, MAX_HELD = 1024 };
enum { MAX_WRITTEN = 256 };
enum { MAX_ATEXIT = 1 << 14 };
enum { DECISION_STACK = 64 << 20, STACK_SIZE = 8 << 20 };
enum { RUNTIME_NEEDS = 4096 }; /* of a stack that the program gave, for its own functions */
#define STACKS_BASE 0x5d0000000000ul /* of the program's threads, one after the other */

struct clock { uint32_t at[MAX_THREADS]; };

/* One frame of the shadow call stack; `frame` tells frames that were left by longjmp or an exception. */
struct call { uintptr_t pc, frame, function, frame_pointer; };

/* A read since the thread last had an effect; `when` counts the reads of the thread. See spin.c. */
struct quiet_read {
    uintptr_t pc, address, size;
    uint64_t state, when;
    uint32_t written;           /* plain writes before it, of those kept */
    uint32_t source;            /* the write that it took, in weak memory; 0: the newest */
    bool changed;
};
/* What a plain write since then found. */
struct plain_write { uintptr_t address; uint32_t size; uint64_t before; };

struct open_file;
struct thread;
typedef bool enabled_test(const struct thread *t);

struct thread {
    int id;                     /* as the strategies know it */
    bool live, finished, detached, joined, started;
    bool ended;                 /* for those who try to join it, where there are any */
    bool detached_children;     /* it has created threads that are detached, as far as it knows */
    void *sp;                   /* when not running */
    uintptr_t tls;              /* of a parked kernel thread: see thread.c */
    char *stack_low, *stack_high;
    char *tls_low, *tls_high, *tls_copy; /* thread-local variables; as they are before a thread uses them */
    int taken;                  /* numbers that were new when this one, or who had its number before, gave them out */
    int spare, spare_last, next_spare; /* numbers that it joined and may give out again: a list; 0 is its end */
    char *given_low, *given_high; /* the stack that it runs on, if the program gave it one */
    uintptr_t floor;            /* frames below this one overflow the stack; 0: none do */
    uintptr_t deepest;          /* frame seen in this execution, on its own stack */
    uintptr_t frame;            /* at its last scheduling point */
    void *(*start)(void *);
    void *argument, *result;
    int creator, children;
    int entering;               /* creations for which it has waited until there was room, and that are not done */
    bool has_room;              /* it takes the room of one thread: room.c */
    int nth;                    /* of its creator's: how many of them had numbers of their own when it was created */
    char name[32];
    uint64_t processors;        /* the first 64 of those on which it may run, as the program says; 0: it does not */

    struct sched_op op;         /* what it is about to do */
    enabled_test *enabled;      /* NULL: always */
    uintptr_t op_pc;
    const char *label;
    struct rt_stack op_stack;   /* when recording: where it is about to do it */
    bool woken, signal_came;
    bool asks_serial;           /* at a barrier: it looks whether it is the serial thread; in a full round, one does */
    int may_be_serial;          /* of a round that no thread has left so far: its name; else 0 */
    struct open_file *in_call;  /* that it reads from or writes to just now */
    const pthread_mutex_t *waits_with; /* at its last wait on a condition variable */
    uint64_t signals, mask, waits_for; /* sent to it and not yet taken; blocked; that it waits for */
    uint32_t interruptions;     /* handlers run so far */
    uint32_t sent;              /* signals to other threads */
    bool interrupted;           /* op says so; what it was about to do comes after that */
    bool never_restarts;        /* it sleeps or polls, which no flag of a handler lets go on */
    bool may_break_off;         /* it is in a call that a handler can break off */
    bool broken;                /* by a handler after which waiting is not to go on */
    bool cancelled, cancel_disabled, cancel_asynchronous, at_cancellation_point, exiting;
    bool was_asynchronous;      /* at some time */
    struct _Unwind_Exception unwinding; /* C++ frames, at its end */
    bool reaped;                /* it was joined, and its handle is not valid any more */
    bool has_other_stack;       /* sigaltstack() gave it one */
    bool was_cancellable;       /* it made a call that can be cancelled and does not wait */
    uint64_t was_unmasked;      /* signals that it did not block at some time when there were other threads */
    uint64_t spin_since;        /* number of the read with which the round began that it waits to repeat */
    uint32_t idle_rounds, failures;
    uint64_t spurious_key, spurious_state; /* where something happened for no reason; since then the thread has done
                                              nothing that others can see. 0: none, or it has */
    int spurious_count;         /* in this execution, also of those that had the number before */
    uintptr_t attempt_pc;       /* of the last attempt: failures in a row there count */
    bool tries_again;           /* its yield is none of the program's own */
    uint32_t choice;
    uint64_t expected[2];       /* of its compare-exchange */
    uint64_t wakes_at;          /* virtual time */
    uint32_t seen_version;      /* of the word that it waits for: descriptor_int.h */
    bool ignores_pipe;          /* no signal if nobody reads any more */
    struct rights *carries;     /* descriptors beside the bytes that it is about to send: rights.c */
    bool wants_rights;          /* those beside the bytes that it receives */
    struct once_run { uint64_t object; uintptr_t pc, frame; } once[8]; /* that it is doing: once.c */
    uint32_t once_count;
    struct ready { uintptr_t status, uses; } ready[4]; /* of states of promises that the C++ library makes ready when
                                                          the thread ends */
    uint32_t ready_count;
    bool makes_ready;           /* the library does that now */
    int atomic_depth;
    uint64_t held_outside;      /* hash of the locks that it held when the atomic section began */
    uint64_t plain_accesses;    /* since the last scheduling point */
    uintptr_t visited_from, visited_to; /* what others accessed of its stack lies in between */
    bool left_stack;            /* it is about to end, and its memory is gone */

    bool has_fence;
    struct clock clock, acquired, fence; /* acquired: by relaxed loads, for a later acquire fence */

    struct call calls[MAX_CALLS];
    uint32_t call_count;
    uint64_t held[MAX_HELD];    /* locks, oldest first */
    uint32_t held_count;
    struct plain_write written[MAX_WRITTEN]; /* while there are quiet reads */
    struct quiet_read quiet[MAX_QUIET];
    uint32_t quiet_count, written_count, clock_reads;
    uint64_t reads;
    struct quiet_read *look;    /* that is being done; NULL: it does not matter */

    void *keys[MAX_KEYS];
    bool uses_keys;
    struct cleanup *cleanups;     /* pthread_cleanup_push */
    struct tls_destructor *tls_destructors;
};

/* A thread is numbered by its creator and how manieth child it is, so that it has one number in all executions. */
struct numbering { int next, of[MAX_THREADS][MAX_THREADS]; };

struct pool { size_t used, size; void *free_lists[48]; };

struct range { char *low, *high; };
/* Memory that gets its contents back after each execution; see reset.c. */
struct region { struct range range; uint8_t *hot; char *copy; };
enum { MAX_REGIONS = 1 << 17, MAX_OWNED = 1 << 16 }; /* the kernel gives a process 65530 unless told otherwise */

/* A file that was open when main began: it is again before each execution, at the same offset. */
struct kept_file { int fd, flags; long offset; /* -1: not one that can be set */ };
enum { MAX_KEPT_FILES = 64 };

/* States of this execution to compare with, and what happened between one and the next; see cycle.c. */
struct stretch { sched_set stepped, enabled; /* at any time */ bool chosen, preempted, stale, wrote, gave_way; };
struct cycle_state {
    uint64_t hash, places; /* of everything, if it can be seen; of what everybody is about to do */
    bool has_hash;
    uint32_t step;
    struct stretch before;
};
struct cycle {
    struct cycle_state kept[128];
    struct stretch since;       /* the last of them */
    uint32_t count, life_at, stale_at, gave_way_at;
    bool no_more_rounds;        /* are tried: one was found, or too many were not */
    int vain_rounds;
    uint32_t round_from, round_upto; /* after these steps everybody was about to do the same; upto 0: there was none */
    uint64_t hashed;
    bool read_clock;
    uint32_t stepped_at[MAX_THREADS], yielded_at[MAX_THREADS];
};

struct exit_handler { void (*call)(void *); void *argument; bool takes_status; };
struct thread_start {
    void *(*function)(void *);
    void *argument;
    bool detached;
    uintptr_t pc;
    char *stack_low, *stack_high; /* given by the program; NULL: one of ours */
    size_t stack_size;            /* that the program asked for; 0: it did not */
    bool is_called;               /* by the program, to whose memory the handle is written */
};
/* A thread of the program needs a thread pointer whose control block the C library has set up: thread-local variables,
 * errno, locale. Each is borrowed from a kernel thread that the C library made and that sleeps for ever. */
struct donor { uint32_t ready; uintptr_t tls; char *low, *high; };
struct early_thread { struct donor donor; struct thread_start start; };
struct thread_key { bool used; void (*destroy)(void *); };
struct block;
enum { MAX_SIGNALS = 65, MAX_NAMED = 64, MAX_SENT = 256 };
struct named_semaphore { char name[64]; void *semaphore; };
#define SIGNAL_CLOCK (1ull << 60) /* sending happens before handling */
/* A signal that is pending, for a thread or (target -1) the program as a whole: how it was sent, as si_code says, and
 * with which value. Of one below SIGRTMIN there is one at most. */
struct sent_signal { int number, target, code; union sigval value; };
struct signals {
    struct sigaction action[MAX_SIGNALS];
    struct sent_signal sent[MAX_SENT]; /* the oldest first */
    uint32_t sent_count;
    uint64_t pending;           /* to the program as a whole */
    bool changed;               /* in this execution */
};

/* `set` counts how often it was set, so that a thread that waits for an earlier time knows that it is over. */
struct timer {
    bool used, armed;
    int signal;                 /* 0: none */
    void (*function)(union sigval);
    union sigval value;
    uint64_t expires, interval; /* nanoseconds, virtual */
    uint32_t set;
    uintptr_t pc;
};
enum { MAX_TIMERS = 32 };

struct heap {
    char *base, *top, *high_water, *limit, *snapshot_top;
    uint8_t *state;
    uint64_t live_blocks, live_bytes, snapshot_blocks, snapshot_bytes;
    struct block *newest, *snapshot_newest, *freed[65];
    struct block **changed; /* old ones with other marks */
    uint32_t changed_count;
};

#if defined __x86_64__
enum { RT_KEPT_REGISTERS = 7 };  /* rbx, rbp, r12 to r15, and the return address */
#elif defined __aarch64__
enum { RT_KEPT_REGISTERS = 20 }; /* x19 to x30, d8 to d15 */
#endif
/* What decides, together with the stack from sp on, how a function goes on: the registers that a call keeps. */
struct rt_registers { uint64_t kept[RT_KEPT_REGISTERS]; uintptr_t pc, sp; };

struct runtime {
    struct rt_shared *shared;   /* NULL: the program runs by itself, once, without heddle */
    bool active;                /* main has begun: calls are under control */
    bool alone;                 /* by itself as if it were built without heddle: alone.c */
    void (*free)(void *);       /* the C library's, for that */
    void *(*malloc)(size_t);
    void *(*realloc)(void *, size_t);
    size_t (*usable_size)(void *);
    bool recording, exploring;
    bool check_plain;           /* plain accesses are looked at (races, scheduling points) */
    bool volatile_is_atomic;
    bool has_sites;             /* memory orders may be others than the program's: orders.c */
    bool learn_shared;          /* those to shared memory become scheduling points */
    struct thread *self;
    struct thread *threads;     /* MAX_THREADS */
    sched_set live;
    sched_set created;          /* in this execution, those that ended among them */
    sched_set conditional;      /* of those, the ones whose pending operation others may change or make impossible */
    bool awaits;                /* the strategy does not let a thread repeat a round of a loop that had no effect */
    bool follows_words;         /* the strategy wants to know what atomic accesses find and leave in memory */
    bool tells_stores;          /* it is told what atomic stores write; then atomic operations order nothing (race.c) */
    int thread_limit;
    struct sched *sched;
    struct sched_view view;
    struct sched_outcome outcome;
    bool skipped_order;         /* tells_stores: an atomic operation would have ordered something (race.c) */
    bool step_pending;          /* a picked step was executed and not yet reported */
    enum sched_end end;
    int (*main)(int, char **, char **);
    int argc;
    char **argv, **envp;
    void *root_sp;              /* the loop over executions */
    char *decision_stack;       /* its end */
    struct thread *picked;      /* what was decided on it */
    uintptr_t root_tls;
    int exit_status, exit_thread; /* exiting: which thread calls exit(), with which status, */
    const char *exit_how;       /* and how and where */
    uintptr_t exit_pc;
    bool exiting, used_files, has_fsgsbase;
    intptr_t locals_offset;     /* of the program's own thread-local variables from a thread pointer */
    size_t locals_size;

    struct numbering *numbering; /* survives executions */

    uint64_t time;              /* virtual, nanoseconds */
    uint64_t random;
    uint64_t generation;        /* of this execution: stamps everything that would have to be cleared */

    struct region *regions;     /* MAX_REGIONS */
    struct range *foreign;      /* MAX_REGIONS: writable mappings at the start, those of the runtime among them */
    int region_count, foreign_count, shared_fd, kept_file_count;
    struct kept_file kept_files[MAX_KEPT_FILES]; /* by number; copies are right after shared_fd */
    struct rt_finding found;    /* of this execution */
    struct range *owned;        /* mappings of the runtime itself */
    int owned_count;
    struct hot_page { char *page, *copy; } *hot_pages;
    size_t hot_page_count;

    struct heap heap;

    struct {                    /* weak.c */
        bool wanted, on;        /* the user asks for it; and the program has orders for which it matters */
        bool has_mixed;
        uint32_t choice;        /* of the atomic access that is being executed */
        uint32_t event_count, place_count, link_count, published_count, sc_count, mixed_count;
        struct weak_place *places;
        struct rc11_event *events;
        struct weak_event *details;
        struct clock *clocks, *published;
        uint32_t *links;
        uint8_t *scratch;
        uint64_t *mixed;
        uint32_t *slots;        /* of the places that were begun, by number */
        struct { uint64_t address, value[2]; uint32_t size; int order; } access; /* that is being executed */
    } weak;

    struct {                    /* race.c */
        void **directory;
        struct touch *cells;
        struct sync *syncs;
        uint32_t cell_count, cell_cap, sync_cap;
        struct granule **touched; /* in this execution, if that is wanted (waypoint.c) */
        uint32_t *synced;         /* the same: places in syncs */
        uint32_t touched_count, touched_cap, synced_count; /* more than there is room for: those were left out */
    } race;

    struct pool *pool;          /* for the strategies; shared with forked executions */
    struct unwind_row *unwind_rows; /* unwind.c: what is known of code addresses of the runtime; NULL: nothing yet */
    uint64_t *hot_set;          /* hash set of code addresses that are scheduling points */

    struct exit_handler at_exit[MAX_ATEXIT];
    int at_exit_count, snapshot_at_exit_count;
    struct thread_key keys[MAX_KEYS];
    struct thread_key snapshot_keys[MAX_KEYS];
    void *early_keys[MAX_KEYS]; /* set by constructors: the first thread's */
    bool has_early_keys;
    struct early_thread early[MAX_THREADS]; /* by the number that they will have, from 1 on */
    int early_count;
    int clients_left;           /* those that are done, in this generation */
    uint64_t clients_generation;
    struct undo *undo;          /* of files; NULL: they stay as they are */
    char journal[RT_JOURNAL];
    struct signals signal, snapshot_signal;
    struct { struct timer at[MAX_TIMERS]; uint64_t generation; sched_set waiting; } timers; /* timer.c */
    struct named_semaphore named[MAX_NAMED];
    uint64_t named_generation;  /* the execution that they belong to */
    struct { char *base; size_t used; uint64_t generation; struct descriptors *all; } files; /* descriptor.c */
    struct {                    /* by the program, in this execution: map.c */
        size_t used, brk, brk_most;
        char *brk_base;
        struct shared_file { uint64_t device, inode; } shared[64]; /* files that are mapped and written to */
        int shared_count;
    } maps;
    uintptr_t character_cache;  /* an object of the C++ library; 0: there is none */
    bool keys_changed;
    bool in_finding;
    struct cycle cycle;
    bool follows_schedule;      /* one that was given, and nothing else */
    struct audit *audit;        /* NULL: there is none */
    uintptr_t audited[256];     /* call sites of wrappers where nothing is to be audited, by their lower bits */
    bool audits_call;           /* a call is being audited, or its accesses are not settled yet */
    bool follows_touches;       /* this execution is run for the audit, which wants to know of all accesses */
    struct checkpoint *checkpoint; /* NULL: none is wanted */
    struct {                    /* crew.c */
        struct crew *shared;    /* NULL: nobody has joined yet */
        struct depot depot;
        int wanted;             /* how many processes are to run at a time; 1: there are no copies */
        int far;                /* how many explore elsewhere */
        uint64_t published;     /* knowledge() of the parts given last */
        int member;             /* which this is; 0: the leader */
        int leader_pid, starts, nested;
        uint32_t read;          /* 1 + the number of the part whose answer was last read */
        uint32_t exploring;     /* a member: the number of the part at hand */
        bool was_told_failure;
        bool went_outside;      /* the program changed something outside of it: there are no copies any more */
        double again_at;        /* when to look for missing members */
        uint64_t beats, looked;
    } crew;
    struct {                    /* branch.c */
        struct branch *shared;  /* NULL: executions are not resumed */
        bool on;                /* this execution has places to go back to, if they pay */
        bool is_copy;           /* this process ends with the execution */
        bool is_waiting;        /* for a copy */
        bool unwound;           /* the execution was run by copies */
        int stopped;            /* processes on the way to here */
        uint64_t since, path;   /* processor time: when this process began to run; what it took to come there */
        uint64_t now, ticks;    /* when the time was last looked at: what it took, and the processor's counter */
        size_t target;          /* after so many steps it should stop; 0: nowhere */
    } branch;
    struct {                    /* waypoint.c */
        struct waypoints *all;  /* NULL: none are kept */
        size_t target;          /* after so many steps one may be; 0: nowhere */
    } way;
    void *real[CALL_COUNT];     /* functions of libraries; NULL: not looked up yet */
    int pid, parent;            /* what getpid() and getppid() say; 0: the truth */
    struct { struct stat was; void *file; } standard[2]; /* output and error, as they were when the program began */
    bool streams_unsynchronised; /* the program has called sync_with_stdio(false) in some execution */
    struct unbounded {          /* unbounded.c */
        struct sched *bounded, *sched; /* the search by bounds and the one without; NULL: there is only one search */
        bool is_turn;           /* the execution at hand belongs to the search without a bound */
        enum sched_strategy strategy; /* its own */
        bool is_over, decides;  /* that search was given up; it has covered everything, and first */
    } unbounded;
    struct near {               /* near.c */
        struct sched *sched;    /* NULL: it has not begun with this limit on steps */
        bool is_turn, is_over, has_tails; /* has_tails: the rest of an execution that it cuts off is run */
        size_t length, limit;   /* steps of the first execution after the first thread was created; the limit */
        uint32_t runs, total;   /* with this limit, and in all */
        uint64_t executions, systematic, steps; /* of the systematic search, and what these and its own cost in steps */
        uint64_t grace;         /* with an error: until the systematic search has had so many steps */
    } near;
    struct scout *scout;        /* scout.c; NULL: this process is none */
    struct sched_known *known;  /* what executions showed, for those that need not be run */
    int levels;                 /* of the strategy's ledger so far */
    double began;
    uint64_t step_hash;         /* of the operations of this execution */
    uint16_t own_calls[RT_MAX_CALL_SITES]; /* of foreign functions of the executable, in this execution, by site */
    struct { uint64_t hash; uint32_t steps; bool waits; } first; /* the first execution, to compare with when it is
                                   repeated; waits: it ended while some thread could go on */
    struct { bool on, off; uint32_t from; uint64_t hash; } tail; /* tail.c; from: the step where it began, hash: of the
                                   steps before; off: no execution has one now */
    struct {                    /* swap.c */
        struct swap *all;       /* NULL: states are not compared */
        struct rt_registers self; /* of the thread that decides */
    } swap;
} __attribute__((aligned(4096)));
extern struct runtime rt;
extern unsigned heddle_step_number; /* for a debugger */
extern int heddle_step_thread;
void heddle_step(void);

/* alone.c: what the runtime for few threads did before the one for many took over */
void heddle_take_over(const struct heap *heap, struct range *owned, int owned_count);

/* libraries.c */
struct names { const char *text; const ElfW(Sym) *symbols; uint32_t count; char *base; };
bool rt_names_of(const struct link_map *m, struct names *n); /* false: it has no table of them */
void rt_note_libraries(void);
bool rt_is_foreign_library(uintptr_t address); /* it lies in a shared library that is not instrumented */
bool rt_is_string_function(const char *name);  /* strings.c: the program calls it by the runtime only */

/* foreign.c: code of the program's own file that is not observed */
void rt_foreign_init(void);
struct rt_foreign *rt_foreign_at(uintptr_t pc); /* the range, or NULL */
bool rt_foreign_write(uintptr_t at, uint8_t byte); /* into program code */
/* A breakpoint was met, and `pc`, in the context of the signal, is behind it. True if it was one of ours: the thread
 * goes on as the context says. */
bool rt_foreign_trap(void *context, uintptr_t *pc);

/* start.c */
void rt_attach(void); /* to heddle */
void rt_end_execution(enum sched_end end) __attribute__((noreturn));
void rt_die(const char *message) __attribute__((noreturn)); /* the program cannot be explored */

/* sched.c: a scheduling point. Returns when the operation may be executed, with the choice made for it. */
uint32_t rt_point(struct sched_op op, enabled_test *enabled, uintptr_t pc);
uint32_t rt_point_labelled(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label);
/* The same, but a handler may break it off: then false. */
bool rt_point_unless_broken(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label);
void rt_prepare(struct sched_op op, enabled_test *enabled, uintptr_t pc); /* says what comes next, and no more */
void rt_switch_away(void) __attribute__((noreturn)); /* the running thread has ended */
void rt_run_new(struct thread *t);                   /* a created thread runs to its first operation */
/* An attempt failed, or a wait timed out. A thread that keeps trying lets others go first: see rt_attempt(). A loop in
 * which that happens waits for more than the memory that it reads (spin.c). */
static inline void rt_try_again(void)
{
    rt.self->failures++;
    rt.self->quiet_count = 0;
}
static inline void rt_failed(void)
{
    rt.outcome.failed = true;
    rt_try_again();
}
void rt_attempt(uintptr_t pc); /* before anything that may fail or time out */
static inline void rt_unchanged(void) { rt.outcome.changed = false; }
#define OP(k, ...) ((struct sched_op){.kind = SCHED_##k, __VA_ARGS__})
uint64_t rt_where_they_wait(sched_set threads); /* depends on the places alone */
sched_set rt_waiting_on(const void *cond); /* the threads waiting on a condition variable and not woken */

bool rt_hand_over(void); /* inherit.c: before fork(); true: the child has all that it can use */
void rt_channel_prepare(struct sched_op *op); /* brings an operation on a channel up to date (pipe.c) */

/* switch.c */
void rt_switch(void **save_sp, void *load_sp);
void rt_call_on(char *stack_high, void (*function)(void)); /* calls it with another stack, whose end is aligned to 16 */
void *rt_make_context(char *stack_high, void (*entry)(void));
uintptr_t rt_get_tls(void);
void rt_set_tls(uintptr_t tls);

void rt_registers_here(struct rt_registers *out);                         /* of the caller */
void rt_registers_parked(const struct thread *t, struct rt_registers *out); /* of a thread that does not run */

void rt_locals_init(void); /* home.c: where thread-local variables are */

/* unwind.c: back to where the program called the runtime; false: not known, and r is somewhere in between. */
bool rt_leave_runtime(struct rt_registers *r, const struct thread *t);

/* thread.c */
struct thread *rt_thread_new(int id, int creator); /* creator -1: the main thread */
void rt_threads_init(int count);
void rt_threads_reset(void);
void rt_thread_end(void *result) __attribute__((noreturn));
struct thread *rt_thread_of(pthread_t p);
int rt_thread_set_name(pthread_t p, const char *name, uintptr_t pc); /* as pthread_setname_np, for a call at pc */
int rt_thread_get_name(pthread_t p, char *out, size_t size, uintptr_t pc);
void rt_run_key_destructors(struct thread *t);
void rt_ready_acquire(void);
void rt_socket_deadlock(void); /* socket.c */
void rt_weak_acquire_newest(uint64_t address);
void rt_run_tls_destructors(struct thread *t);
void rt_refuse_stack(const void *low, size_t size, uintptr_t pc); /* this memory is about to be given back */
bool rt_has_ended(const struct thread *t); /* asked in a step that depends on every other */
bool rt_wants_executable_stack(void); /* the program does */
int rt_create(pthread_t *out, const struct thread_start *start);
void rt_refuse_ended(pthread_t p, uintptr_t pc, const char *label); /* a use of its handle */
int rt_take_signal(uint64_t which, siginfo_t *info); /* one of these that is pending for this thread; 0: none */
uint64_t rt_signal_set(const sigset_t *set);
bool rt_has_signal_files(void);     /* signalfd.c */
void rt_signal_files_changed(void); /* in a step that depends on every other */
void rt_start_clients(void);
/* state.c */
bool rt_is_alone(void);
void rt_file_mode(int fd, void *stat); /* of what is no file, as the kernel tells it */
void rt_file_call_over(void);  /* of this thread, if it reads from or writes to a descriptor; descriptor.c */
bool rt_state_is_shared(void); /* under control, and another thread could notice */
void rt_state_step(uint64_t object, uint64_t object2, bool writes, uintptr_t pc, const char *label);
void rt_state_use(const void *state, bool writes, uintptr_t pc, const char *label);
/* stream.c. Around a call of the C library on a stream. */
enum rt_stream_use { RT_STREAM_LOOKS, RT_STREAM_READS, RT_STREAM_PRINTS, RT_STREAM_CHANGES };
struct rt_use { void *stream; bool locked, writes, fills; int fd; long from; uintptr_t pc; };
struct rt_use rt_stream_enter(void *stream, enum rt_stream_use how, uintptr_t pc, const char *label);
void rt_stream_leave(const struct rt_use *use);
void rt_streams_init(void);
struct rt_use rt_standard_enter(int fd, uintptr_t pc, const char *label);
void rt_standard_leave(int fd, const struct rt_use *u);
void rt_stream_unlocked(void *stream, bool writes, uintptr_t pc);
void rt_streams_end(void);
bool rt_in_standard_stream(uintptr_t address); /* cxx.c: std::cout and its like */
/* buffers.c: memory of the program in which a stream keeps its bytes, or writes where they are and how many */
void rt_stream_buffer(void *stream, void *at, size_t size, void *pointer, void *length, uintptr_t pc);
void rt_stream_fills(const void *stream, uintptr_t pc); /* a call on it may write there */
void rt_stream_forget(const void *stream);
/* contents.c: of regular files */
enum { RT_HERE = -1 }; /* at the descriptor's offset, which moves */
void rt_contents_use(int fd, long offset, size_t size, bool writes, uintptr_t pc, const char *label);
uint64_t rt_contents_of(int fd, bool *appends, long *size); /* the object that stands for them; 0: not a regular file */
void rt_contents_access(uint64_t contents, long from, long upto, bool writes, uintptr_t pc);
/* A file was opened, perhaps made. Its path names it in all executions, or (path false) the place of the call. */
void rt_contents_opened(int fd, bool is_new, bool path, uintptr_t pc);
/* Of the file at a path (flags as for fstatat): */
void rt_metadata_use(int at, const char *path, int flags, bool writes, uintptr_t pc, const char *label);
void rt_stat_use(int at, const char *path, int flags, uintptr_t pc, const char *label); /* its size is read as well */
void rt_contents_cut(int at, const char *path, long to, uintptr_t pc, const char *label); /* or extended */
void rt_offset_shared(int fd, int copy); /* dup and the like */
void rt_offset_closes(int fd, uintptr_t pc);
void rt_offset_closed(int fd);

/* filelock.c */
void rt_locks_copied(int fd, int copy);
void rt_locks_close(int fd, uintptr_t pc, const char *label); /* before the descriptor is closed */
/* fifo.c. RT_NO_FIFO: this is none, or not under control. */
enum { RT_NO_FIFO = -2 };
void rt_fifo_made(int at, const char *path);
bool rt_fifo_holds_number(const void *at); /* the inode number of a FIFO lies there */
int rt_fifo_open(int at, const char *path, int flags, uintptr_t pc); /* a descriptor, or -1 with errno */
void *rt_fifo_stream(const char *path, const char *mode, uintptr_t pc); /* the same as a pointer */
void rt_path_step(bool writes, uintptr_t pc, const char *label); /* before something looks at a path, or changes it */
void rt_number_step(uintptr_t pc, const char *label); /* the number of a descriptor is given back */
void rt_open_step(bool writes, uintptr_t pc, const char *label); /* the same, and takes the next number */
void rt_path_outcome(bool good);                                 /* afterwards */
void rt_undo_init(void);
void rt_undo_files(void); /* after an execution */
bool rt_path_exists(int at, const char *path);
void rt_undo_path(int at, const char *path, bool follow, uintptr_t pc); /* before something changes it */
void rt_undo_descriptor(int fd, uintptr_t pc); /* the same of an open file */
void rt_start_early(void);     /* those that constructors created */
void rt_wait_before_main(void); /* dies if there are any */
int rt_join(pthread_t p, void **result, uintptr_t pc);

/* room.c: at most so many threads at a time */
void rt_room_wait(uintptr_t pc);        /* before a thread is created */
void rt_room_ends(int next, uintptr_t pc); /* before a thread gets a new number, which would be this */
void rt_room_enter(struct thread *t);   /* it was created, by the running thread */
void rt_room_leave(void);               /* the running thread is about to end */
void rt_room_check(void);               /* too many threads are there: starts again with a limit */
void rt_too_crowded(void) __attribute__((noreturn));
bool rt_is_held_back(const struct thread *t); /* it waits for room */
bool rt_somebody_is_held_back(void);

/* signal.c */
void rt_run_handlers(void);
void rt_check_signals(void); /* runs the handlers of signals that are not blocked any more */
bool rt_is_handled(int signal); /* the program has a handler for it */
void rt_cancellation_point(bool enters);
void rt_cancellable_call(uintptr_t pc, const char *label); /* first thing in a call that can be cancelled */
void rt_send_to_self(int s, uintptr_t pc);
void rt_send_to_program(const struct sent_signal *x, uintptr_t pc);
void rt_need_plain_strategy(void);
/* What this thread is about to get depends on what others did before, whether or not that happens before it. */
static inline void rt_depends_on_turns(void)
{
    if (unlikely(rt.known) && rt.active && set_any(rt.live & ~set_of(rt.self->id))) sched_known_whole(rt.known);
}
void rt_cancel_self(void) __attribute__((noreturn));

/* timer.c */
bool rt_let_time_pass(void); /* nobody does anything but wait: whether a timer goes on because of that */

/* verifier.c: an atomic section does what strategies that reduce would have to know of; may not return */
void rt_section_shows(void);

/* mutex.c and others, for the C11 and C++ fronts */
int rt_mutex_lock(pthread_mutex_t *m, uintptr_t pc);
int rt_mutex_trylock(pthread_mutex_t *m, bool timed, uintptr_t pc);
int rt_mutex_robust_state(pthread_mutex_t *m, uintptr_t pc); /* after it was taken; 0: nothing to tell */
int rt_mutex_unlock(pthread_mutex_t *m, uintptr_t pc);
bool rt_mutex_is_free(const pthread_mutex_t *m);
void rt_mutex_take(pthread_mutex_t *m);
void rt_mutex_give(pthread_mutex_t *m);
bool rt_mutex_held(const pthread_mutex_t *m); /* by the running thread */
void rt_give_robust_mutexes(void);
void rt_held_add(uint64_t object);
void rt_held_remove(uint64_t object);
int rt_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, bool timed, uint64_t deadline, uintptr_t pc);
bool rt_is_time(const struct timespec *t);
int rt_until(const struct timespec *deadline, int status); /* the status; ETIMEDOUT: the deadline has come */
bool rt_must_cancel(const struct thread *t);
void rt_once_give_up(void); /* what this thread does once and will not come to the end of */
void rt_set_alarm(const struct timespec *time, bool absolute); /* for rt.self->wakes_at */
void rt_fence_at(uintptr_t pc); /* a seq_cst fence; atomic.c */
int rt_key_create(pthread_key_t *key, void (*destroy)(void *), uintptr_t pc);
int rt_once(pthread_once_t *once, void (*routine)(void), uintptr_t pc);
long rt_futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout, uintptr_t pc);

/* race.c: happens-before clocks and the shadow of memory */
void rt_race_init(void);
uint64_t rt_sync_name(uint64_t address); /* of a mutex beside an object: the object; else the address itself */
pthread_mutex_t *rt_mutex_beside(void *object); /* one for every FILE and the like, fresh in every execution */
void rt_race_reset(void);
void rt_race_shrink(void);
void rt_access(uintptr_t address, size_t size, bool write, bool atomic, uintptr_t pc);
void rt_access_state(uintptr_t address, size_t size, bool write, uintptr_t pc); /* never a race: state.c */
void rt_access_last(uintptr_t address, size_t size, bool write, uintptr_t pc); /* before the memory is freed */
void rt_acquire(uint64_t object);
void rt_release(uint64_t object);        /* later acquirers see this thread and earlier releasers */
void rt_release_behind(uint64_t object, uint64_t first); /* and what was released to the first */
const struct clock *rt_released_to(uint64_t object);
void rt_release_round(uint64_t object, sched_set threads); /* a barrier: these see all that was released to it */
void rt_forget_range(uintptr_t address, size_t size);
void rt_clock_clear(struct clock *c);
void rt_clock_fork(struct thread *child);
void rt_clock_join(const struct thread *ended);
int *rt_sync_owner(uint64_t object);     /* of an object that has no room for it in the program's memory */
void rt_atomic_acquire(uint64_t address, int order);        /* before the access of a load or read-modify-write */
void rt_atomic_release_store(uint64_t address, int order);  /* after that of a store */
void rt_atomic_release_update(uint64_t address, int order); /* after that of a read-modify-write */
void rt_fence(int order);

/* The thread on whose stack the address is, or -1. */
static inline int rt_stack_owner(uintptr_t a)
{
    size_t offset = a - STACKS_BASE;
    return offset < (size_t)STACK_SIZE * MAX_THREADS ? (int)(offset / STACK_SIZE) : -1;
}

/* Or on one that the program made itself. */
static inline bool rt_on_own_stack(const struct thread *t, const void *p)
{
    return (uintptr_t)p - (uintptr_t)t->stack_low < STACK_SIZE;
}

/* So that all that was used of the stack is cleared, and kept with a state. */
static inline void rt_note_depth(struct thread *t, uintptr_t frame)
{
    if (frame < t->deepest && likely(rt_on_own_stack(t, (const void *)frame))) t->deepest = frame;
}

/* A variable of the executable itself, which exists as long as the process does. */
static inline bool rt_is_static(uintptr_t a)
{
    extern char __data_start[], _end[];
    return a - (uintptr_t)__data_start < (size_t)(_end - __data_start);
}
static inline bool rt_in_heap(uintptr_t a)
{
    return a - (uintptr_t)rt.heap.base < (size_t)(rt.heap.limit - rt.heap.base);
}

/* lifetime.c */
bool rt_peek(const void *p); /* it can be read */
extern const char rt_peek_failed[];
bool rt_stays_readable(uintptr_t address);
void rt_learn_partial_writes(void); /* start.c */
void rt_learn_overlap(void);
bool rt_stored_constant(uintptr_t pc, uintptr_t address, size_t size, uint64_t *value); /* immediate.c */
bool rt_store_changes_nothing(const struct sched_op *op); /* as it was announced (sched.c) */
bool rt_object_is_unmapped(uint64_t object);
void rt_need_mapped(uintptr_t address, size_t size, uintptr_t pc);
void rt_check_lifetime(uintptr_t address, size_t size, bool write, uintptr_t pc);

/* A thread that waits for an object in memory that was unmapped meanwhile goes on, and crashes. */
static inline bool rt_is_unmapped(const struct sched_op *op)
{
    uint64_t object = op->kind == SCHED_COND_RESUME && op->object2 ? op->object2 : op->object;
    bool is_object = op->kind >= SCHED_LOCK && op->kind <= SCHED_SEM_WAIT && !(object >> 47);
    return is_object && unlikely(!rt_is_static(object)) && rt_object_is_unmapped(object);
}

/* Called before the thread says what it is about to do. */
static inline void rt_need_readable(uintptr_t address, size_t size, uintptr_t pc)
{
    if (unlikely(!rt_is_static(address) || !rt_is_static(address + size - 1))) rt_need_mapped(address, size, pc);
}

/* Reports an access to what does not exist any more. */
static inline void rt_check_memory(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (!rt_is_static(address)) rt_check_lifetime(address, size, write, pc);
}
void rt_frame_ends(uintptr_t low, uintptr_t high, uintptr_t pc); /* of a function that is about to return */
void rt_thread_memory_ends(void);
static inline uintptr_t rt_thread_locals(const struct thread *t) { return t->tls + (uintptr_t)rt.locals_offset; }

/* object.c. RT_NO_OBJECT: one of a kind without a mark. */
enum rt_object { RT_NO_OBJECT, RT_MUTEX, RT_COND, RT_RWLOCK, RT_SEMAPHORE, RT_BARRIER };
void rt_object_enter(const void *object, enum rt_object kind, uintptr_t pc); /* first thing in a call on an object */
bool rt_object_has_mark(const void *object, enum rt_object kind);
void rt_object_name(void *object, enum rt_object kind);
void rt_object_mark(void *object, enum rt_object kind, uintptr_t pc);
void rt_memory_object_used(const struct sched_op *op, uintptr_t pc);
/* The step that is being taken uses it. Some objects are names without memory. */
static inline void rt_object_used(const struct sched_op *op, uintptr_t pc)
{
    bool is_object = op->kind >= SCHED_LOCK && op->kind <= SCHED_BARRIER && op->kind != SCHED_COND_RESUME;
    if (is_object && !(op->object >> 47)) rt_memory_object_used(op, pc);
}
void rt_object_init(void *object, enum rt_object kind, int64_t value, uintptr_t pc, const char *label);
void rt_object_destroy(void *object, enum rt_object kind, uintptr_t pc, const char *label);
bool rt_is_held(uint64_t object);                     /* by any thread (mutex.c) */
bool rt_barrier_is_waited_for(const void *barrier);
bool rt_result_is_ignored(uintptr_t pc); /* of the call that returns there; false: it may be looked at */

/* points.c: what an access in the program leads to */
void rt_plain(uintptr_t address, size_t size, bool write, uintptr_t pc);
void rt_range(uintptr_t address, size_t size, bool write, uintptr_t pc);
void rt_call_reads_text(const char *text, uintptr_t pc); /* with its end; the same */
void rt_call_reads(const void *from, size_t size, uintptr_t pc); /* of a call by the program; not if it is NULL */
void rt_call_writes(void *to, size_t size, uintptr_t pc);
void rt_give_back_point(uintptr_t pc, const char *label);
void rt_end_if_learning(void); /* before a livelock is reported */
bool rt_is_hot(uintptr_t pc);
void rt_hot_init(void);
void rt_learn_point(uintptr_t pc); /* after this execution the exploration starts anew with one more point */

/* weak.c. An access is executed by these if rt_weak_takes() its place; `value` is as wide as the widest. */
void rt_weak_init(void);
void rt_weak_begin(void);
bool rt_weak_concerns(const struct sched_op *op);
void rt_weak_choices(const struct thread *t, struct sched_op *op); /* op: the view's */
bool rt_weak_takes(uint64_t address);
const uint64_t *rt_weak_peek(uint64_t address, uint32_t size); /* what the choice made lets a read find */
void rt_weak_load(uint64_t address, uint32_t size, int order);
bool rt_weak_store(uint64_t address, uint32_t size, int order, const uint64_t *value);  /* whether it is the newest */
bool rt_weak_update(uint64_t address, uint32_t size, int order, const uint64_t *value); /* the same */
void rt_weak_released(int order);
void rt_weak_fence(int order);
void rt_weak_other(void);
uint32_t rt_weak_source(uint64_t address);
void rt_weak_met(void);
void rt_weak_plain(uintptr_t address, size_t size, bool write, uintptr_t pc); /* where atomic accesses were */

/* orders.c */
int rt_order_at(int order, enum rt_site_kind kind, uintptr_t address, uintptr_t pc);

/* atomic.c */
void rt_volatile(uintptr_t address, size_t size, bool write, uintptr_t pc);

/* spin.c */
void rt_effect(void);                    /* the thread did something others may see */
void rt_writes_plainly(uintptr_t address, size_t size); /* it is about to; nobody sees that without a race */
/* The thread is about to read. True: it is waiting, and op says how to show that. All that decides how it goes on is on
 * its stack from state_from on; NULL: and in registers. */
bool rt_spins(uintptr_t pc, struct sched_op *op, const void *state_from);
uint64_t rt_state_of_program(const void *state_from); /* a hash of the same */
bool rt_spin_over(const struct thread *t);
void rt_read_done(uintptr_t pc, uintptr_t address, bool stale); /* stale: of a write that is not the newest */
void rt_glanced(uintptr_t pc, uintptr_t address, bool stale);
void rt_memory_changed(uintptr_t address, size_t size);

/* cycle.c */
void rt_cycle_begin(void);
void rt_cycle_step(const struct thread *t, bool preempts); /* it was picked */
void rt_cycle_yield(uintptr_t pc);          /* the running thread is about to yield */
void rt_cycle_forget(void);
void rt_cycle_give_way(void);               /* in a way that is said to come to an end */
void rt_cycle_wrote(void);                  /* atomically, where others may read what was there before */
bool rt_tail_begins(void);                  /* the execution that was cut off goes on without the strategy */
struct sched_pick rt_tail_pick(void);
bool rt_tail_ended(void);                   /* after an execution: it had a tail, and counts as cut off */
void rt_cycle_cut_off(void);                /* returns if it is no finding that the execution is too long */

/* rounds.c */
bool rt_rounds_go_on(void); /* the execution just run had a round that can be repeated for ever: another that failed */

/* heap.c */
void rt_heap_init(void);
void rt_heap_snapshot(void);
void rt_heap_round_up(void); /* what is allocated next lies on a page of its own */
void rt_heap_library_blocks(const char *from, void (*visit)(char *low, char *high));
void rt_heap_reset(void);
void rt_heap_check(uintptr_t address, size_t size, bool write, uintptr_t pc);
void rt_heap_leaks(void);
bool rt_heap_home(uintptr_t address, struct rt_home *out);
/* What the head of a block says; it may be a copy of one. */
struct rt_heap_block { const struct block *older; size_t header, size; uint64_t pc; bool freed; };
struct rt_heap_block rt_heap_block(const void *head);

/* map.c */
void rt_maps_reset(void);
void rt_cxx_init(void);
bool rt_is_character_cache(uintptr_t address); /* that threads may write to at the same time */
bool rt_is_mapped(uintptr_t address); /* by the program, in this execution */
/* These bytes of a file are read or written by its descriptor: where it is mapped. */
void rt_views_access(uint64_t contents, long from, long upto, bool writes, uintptr_t pc);

/* checkpoint.c */
void rt_checkpoint_init(void);
void rt_checkpoint(void);                             /* before a thread is created */
void rt_checkpoint_step(const struct thread *t);      /* was picked */
void rt_checkpoint_outcome(void);                     /* of that step is known */
void rt_checkpoint_fork(void); /* before an execution in a process of its own */
bool rt_from_checkpoint(void);                        /* executions begin there */
void rt_checkpoint_begin(void);
bool rt_checkpoint_tell(void); /* the strategy sees the steps of the start; false: it wants none after them */

/* swap.c */
void rt_swap_init(void);
struct sched_states rt_swap_states(void);
void rt_swap_found(void); /* the strategy found two steps that do not commute */

/* digest.c */
void rt_digest_init(void);
void rt_digest(void); /* an execution is over, and memory is as it left it */

/* branch.c, crew.c */
void rt_branch_init(void);
void rt_branch_begin(void);           /* an execution that may be resumed */
void rt_branch_point(void);           /* a thread is about to be picked */
void rt_branch_end(bool failed);      /* the execution was counted; does not return in a copy of the process */
bool rt_branch_started(bool *more);   /* sched_start() was called already, and this is what it said */
bool rt_branch_failed(void);          /* of an execution that was run by copies */
void rt_branch_give_up(void);         /* does not return in a copy */

/* waypoint.c */
/* What a state is made of goes through one of these, in either direction. */
struct rt_bag { char *at, *end; bool saving, is_full; uint64_t generation; /* of the execution that was saved */ };
void rt_bag_move(struct rt_bag *b, void *p, size_t size);
void rt_threads_move(struct rt_bag *b);
char *rt_lowest_used(const struct thread *t); /* on its stack: below there is nothing but zeros */
void rt_heap_move(struct rt_bag *b);
bool rt_heap_can_move(void);
void rt_weak_move(struct rt_bag *b);
void rt_race_follow(void); /* from now on it can be moved */
void rt_race_move(struct rt_bag *b);
bool rt_race_can_move(void);
void rt_waypoints_init(void);
void rt_waypoints_forget(void);
bool rt_waypoints_refused(void); /* the last one that was wanted could not be kept */
void rt_waypoint(void);          /* a thread is about to be picked, and there is the place */
void rt_waypoints_begin(void);
bool rt_waypoint_go_on(void);    /* runs the execution that was started; false: it begins at the start */
static inline uint64_t rt_ticks(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    uint64_t now;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
    return now;
#endif
}
bool rt_wants_more(void);
void rt_count_killed(int signal);     /* the execution was, in a process of its own */
bool rt_has_undo(void);
void rt_crew_init(void);
bool rt_crew_divides(void); /* parts are given away, or taken */
void rt_crew_serve(void);   /* explores what comes, until heddle says stop */
struct sched_crew rt_crew(void);
void rt_crew_turn(void);    /* the leader, between two executions */
void rt_crew_outside(void); /* something outside of the program is about to change: nobody else may run */
void rt_crew_give_up(void) __attribute__((noreturn));
void rt_crew_count(struct sched_stats *stats); /* adds what others have run so far */
void rt_crew_last_words(void);
void rt_crew_end(void);
bool rt_crew_is_content(void); /* nobody waits for parts, or for the part at hand */

/* unbounded.c */
bool rt_unbounded_another(void);     /* one of the searches has another execution, and it is this search's turn */
struct sched *rt_bounded(void);      /* the search whose levels are told, and which is divided */
bool rt_unbounded_meanwhile(void);   /* while the search by bounds waits: one execution of the other one was run */
void rt_unbounded_publish(void);
bool rt_has_diverged(void);          /* the program does not repeat itself */
void rt_unbounded_last_words(void);  /* the search by bounds has ended */
void rt_unbounded_forget(void);

/* near.c */
void rt_near_note_first(void); /* the first execution has just been run */
void rt_near_go_on(void);      /* after an execution of the systematic search */
void rt_near_finish(void);     /* the systematic search has ended */
bool rt_near_decides(void);    /* it found an error, and the systematic search has had its time */
void rt_near_forget(void);

/* scout.c */
void rt_scout(void);                        /* until an error is found or heddle says so */
void rt_scout_step(const struct thread *t); /* the thread was picked */

void rt_shorten(void); /* shorten.c: looks for a simpler schedule that fails in the same way */

/* start.c, for crew.c and scout.c */
struct sched *rt_sched_new(const void *part, size_t part_size);
struct sched *rt_sched_unbounded(enum sched_strategy strategy, size_t memory); /* beside that, without a bound */
struct sched *rt_sched_near(size_t thread_steps, size_t memory); /* of the first steps of all threads */
bool rt_is_looking(void); /* nothing was found or has happened that ends the exploration */
void rt_follow(const struct sched_step *steps, size_t count, void (*run)(void)); /* one execution beside the search */
void rt_follow_loosely(const struct sched_step *steps, size_t count, void (*run)(void)); /* as far as possible */
void rt_run_execution(void);
void rt_publish(void);
void rt_run_in_place(void); /* with all that follows it */
void rt_pool_begin(int extra_flags);

/* audit.c, gate.c, entries.c, guard.c, touches.c: what foreign code does with memory */
void rt_audit_init(void);
void *rt_audited_call(const char *name, void *function, uintptr_t pc);
void *rt_audited_address(void *function, const char *name, uintptr_t pc); /* that the program may call later */
bool rt_audit_is_settled(uintptr_t pc);  /* nothing is to be done at this call site any more */
/* The C library's function, for a wrapper that the program called from `pc`, and that announces what it accesses. */
static inline void *rt_audited(const char *name, void *function, uintptr_t pc)
{
    bool is_known = !rt.audit || rt.audited[pc % ARRAY_LEN(rt.audited)] == pc;
    return likely(is_known) ? function : rt_audited_call(name, function, pc);
}
void rt_audit_access(uintptr_t address, size_t size, bool write, uintptr_t pc);
bool rt_is_standard_state(uintptr_t address); /* cxx.c: of std::cout and the like */
void rt_audit_switch(void);
void rt_audit_fork(const struct thread *child);
void rt_audit_join(const struct thread *ended);
void rt_audit_read_lock(uint64_t lock);
void rt_audit_entered(uintptr_t return_address, uintptr_t sp);
bool entries_trap(void *context);              /* it was a call of a foreign function, or the end of one */
void entries_entered(void *context, struct rt_foreign *f); /* the breakpoint where it begins was met, and is removed */
void rt_audit_keep_schedule(void);
void rt_audit_execution_over(void);
void rt_audit_forget(void);              /* the schedule that was kept, for the scheduling points are others now */
void rt_audit_go_on(void (*run)(void));  /* runs it again, if there is one */
bool rt_audit_signal(int signal, const siginfo_t *info, void *context); /* it was the audit's */

/* reset.c, crash.c */
bool rt_is_cold(uintptr_t address);      /* its page was not written to yet, and is protected for that reason */
void rt_unprotect(uintptr_t low, uintptr_t high); /* pages get the protection back that they have in the program */
bool rt_own_offsets(void); /* files that were open at the start get offsets of their own; false: one cannot */
void rt_snapshot(void);
void rt_snapshot_again(void); /* executions go back to here from now on */
void rt_reset(void);
bool rt_page_fault(uintptr_t address);
bool rt_is_own_file(int fd);
void rt_touch(void *p, size_t size); /* before the kernel writes there */
void rt_crash_init(void);
void rt_find_segmentation_fault(uintptr_t address, uintptr_t pc);

/* spurious.c: before a call that may return or fail for no reason. All that decides how the thread goes on is on its
 * stack from state_from on; NULL: and in registers. */
bool rt_happens_spuriously(uintptr_t pc, const void *state_from, bool waits);
bool rt_spurious_left(void);
void rt_spurious_step(const struct sched_op *op);

/* ending.c */
void rt_check_blocked(void); /* the program has just ended: the threads that were blocked then */

/* verifier.c */
bool rt_is_in(const struct rt_code *code, uintptr_t pc);
void rt_assumption_failed(uintptr_t pc) __attribute__((noreturn));

/* exit.c */
/* how: a format for the status, if it is one of failure */
void rt_exit(int status, const char *how, uintptr_t pc) __attribute__((noreturn));
void rt_execution_over(int status, const char *how, uintptr_t pc) __attribute__((noreturn));
void rt_assertion_failed(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));
void rt_flush(void);

/* report.c */
void rt_find(enum rt_finding_kind kind, uintptr_t pc, const char *message, ...) __attribute__((format(printf, 3, 4)));
void rt_find_race(uintptr_t pc, uintptr_t address, size_t size, bool write, bool atomic, const struct rt_place *other);
void rt_finding_end(void) __attribute__((noreturn)); /* the execution ends with the finding just made */
void rt_note(const char *name, const char *meaning, uintptr_t pc);
void rt_unexplored(enum rt_unexplored what); /* the verdict says so */
void rt_note_weak_order(int order, uintptr_t address, uintptr_t pc);
void rt_note_waiting(const struct thread *t); /* blocked when the program ended */
uintptr_t rt_place_in_program(uintptr_t pc); /* of the running thread, which called a library */
bool rt_is_own_code(uintptr_t pc);            /* of the runtime */
void rt_note_mixed(uintptr_t address, enum rt_mixed_kind kind, uintptr_t pc);
struct rt_stack rt_stack_of(const struct thread *t, uintptr_t pc);
void rt_record_step(const struct thread *t, const struct sched_pick *pick);
void rt_record_value(uint64_t value, bool has_old, uint64_t old, size_t size, bool atomic);
void rt_record_read(uintptr_t address, size_t size, bool atomic);
void rt_record_write(uintptr_t address, size_t size); /* the value is taken when the step is over */
void rt_record_failed_compare(void);
void rt_record_source(uint32_t step, int order); /* of the write that it read */
void rt_record_stale(uint32_t step, uint64_t value); /* of the newest write, which is passed over */
void rt_record_outcome(void);
void rt_record_wakes(sched_set threads); /* the present step lets these go on */
void rt_find_block(uintptr_t pc, const void *block, size_t size, struct rt_stack stack);
bool rt_is_library_code(uintptr_t pc);
bool rt_is_program_code(uintptr_t pc); /* of the executable, and not of the runtime */
void rt_record_ends(void);
void rt_simplify(void);
void rt_record_home(uintptr_t address);
void rt_say(const char *text); /* on the real standard error */

/* system.c: system calls that leave errno alone */
long rt_syscall(long number, long a, long b, long c, long d, long e, long f);
void *rt_map(void *at, size_t size, int extra_flags);
void rt_own_mapping(char *low, size_t size);
int rt_print(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
void *rt_real(const char *name); /* the C library's own function */
void *rt_real_once(enum rt_call call, const char *name);
#define REAL(function) ((__typeof__(&function))rt_real(#function)) /* of one that a header declares */
double rt_now(void);
uint64_t rt_random(void);
void *rt_pool_alloc(void *context, size_t size);
void rt_pool_free(void *context, void *p, size_t size);

#endif
