/* Real programs: compile them for checking, run them under the runtime, watch them, and turn a recorded execution into
 * a trace. The program runs in a process of its own; whatever it does, this side only ever sees a process that ended
 * and the memory shared with it (runtime/runtime.h). Strings returned belong to the caller unless said otherwise. */
#ifndef HEDDLE_NATIVE_H
#define HEDDLE_NATIVE_H

#include "base/limits.h"
#include "base/process.h"
#include "runtime/runtime.h"
#include "trace/trace.h"

/* Where the kernel puts a position-independent program when addresses are not randomised. */
#if defined __aarch64__
#define NATIVE_BASE 0xaaaaaaaa0000ull
#else
#define NATIVE_BASE 0x555555554000ull
#endif

/* compile.c */
char *runtime_object(void);        /* where heddle_rt.o is, or NULL */
char *header_directory(void);      /* where heddle.h is, or NULL */
bool is_source_file(const char *path);
bool is_cxx_file(const char *path);
/* Runs a compiler so that its output can be checked. Returns the compiler's exit status, PROCESS_STOPPED at a limit. */
int native_cc(const char *compiler, const struct words *arguments, const struct limits *limits);
struct native_build {
    const char *const *files, *const *libraries;
    size_t count, library_count;
    const char *cflags, *ldflags;
    const char *hidden; /* a directory that debug information is not to name, or NULL */
};
enum { NATIVE_REFUSED = 125 }; /* as an exit status: these sources are no program, as was said */
/* The sources as words of a command, each with its language where one of them is in C++ and another is not. */
void native_add_files(const struct native_build *b, struct words *out);
/* Sources -> an executable at `output`. Returns the same. */
int native_compile(const struct native_build *b, const char *compiler, const char *output, const struct limits *limits);
/* sources.c. The same wherever the sources lie; NULL: the compiler does not tell which they are. */
char *native_sources_hash(const struct native_build *b, const char *compiler, const struct limits *limits);
bool is_executable(const char *path);
bool is_checkable_executable(const char *path); /* one that was built with heddle cc */

/* input.c. What comes from outside, by a script; returns what is wrong with it (heap), or NULL. */
char *native_read_input(const char *path, struct rt_input *out);

/* launch.c */
struct native_program {
    const char *path;            /* of the executable */
    const char *const *arguments; /* NULL-terminated, without argv[0] */
    double step_seconds;         /* a step that takes longer is taken for an endless loop */
};
struct native_run {
    struct rt_shared *shared;
    struct depot depot;          /* with config.far or config.serves, else no table */
    int fd;
    struct rt_config config;     /* as it was given: the program could overwrite the one in shared memory */
    char *output;                /* what the program printed, if it was recorded (heap) */
    struct process child;        /* while the program runs */
    int output_fd;               /* where it prints while it runs; -1: nowhere */
    struct native_watch {
        double beat_at, asked_at, stopped_at; /* the first two by the program's time */
        uint64_t beat;
    } watch;
    bool timed_out;              /* a step took longer than step_seconds, and the program did not say where */
    enum limit stopped;          /* by which limit, if any */
};
typedef void native_watcher(void *context, const struct rt_shared *shared);
void native_run_init(struct native_run *r, const struct rt_config *config);
void native_environment(const struct native_run *r, struct words *out);
void native_become(void *run); /* the struct native_run: in the child, before a program or gdb is loaded */
/* Runs the program to its end; a process that died leaves a finding. watch is called a few times per second. */
void native_run(struct native_run *r, const struct native_program *p, const struct limits *limits,
                native_watcher *watch, void *context);
/* The same in pieces, for a caller that has other things to do. native_ended() waits at most so many milliseconds; once
 * it is true, the run has its answer and must not be asked again. */
