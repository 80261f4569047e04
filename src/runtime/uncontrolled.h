/* Calls that may block or bring in what no schedule decides: one row each (result, name, parameters, arguments, what it
 * means). They go through to the C library; the first call from each place is reported. */
#ifndef HEDDLE_UNCONTROLLED_H
#define HEDDLE_UNCONTROLLED_H

#define BLOCKS "may block the whole program; what comes in does not repeat"
#define OF_PROCESS "a lock of the process: it keeps out no thread, and may block the whole program"
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
    X(int, lockf, (int a, int b, long c), (a, b, c), OF_PROCESS)                                                       \
    X(int, msgget, (int a, int b), (a, b), OUTSIDE)                                                                    \
    X(int, shmget, (int a, size_t b, int c), (a, b, c), OUTSIDE)                                                       \
    X(int, swapcontext, (void *a, const void *b), (a, b), "contexts of the program's own confuse the stacks in reports")

#define REFUSED_CALLS(X)                                                                                               \
    X(aio_read, (void *a), (a))                                                                                        \
    X(aio_read64, (void *a), (a))                                                                                      \
    X(aio_write, (void *a), (a))                                                                                       \
    X(aio_write64, (void *a), (a))                                                                                     \
    X(aio_fsync, (int a, void *b), (a, b))                                                                             \
    X(aio_fsync64, (int a, void *b), (a, b))                                                                           \
    X(lio_listio, (int a, void *b, int c, void *d), (a, b, c, d))                                                      \
    X(lio_listio64, (int a, void *b, int c, void *d), (a, b, c, d))                                                    \
    X(getaddrinfo_a, (int a, void *b, int c, void *d), (a, b, c, d))

/* Calls that change what the kernel knows of the process: later executions find it changed. What is called before there
 * are threads is done once. */
#define SURVIVES "what it changes is not undone after an execution"
#define SURVIVING_CALLS(X)                                                                                             \
    X(unsigned, umask, (unsigned a), (a), SURVIVES)                                                                    \
    X(int, chdir, (const char *a), (a), SURVIVES)                                                                      \
    X(int, fchdir, (int a), (a), SURVIVES)                                                                             \
    X(int, setrlimit, (int a, const void *b), (a, b), SURVIVES)                                                        \
    X(int, setrlimit64, (int a, const void *b), (a, b), SURVIVES)                                                      \
    X(int, setpriority, (int a, unsigned b, int c), (a, b, c), SURVIVES)                                               \
    X(int, nice, (int a), (a), SURVIVES)                                                                               \
    X(int, sched_setaffinity, (int a, size_t b, const void *c), (a, b, c), SURVIVES)                                   \
    X(int, personality, (unsigned long a), (a), SURVIVES)

#endif
