/* Other processes. A child of fork() goes its own way: nothing of it is explored, and its threads take turns on one
 * kernel thread. A program that is replaced by another one has come to its end. */
#include "runtime/internal.h"

#include <grp.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Only the thread that called fork() is there. What is shared with the parent is left alone. */
static void become_independent(void)
{
    struct numbering *own = rt_map(NULL, sizeof *own, 0);
    *own = *rt.numbering;
    rt.numbering = own;
    rt.live = set_of(rt.self->id);
    rt.conditional = SET_NONE;
    rt.shared = NULL;
    rt.crew.shared = NULL;
    rt.branch.shared = NULL;
    rt.branch.on = rt.branch.is_copy = false;
    rt.way.all = NULL;
    rt.way.target = 0;
    rt.pid = rt.parent = 0;
    rt.sched = NULL;
    rt.exploring = rt.recording = rt.check_plain = rt.learn_shared = rt.step_pending = false;
}

static pid_t fork_here(uintptr_t pc)
{
    if (!rt.active || !rt.shared) return REAL(fork)();
    rt_point_labelled(OP(GLOBAL), NULL, pc, "fork");
    rt_effect();
    rt_cycle_forget();
    rt_crew_outside();
    bool has_all = rt_hand_over();
    rt_note("fork", has_all ? "the new process is not explored"
                            : "the new process is not explored, and it shares no sockets, timers, queues and locks",
            pc);
    pid_t child = REAL(fork)();
    if (child == 0) become_independent();
    return child;
}

/* The same for all processes that explore the program. */
EXPORT pid_t getpid(void) { return rt.pid ? rt.pid : (pid_t)rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0); }

EXPORT pid_t getppid(void) { return rt.parent ? rt.parent : (pid_t)rt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0); }

EXPORT pid_t fork(void) { return fork_here(CALLER); }
EXPORT pid_t vfork(void) { return fork_here(CALLER); }
EXPORT pid_t _Fork(void) { return fork_here(CALLER); }

/* Of the program itself, and not of a child: the execution ends here. */
static void replaced(const char *name, uintptr_t pc)
{
    if (!rt.active || !rt.shared) return;
    rt_note(name, "the program is replaced by another one, which is not explored", pc);
    rt_point_labelled(OP(END), NULL, pc, "exec");
    rt_end_execution(SCHED_END_NORMAL);
}

EXPORT int execv(const char *path, char *const *argv) { return replaced("execv", CALLER), REAL(execv)(path, argv); }
EXPORT int execvp(const char *file, char *const *argv) { return replaced("execvp", CALLER), REAL(execvp)(file, argv); }
EXPORT int execve(const char *path, char *const *argv, char *const *envp)
{
    return replaced("execve", CALLER), REAL(execve)(path, argv, envp);
}
EXPORT int execvpe(const char *file, char *const *argv, char *const *envp)
{
    return replaced("execvpe", CALLER), REAL(execvpe)(file, argv, envp);
}

/* Those with a list of arguments call the others, by way of the C library's own. */
enum { MOST_ARGUMENTS = 1024 };
#define WITH_LIST(name, vector) \
    EXPORT int name(const char *path, const char *first, ...) \
    { \
        char *argv[MOST_ARGUMENTS] = {(char *)first}; \
        va_list ap; \
        replaced(#name, CALLER); \
        va_start(ap, first); \
        for (int i = 1; i < MOST_ARGUMENTS - 1 && argv[i - 1]; i++) argv[i] = va_arg(ap, char *); \
        va_end(ap); \
        return vector(path, argv); \
    }
WITH_LIST(execl, REAL(execv))
WITH_LIST(execlp, REAL(execvp))

/* The C library would ask all kernel threads to change, and those that sleep for ever do not answer. One is enough. */
static int status_of(long result) { return result < 0 ? errno = (int)-result, -1 : 0; }
EXPORT int setuid(uid_t u) { return status_of(rt_syscall(SYS_setuid, u, 0, 0, 0, 0, 0)); }
EXPORT int setgid(gid_t g) { return status_of(rt_syscall(SYS_setgid, g, 0, 0, 0, 0, 0)); }
EXPORT int seteuid(uid_t u) { return status_of(rt_syscall(SYS_setresuid, -1, u, -1, 0, 0, 0)); }
EXPORT int setegid(gid_t g) { return status_of(rt_syscall(SYS_setresgid, -1, g, -1, 0, 0, 0)); }
EXPORT int setreuid(uid_t r, uid_t e) { return status_of(rt_syscall(SYS_setreuid, r, e, 0, 0, 0, 0)); }
EXPORT int setregid(gid_t r, gid_t e) { return status_of(rt_syscall(SYS_setregid, r, e, 0, 0, 0, 0)); }
EXPORT int setresuid(uid_t r, uid_t e, uid_t s) { return status_of(rt_syscall(SYS_setresuid, r, e, s, 0, 0, 0)); }
EXPORT int setresgid(gid_t r, gid_t e, gid_t s) { return status_of(rt_syscall(SYS_setresgid, r, e, s, 0, 0, 0)); }
EXPORT int setgroups(size_t n, const gid_t *list)
{
    return status_of(rt_syscall(SYS_setgroups, (long)n, (long)list, 0, 0, 0, 0));
}
