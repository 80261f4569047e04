/* Inside the runtime: threads, scheduling points, and the one struct that holds everything that changes.
 *
 * Nothing here may use malloc, stdio, errno or thread-local variables: the code runs between any two instructions of
 * the program. Memory is mapped once at the start. All threads of the program are contexts on one kernel thread. */
#ifndef HEDDLE_RUNTIME_INTERNAL_H
#define HEDDLE_RUNTIME_INTERNAL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "runtime/runtime.h"

#include <assert.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

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

struct thread;
typedef bool enabled_test(const struct thread *t);

struct thread {
    int id;                     /* as the strategies know it */
    bool live, finished, detached, joined, started;
    bool ended;                 /* for those who try to join it, where there are any */
    bool shares_exception;      /* the one that it is about to catch, or has caught */
    bool detached_children;     /* it has created threads that are detached, as far as it knows */
    void *sp;                   /* when not running */
    uintptr_t tls;              /* of a parked kernel thread: see thread.c */
    char *stack_low, *stack_high;
    char *tls_low, *tls_high, *tls_copy; /* thread-local variables; as they are before a thread uses them */
    int taken;                  /* numbers that were new when this one, or who had its number before, gave them out */
    int spare, spare_last, next_spare; /* numbers that it joined and may give out again: a list; 0 is its end */
    uintptr_t deepest;          /* frame seen in this execution */
    uintptr_t frame;            /* at its last scheduling point */
    void *(*start)(void *);
    void *argument, *result;
    int creator, children;
    int nth;                    /* of its creator's: how many of them had numbers of their own when it was created */
    char name[32];

