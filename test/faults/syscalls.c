/* syscalls KIND AT ON ERROR REPORT COMMAND...: runs the command and lets its AT-th system call of a kind (ON=1: and all
 * that follow) fail with the error number ERROR. stdio writes past every library function that could be replaced, so
 * this is done where the kernel asks: the command runs under a filter that reports calls to this process, which answers
 * "go on" or an error. Calls count from the mark that alloc.so makes; children are asked too, but only counted for
 * "exec". Exits as the command did, 128 + n if signal n ended it, 77 if there is no such filter here. */
#define _GNU_SOURCE
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, EXIT_NO_FILTER = 77, EXIT_BROKEN = 99 };

static bool not_stderr(const struct seccomp_data *d) { return d->args[0] != 2; } /* or nothing could be said about it */
static bool for_writing(const struct seccomp_data *d)
{
    return d->args[d->nr == SYS_open ? 1 : 2] & (O_WRONLY | O_RDWR | O_CREAT);
}
/* brk(0) only asks, and cannot fail */
static bool is_anonymous(const struct seccomp_data *d)
{
    return d->nr == SYS_brk ? d->args[0] != 0 : (d->args[3] & MAP_ANONYMOUS) != 0;
}

static const struct kind {
    const char *name;
    size_t count;
    int calls[MOST];
    bool (*counts)(const struct seccomp_data *);
} kinds[] = {
    {"write", 3, {SYS_write, SYS_writev, SYS_pwrite64}, not_stderr},
    {"open", 2, {SYS_open, SYS_openat}, for_writing},
    {"read", 2, {SYS_read, SYS_pread64}, NULL},
    {"pages", 2, {SYS_mmap, SYS_brk}, is_anonymous},
    {"temporary", 4, {SYS_mkdir, SYS_mkdirat, SYS_memfd_create, SYS_ftruncate}, NULL},
    {"fork", 4, {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork}, NULL},
    {"wait", 2, {SYS_waitid, SYS_wait4}, NULL},
    {"poll", 3, {SYS_poll, SYS_ppoll, SYS_pidfd_open}, NULL},
    {"other", 7, {SYS_dup2, SYS_fcntl, SYS_lseek, SYS_newfstatat, SYS_unlink, SYS_unlinkat, SYS_readlink}, NULL},
    {"exec", 1, {SYS_execve}, NULL},
};

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    return NULL;
}

static struct sock_filter jump_if(int call, size_t distance)
{
    return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, (unsigned char)distance, 0);
}

/* Reports the calls of the kind and the mark, allows all others. */
static int install(const struct kind *k)
{
    struct sock_filter program[MOST + 8];
    size_t n = 0, calls = k->count;
    program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    program[n++] = jump_if(SYS_fallocate, calls + 1);
    for (size_t i = 0; i < calls; i++)
        program[n++] = jump_if(k->calls[i], calls - i);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog all = {.len = (unsigned short)n, .filter = program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &all);
}

/* The parent fetches the listener, which is a descriptor of the child: its number is known before the filter holds, and
 * said then, because writing may be what is filtered. */
static void be_command(const struct kind *k, int parent, char **command)
{
    char go;
    int number = dup(parent);
    close(number);
    if (write(parent, &number, sizeof number) != sizeof number) _exit(EXIT_BROKEN);
    if (install(k) != number) _exit(EXIT_NO_FILTER);
    if (read(parent, &go, 1) != 1) _exit(EXIT_BROKEN);
    execvp(command[0], command);
    _exit(EXIT_BROKEN);
}

static int fetch_listener(pid_t child, int number)
{
    int pidfd = (int)syscall(SYS_pidfd_open, child, 0), fd = -1;
    for (int i = 0; i < 1000 && fd < 0 && waitpid(child, NULL, WNOHANG) == 0; i++) {
        fd = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
        char link[64], name[64] = "";
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        if (fd >= 0 && readlink(link, name, sizeof name - 1) > 0 && strstr(name, "seccomp")) break;
        if (fd >= 0) close(fd);
        fd = -1;
        usleep(1000);
    }
    close(pidfd);
    return fd;
}

struct plan {
    const struct kind *kind;
    uint64_t at;
    bool on, marked;
    int error;
    pid_t child;
    struct fault_report *report;
};

static bool is_mark(const struct seccomp_data *d)
{
    return d->nr == SYS_fallocate && (int)d->args[0] == FAULT_MARK_FD && d->args[1] == FAULT_MARK_MODE;
}

static bool should_fail(struct plan *p, const struct seccomp_notif *call)
{
    bool ours = (pid_t)call->pid == p->child;
    if (ours && is_mark(&call->data)) p->marked = true;
    if (call->data.nr == SYS_fallocate || !p->marked) return false;
    if (ours == (p->kind->calls[0] == SYS_execve)) return false;
    if (p->kind->counts && !p->kind->counts(&call->data)) return false;
    uint64_t number = ++p->report->calls;
    bool fail = number == p->at || (p->on && p->at && number > p->at);
    p->report->hits += fail;
    return fail;
}

static void answer(struct plan *p, int listener)
{
    struct seccomp_notif call = {0};
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call)) return;
    struct seccomp_notif_resp response = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (should_fail(p, &call)) {
        response.flags = 0;
        response.error = call.data.nr == SYS_brk ? 0 : -p->error; /* brk() fails by its value */
    }
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

static int supervise(struct plan *p, int listener)
{
    int status, pidfd = (int)syscall(SYS_pidfd_open, p->child, 0);
    struct pollfd ready[] = {{.fd = listener, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};
    while (!(ready[1].revents & POLLIN)) {
        if (poll(ready, 2, -1) < 0 && errno != EINTR) return EXIT_BROKEN;
        if (ready[0].revents & POLLIN) answer(p, listener);
    }
    waitpid(p->child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static struct fault_report *open_report(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, sizeof(struct fault_report))) exit(EXIT_BROKEN);
    void *p = mmap(NULL, sizeof(struct fault_report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) exit(EXIT_BROKEN);
    close(fd);
    return p;
}

int main(int argc, char **argv)
{
    if (argc < 7 || !find_kind(argv[1])) return EXIT_BROKEN;
    struct plan p = {.kind = find_kind(argv[1]), .at = strtoull(argv[2], NULL, 10), .on = argv[3][0] == '1',
                     .error = atoi(argv[4]), .report = open_report(argv[5])};
    int number, ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return EXIT_BROKEN;
    p.child = fork();
    if (p.child == 0) be_command(p.kind, ends[1], argv + 6);
    close(ends[1]);
    if (p.child < 0 || read(ends[0], &number, sizeof number) != sizeof number) return EXIT_BROKEN;
    int listener = fetch_listener(p.child, number);
    if (listener < 0 || write(ends[0], "", 1) != 1) return EXIT_NO_FILTER;
    return supervise(&p, listener);
}
