/* What the heddle process and the program under test share: one memory mapping, written by both.
 *
 * Heddle fills `config`, starts the program with the mapping's descriptor in $HEDDLE_FD, and reads the rest when the
 * program has ended or while it runs. The runtime inside the program explores schedules by itself; it writes down the
 * schedule of the current execution step by step, so that even a process that was killed leaves it behind.
 * A mode that records writes every step with values and stacks as events; only replays do that. */
#ifndef HEDDLE_RUNTIME_H
#define HEDDLE_RUNTIME_H

#include "schedule/schedule.h"

enum {
    RT_MAGIC = 0x48445231,
    RT_MAX_STEPS = 1 << 20,   /* of one execution */
    RT_MAX_EVENTS = 1 << 20,
    RT_MAX_FRAMES = 1 << 22,  /* of all recorded stacks together */
    RT_MAX_NOTES = 64,
    RT_MAX_CODE = 1024,       /* functions of one kind: struct rt_code */
    RT_MAX_HOMES = 4096,
    RT_MAX_HELD = 16,
    RT_MAX_PROCESSES = 256,
    RT_POINTERS = 16,
    RT_TEXT = 512,
    RT_HANG_SIGNAL = 50,      /* heddle asks: where do you hang? */
};

/* Threads of the widest program, whichever of the two runtimes writes them (schedule/set_int.h). */
enum { RT_MAX_THREADS = 1024 };
struct rt_threads { uint64_t word[RT_MAX_THREADS / 64]; };
static inline bool rt_threads_has(const struct rt_threads *s, int t) { return s->word[t / 64] >> t % 64 & 1; }

enum rt_mode { RT_EXPLORE, RT_RECORD };
enum rt_points { RT_POINTS_SYNC, RT_POINTS_ALL };
enum rt_races { RT_RACES_ERROR, RT_RACES_EXPLORE, RT_RACES_IGNORE };
/* RT_RECORD: what to make of a failing schedule: an equivalent one with the fewest preemptions that has the steps of
 * the thread that fails (and of the other one of a race), or one that has all steps. */
enum rt_simplify { RT_AS_IT_IS, RT_WHAT_FAILS, RT_ALL_STEPS };
/* RESET: executions begin where main creates the first thread, if what came before can be kept; MAIN: with main. */
enum rt_isolate {
    RT_ISOLATE_RESET, RT_ISOLATE_FORK, RT_ISOLATE_MAIN, RT_ISOLATE_BRANCH, RT_ISOLATE_KEEP, RT_ISOLATE_START
};

/* Clients from outside, as a script has them (native/input.c). */
enum { RT_MAX_COMMANDS = 256, RT_MAX_CLIENTS = 16, RT_INPUT_TEXT = 16384 };
enum rt_command_kind { RT_CONNECT, RT_SEND, RT_RECEIVE };
struct rt_command { enum rt_command_kind kind; int client, line; uint32_t from, len; }; /* in the text */
struct rt_input {
    int clients, then_signal;  /* the signal when all are done; 0: none */
    bool then_exit;
    uint32_t count, used;
    struct rt_command commands[RT_MAX_COMMANDS];
    char name[64], text[RT_INPUT_TEXT];
};

/* Which calls into foreign code are audited: call sites within a budget of time, all of them, none; or every call,
 * which is for schedules that are run again. */
enum rt_audit { RT_AUDIT_BUDGET, RT_AUDIT_ALL, RT_AUDIT_OFF, RT_AUDIT_EVERY };