void native_start(struct native_run *r, const struct native_program *p);
bool native_ended(struct native_run *r, const struct native_program *p, const struct limits *limits, int milliseconds);
double native_seconds(const struct native_run *r); /* processor time of a program that runs and its copies so far */
void native_run_release(struct native_run *r);     /* ends a program that still runs */
/* For a search that is divided among programs: what the one with the search knows of itself, once it has given parts
 * away, and for one that serves, before it is started. */
void native_knowledge(const struct rt_shared *from, struct rt_knowledge *out);
void native_know(struct rt_shared *to, const struct rt_knowledge *k);
/* The schedule of a failing execution in terms of the order of creation of its threads, as a fresh process needs it. */
void native_schedule(const struct rt_shared *from, struct rt_shared *to);
/* With all_errors: from now on the failing execution is this one of them; false: there is no such one, or no room was
 * left for its schedule. */
bool native_turn_to(struct rt_shared *s, uint64_t which);

/* symbols.c: addresses -> names; everything returned lives as long as the symbols. */
struct symbols;
struct symbols *symbols_new(const char *executable, uint64_t base);
void symbols_free(struct symbols *s);
struct source_place { const char *file, *function; int line; };
bool symbols_place(struct symbols *s, uint64_t pc, struct source_place *out); /* of the program's own code */
/* The same with the functions whose code was put there in place of a call, innermost first; how many. */
size_t symbols_frames(struct symbols *s, uint64_t pc, const struct source_place **out);
bool symbols_is_guard(struct symbols *s, uint64_t address); /* of a C++ variable that is initialised once */
const char *symbols_variable(struct symbols *s, uint64_t address); /* "queue.head", or NULL */
const char *symbols_thread_local(struct symbols *s, uint64_t offset); /* among the variables of a thread's own */
/* The variable of the function at pc that lies at an offset from its canonical frame address, or NULL. */
const char *symbols_local(struct symbols *s, uint64_t pc, int64_t offset);
/* What a pointer at the root leads to: the place at an offset in the block that it points to, if that is a pointer the
 * place in the block behind it, and so on; "queue->head->next", or NULL. fits: 2 if each block has the size of what the
 * type of its pointer says, 1 if of several. */
/* a global one, or (pc not 0) as above, or one of a thread's own */
struct symbols_root { uint64_t address; uint64_t pc; int64_t offset; bool thread_local; };
struct symbols_link { uint64_t offset, block_size; };
const char *symbols_behind(struct symbols *s, const struct symbols_root *root, const struct symbols_link *links,
                           size_t count, int *fits);
/* The type of an object that std::make_shared made, by the table of functions of what it lies in, and ".member" at the
 * offset or ""; NULL: it is none. */
const char *symbols_shared_object(struct symbols *s, uint64_t vtable, uint64_t offset, const char **member);
const char *symbols_value(struct symbols *s, uint64_t address, uint64_t size, uint64_t value);
void symbols_functions(struct symbols *s, struct rt_shared *out); /* atomic_functions and assumptions */

/* trace_of_run.c: a recorded execution as a trace */
struct trace *native_trace(const struct native_run *r, struct symbols *s);
/* The schedule alone, for a replay: of an error that failed, with the schedule that native_schedule() made of it. */
struct trace *native_bare_trace(const struct rt_shared *failed, const struct rt_shared *schedule, struct symbols *s);
/* For a run that records. Returns NULL, or what is wrong with the schedule: nothing in a trace is believed. */
const char *native_schedule_of_trace(const struct trace *t, struct rt_shared *to);
/* orders.c: pairs of a write and a read of it (events) on a way from a write to the read that passed it over, the
 * newest write if it has such a way, by program order and such reads, where an order is missing without which the way
 * orders nothing. How many. */
struct native_link { uint32_t write, read; bool releases, acquires; };
size_t native_missing_links(const struct rt_shared *shared, uint32_t event, uint32_t *write, struct native_link *out,
                            size_t most);
