/* Calls that may block or bring in what no schedule decides: one row each (result, name, parameters, arguments, what it
 * means). They go through to the C library; the first call from each place is reported. */
#ifndef HEDDLE_UNCONTROLLED_H
#define HEDDLE_UNCONTROLLED_H

#define BLOCKS "may block the whole program; what comes in does not repeat"
#define OUTSIDE "talks to another process; what comes back does not repeat"
#define SIGNALS "signals arrive at moments that no schedule decides"
#define PROCESS "the new process is not explored"

#define UNCONTROLLED_CALLS(X)                                                                                          \
    X(int, socket, (int a, int b, int c), (a, b, c), OUTSIDE)                                                          \
    X(int, socketpair, (int a, int b, int c, int *d), (a, b, c, d), OUTSIDE)                                           \
    X(int, connect, (int a, const void *b, unsigned c), (a, b, c), BLOCKS)                                             \
    X(int, accept, (int a, void *b, void *c), (a, b, c), BLOCKS)                                                       \
    X(int, accept4, (int a, void *b, void *c, int d), (a, b, c, d), BLOCKS)                                            \
    X(ssize_t, recv, (int a, void *b, size_t c, int d), (a, b, c, d), BLOCKS)                                          \
    X(ssize_t, recvfrom, (int a, void *b, size_t c, int d, void *e, void *f), (a, b, c, d, e, f), BLOCKS)              \
    X(ssize_t, recvmsg, (int a, void *b, int c), (a, b, c), BLOCKS)                                                    \
    X(ssize_t, send, (int a, const void *b, size_t c, int d), (a, b, c, d), OUTSIDE)                                   \
    X(ssize_t, sendto, (int a, const void *b, size_t c, int d, const void *e, unsigned f), (a, b, c, d, e, f),         \
      OUTSIDE)                                                                                                         \
    X(ssize_t, sendmsg, (int a, const void *b, int c), (a, b, c), OUTSIDE)                                             \
    X(int, poll, (void *a, unsigned long b, int c), (a, b, c), BLOCKS)                                                 \
    X(int, ppoll, (void *a, unsigned long b, const void *c, const void *d), (a, b, c, d), BLOCKS)                      \
    X(int, select, (int a, void *b, void *c, void *d, void *e), (a, b, c, d, e), BLOCKS)                               \
    X(int, pselect, (int a, void *b, void *c, void *d, const void *e, const void *f), (a, b, c, d, e, f), BLOCKS)      \
    X(int, epoll_wait, (int a, void *b, int c, int d), (a, b, c, d), BLOCKS)                                           \
    X(int, epoll_create1, (int a), (a), BLOCKS)                                                                        \
    X(int, eventfd, (unsigned a, int b), (a, b), "a thread that reads it blocks the whole program")                    \
    X(int, timerfd_create, (int a, int b), (a, b), "real time passes outside the virtual clock")                       \
    X(int, signalfd, (int a, const void *b, int c), (a, b, c), SIGNALS)                                                \
    X(int, inotify_init1, (int a), (a), BLOCKS)                                                                        \
    X(int, pipe, (int *a), (a), "a thread that reads it blocks the whole program")                                     \
    X(int, pipe2, (int *a, int b), (a, b), "a thread that reads it blocks the whole program")                          \
    X(int, mkfifo, (const char *a, unsigned b), (a, b), BLOCKS)                                                        \
    X(void *, popen, (const char *a, const char *b), (a, b), PROCESS)                                                  \
    X(int, system, (const char *a), (a), PROCESS)                                                                      \
    X(int, __cxa_at_quick_exit, (void (*a)(void *), void *b), (a, b), "handlers of quick_exit() are not run")          \
    X(int, fork, (void), (), PROCESS)                                                                                  \
    X(int, vfork, (void), (), PROCESS)                                                                                 \
    X(int, execv, (const char *a, char *const *b), (a, b), "the program is replaced")                                  \
    X(int, execve, (const char *a, char *const *b, char *const *c), (a, b, c), "the program is replaced")              \
    X(int, execvp, (const char *a, char *const *b), (a, b), "the program is replaced")                                 \
    X(int, posix_spawn, (void *a, const char *b, const void *c, const void *d, char *const *e, char *const *f),        \
      (a, b, c, d, e, f), PROCESS)                                                                                     \
    X(int, posix_spawnp, (void *a, const char *b, const void *c, const void *d, char *const *e, char *const *f),       \
      (a, b, c, d, e, f), PROCESS)                                                                                     \
    X(int, wait, (int *a), (a), BLOCKS)                                                                                \
    X(int, waitpid, (int a, int *b, int c), (a, b, c), BLOCKS)                                                         \
    X(int, killpg, (int a, int b), (a, b), SIGNALS)                                                                    \
    X(unsigned, alarm, (unsigned a), (a), SIGNALS)                                                                     \
    X(unsigned, ualarm, (unsigned a, unsigned b), (a, b), SIGNALS)                                                     \
    X(int, setitimer, (int a, const void *b, void *c), (a, b, c), SIGNALS)                                             \
    X(int, timer_create, (int a, void *b, void *c), (a, b, c), SIGNALS)                                                \
    X(int, flock, (int a, int b), (a, b), BLOCKS)                                                                      \
    X(int, lockf, (int a, int b, long c), (a, b, c), BLOCKS)                                                           \
    X(int, msgget, (int a, int b), (a, b), OUTSIDE)                                                                    \
    X(int, semget, (int a, int b, int c), (a, b, c), OUTSIDE)                                                          \
    X(int, shmget, (int a, size_t b, int c), (a, b, c), OUTSIDE)                                                       \
    X(int, shm_open, (const char *a, int b, unsigned c), (a, b, c),                                                    \
      "the contents survive executions: they are not put back")                                                        \
    X(int, swapcontext, (void *a, const void *b), (a, b), "contexts of the program's own confuse the stacks in reports")

#endif