enum { RT_JOURNAL = 256 };
struct rt_config {
    enum rt_mode mode;
    enum rt_points points;
    enum rt_races races;
    enum rt_isolate isolate;
    enum rt_simplify simplify;
    enum rt_audit audit;
    enum sched_strategy strategy;
    int bound, fair_bound;
    bool volatile_is_atomic; /* an acquiring load, a releasing store */
    bool weak_memory;   /* as RC11 has it; else interleavings only */
    bool sites;         /* memory orders are looked up in sites[], and noted there */
    bool endless;       /* nobody bounds preemptions: they may go on for ever in a livelock */
    int spurious;       /* how often something may happen for no reason in an execution */
    bool rising, leaks, all_errors, doctor, locals, digest;
    bool stop_at_end;   /* under a debugger: trap where the failure is found */
    size_t max_steps, max_start, memory; /* max_start: as in sched_config */
    size_t tail;        /* an execution that was cut off goes on for at most so many steps: tail.c; 0: it does not */
    uint64_t max_executions, seed;
    int threads;        /* for how many to prepare */
    int most_threads;   /* at a time, with the main thread; 0: any number */
    bool holds_back;    /* creators wait while there are so many; else RT_CROWDED if there are more */
    int most_in_all;    /* with holds_back: so many different threads in all executions together */
    uint64_t most_cut;  /* stop after so many executions that were cut off; 0: any number */
    int processes;      /* that explore at a time */
    int far;            /* members of the depot behind this memory, from RT_FIRST_FAR on, that explore elsewhere */
    bool unbounded;     /* a search without a bound runs beside the search bound after bound */
    bool near;          /* a search near the start runs beside the search bound after bound */
    bool scouts;        /* it runs beside a search of the same program: it samples, and changes nothing outside */
    bool shortens;      /* it looks for simpler schedules that fail as first_steps[] does */
    int niceness;       /* scouts: by how much to give way to other processes */
    bool serves;        /* nothing of its own is explored, only parts that heddle posts in the depot as RT_CARRIER */
    size_t schedule_len; /* RT_RECORD: first_steps[] holds the schedule to follow */
    char journal[RT_JOURNAL]; /* a folder for what files were before an execution; empty: they are not put back */
    struct rt_input input;
    uint8_t exit_accepted[256 / 8]; /* bit n: it is no error that the program ends with status n */
};

/* Where some functions of the program are. */
struct rt_code { uint32_t count; struct { uint64_t low, high; } at[RT_MAX_CODE]; };

/* Kinds of findings; the names are those of the JSON contract. */
#define RT_FINDINGS(X) \
    X(NONE, "") X(ASSERTION, "assertion") X(DEADLOCK, "deadlock") X(RACE, "race") X(CRASH, "crash") \
    X(MEMORY, "memory") X(LIVELOCK, "livelock") X(MISUSE, "misuse") X(EXIT, "exit")
enum rt_finding_kind {
#define RT_FINDING_ENUM(name, text) RT_##name,
    RT_FINDINGS(RT_FINDING_ENUM)
#undef RT_FINDING_ENUM
    RT_FINDING_COUNT
};

#define RT_ROOM_LABEL "room for a thread" /* what a creator waits for with config.holds_back */

enum rt_status {
    RT_STARTING, RT_RUNNING,
    RT_FINISHED,      /* the strategy has no more schedules, or the program ended (RT_RECORD) */
    RT_FOUND,         /* `finding` holds */
    RT_LIMIT,         /* time */
    RT_MORE_THREADS,  /* start again with a larger config.threads */
    RT_CROWDED,       /* start again with config.holds_back */
    RT_PLAINER,       /* start again with a strategy that takes any program: rt_need_plain_strategy() */
    RT_UNABLE,        /* finding.message says why the program cannot be explored */
};

/* A call of the program that is outside control, reported once for each place; or a library that was built without
 * heddle cc. */
struct rt_note { uint64_t pc; bool is_library; char name[32]; char meaning[160]; };

/* A shared library of the program that is instrumented. */
enum { RT_MAX_LIBRARIES = 16 };
struct rt_library { char path[256]; };

/* Code in the program's own file that Heddle does not observe, one range for each function if there is enough room:
 * objects without a mark of `heddle cc`, functions that are not instrumented, instructions that a compiler forgets to
 * instrument, and assembly. */