    struct sched_op op;         /* what it is about to do */
    enabled_test *enabled;      /* NULL: always */
    uintptr_t op_pc;
    const char *label;
    struct rt_stack op_stack;   /* when recording: where it is about to do it */
    bool woken, signal_came;
    bool only_spurious;         /* of COND_RESUME: nothing but a spurious wake-up would time it out */
    uint64_t signals, mask, waits_for; /* sent to it and not yet taken; blocked; that it waits for */
    uint32_t interruptions;     /* handlers run so far */
    uint32_t sent;              /* signals to other threads */
    bool interrupted;           /* op says so; what it was about to do comes after that */
    bool broken;                /* by a handler after which waiting is not to go on */
    bool cancelled, cancel_disabled, cancel_asynchronous, at_cancellation_point, exiting;
    uint64_t spin_since;        /* number of the read with which the round began that it waits to repeat */
    uint32_t idle_rounds, failures;
    uintptr_t spurious_pc;      /* of a weak compare-exchange that failed for no reason */
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
    int atomic_depth;
    uint64_t plain_accesses;    /* since the last scheduling point */

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
struct thread_start { void *(*function)(void *); void *argument; bool detached; uintptr_t pc; };
/* A thread of the program needs a thread pointer whose control block the C library has set up: thread-local variables,
 * errno, locale. Each is borrowed from a kernel thread that the C library made and that sleeps for ever. */
struct donor { uint32_t ready; uintptr_t tls; char *low, *high; };
struct early_thread { struct donor donor; struct thread_start start; };
struct thread_key { bool used; void (*destroy)(void *); };
struct block;
enum { MAX_SIGNALS = 65, MAX_NAMED = 64, MAX_SENT = 256 };
struct named_semaphore { char name[64]; void *semaphore; };
#define SIGNAL_CLOCK (1ull << 60) /* sending happens before handling */
#define EXCEPTION_CLOCK (1ull << 60 | 8) /* what was done with an exception happens before its end */
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
    bool follows_words;         /* the strategy wants to know what atomic accesses find and leave in memory */
    int thread_limit;
    struct sched *sched;
    struct sched_view view;
    struct sched_outcome outcome;
    bool step_pending;          /* a picked step was executed and not yet reported */
    enum sched_end end;
    int (*main)(int, char **, char **);
    int argc;
    char **argv, **envp;
    void *root_sp;              /* the loop over executions */
    char *decision_stack;       /* its end */
    struct thread *picked;      /* what was decided on it */
    uintptr_t root_tls;
    int exit_status;
    bool exiting, used_files, has_fsgsbase;

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
    bool keys_changed;
    bool in_finding;
    struct cycle cycle;
    bool follows_schedule;      /* one that was given, and nothing else */
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
    int pid;                    /* what getpid() says; 0: the truth */
    struct sched_known *known;  /* what executions showed, for those that need not be run */
    int levels;                 /* of the strategy's ledger so far */
    double began;
    uint64_t step_hash;         /* of the operations of this execution */
    struct { uint64_t hash; uint32_t steps; } first; /* the first execution, to compare with when it is repeated */
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
sched_set rt_waiting_on(const void *cond); /* the threads waiting on a condition variable and not woken */

bool rt_hand_over(void); /* inherit.c: before fork(); true: the child has all that it can use */
void rt_channel_prepare(struct sched_op *op); /* brings an operation on a channel up to date (pipe.c) */

/* switch.c */
void rt_switch(void **save_sp, void *load_sp);
void rt_call_on(char *stack_high, void (*function)(void)); /* calls it with another stack, whose end is aligned to 16 */
void *rt_make_context(char *stack_high, void (*entry)(void));
uintptr_t rt_get_tls(void);
void rt_set_tls(uintptr_t tls);

#if defined __x86_64__
enum { RT_KEPT_REGISTERS = 7 };  /* rbx, rbp, r12 to r15, and the return address */
#elif defined __aarch64__
enum { RT_KEPT_REGISTERS = 20 }; /* x19 to x30, d8 to d15 */
#endif
/* What decides, together with the stack from sp on, how a function goes on: the registers that a call keeps. */
struct rt_registers { uint64_t kept[RT_KEPT_REGISTERS]; uintptr_t pc, sp; };
void rt_registers_here(struct rt_registers *out);                         /* of the caller */
void rt_registers_parked(const struct thread *t, struct rt_registers *out); /* of a thread that does not run */

/* unwind.c: back to where the program called the runtime; false: not known, and r is somewhere in between. */
bool rt_leave_runtime(struct rt_registers *r, const struct thread *t);

/* thread.c */
struct thread *rt_thread_new(int id, int creator); /* creator -1: the main thread */
void rt_threads_init(int count);
void rt_threads_reset(void);
void rt_thread_end(void *result) __attribute__((noreturn));
struct thread *rt_thread_of(pthread_t p);
void rt_run_key_destructors(struct thread *t);
void rt_run_tls_destructors(struct thread *t);
int rt_create(pthread_t *out, const struct thread_start *start);
int rt_take_signal(uint64_t which, siginfo_t *info); /* one of these that is pending for this thread; 0: none */
uint64_t rt_signal_set(const sigset_t *set);
bool rt_has_signal_files(void);     /* signalfd.c */
void rt_signal_files_changed(void); /* in a step that depends on every other */
void rt_start_clients(void);
/* stream.c. Around a call of the C library on a stream: nothing but for streams on descriptors of the runtime. */
void rt_stream_enter(void *stream, uintptr_t pc);
void rt_stream_leave(void *stream);
void rt_streams_end(void);
/* fifo.c. RT_NO_FIFO: this is none, or not under control. */
enum { RT_NO_FIFO = -2 };
void rt_fifo_made(int at, const char *path);
int rt_fifo_open(int at, const char *path, int flags, uintptr_t pc); /* a descriptor, or -1 with errno */
void *rt_fifo_stream(const char *path, const char *mode, uintptr_t pc); /* the same as a pointer */
void rt_path_step(bool writes, uintptr_t pc, const char *label); /* before something looks at a path, or changes it */
void rt_path_outcome(bool good);                                 /* afterwards */
void rt_undo_init(void);
void rt_undo_files(void); /* after an execution */
void rt_undo_path(int at, const char *path, bool follow, uintptr_t pc); /* before something changes it */
void rt_start_early(void);     /* those that constructors created */
void rt_wait_before_main(void); /* dies if there are any */
int rt_join(pthread_t p, void **result, uintptr_t pc);

/* signal.c */
void rt_run_handlers(void);
void rt_check_signals(void); /* runs the handlers of signals that are not blocked any more */
void rt_cancellation_point(bool enters);
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
int rt_once(pthread_once_t *once, void (*routine)(void), uintptr_t pc);
long rt_futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout, uintptr_t pc);
void rt_object_init(uint64_t object, int64_t value, uintptr_t pc, const char *label);

