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
    RT_MAX_ATOMIC = 1024,     /* functions that are one step */
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

enum { RT_JOURNAL = 256 };
struct rt_config {
    enum rt_mode mode;
    enum rt_points points;
    enum rt_races races;
    enum rt_isolate isolate;
    enum rt_simplify simplify;
    enum sched_strategy strategy;
    int bound, fair_bound;
    bool volatile_is_atomic; /* an acquiring load, a releasing store */
    bool weak_memory;   /* as RC11 has it; else interleavings only */
    bool sites;         /* memory orders are looked up in sites[], and noted there */
    bool endless;       /* nobody bounds preemptions: they may go on for ever in a livelock */
    bool rising, spurious, leaks, all_errors, doctor, locals, digest;
    bool stop_at_end;   /* under a debugger: trap where the failure is found */
    size_t max_steps, max_start, memory; /* max_start: as in sched_config */
    uint64_t max_executions, seed;
    int threads;        /* for how many to prepare */
    int processes;      /* that explore at a time */
    int far;            /* members of the depot behind this memory, from RT_FIRST_FAR on, that explore elsewhere */
    bool serves;        /* nothing of its own is explored, only parts that heddle posts in the depot as RT_CARRIER */
    size_t schedule_len; /* RT_RECORD: first_steps[] holds the schedule to follow */
    char journal[RT_JOURNAL]; /* a folder for what files were before an execution; empty: they are not put back */
    struct rt_input input;
    uint8_t exit_accepted[256 / 8]; /* bit n: it is no error that the program ends with status n */
};

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

enum rt_status {
    RT_STARTING, RT_RUNNING,
    RT_FINISHED,      /* the strategy has no more schedules, or the program ended (RT_RECORD) */
    RT_FOUND,         /* `finding` holds */
    RT_LIMIT,         /* time */
    RT_MORE_THREADS,  /* start again with a larger config.threads */
    RT_PLAINER,       /* start again with a strategy that takes any program: rt_need_plain_strategy() */
    RT_UNABLE,        /* finding.message says why the program cannot be explored */
};

/* A call of the program that is outside control; reported once for each place. */
struct rt_note { uint64_t pc; char name[32]; char meaning[160]; };

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

enum { RT_MAX_HOT = 1 << 12 };

/* An execution that failed; what it takes to run it again. */
struct rt_failure {
    struct rt_finding finding;
    int preemptions;
    uint32_t first_step, step_count; /* in kept_steps[]; no steps: there was no room for them */
    uint32_t announced_count, hot_count;
    uint64_t announced[RT_MAX_THREADS];
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
    int preemptions, surprises;      /* of the failing execution; surprises: all that the bound counts */
    uint64_t findings;               /* distinct ones, with all_errors */
    struct rt_failure more[RT_MAX_NOTES]; /* all_errors: one for each, the first included */
    uint32_t atomic_functions;       /* functions of the program that are one step */
    struct { uint64_t low, high; } atomic_function[RT_MAX_ATOMIC];
    uint64_t peak_memory;
    volatile int processes[RT_MAX_PROCESSES]; /* that explore parts, besides the first; 0: none */
    uint32_t knows;                  /* changes with what parts take for known, before they are given away */
    uint32_t numbered;               /* threads that have a number, from 1 on */
    struct rt_number numbers[RT_MAX_THREADS]; /* number n is at n - 1: the thread that its creator made as its nth */
    uint64_t resumed;                /* executions that began in the middle, of this process and its copies */
    uint64_t digest;                 /* config.digest: of all executions that were run */
    bool keeps_start;                /* --isolate=fork: the start of the program can be run once */
    bool concurrent;                 /* some execution created a thread */
    bool weak_seen;                  /* orders for which it matters: executions are explored as RC11 allows them */
    bool weak_truncated;             /* of some access only the newest writes were tried */
    uint32_t mixed_count;            /* the first ones */
    struct rt_mixed mixed[RT_MAX_MIXED];
    uint32_t site_count;
    struct rt_site sites[RT_MAX_SITES];
    uint32_t weak_count;
    struct rt_weak weak[RT_MAX_WEAK]; /* the first ones, by code address */
    double level_seconds[SCHED_MAX_BOUND + 1]; /* since the start, when the level ended */
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
    struct rt_event events[RT_MAX_EVENTS];
    uint64_t frames[RT_MAX_FRAMES];
};

#define RT_DEPOT_AT ((sizeof(struct rt_shared) + 0xffff) & ~(size_t)0xffff)

/* What a program has to know of itself to take up parts of another's search: where scheduling points are, which threads
 * have which numbers, what was noted. Bytes that mean the same in a program that was built alike. */
struct rt_knowledge {
    uint32_t knows, hot_count, note_count, weak_count, site_count, mixed_count, numbered;
    bool weak_seen, weak_truncated;
    uint64_t hot[RT_MAX_HOT];
    struct rt_note notes[RT_MAX_NOTES];
    struct rt_weak weak[RT_MAX_WEAK];
    struct rt_site sites[RT_MAX_SITES];
    struct rt_mixed mixed[RT_MAX_MIXED];
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