/* For each event whether it is a preemption, from what was recorded and not from what the strategy says (heap). */
bool *native_preemptions(const struct rt_shared *shared);
/* "f.c:12", of the innermost frame that is the program's own, or NULL */
const char *native_location(const struct rt_shared *shared, struct symbols *s, const struct rt_place *place,
                            struct arena *a);
void native_trace_head(struct trace *t, const struct rt_shared *shared, struct symbols *s); /* what failed, no steps */
/* "memory_order_relaxed": the first order weaker than seq_cst that the program itself used, and where; NULL: none. */
const char *native_weakest_order(const struct rt_shared *shared, struct symbols *s, struct source_place *out);
const char *native_order_name(int order); /* "memory_order_relaxed" */
/* The place of one of the sites in the program's own files. */
bool native_site_place(const struct rt_site *site, struct symbols *s, struct source_place *out);
bool native_waiting_place(const struct rt_waiting *w, struct symbols *s, struct source_place *out);
bool native_mixed_place(const struct rt_mixed *mixed, struct symbols *s, struct source_place *out);
char *native_message(const struct rt_shared *shared, struct symbols *s);

/* The place of an event in the program's own files. */
bool native_place_of(const struct rt_shared *shared, struct symbols *s, const struct rt_event *e,
                     struct source_place *out);
char *native_object_name(const struct native_run *run, struct symbols *s, uint64_t object); /* heap */

/* busiest.c: the object on which the most operations of different threads can be exchanged, or if there is none that is
 * used most often; false: nothing is shared. */
struct native_busiest {
    uint64_t object, operations, pairs, line_operations; /* line: the one with the most operations on it */
    uint64_t rounds;             /* operations of one thread on that line, at most */
    uint8_t kind;                /* enum sched_kind of these */
    int threads;                 /* that use it */
    int all_threads;             /* of the execution */
    uint64_t steps;              /* of the execution */
    struct source_place place;   /* of the line; no file: not known */
};
bool native_find_busiest(const struct native_run *run, struct symbols *symbols, struct native_busiest *out);

/* assembly.c: inline assembly that matters. `heddle cc NATIVE_ASSEMBLE ...` is run in the assembler's place. */
#define NATIVE_ASSEMBLE "--heddle-assemble"
int native_assemble(int argc, char **argv); /* as an assembler would be called; its exit status */
void native_take_assemblers_place(const char *directory);
typedef void native_foreign(void *context, const char *file, int line, const char *meaning);
void native_foreign_code(const char *executable, native_foreign *visit, void *context);
/* foreign.c: code in the executable that Heddle does not observe: what has no mark of `heddle cc` (marks.c). Sorted. */
struct native_range {
    uint64_t low, high;
    uint8_t kind;              /* enum rt_foreign_kind */
    bool has_entry;            /* it begins with a function */
    bool unobserved;           /* native_foreign.c: some execution entered it */
    char *function, *object;   /* NULL: not known */
};
struct native_foreign {
    VEC(struct native_range) ranges;
    bool has_marks;            /* something says what heddle cc built */
    bool is_cut;               /* the file is stripped, and there was no room for all ranges */
};
/* Returns false if a section cannot be read. */
bool native_foreign_ranges(const char *executable, uint64_t base, struct native_foreign *out);
const char *native_foreign_reason(enum rt_foreign_kind kind); /* "built without heddle cc" */
/* "update()", with its place in the source text if it is not of an object without debugging information */
void native_foreign_words(struct symbols *s, const struct native_range *r, struct str *out);
void native_foreign_release(struct native_foreign *f);
void native_tell_foreign(const struct native_foreign *f, struct rt_shared *to);
void native_keep_inputs(const char *executable, const char *map); /* after linking: the linker's map */

const char *native_way_out(const char *path); /* what to do about such code of a library that is known, or NULL */

/* doctor.c: calls outside control that the executable contains, and inline assembly; prints them. Returns how many. */
int native_doctor(const char *executable, FILE *out);

#endif