enum { RT_MAX_FOREIGN = 8192 };
enum rt_foreign_kind { RT_FOREIGN_OBJECT, RT_FOREIGN_FUNCTION, RT_FOREIGN_ASSEMBLY };
struct rt_foreign {
    uint64_t low, high;
    uint8_t kind;
    uint8_t first_byte;    /* where it begins, while there is a breakpoint */
    bool has_entry;        /* it begins with a function, */
    bool merged;           /* and has others as well */
    bool planted;          /* a breakpoint says whether it is entered */
    volatile bool entered; /* some execution entered it */
    bool is_counted;       /* all places that call it are known: entries.c audits them */
};

/* An atomic operation with an order weaker than memory_order_seq_cst; `order` as in __ATOMIC_RELAXED. The compiler's
 * own (guards of C++ static variables) are among them: `address` tells. */
enum { RT_MAX_WEAK = 16, RT_WEAK_FRAMES = 8 };
struct rt_weak { int order; uint64_t address, frames[RT_WEAK_FRAMES]; /* innermost first, 0: no more */ };

/* A place with a memory order, and the one that it is to have instead; orders.c. */
enum { RT_MAX_SITES = 512 };
enum rt_site_kind { RT_SITE_LOAD, RT_SITE_STORE, RT_SITE_UPDATE, RT_SITE_FAILURE, RT_SITE_FENCE, RT_SITE_KINDS };
struct rt_site {
    uint64_t frames[RT_WEAK_FRAMES], address;
    uint8_t kind, order, given;
    bool has_given;
};

/* A place of which weak memory knows only the newest value. */
enum { RT_MAX_MIXED = 8 };
enum rt_mixed_kind {
    RT_MIXED_SIZES, /* it is accessed atomically in different sizes */
    RT_MIXED_PLAIN, /* atomically and, while other threads may be there, plainly */
    RT_MIXED_LARGE, /* atomically in a size for which a library locks */
    RT_MIXED_KINDS
};
struct rt_mixed { uint64_t address, frames[RT_WEAK_FRAMES]; uint8_t kind; };

/* What the program did that can happen in more ways than are explored. Each is a bit of rt_shared.unexplored. */
enum rt_unexplored {
    RT_EARLY_THREADS,      /* a constructor created a thread, which begins with main() */
    RT_PLAIN_HANDLERS,     /* a signal was sent to another thread, whose handler runs at a scheduling point */
    RT_PLAIN_CANCELLATION, /* the same for asynchronous cancellation */
    RT_OMP_TASKS,          /* a task ran where it was created */
    RT_OMP_TWO_THREADS,    /* a team whose size the program leaves open got 2 threads */
    RT_OMP_MOST_THREADS,   /* a team got fewer threads than were asked for */
    RT_OMP_NESTED,         /* a parallel region got one thread because another region was active */
    RT_ONE_RANDOM,         /* random numbers came from the system, the same ones in each execution */
    RT_LATE_TIMERS,        /* a timerfd was set, whose time comes when others were let go first */
    RT_SOCKET_TIMEOUTS,    /* a socket got a time-out, which never comes */
    RT_ONE_PROCESSOR,      /* a thread asked on which processor it runs */
    RT_WEAK_EXCHANGES,     /* clang compiles weak and strong compare-exchanges to the same call */
    RT_LIBRARY_WRITES,     /* a library function wrote to memory other than its stack without announcing it, */
    RT_WAITING_LOOPS,      /* and a loop was taken to wait: only both together are told */
    RT_UNEXPLORED_KINDS
};

/* Where a thread was blocked when the program ended, and the function that it had been started with (0: main). */
enum { RT_MAX_WAITING = 16 };
struct rt_waiting { uint64_t pc, start, frames[RT_WEAK_FRAMES]; };

