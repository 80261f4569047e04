/* What must not outlive this process: child processes and temporary directories. Whoever makes one registers it here;
 * what is still registered when the process ends is ended and removed, whichever way it ends: exit(), die(), BUG(), a
 * failed assertion, a crash or a signal that kills. Only SIGKILL gets past. A forked child inherits nothing of it.
 *
 * Internal to src/base. */
#ifndef HEDDLE_LEFTOVERS_INT_H
#define HEDDLE_LEFTOVERS_INT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* From here on signals that end this process are seen to; whatever is registered does it by itself. */
void leftovers_watch(void);

/* Signals that end this process are held back between the two calls, so that nothing can be made and not registered. */
void leftovers_hold(sigset_t *before);
void leftovers_let_go(const sigset_t *before);

/* The path must stay where it is until it is forgotten. A process is killed with its process group if it leads one. One
 * that tidies up is asked first (SIGTERM), and again after PATIENCE_FIRST milliseconds; it is killed PATIENCE_SECOND
 * later. A check takes the second signal as a reason to give up its verdict, but not its temporary files. */
enum { PATIENCE_FIRST = 3000, PATIENCE_SECOND = 2000 };
void leftovers_add_directory(const char *path);
void leftovers_forget_directory(const char *path);
void leftovers_add_process(pid_t pid, bool leads_group, bool tidies);
void leftovers_forget_process(pid_t pid);

bool remove_tree(const char *path); /* safe in a signal handler; false if something is left */
void leftovers_remove(void);        /* safe in a signal handler */
/* For a handler that decided to give in: removes everything, then dies of the signal. */
void leftovers_die(int signal_number);

#endif
