/* The audit: which memory a call into foreign code accesses. Inside the runtime, for its six files:
 *
 *   audit.c     which call sites there are, when they are audited, and what is reported
 *   gate.c      how a call comes to be audited: stubs in the global offset table
 *   entries.c   the same for functions of the executable: breakpoints where they are called
 *   guard.c     the call runs with the program's pages protected; each access is a fault
 *   touches.c   which thread accesses which memory in the audited execution
 *   kernel.c    which system calls are not known to be harmless
 *
 * Call sites are identified by their return address. The structs are mapped once; nothing here survives an execution
 * but what is known of call sites, which is in the memory shared with heddle. */
#ifndef HEDDLE_AUDIT_INT_H
#define HEDDLE_AUDIT_INT_H

#include "runtime/internal.h"

enum { MAX_LIBRARIES = 4, MAX_MAPPED = 32, MAX_GUARDED = MAX_THREADS + 8 + MAX_LIBRARIES + MAX_MAPPED };
enum { MAX_OPEN = 64, MAX_FOUND = 8192, MAX_ANNOUNCED = 64 };

struct found_access { uintptr_t address; uint32_t size; bool write; };

/* The call that is being audited. It stays until its accesses are settled, because a wrapper may announce some of them
 * afterwards. */
struct audited_call {
    bool in_progress;           /* it has not returned */
    bool is_cut;                /* the budget ended before the call did */
    bool has_row;               /* a wrapper of the runtime made it, and announces accesses */
    bool is_repeat;             /* by another thread, from a call site that is audited already */
    bool is_locked;             /* an atomic instruction has accessed data of the C library */
    uint64_t opened[4];         /* descriptors that it opened, a bit for each */
    struct rt_call_site *site;
    uintptr_t pc;
    int thread;
    uint32_t found_count, announced_count;
    struct found_access found[MAX_FOUND], announced[MAX_ANNOUNCED];
};

struct guard {
    bool is_on;                 /* pages are protected */
    bool is_dispatching;        /* the kernel looks at blocks_calls; from the beginning of a call to its end */
    bool is_stepping;           /* one instruction runs with some of them open */
    uint8_t blocks_calls;       /* the selector of the kernel's syscall user dispatch */
    uint32_t masks_at;          /* mask registers in what the kernel saves for a signal handler; 0: there are none */
    uint32_t range_count, open_count;
    struct { uintptr_t low, high; } ranges[MAX_GUARDED];
    uintptr_t open[MAX_OPEN];   /* pages, while is_stepping */
    uintptr_t string_end;       /* a string that was read by vectors ends before this address */
    uintptr_t resume_at, resume_sp; /* a breakpoint: foreign code goes on there, the stack pointer not below; 0: none */
    uint8_t replaced;           /* the byte that it stands for */
};

struct audit {
    bool is_on;                 /* calls of the program are looked at */
    bool is_off;                /* but not audited: the verdict says whether there were any */
    bool is_running;            /* this execution is run for the audit */
    bool wants_repeats, repeats; /* calls from a call site by other threads were met; are audited */
    bool has_stubs, is_given_up;
    bool start_is_settled;      /* breakpoints were removed that concern calls after the first creation of a thread */
    uint32_t patience;          /* executions until the budget is looked at again */
    double until, began;        /* processor time: the end of the budget; when a call in the start began */
    struct audited_call call;
    struct guard guard;
    struct entries *entries;    /* NULL: the program has no foreign functions */
    struct stub *stubs, *forced;
    uint32_t stub_count;
    struct touches *touches;
    uintptr_t relro;            /* begins with what is read-only after relocation */
    struct { uintptr_t low, high; } data; /* the writable segment of the executable */
    struct { uintptr_t low, high; } libraries[MAX_LIBRARIES]; /* the same of the C library */
    uint32_t library_count;
    size_t locals_size;         /* of the executable's thread-local variables, which end where the thread pointer is */
    struct { uintptr_t pc; int thread; uint32_t count; struct found_access at[MAX_ANNOUNCED]; } ring; /* announced last,
                                   from one place */
};

/* audit.c */
bool audit_wants(uintptr_t pc, uintptr_t function, const char *name, bool has_row); /* this call is to be audited */
/* The same for a call of a function of the executable; `*site` is for audit_function_over(), and no
 * site in an execution that is recorded. */
enum audit_answer { AUDIT_NOW, AUDIT_LATER, AUDIT_SETTLED };
enum audit_answer audit_wants_function(uintptr_t pc, struct rt_foreign *f, bool has_room, uint32_t *site);
void audit_function_over(uint32_t site, bool is_whole);
void audit_found(uintptr_t address, size_t size, bool write, bool is_loose); /* by the call; announced or not */
void audit_locked(uintptr_t address); /* the call accesses this with an atomic instruction */
bool audit_in_library(uintptr_t address);
bool audit_guards_libraries(void); /* in the call that begins */
void audit_system_call(long number); /* that the call made, and that is not harmless */
void audit_settle(void);
void audit_pauses(void);        /* which locks are held may change now */
void audit_call_over(void);
bool audit_is_over_budget(void);
/* `pc` is a call site whose access is not announced. */
struct audit_conflict { uint64_t pc, other_pc, address; int thread, other; bool writes, other_writes; };
void audit_conflict(const struct audit_conflict *c);
bool audit_is_observed(uintptr_t pc); /* code that announces what it does, as opposed to the runtime and foreign code */

/* gate.c */
void gate_init(void);
void gate_forget(void);         /* call sites may be other than the stubs know */

/* entries.c */
void entries_init(void);
void entries_forget(void);      /* calls of functions that were entered are met again */

/* kernel.c: after a system call */
void kernel_see(struct audited_call *c, long number, const long *arguments, long result);

/* guard.c */
bool guard_is_possible(void);
void guard_call_begins(uintptr_t boundary); /* the stack below it is the call's own */
void guard_give_up(void);       /* of a call that has not ended, or not in the usual way */
void guard_pause(uintptr_t return_address, uintptr_t sp);

/* touches.c */
struct touches *touches_new(void);
void touches_begin(void);
void touches_fork(const struct thread *child);
void touches_join(const struct thread *ended);
void touches_argument(uintptr_t value); /* of a call that is audited */
void touches_add(uintptr_t address, size_t size, bool write, bool is_foreign, uintptr_t pc);

#endif