/* A place where observed code calls foreign code, by its return address; audit.c. */
enum { RT_MAX_CALL_SITES = 1024, RT_MAX_UNOBSERVED = 32, RT_SITE_THREADS = 16 };
enum rt_site_state {
    RT_SITE_NEW, RT_SITE_WANTED, /* it is in a schedule that is to be run again */
    RT_SITE_DONE,
    RT_SITE_CUT,                 /* the budget ended before or during its call */
    RT_SITE_MISSED,              /* its schedule did not lead there again */
};
struct rt_call_site {
    uint64_t pc, function;
    char name[64];
    uint8_t state, tries;
    bool is_own;                 /* the function is one of the executable: one site for each thread that calls it */
    int thread;                  /* is_own: -1: in the start, before there is a second thread */
    /* is_own: how many calls were audited up to their end in the execution at hand, the most that an execution made
     * whose calls were all audited, and the most that any execution made. */
    uint16_t calls, audited, needed;
    uint8_t renewals;            /* is_own: how often an execution with more calls was run again */
    bool has_accesses;           /* not is_own: an audited call has accessed memory that is protected, */
    bool is_sampled;             /* and not all calls of an execution that was run again were audited */
    bool in_start;               /* not is_own: it was audited before there was a second thread, and not since */
    uint8_t calls_of[RT_SITE_THREADS]; /* not is_own: calls by thread that were audited in the execution at hand */
};

/* What an audited execution did with addresses of thread-local variables, which the audit does not protect. */
enum rt_locals { RT_LOCALS_OWN_ARGUMENT = 1, RT_LOCALS_OTHER_ARGUMENT = 2, RT_LOCALS_OTHER_ACCESS = 4 };

/* A call accesses memory without announcing it that another thread accesses; in the order of discovery. */
struct rt_unobserved {
    uint64_t pc, other_pc, address;
    char name[64];
    int thread, other;
    bool writes, other_writes;
    bool is_library;             /* the address is in data of the C library */
    uint16_t system_call;        /* 1 + its number, in place of an access; 0: none */
};

struct rt_stack { uint32_t first, len; }; /* in frames[], innermost first */

/* What an address without a global name belongs to, so that heddle can name it. */
enum rt_home_kind { RT_HOME_UNKNOWN, RT_HOME_HEAP, RT_HOME_STACK, RT_HOME_THREAD };
struct rt_pointer { uint64_t at, to; }; /* to: an offset into the block; 0: its beginning */
/* std::make_shared() puts an object behind the counts of those who share it, and pointers to both are kept. */
enum { RT_SHARED_OBJECT = 16 };
struct rt_home {
    enum rt_home_kind kind;
    uint64_t address;
    uint64_t pc;      /* HEAP: where the block was allocated; STACK: in the function whose variable it is */
    struct rt_stack stack; /* HEAP: of the allocation */
    int64_t offset;   /* HEAP: into the block; STACK: from the canonical frame address; THREAD: into its variables */
    int thread;       /* STACK, THREAD: whose */
    uint64_t size;    /* HEAP: of the block */
    uint64_t first;   /* HEAP: what the block begins with, in C++ perhaps a table of functions */
    struct rt_pointer pointers[RT_POINTERS]; /* HEAP: into the block; those not global have homes, too */
};

/* One access of a race, or the place of any other finding. */
struct rt_place { int thread; bool write, atomic; uint64_t pc, address, size; struct rt_stack stack; };

struct rt_finding {
    enum rt_finding_kind kind;
    char message[RT_TEXT];   /* what is known without debugging information */
    uint64_t site;           /* errors of a kind with the same one are the same error */
    struct rt_place here, other; /* other: the earlier access of a race, the allocation of a heap block */
    bool has_other;
    uint32_t cycle_from; /* LIVELOCK: 1 + the step after which the state was the one at the end; 0: none was */
    bool awaits;         /* LIVELOCK: threads are about to repeat loops, which the exploration does not do */
};

