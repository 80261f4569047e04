/* Other programs, started in one place. */
#define _GNU_SOURCE
#include "base/process.h"

#include "base/leftovers_int.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void words_add(struct words *w, const char *word) { vec_push(w, xstrdup(word)); }

void words_printf(struct words *w, const char *fmt, ...)
{
    struct str s = {0};
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    words_add(w, str_get(&s));
    str_release(&s);
}

void words_split(struct words *w, const char *text)
{
    struct str word = {0};
    char quote = 0;
    bool any = false;
    for (const char *p = text;; p++) {
        bool space = *p == 0 || *p == ' ' || *p == '\t' || *p == '\n';
        if ((space && !quote) || !*p) {
            if (any) words_add(w, str_get(&word));
            str_release(&word);
            any = false;
            if (!*p) return;
        } else if (quote ? *p == quote : (*p == '"' || *p == '\'')) {
            quote = quote ? 0 : *p;
            any = true;
        } else {
            str_addc(&word, *p);
            any = true;
        }
    }
}

void words_release(struct words *w)
{
    for (size_t i = 0; i < w->len; i++) free(w->at[i]);
    vec_release(w);
}

typedef VEC(char *) pointers; /* NULL-terminated, owns nothing */

static pointers arguments_of(const struct process *p)
{
    pointers v = {0};
    for (size_t i = 0; i < p->words.len; i++) vec_push(&v, p->words.at[i]);
    vec_push(&v, NULL);
    return v;
}

static bool is_replaced(const struct process *p, const char *variable)
{
    size_t name = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < p->environment.len; i++)
        if (!strncmp(p->environment.at[i], variable, name)) return true;
    return false;
}

static pointers environment_of(const struct process *p)
{
    pointers v = {0};
    for (char **e = environ; *e; e++)
        if (!is_replaced(p, *e)) vec_push(&v, *e);
    for (size_t i = 0; i < p->environment.len; i++) vec_push(&v, p->environment.at[i]);
    vec_push(&v, NULL);
    return v;
}

static void redirect_spawned(posix_spawn_file_actions_t *files, int fd, int to)
{
    if (fd == PROCESS_NULL) posix_spawn_file_actions_addopen(files, to, "/dev/null", to ? O_WRONLY : O_RDONLY, 0);
    else if (fd) posix_spawn_file_actions_adddup2(files, fd, to);
}

static int spawn(struct process *p, char **arguments, char **environment, const sigset_t *mask)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    redirect_spawned(&files, p->in, 0);
    redirect_spawned(&files, p->out, 1);
    redirect_spawned(&files, p->err, 2);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | (p->own_group ? POSIX_SPAWN_SETPGROUP : 0)));
    int error = posix_spawnp(&p->pid, arguments[0], &files, &attributes, arguments, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error) p->pid = 0;
    return error;
}

static void redirect_forked(int fd, int to)
{
    if (fd == PROCESS_NULL) fd = open("/dev/null", (to ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    if (fd > 0) dup2(fd, to);
}

static void be_child(struct process *p, char **arguments, char **environment, const sigset_t *mask)
{
    if (p->own_group) setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, p->tidies ? SIGTERM : SIGKILL);
    redirect_forked(p->in, 0);
    redirect_forked(p->out, 1);
    redirect_forked(p->err, 2);
    p->in_child(p->context);
    leftovers_let_go(mask);
    execvpe(arguments[0], arguments, environment);
    _exit(PROCESS_NOT_STARTED);
}

static int fork_child(struct process *p, char **arguments, char **environment, const sigset_t *mask)
{
    fflush(NULL); /* or both print what is in the buffers */
    p->pid = fork();
    if (p->pid == 0) be_child(p, arguments, environment, mask);
    if (p->pid < 0) {
        p->pid = 0;
        return errno;
    }
    if (p->own_group) setpgid(p->pid, p->pid);
    return 0;
}

int process_start(struct process *p)
{
    sigset_t before;
    assert(p->words.len && !p->pid);
    pointers arguments = arguments_of(p), environment = environment_of(p);
    leftovers_hold(&before);
    int error = p->in_child ? fork_child(p, arguments.at, environment.at, &before)
                            : spawn(p, arguments.at, environment.at, &before);
    if (!error) leftovers_add_process(p->pid, p->own_group, p->tidies);
    leftovers_let_go(&before);
    vec_release(&arguments);
    vec_release(&environment);
    p->status = PROCESS_NOT_STARTED;
    errno = error;
    return error ? -1 : 0;
}

/* What it left behind in its group ends with it, as long as it is still there to keep its number from another. */
static bool reap(struct process *p, int flags)
{
    siginfo_t ended = {0};
    if (!p->pid) return true;
    while (waitid(P_PID, (id_t)p->pid, &ended, WEXITED | WNOWAIT | flags) < 0)
        if (errno != EINTR) BUG("waiting for process %d: %s", (int)p->pid, strerror(errno));
    if (!ended.si_pid) return false;
    assert(ended.si_pid == p->pid);
    if (p->own_group && p->pid > 1) kill(-p->pid, SIGKILL);
    leftovers_forget_process(p->pid);
    while (wait4(p->pid, &p->wait_status, 0, &p->usage) < 0 && errno == EINTR) {
    }
    p->pid = 0;
    p->status = WIFEXITED(p->wait_status) ? WEXITSTATUS(p->wait_status) : 128 + WTERMSIG(p->wait_status);
    return true;
}

bool process_ended(struct process *p) { return reap(p, WNOHANG); }

bool process_wait(struct process *p, int milliseconds)
{
    if (process_ended(p)) return true;
    int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    poll(&ready, 1, fd >= 0 ? milliseconds : MIN(milliseconds, 1)); /* no pidfd: the caller's loop asks more often */
    if (fd >= 0) close(fd);
    return process_ended(p);
}

void process_kill(struct process *p)
{
    if (!p->pid) return;
    if (p->own_group && p->pid > 1) kill(-p->pid, SIGKILL);
    if (p->pid > 1) kill(p->pid, SIGKILL);
    reap(p, 0);
}

/* A signal may end a single wait early. */
static bool has_ended_within(struct process *p, int milliseconds)
{
    double until = seconds_now() + milliseconds / 1e3;
    while (!process_wait(p, milliseconds))
        if (seconds_now() >= until) return false;
    return true;
}

void process_ask(struct process *p)
{
    if (p->pid > 1) kill(p->pid, SIGTERM);
}

void process_stop(struct process *p)
{
    process_ask(p);
    if (!has_ended_within(p, PATIENCE_FIRST)) process_ask(p);
    if (!has_ended_within(p, PATIENCE_SECOND)) process_kill(p);
}

static void wait_within(struct process *p, const struct limits *limits)
{
    enum { INTERVAL = 50 };
    while (!process_wait(p, INTERVAL)) {
        if (!limits_reached(limits)) continue;
        process_kill(p);
        p->status = PROCESS_STOPPED;
    }
}

/* A program that shares the terminal's process group gets the keys of the terminal, so they are not for us. */
int process_run(struct process *p, const struct limits *limits)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    if (process_start(p)) return PROCESS_NOT_STARTED;
    if (!p->own_group) {
        sigaction(SIGINT, &ignore, &interrupt);
        sigaction(SIGQUIT, &ignore, &quit);
    }
    wait_within(p, limits);
    if (!p->own_group) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
    }
    return p->status;
}

void process_release(struct process *p)
{
    process_kill(p);
    words_release(&p->words);
    words_release(&p->environment);
}
