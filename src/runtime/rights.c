/* Descriptors that go from thread to thread through a Unix socket (SCM_RIGHTS). They lie beside the byte, or the
 * message, that they were sent with. Whoever reads without asking for them loses them. A descriptor of the kernel's is
 * kept under a number that the program does not come to. The kernel ends a read behind what was sent with descriptors;
 * to the strategies a read takes all that is there, so that it is reported where one goes on. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <sys/syscall.h>

enum { MOST = 253, OUT_OF_THE_WAY = 512 }; /* as the kernel has it */

struct right { struct open_file *file; int fd; }; /* one of the runtime's, or (NULL) of the kernel's */
struct rights {
    struct rights *next;      /* by position */
    struct channel *channel;  /* that they are meant for */
    uint64_t position, size;  /* of what they were sent with */
    int count;
    struct right at[MOST];
};

/* ---- sending ---- */

static bool keep(struct right *r, int fd)
{
    r->file = rt_file(fd);
    if (r->file) return r->file->references++, true;
    rt.used_files = true;
    r->fd = (int)rt_syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY, 0, 0, 0);
    return r->fd >= 0;
}

static bool keep_all(struct rights *r, const struct cmsghdr *c)
{
    size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; i++) {
        int fd;
        memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        if (r->count == MOST || !keep(&r->at[r->count], fd)) return false;
        r->count++;
    }
    return true;
}

int rt_rights_gather(const struct msghdr *m, struct channel *to, uintptr_t pc)
{
    struct rights *r = NULL;
    bool good = true;
    rt_file_all(pc, "sendmsg"); /* closing depends on every step: what is open is known from here on */
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c && good; c = CMSG_NXTHDR((struct msghdr *)m, c)) {
        bool wanted = c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && to;
        if (!wanted) rt_note("sendmsg", "what is sent beside the bytes is dropped", pc);
        if (wanted && !r) r = rt_file_memory(sizeof *r);
        if (wanted) good = keep_all(r, c);
    }
    if (!good) return rt_rights_discard(&r, pc), EBADF;
    if (r) r->channel = to;
    rt.self->carries = r;
    return 0;
}

/* A handler of the thread may have sent something elsewhere in between. */
void rt_rights_put(struct channel *c, uint64_t position, size_t size)
{
    struct rights *r = rt.self->carries, **last = &c->rights;
    if (r->channel != c) return;
    while (*last) last = &(*last)->next;
    r->position = position;
    r->size = size;
    *last = r;
    rt.self->carries = NULL;
}

/* ---- receiving ---- */

void rt_rights_take(struct channel *c, uintptr_t pc)
{
    struct rights **last = &c->received;
    uint64_t upto = c->written - c->len;
    while (c->rights && c->rights->position < upto) {
        struct rights *r = c->rights;
        if (!c->header && r->position + r->size < upto)
            rt_note("recvmsg", "reads on behind what was sent with descriptors, where the system would stop", pc);
        c->rights = r->next;
        r->next = NULL;
        *last = r;
        last = &r->next;
    }
}

static void let_go(const struct right *r)
{
    if (r->file) rt_file_drop(r->file);
    else rt_syscall(SYS_close, r->fd, 0, 0, 0, 0, 0);
}

/* Under the first number that is free. */
static int open_right(const struct right *r, bool close_on_exec)
{
    int fd = r->file ? rt_file_open(r->file, close_on_exec)
                     : (int)rt_syscall(SYS_fcntl, r->fd, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, 0, 0, 0, 0);
    let_go(r);
    return fd;
}

/* Those for which there is room; the others are closed. */
static int open_all(struct rights *r, int *fds, size_t room, bool close_on_exec, bool *all)
{
    int count = 0;
    for (*all = true; r; r = r->next)
        for (int i = 0; i < r->count; i++) {
            if ((size_t)count < room) fds[count++] = open_right(&r->at[i], close_on_exec);
            else let_go(&r->at[i]), *all = false;
        }
    return count;
}

void rt_rights_deliver(struct channel *c, struct msghdr *m, bool close_on_exec, uintptr_t pc)
{
    struct rights *r = c->received;
    size_t room = m->msg_controllen > CMSG_LEN(0) ? (m->msg_controllen - CMSG_LEN(0)) / sizeof(int) : 0;
    int fds[MOST];
    bool all;
    c->received = NULL;
    rt_file_all(pc, "recvmsg");
    int count = open_all(r, fds, room < MOST ? room : MOST, close_on_exec, &all);
    size_t size = (size_t)count * sizeof *fds;
    struct cmsghdr head = {.cmsg_len = CMSG_LEN(size), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    if (!all) m->msg_flags |= MSG_CTRUNC;
    if (count) {
        rt_touch(m->msg_control, head.cmsg_len);
        memcpy(m->msg_control, &head, sizeof head);
        memcpy(CMSG_DATA((struct cmsghdr *)m->msg_control), fds, size);
    }
    size_t space = count ? CMSG_SPACE(size) : 0;
    m->msg_controllen = space < m->msg_controllen ? space : m->msg_controllen;
}

/* In a step that depends on every other; pc 0: this is one. */
void rt_rights_discard(struct rights **which, uintptr_t pc)
{
    if (*which && pc) rt_file_all(pc, "close");
    for (struct rights *r = *which; r; r = r->next)
        for (int i = 0; i < r->count; i++) let_go(&r->at[i]);
    *which = NULL;
}