/* What a thread was about to do when the execution ended. */
struct rt_thread_end {
    bool exists, finished, enabled;
    char name[32], label[24]; /* label: of what it was about to do, as in struct rt_event */
    uint64_t start;         /* its function */
    int creator;
    uint64_t pc;
    struct sched_op op;
    struct rt_stack stack;
    uint32_t held_count;
    uint64_t held[RT_MAX_HELD]; /* the locks it holds, oldest first */
};

struct rt_event {
    int32_t thread;
    uint8_t kind;      /* enum sched_kind */
    uint8_t flags;
    bool failed;       /* a try that did not get it, a time-out */
    bool has_value, has_old, atomic;
    uint32_t choice, size;
    struct rt_threads enabled; /* could have made a step instead */
    uint64_t pc, object, object2;
    uint64_t value, old; /* after the step; before it */
    struct rt_threads wakes; /* it waited for this step (a signal, or the lock that is given back) */
    uint8_t order;       /* of an atomic access, as in struct sched_op */
    uint32_t source;     /* weak memory: the step of the write that it read, from 1; 0: none, or there from the start */
    bool stale;          /* it passed over the newest write, */
    uint64_t newest;     /* of this value, */
    uint32_t newest_step; /* in this step, from 1; 0: there from the start */
    int64_t extra;     /* kind's own: number of the created or joined thread, count of values */
    struct rt_stack stack;
    char label[24];    /* what the step is called if not by its kind, e.g. "sleep" */
};

/* --verify=swap: the first thing that differs in the states after two steps, which are done in either order. */
enum rt_swap_where {
    RT_SWAP_FACT, RT_SWAP_MEMORY, RT_SWAP_HEAP, RT_SWAP_STACK, RT_SWAP_LOCALS, RT_SWAP_KEYS,
    RT_SWAP_REGISTERS, RT_SWAP_FILES, RT_SWAP_HANDLERS,
};
struct rt_swap {
    struct sched_swap what;
    enum rt_swap_where where; /* SWAP_STATE only, and all that follows */
    int thread;               /* whose, or -1 */
    char name[32];            /* FACT: of which kind */
    uint64_t address, was, now;
    uint64_t unseen;          /* pairs of which the state was too large to be compared */
};

enum { RT_MAX_HOT = 1 << 12 };

/* An execution that failed; what it takes to run it again. */
struct rt_failure {
    struct rt_finding finding;
    int preemptions;
    uint32_t first_step, step_count; /* in kept_steps[]; no steps: there was no room for them */
    uint32_t announced_count, hot_count;
    uint64_t announced[RT_MAX_THREADS];
};

/* What a strategy of a scout has done (scout.c). */
enum { RT_MAX_TEAM = 16 };
struct rt_team_row {
    enum sched_strategy strategy;
    bool has_error;
    uint64_t executions, news; /* news: orders of operations that no execution of any of them had shown */
};

/* With `far` or `serves` the depot (schedule.h) follows the struct, so that heddle can carry parts between programs. */
enum { RT_FIRST_FAR = RT_MAX_PROCESSES + 1, RT_CARRIER = DEPOT_MEMBERS - 1 };
struct rt_number { uint16_t creator, nth; };

