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

/* Calls whose answer the kernel writes into memory of the program, and where, and how much. */
#define FILLING_CALLS(X)                                                                                               \
    X(char *, getcwd, (char *a, size_t b), (a, b), a, b)                                                               \
    X(long, readlink, (const char *a, char *b, size_t c), (a, b, c), b, c)                                             \
    X(long, readlinkat, (int a, const char *b, char *c, size_t d), (a, b, c, d), c, d)                                 \
    X(int, getrusage, (int a, void *b), (a, b), b, sizeof(struct rusage))                                              \
    X(int, getrlimit, (int a, void *b), (a, b), b, sizeof(struct rlimit))                                              \
    X(int, getrlimit64, (int a, void *b), (a, b), b, sizeof(struct rlimit))                                            \
    X(int, prlimit, (int a, int b, const void *c, void *d), (a, b, c, d), d, sizeof(struct rlimit))                    \
    X(int, prlimit64, (int a, int b, const void *c, void *d), (a, b, c, d), d, sizeof(struct rlimit))                  \
    X(int, sysinfo, (void *a), (a), a, sizeof(struct sysinfo))                                                         \
    X(int, sched_getaffinity, (int a, size_t b, void *c), (a, b, c), c, b)                                             \
    X(int, sched_getparam, (int a, void *b), (a, b), b, sizeof(struct sched_param))                                    \
    X(int, statfs, (const char *a, void *b), (a, b), b, sizeof(struct statfs))                                         \
    X(int, statfs64, (const char *a, void *b), (a, b), b, sizeof(struct statfs))                                       \
    X(int, fstatfs, (int a, void *b), (a, b), b, sizeof(struct statfs))                                                \
    X(int, fstatfs64, (int a, void *b), (a, b), b, sizeof(struct statfs))                                              \
    X(int, fstat, (int a, void *b), (a, b), b, sizeof(struct stat))                                                    \
    X(int, fstat64, (int a, void *b), (a, b), b, sizeof(struct stat))                                                  \
    X(int, uname, (void *a), (a), a, sizeof(struct utsname))

#endif
