/* Calls that may block or bring in what no schedule decides: one row each (result, name, parameters, arguments, what it
 * means). They go through to the C library; the first call from each place is reported. */
#ifndef HEDDLE_UNCONTROLLED_H
#define HEDDLE_UNCONTROLLED_H

#define BLOCKS "may block the whole program; what comes in does not repeat"
#define OUTSIDE "talks to another process; what comes back does not repeat"
#define PROCESS "the new process is not explored"

#define UNCONTROLLED_CALLS(X)                                                                                          \
    X(int, inotify_init1, (int a), (a), BLOCKS)                                                                        \
    X(void *, popen, (const char *a, const char *b), (a, b), PROCESS)                                                  \
    X(int, system, (const char *a), (a), PROCESS)                                                                      \
    X(int, __cxa_at_quick_exit, (void (*a)(void *), void *b), (a, b), "handlers of quick_exit() are not run")          \
    X(int, posix_spawn, (void *a, const char *b, const void *c, const void *d, char *const *e, char *const *f),        \
      (a, b, c, d, e, f), PROCESS)                                                                                     \
    X(int, posix_spawnp, (void *a, const char *b, const void *c, const void *d, char *const *e, char *const *f),       \
      (a, b, c, d, e, f), PROCESS)                                                                                     \
    X(int, wait, (int *a), (a), BLOCKS)                                                                                \
    X(int, waitpid, (int a, int *b, int c), (a, b, c), BLOCKS)                                                         \
    X(int, flock, (int a, int b), (a, b), BLOCKS)                                                                      \
    X(int, lockf, (int a, int b, long c), (a, b, c), BLOCKS)                                                           \
    X(int, msgget, (int a, int b), (a, b), OUTSIDE)                                                                    \
    X(int, semget, (int a, int b, int c), (a, b, c), OUTSIDE)                                                          \
    X(int, shmget, (int a, size_t b, int c), (a, b, c), OUTSIDE)                                                       \
    X(int, swapcontext, (void *a, const void *b), (a, b), "contexts of the program's own confuse the stacks in reports")

#endif