struct rt_shared {
    /* These are where they are in every version. */
    uint32_t magic, size;
    uint32_t is_other;  /* the program found another size than it was built with */
    struct rt_config config;
    volatile enum rt_status status;
    volatile uint64_t heartbeat;     /* grows with every step */
    volatile uint64_t executions;
    volatile uint32_t step_count;    /* of the current execution */
    struct sched_stats stats;
    struct rt_finding finding;
    struct sched_divergence divergence;
    uint64_t diverged_pc;
    bool diverged;
    volatile bool stop;              /* heddle: no further execution, please */
    bool relearn;                    /* `hot` has grown: the exploration starts anew */
    uint32_t relearnt;               /* how often it did */
    bool provisional;                /* the finding is older than that: a simpler one may be found yet */
    uint32_t hot_in_use;             /* of `hot`, by the current execution */
    volatile int current;            /* the running thread */
    volatile uint64_t current_pc;    /* of the last step */
    int preemptions, surprises;      /* of the failing execution; surprises: all that the bound counts */
    uint64_t findings;               /* distinct ones, with all_errors */
    struct rt_failure more[RT_MAX_NOTES]; /* all_errors: one for each, the first included */
    struct rt_code atomic_functions; /* each is one step */
    struct rt_code assumptions;      /* abort() there is an assumption that fails */
    uint32_t library_count;
    struct rt_library libraries[RT_MAX_LIBRARIES];
    uint32_t foreign_count;
    struct rt_foreign foreign[RT_MAX_FOREIGN]; /* sorted, not overlapping */
    uint64_t peak_memory;
    volatile int processes[RT_MAX_PROCESSES]; /* that explore parts, besides the first; 0: none */
    uint32_t knows;                  /* changes with what parts take for known, before they are given away */
    uint32_t numbered;               /* threads that have a number, from 1 on */
    struct rt_number numbers[RT_MAX_THREADS]; /* number n is at n - 1: the thread that its creator made as its nth */
    uint64_t resumed;                /* executions that began in the middle, of this process and its copies */
    uint64_t digest;                 /* config.digest: of all executions that were run */
    bool tails_end;                  /* the first execution came to its end after it had been cut off: tail.c */
    bool keeps_start;                /* --isolate=fork: the start of the program can be run once */
    bool held_back;                  /* some execution ended because a thread waited for room (room.c) */
    bool concurrent;                 /* some execution created a thread */
    bool stores_order;               /* some plain accesses are ordered by atomic operations alone, so that it matters
                                        which of two stores of the same value is read (race.c) */
    bool rounds_overlap;             /* sched_rounds_overlap(): arrivals at a barrier are taken for dependent */
    bool writes_partly;              /* sched_writes_partly(): no operation asks memory any more */
    bool weak_seen;                  /* orders for which it matters: executions are explored as RC11 allows them */
    bool spurious_skipped;           /* no wake-up was tried at a wait whose condition is checked again */
    bool spurious_limited;           /* config.spurious left something out */
    bool spurious_offered;           /* the bound counts what happens for no reason */
    uint32_t unexplored;             /* a bit for each enum rt_unexplored that some execution met */
    bool weak_truncated;             /* of some access only the newest writes were tried */
    uint32_t mixed_count;            /* the first ones */
    struct rt_mixed mixed[RT_MAX_MIXED];
    uint32_t waiting_count;
    struct rt_waiting waiting[RT_MAX_WAITING];
    uint32_t site_count;
    struct rt_site sites[RT_MAX_SITES];
    uint32_t weak_count;
    struct rt_weak weak[RT_MAX_WEAK]; /* the first ones, by code address */
    uint32_t call_site_count, unobserved_count;
    struct rt_call_site call_sites[RT_MAX_CALL_SITES];
    struct rt_unobserved unobserved[RT_MAX_UNOBSERVED];
    bool audit_unavailable;          /* on this machine, */
    bool stack_is_code;              /* or because the program asks for an executable stack */
    bool audit_incomplete;           /* there was no room for all that is to be known */
    uint8_t audit_thread_locals;     /* enum rt_locals */
    bool audit_skipped;              /* --audit=off: there were calls to audit */
    bool audit_met;                  /* the current execution came by call sites that are to be audited */
    bool audit_pending;              /* audit_steps[] is to be run again for that */
    double audit_seconds;            /* of processor time */
    uint32_t audit_step_count;
    struct rt_swap swap;             /* after SCHED_STOP_DIFFERS */
    double level_seconds[SCHED_MAX_BOUND + 1]; /* since the start, when the level ended */
    bool went_outside;               /* the program changes files or starts processes */
    struct {                         /* config.unbounded */
        uint64_t runs;               /* executions of the search without a bound */
        double estimate, doubt;      /* as in struct sched_stats */
        enum sched_strategy strategy;
        bool decides;                /* it has covered everything, and first */
        uint64_t bounded_runs;       /* executions of the other search until then */
        bool found;                  /* the error is that search's: there may be a simpler one */
    } unbounded;
    struct {                         /* config.near */
        uint64_t runs, limit;        /* executions of the search near the start, its last limit on steps, */
        int bound;                   /* and its bound there */
        bool found;                  /* it found an error */
    } near;
    bool needs_plain;                /* the program does something that OPTIMAL and CBPOR do not know */
    bool unbounded_failed;           /* one of these two searches failed: kept like a finding, if there is none */
    uint32_t team_count;             /* config.scouts */
    struct rt_team_row team[RT_MAX_TEAM];
    uint32_t note_count, event_count, frame_count, hot_count;
    bool events_full;
    uint32_t home_count;
    struct rt_home homes[RT_MAX_HOMES];
    /* Threads of the current execution in the order in which someone was about to create them, which is how a fresh
     * process numbers them; the first is the main thread. */
    uint64_t announced[RT_MAX_THREADS];
    uint32_t announced_count;
    struct rt_note notes[RT_MAX_NOTES];
    struct rt_thread_end ends[RT_MAX_THREADS];
    uint64_t hot[RT_MAX_HOT];        /* code addresses whose plain accesses are scheduling points */
    struct sched_step steps[RT_MAX_STEPS];
    struct sched_step first_steps[RT_MAX_STEPS]; /* all_errors: of the first failing execution */
    bool simplified;                 /* they were reordered */
    uint32_t first_step_count, first_announced_count, first_hot_count;
    uint64_t first_announced[RT_MAX_THREADS];
    uint32_t kept_count;
    struct sched_step kept_steps[RT_MAX_STEPS]; /* of the executions in `more` */
    struct sched_step audit_steps[RT_MAX_STEPS];
    struct rt_event events[RT_MAX_EVENTS];
    uint64_t frames[RT_MAX_FRAMES];
};

