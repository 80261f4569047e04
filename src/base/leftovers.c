/* Children and temporary directories that are still there at the end. The tables are global because a signal handler
 * has nothing else to start from; they are only changed while signals are held back. */
#define _GNU_SOURCE
#include "base/leftovers_int.h"

#include "base/base.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DIRECTORIES = 16, MOST_PROCESSES = 512, DEEPEST = 32 };

struct child { pid_t pid; bool leads_group, tidies; };
static struct {
    pid_t owner; /* 0: nothing was registered yet */
    const char *directories[MOST_DIRECTORIES];
    struct child children[MOST_PROCESSES];
} left;

static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU, SIGXFSZ,
                             SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

void leftovers_hold(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++) sigaddset(&set, deadly[i]);
    sigprocmask(SIG_BLOCK, &set, before);
}

void leftovers_let_go(const sigset_t *before) { sigprocmask(SIG_SETMASK, before, NULL); }

static bool remove_entry(int parent, const char *name, int depth);

/* readdir() allocates, which a signal handler must not do. */
static void remove_entries(int fd, int depth)
{
    struct dirent64 *e;
    char buffer[2048] __attribute__((aligned(16)));
    long n;
    while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n; at += e->d_reclen) {
            e = (struct dirent64 *)(buffer + at);
            if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) remove_entry(fd, e->d_name, depth + 1);
        }
}

static bool remove_entry(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT) return true;
    if (depth > DEEPEST) return false;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0) {
        remove_entries(fd, depth);
        close(fd);
    }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

/* A child that was just killed may still finish the system call that makes a file: hence more than once. */
bool remove_tree(const char *path)
{
    enum { ATTEMPTS = 5 };
    for (int i = 0; i < ATTEMPTS; i++) {
        if (remove_entry(AT_FDCWD, path, 0)) return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

/* Another thread may reap its child and clear the entry while the handler runs. Each entry is therefore read once. The
 * handler reaps no child, so the kernel cannot give a number to another process meanwhile. */
static struct child child_at(size_t i)
{
    struct child c = left.children[i];
    c.pid = __atomic_load_n(&left.children[i].pid, __ATOMIC_RELAXED);
    if (c.pid <= 1) c.pid = 0; /* kill() would take 0 and -1 for whole groups */
    return c;
}

static void ask_children(void)
{
    for (size_t i = 0; i < MOST_PROCESSES; i++) {
        struct child c = child_at(i);
        if (c.pid && c.tidies) kill(c.pid, SIGTERM);
    }
}

static bool has_ended(pid_t pid, int flags)
{
    siginfo_t ended = {0};
    while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT | flags) < 0)
        if (errno != EINTR) return true; /* another thread has reaped it */
    return ended.si_pid == pid;
}

/* True once all those have ended that tidy up. */
static bool wait_for_children(int milliseconds)
{
    enum { STEP = 5 };
    for (;; milliseconds -= STEP) {
        bool all = true;
        for (size_t i = 0; i < MOST_PROCESSES; i++) {
            struct child c = child_at(i);
            if (c.pid && c.tidies && !has_ended(c.pid, WNOHANG)) all = false;
        }
        if (all || milliseconds <= 0) return all;
        nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000}, NULL);
    }
}

static void kill_child(struct child c)
{
    if (!c.pid) return;
    kill(c.leads_group ? -c.pid : c.pid, SIGKILL);
    kill(c.pid, SIGKILL); /* also if it has not made its group yet */
    has_ended(c.pid, 0);
}

void leftovers_remove(void)
{
    if (left.owner != getpid()) return;
    int saved = errno;
    ask_children();
    if (!wait_for_children(PATIENCE_FIRST)) ask_children();
    wait_for_children(PATIENCE_SECOND);
    for (size_t i = 0; i < MOST_PROCESSES; i++) kill_child(child_at(i));
    for (size_t i = 0; i < MOST_DIRECTORIES; i++) {
        const char *path = left.directories[i];
        if (path && !remove_tree(path) && close_range(3, ~0u, 0) == 0) remove_tree(path); /* no descriptor was left */
        left.directories[i] = NULL;
    }
    errno = saved;
}

/* Nothing here may allocate or lock. abort() comes from those who have said why. */
static void say_crash(int number)
{
    static const char before[] = "heddle: error: crashed (signal ";
    static const char after[] = "): a bug, or a library that ran out of memory\n";
    char digits[] = {(char)('0' + number / 10 % 10), (char)('0' + number % 10)};
    bool crash = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
    if (!crash || write(2, before, sizeof before - 1) < 0 || write(2, digits, sizeof digits) < 0) return;
    if (write(2, after, sizeof after - 1) < 0) return;
}

void leftovers_die(int number)
{
    say_crash(number);
    leftovers_remove();
    signal(number, SIG_DFL);
    raise(number);
}

/* Handlers that are already there know better (and call leftovers_die() when they give in); ignored stays ignored. */
static void watch_signal(int number)
{
    struct sigaction now, ours = {.sa_handler = leftovers_die, .sa_flags = SA_ONSTACK};
    sigfillset(&ours.sa_mask);
    if (sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(number, &ours, NULL);
}

void leftovers_watch(void)
{
    static char stack[1 << 16]; /* an overflow of the ordinary stack is one of the ways to end */
    stack_t now, ours = {.ss_sp = stack, .ss_size = sizeof stack};
    if (left.owner == getpid()) return;
    if (!left.owner) atexit(leftovers_remove); /* a forked child has it already */
    memset(&left, 0, sizeof left);
    left.owner = getpid();
    if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE)) sigaltstack(&ours, NULL);
    for (size_t i = 0; i < ARRAY_LEN(deadly); i++) watch_signal(deadly[i]);
}

void leftovers_add_directory(const char *path)
{
    assert(path && path[0] == '/' && path[1]);
    leftovers_watch();
    for (size_t i = 0; i < MOST_DIRECTORIES; i++)
        if (!left.directories[i]) {
            left.directories[i] = path;
            return;
        }
    BUG("more than %d temporary directories", MOST_DIRECTORIES);
}

void leftovers_forget_directory(const char *path)
{
    for (size_t i = 0; i < MOST_DIRECTORIES; i++)
        if (left.directories[i] == path) left.directories[i] = NULL;
}

void leftovers_add_process(pid_t pid, bool leads_group, bool tidies)
{
    assert(pid > 1 && pid != getpid());
    leftovers_watch();
    for (size_t i = 0; i < MOST_PROCESSES; i++)
        if (!left.children[i].pid) {
            left.children[i] = (struct child){pid, leads_group, tidies};
            return;
        }
    BUG("more than %d child processes", MOST_PROCESSES);
}

void leftovers_forget_process(pid_t pid)
{
    for (size_t i = 0; i < MOST_PROCESSES; i++)
        if (left.children[i].pid == pid) left.children[i].pid = 0;
}
