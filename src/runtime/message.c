/* POSIX message queues: messages with priorities, the highest and oldest first. Names are names of this process, and
 * gone with the execution. A queue has a descriptor, which can be polled as on Linux.
 *
 * To the strategies a queue is a channel with a byte for each message. A message of priority 0 is taken when all that
 * were sent before it have been, so who takes it comes after whoever sent the byte that he takes. One of a higher
 * priority overtakes others: who sends such a message is in order with all who receive. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/stat.h>

enum { DEFAULT_COUNT = 10, DEFAULT_SIZE = 8192, MOST_COUNT = 1024, MOST_SIZE = 1 << 20 };
enum { LONGEST_NAME = 255, PRIORITIES = 32768 };

struct message { uint32_t len; unsigned priority; uint64_t position; char *text; }; /* position: in the channel */
struct message_queue {
    struct message_queue *next; /* by name */
    char name[LONGEST_NAME + 1];
    bool unlinked;
    struct channel *channel;
    uint32_t overtaken;         /* only its address is used */
    uint32_t most, size, count;
    struct message *messages;   /* in the order in which they are taken */
};

static int fail(int code) { return errno = code, -1; }
static bool controls(void) { return rt.active && rt.shared; }
static struct word *word(struct open_file *f, bool writing) { return (void)writing, &f->queue->channel->word; }

static int ready(const struct open_file *f)
{
    const struct message_queue *q = f->queue;
    return (q->count ? POLLIN | POLLRDNORM : 0) | (q->count < q->most ? POLLOUT | POLLWRNORM : 0);
}

static const struct file_kind kind = {"message queue", NULL, NULL, ready, word, NULL};

static struct open_file *file_of(mqd_t fd)
{
    struct open_file *f = rt_file(fd);
    return f && f->kind == &kind ? f : NULL;
}

static struct message_queue *find(const char *name)
{
    struct message_queue *q = rt_descriptors()->queues;
    while (q && (q->unlinked || strcmp(q->name, name))) q = q->next;
    return q;
}

static struct message_queue *make(const char *name, const struct mq_attr *wanted)
{
    struct message_queue *q = rt_file_memory(sizeof *q);
    q->most = wanted ? (uint32_t)wanted->mq_maxmsg : DEFAULT_COUNT;
    q->size = wanted ? (uint32_t)wanted->mq_msgsize : DEFAULT_SIZE;
    strcpy(q->name, name);
    q->channel = rt_channel_new(BYTES);
    q->channel->readers = q->channel->writers = q->channel->least_room = 1;
    q->channel->capacity = q->most;
    q->messages = rt_file_memory(q->most * sizeof *q->messages);
    for (uint32_t i = 0; i < q->most; i++) q->messages[i].text = rt_file_memory(q->size);
    q->next = rt_descriptors()->queues;
    return rt_descriptors()->queues = q;
}

static bool is_sensible(const struct mq_attr *a)
{
    return !a || (a->mq_maxmsg > 0 && a->mq_maxmsg <= MOST_COUNT && a->mq_msgsize > 0 && a->mq_msgsize <= MOST_SIZE);
}

static mqd_t open_queue(const char *name, int flags, const struct mq_attr *wanted)
{
    struct message_queue *q = find(name);
    if (name[0] != '/' || !name[1]) return fail(name[0] == '/' ? ENOENT : EINVAL);
    if (strlen(name) > LONGEST_NAME) return fail(ENAMETOOLONG);
    if (q && (flags & O_CREAT) && (flags & O_EXCL)) return fail(EEXIST);
    if (!q && !(flags & O_CREAT)) return fail(ENOENT);
    if (!q && !is_sensible(wanted)) return fail(EINVAL);
    struct open_file *f = rt_file_new(&kind, flags & (O_ACCMODE | O_NONBLOCK));
    f->queue = q ? q : make(name, wanted);
    f->in = f->out = f->queue->channel;
    return rt_file_open(f, true);
}

EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
    va_list ap;
    const struct mq_attr *wanted = NULL;
    va_start(ap, flags);
    if (flags & O_CREAT) (void)va_arg(ap, mode_t), wanted = va_arg(ap, const struct mq_attr *);
    va_end(ap);
    if (!controls()) return fail(ENOSYS);
    rt_call_reads_text(name, CALLER);
    rt_call_reads(wanted, sizeof *wanted, CALLER);
    rt_file_all(CALLER, "mq_open");
    return open_queue(name, flags, wanted);
}

EXPORT int mq_unlink(const char *name)
{
    if (!controls()) return fail(ENOSYS);
    rt_call_reads_text(name, CALLER);
    rt_file_all(CALLER, "mq_unlink");
    struct message_queue *q = find(name);
    if (!q) return fail(ENOENT);
    q->unlinked = true;
    return 0;
}

EXPORT int mq_close(mqd_t fd) { return file_of(fd) ? close(fd) : fail(EBADF); }

/* ---- messages ---- */

/* What a call gives or gets. */
struct exchange { bool sends; char *text; size_t size; unsigned priority; };

static ssize_t put(struct message_queue *q, const struct exchange *x)
{
    if (q->count == q->most) return -EAGAIN;
    uint32_t at = q->count;
    struct message room = q->messages[at];
    while (at > 0 && q->messages[at - 1].priority < x->priority) q->messages[at] = q->messages[at - 1], at--;
    memcpy(room.text, x->text, x->size);
    q->messages[at] = (struct message){(uint32_t)x->size, x->priority, q->channel->written, room.text};
    q->count++;
    rt_channel_put(q->channel, NULL, "", 1);
    assert(q->count == q->channel->len);
    return 0;
}

static ssize_t take(struct message_queue *q, struct exchange *x)
{
    if (!q->count) return -EAGAIN;
    struct message first = q->messages[0];
    memmove(q->messages, q->messages + 1, --q->count * sizeof *q->messages);
    q->messages[q->count].text = first.text;
    memcpy(x->text, first.text, first.len);
    x->priority = first.priority;
    char byte;
    rt_channel_take(q->channel, &byte, 1);
    rt_acquire(sched_channel_part((uint64_t)q->channel, first.position));
    return first.len;
}

/* -EINTR: a handler broke off that it waits. */
static ssize_t attempt(struct message_queue *q, struct exchange *x, bool waits, uintptr_t pc, const char *label)
{
    const uint32_t *beside = x->sends && !x->priority ? NULL : &q->overtaken;
    enum sched_kind what = x->sends ? SCHED_PUT : SCHED_TAKE;
    if (!rt_channel_step_beside(q->channel, what, 1, waits, beside, pc, label)) return -EINTR;
    return x->sends ? put(q, x) : take(q, x);
}

/* A time-out comes when others were let go first. */
static ssize_t last_attempt(struct message_queue *q, struct exchange *x, const struct timespec *deadline, uintptr_t pc,
                            const char *label)
{
    if (!rt_point_unless_broken(OP(YIELD), NULL, pc, "time-out")) return -EINTR;
    ssize_t n = attempt(q, x, false, pc, label);
    if (n != -EAGAIN) return n;
    uint64_t until = (uint64_t)deadline->tv_sec * 1000000000ull + (uint64_t)deadline->tv_nsec;
    if (rt.time < until) rt.time = until;
    rt_try_again();
    return -ETIMEDOUT;
}

static ssize_t run(mqd_t fd, struct exchange *x, const struct timespec *deadline, uintptr_t pc, const char *label)
{
    struct open_file *f = file_of(fd);
    if (!f) return fail(EBADF);
    struct message_queue *q = f->queue;
    rt_call_reads(deadline, sizeof *deadline, pc);
    bool at_once = f->status_flags & O_NONBLOCK;
    rt_cancellation_point(true);
    if (at_once || deadline) rt_attempt(pc);
    ssize_t n = attempt(q, x, !at_once && !deadline, pc, label);
    if (n == -EAGAIN && !at_once && deadline) n = last_attempt(q, x, deadline, pc, label);
    if (n == -EAGAIN) rt_try_again();
    else if (n >= 0) rt.self->failures = 0;
    rt_cancellation_point(false);
    return n < 0 ? fail((int)-n) : n;
}