#define RT_DEPOT_AT ((sizeof(struct rt_shared) + 0xffff) & ~(size_t)0xffff)

/* What a program has to know of itself to take up parts of another's search: where scheduling points are, which threads
 * have which numbers, what was noted. Bytes that mean the same in a program that was built alike. */
struct rt_knowledge {
    uint32_t knows, hot_count, note_count, weak_count, site_count, mixed_count, waiting_count, numbered;
    bool stores_order, writes_partly, rounds_overlap, weak_seen, weak_truncated;
    bool spurious_skipped, spurious_limited, spurious_offered;
    uint32_t unexplored;
    uint64_t hot[RT_MAX_HOT];
    struct rt_note notes[RT_MAX_NOTES];
    struct rt_weak weak[RT_MAX_WEAK];
    struct rt_site sites[RT_MAX_SITES];
    struct rt_mixed mixed[RT_MAX_MIXED];
    struct rt_waiting waiting[RT_MAX_WAITING];
    struct rt_number numbers[RT_MAX_THREADS];
};

/* Adds the current execution to those that failed. */
static inline void rt_keep_failure(struct rt_shared *s, const struct rt_finding *finding, int preemptions)
{
    if (s->findings < RT_MAX_NOTES) {
        struct rt_failure *f = &s->more[s->findings];
        f->finding = *finding;
        f->preemptions = preemptions;
        f->first_step = s->kept_count;
        f->step_count = s->step_count <= RT_MAX_STEPS - s->kept_count ? s->step_count : 0;
        __builtin_memcpy(s->kept_steps + s->kept_count, s->steps, sizeof s->steps[0] * f->step_count);
        s->kept_count += f->step_count;
        f->announced_count = s->announced_count;
        __builtin_memcpy(f->announced, s->announced, sizeof f->announced);
        f->hot_count = s->hot_in_use;
    }
    s->findings++;
}

#endif