/* race.c: happens-before clocks and the shadow of memory */
void rt_race_init(void);
pthread_mutex_t *rt_mutex_beside(void *object); /* one for every FILE and the like, fresh in every execution */
void rt_race_reset(void);
void rt_race_shrink(void);
void rt_access(uintptr_t address, size_t size, bool write, bool atomic, uintptr_t pc);
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

/* points.c: what an access in the program leads to */
void rt_plain(uintptr_t address, size_t size, bool write, uintptr_t pc);
void rt_range(uintptr_t address, size_t size, bool write, uintptr_t pc);
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
static inline bool rt_in_heap(uintptr_t a)
{
    return a - (uintptr_t)rt.heap.base < (size_t)(rt.heap.limit - rt.heap.base);
}

/* map.c */
void rt_maps_reset(void);

/* checkpoint.c */
void rt_checkpoint_init(void);
void rt_checkpoint(void);                             /* before a thread is created */
void rt_checkpoint_step(const struct thread *t);      /* was picked */
void rt_checkpoint_outcome(void);                     /* of that step is known */
void rt_checkpoint_fork(void); /* before an execution in a process of its own */
bool rt_from_checkpoint(void);                        /* executions begin there */
void rt_checkpoint_begin(void);
bool rt_checkpoint_tell(void); /* the strategy sees the steps of the start; false: it wants none after them */

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

/* start.c, for crew.c */
struct sched *rt_sched_new(const void *part, size_t part_size);
void rt_follow(const struct sched_step *steps, size_t count, void (*run)(void)); /* one execution beside the search */
void rt_run_execution(void);
void rt_publish(void);
void rt_run_in_place(void); /* with all that follows it */
void rt_pool_begin(int extra_flags);

/* reset.c, crash.c */
bool rt_own_offsets(void); /* files that were open at the start get offsets of their own; false: one cannot */
void rt_snapshot(void);
void rt_snapshot_again(void); /* executions go back to here from now on */
void rt_reset(void);
bool rt_page_fault(uintptr_t address);
bool rt_is_own_file(int fd);
void rt_touch(void *p, size_t size); /* before the kernel writes there */
void rt_crash_init(void);

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
void rt_note_weak_order(int order, uintptr_t address, uintptr_t pc);
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
void rt_find_block(uintptr_t pc, const void *block, size_t size, struct rt_stack stack);
bool rt_is_library_code(uintptr_t pc);
void rt_record_ends(void);
void rt_simplify(void);
void rt_record_home(uintptr_t address);
void rt_say(const char *text); /* on the real standard error */

/* system.c: system calls that leave errno alone */
long rt_syscall(long number, long a, long b, long c, long d, long e, long f);
void *rt_map(void *at, size_t size, int extra_flags);
void rt_own_mapping(char *low, size_t size);
void *rt_real(const char *name); /* the C library's own function */
#define REAL(function) ((__typeof__(&function))rt_real(#function)) /* of one that a header declares */
double rt_now(void);
uint64_t rt_random(void);
void *rt_pool_alloc(void *context, size_t size);
void rt_pool_free(void *context, void *p, size_t size);

#endif