static int give(mqd_t fd, const char *text, size_t size, unsigned priority, const struct timespec *deadline,
                uintptr_t pc)
{
    rt_file_for(fd, pc, "mq_send");
    struct open_file *f = file_of(fd);
    if (!f || (f->status_flags & O_ACCMODE) == O_RDONLY) return fail(EBADF);
    if (size > f->queue->size) return fail(EMSGSIZE);
    if (priority >= PRIORITIES) return fail(EINVAL);
    if (size) rt_range((uintptr_t)text, size, false, pc);
    return (int)run(fd, &(struct exchange){true, (char *)(uintptr_t)text, size, priority}, deadline, pc, "mq_send");
}

static ssize_t receive(mqd_t fd, char *text, size_t size, unsigned *priority, const struct timespec *deadline,
                       uintptr_t pc)
{
    rt_file_for(fd, pc, "mq_receive"); /* another thread may close it before */
    struct open_file *f = file_of(fd);
    struct exchange x = {false, text, size, 0};
    if (!f || (f->status_flags & O_ACCMODE) == O_WRONLY) return fail(EBADF);
    if (size < f->queue->size) return fail(EMSGSIZE);
    rt_touch(text, size);
    ssize_t n = run(fd, &x, deadline, pc, "mq_receive");
    if (n > 0) rt_range((uintptr_t)text, (size_t)n, true, pc);
    if (n >= 0) rt_call_writes(priority, sizeof *priority, pc);
    if (n >= 0 && priority) *priority = x.priority;
    return n;
}

EXPORT int mq_send(mqd_t fd, const char *text, size_t size, unsigned priority)
{
    return give(fd, text, size, priority, NULL, CALLER);
}

EXPORT int mq_timedsend(mqd_t fd, const char *text, size_t size, unsigned priority, const struct timespec *deadline)
{
    return give(fd, text, size, priority, deadline, CALLER);
}

EXPORT ssize_t mq_receive(mqd_t fd, char *text, size_t size, unsigned *priority)
{
    return receive(fd, text, size, priority, NULL, CALLER);
}

EXPORT ssize_t mq_timedreceive(mqd_t fd, char *restrict text, size_t size, unsigned *restrict priority,
                               const struct timespec *restrict deadline)
{
    return receive(fd, text, size, priority, deadline, CALLER);
}

/* ---- attributes ---- */

EXPORT int mq_getattr(mqd_t fd, struct mq_attr *out)
{
    struct open_file *f = file_of(fd);
    if (!f) return fail(EBADF);
    rt_attempt(CALLER); /* a loop may wait for the number of messages to change */
    rt_channel_step(f->queue->channel, SCHED_PEEK, 0, false, CALLER, "mq_getattr");
    rt_call_writes(out, sizeof *out, CALLER);
    *out = (struct mq_attr){.mq_flags = f->status_flags & O_NONBLOCK,
                            .mq_maxmsg = f->queue->most,
                            .mq_msgsize = f->queue->size,
                            .mq_curmsgs = f->queue->count};
    rt_try_again();
    return 0;
}

EXPORT int mq_setattr(mqd_t fd, const struct mq_attr *restrict new, struct mq_attr *restrict old)
{
    struct open_file *f = file_of(fd);
    if (!f) return fail(EBADF);
    rt_call_reads(new, sizeof *new, CALLER);
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) mq_getattr(fd, old);
    f->status_flags = (f->status_flags & ~O_NONBLOCK) | (int)(new->mq_flags & O_NONBLOCK);
    return 0;
}

EXPORT int mq_notify(mqd_t fd, const struct sigevent *how)
{
    (void)fd, (void)how;
    rt_die("mq_notify() is called: not supported");
}
