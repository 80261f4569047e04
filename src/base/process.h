/* Running other programs: fill a struct process, start it, wait for it.
 *
 *     struct process p = {.out = PROCESS_NULL, .own_group = true};
 *     words_split(&p.words, "cc -E");
 *     int status = process_run(&p, NULL);
 *     process_release(&p);
 *
 * A process that still runs when this one ends is asked to end if it tidies up, and killed, with its process group if
 * it has one of its own. */
#ifndef HEDDLE_PROCESS_H
#define HEDDLE_PROCESS_H

#include "base/limits.h"

#include <sys/resource.h>
#include <sys/types.h>

struct words { char **at; size_t len, cap; }; /* an argument vector under construction; owns its strings */
void words_add(struct words *w, const char *word);
void words_printf(struct words *w, const char *fmt, ...) PRINTF_LIKE(2, 3); /* one word */
void words_split(struct words *w, const char *text); /* at white space; quotes group */
void words_release(struct words *w);

enum {
    PROCESS_NULL = -1,          /* as a descriptor: /dev/null */
    PROCESS_NOT_STARTED = 127,  /* as an exit status */
    PROCESS_STOPPED = 130,      /* as an exit status: a limit was reached first */
};

struct process {
    struct words words;         /* the command; the first is searched for in $PATH */
    struct words environment;   /* NAME=value, in addition to ours */
    int in, out, err;           /* descriptors; 0: ours, PROCESS_NULL: nothing */
    bool own_group;             /* what it starts ends with it; not for programs that use the terminal */
    bool tidies;                /* it removes its temporary files if it is asked to end (SIGTERM) */
    /* Called in the child before the program is loaded. Without it the process is made by posix_spawn(), which does not
     * copy page tables: this process may have gigabytes of states. */
    void (*in_child)(void *context);
    void *context;
    pid_t pid;                  /* 0: does not run */
    int status;                 /* exit status once it ended; 128 + n if signal n killed it */
    int wait_status;            /* the same as wait() gives it */
    struct rusage usage;
};

int process_start(struct process *p); /* 0, or -1 with errno */
bool process_ended(struct process *p); /* true once it has ended; does not wait */
/* Waits at most so many milliseconds; returns process_ended(). */
bool process_wait(struct process *p, int milliseconds);
void process_kill(struct process *p); /* and everything in its group; waits for its end. Nothing if it does not run */
void process_ask(struct process *p); /* to end; does not wait */
void process_stop(struct process *p); /* asks it and waits; kills it if it does not end within a few seconds */
/* From start to end; killed when a limit is reached (NULL: only when the user interrupts). The exit status. */
int process_run(struct process *p, const struct limits *limits);
void process_release(struct process *p); /* kills it if it still runs */

#endif
