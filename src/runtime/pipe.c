/* Pipes: bytes from writers to readers.
 *
 * Who takes bytes has seen what happened before they were put in, and before what was put in before them, but nothing
 * of who puts in others later: to the strategies these two are in no order. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <unistd.h>

enum { WHOLE = 4096 }; /* PIPE_BUF: up to this many bytes are not split */

struct channel *rt_channel_new(enum channel_kind kind)
{
    struct channel *c = rt_file_memory(sizeof *c);
    c->header = kind;
    c->capacity = PIPE_SIZE;
    c->least_room = WHOLE;
    c->data = rt_file_memory(PIPE_SIZE);
    c->begins = rt_file_memory(PIPE_SIZE);
    return c;
}

/* ---- steps ---- */

static bool is_channel_op(const struct sched_op *op) { return op->kind >= SCHED_PUT && op->kind <= SCHED_PEEK; }

/* Nobody is at the other end, or a socket that shut down this one still asks. */
bool rt_channel_has_ended(const struct channel *c) { return !c->readers || !c->writers; }

static bool is_closed(const struct sched_op *op)
{
    const struct channel *c = (const struct channel *)op->object;
    return rt_channel_has_ended(c);
}

static bool is_possible(const struct thread *t)
{
    const struct channel *c = (const struct channel *)t->op.object;
    uint32_t room = c->capacity - c->len, size = t->op.count;
    if (t->op.flags & SCHED_CLOSED) return true;
    if (t->op.kind == SCHED_PUT) return room >= (t->op.flags & SCHED_WHOLE ? size : 1);
    return t->op.kind == SCHED_TAKE || !size ? c->len > 0 : room >= size;
}

/* What steps that depend on every other may have changed since the operation was made. */
void rt_channel_prepare(struct sched_op *op)
{
    const struct channel *c = (const struct channel *)op->object;
    assert(is_channel_op(op));
    if (is_closed(op)) op->flags |= SCHED_CLOSED;
    if (c->word.watched && op->kind != SCHED_PEEK) op->object2 = (uint64_t)&rt_descriptors()->activity;
}

static struct sched_op operation(const struct channel *c, enum sched_kind kind, size_t size, bool waits)
{
    enum { MANY = 1 << 30 };
    struct sched_op op = {.kind = (uint8_t)kind, .object = (uint64_t)c, .value = c->capacity};
    op.count = (uint32_t)(size < MANY ? size : MANY);
    if (kind == SCHED_PUT) op.count += c->header;
    if (waits) op.flags |= SCHED_WAITS;
    if (kind != SCHED_PEEK && (c->header || (kind == SCHED_PUT && size <= WHOLE))) op.flags |= SCHED_WHOLE;
    return op;
}

bool rt_channel_step(struct channel *c, enum sched_kind kind, size_t size, bool waits, uintptr_t pc, const char *label)
{
    return rt_channel_step_beside(c, kind, size, waits, NULL, pc, label);
}

bool rt_channel_step_beside(struct channel *c, enum sched_kind kind, size_t size, bool waits, const uint32_t *beside,
                            uintptr_t pc, const char *label)
{
    struct sched_op op = operation(c, kind, size, waits);
    op.object2 = (uint64_t)beside;
    if (rt.self->atomic_depth) rt_die("a pipe or socket is used in an atomic section");
    if (!waits) rt_point_labelled(op, NULL, pc, label);
    else if (!rt_point_unless_broken(op, is_possible, pc, label)) return false;
    bool done = is_possible(rt.self) && !(kind == SCHED_PUT && rt_channel_has_ended(c));
    if (kind != SCHED_PEEK) rt_effect();
    rt.outcome.failed = !done;
    rt.outcome.changed = done && kind != SCHED_PEEK;
    return true;
}

/* Those who are about to do something there learn of it. */
static void tell_others(struct channel *c)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        struct sched_op was = t->op;
        if (t == rt.self || !is_channel_op(&was) || was.object != (uint64_t)c) continue;
        t->op.flags &= (uint8_t)~SCHED_CLOSED;
        rt_channel_prepare(&t->op);
        if (t->op.flags == was.flags) continue;
        rt_need_plain_strategy();
        rt.view.next[t->id] = t->op;
    }
}

void rt_channel_closed(struct channel *c)
{
    if (!c->readers) rt_rights_discard(&c->rights, 0);
    rt_word_changed_by_all(&c->word);
    rt_release((uint64_t)c);
    tell_others(c);
}

/* Threads that are about to put something in have the old capacity in their operations. */
void rt_channel_resized(struct channel *c, uint32_t capacity)
{
    c->capacity = capacity;
    rt_word_changed_by_all(&c->word);
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        if (t == rt.self || !is_channel_op(&t->op) || t->op.object != (uint64_t)c || t->op.value == capacity) continue;
        rt_need_plain_strategy();
        t->op.value = capacity;
        rt.view.next[t->id] = t->op;
    }
}

void rt_channel_opened(struct channel *c)
{
    if (c->writers) c->fresh = false;
    rt_word_changed_by_all(&c->word);
    tell_others(c);
}

/* ---- bytes ---- */

static uint32_t place(const struct channel *c, size_t behind) { return (uint32_t)((c->from + behind) % PIPE_SIZE); }

static void copy_in(struct channel *c, const void *from, size_t size, bool begins)
{
    const char *p = from;
    if (begins) c->last = c->written;
    for (size_t i = 0; i < size; i++) {
        uint32_t at = place(c, c->len + i);
        c->data[at] = p[i];
        c->begins[at] = begins && !i;
    }
    c->len += (uint32_t)size;
    c->written += size;
    assert(c->len <= c->capacity);
}

/* NULL: to nowhere. */
static void copy_out(struct channel *c, void *to, size_t size)
{
    char *p = to;
    assert(size <= c->len && c->from < PIPE_SIZE);
    for (size_t i = 0; i < size; i++) {
        if (c->begins[place(c, i)]) c->first = c->written - c->len + i;
        if (p) p[i] = c->data[place(c, i)];
    }
    c->from = place(c, size);
    c->len -= (uint32_t)size;
}

/* Takes at most `size` bytes out; of a message the rest is lost. */
static size_t take_out(struct channel *c, char *to, size_t size)
{
    size_t all = c->len;
    if (c->header) {
        copy_out(c, &c->taken, c->header);
        all = c->taken.size;
    }
    size_t n = all < size ? all : size;
    copy_out(c, to, n);
    if (c->header) copy_out(c, NULL, all - n);
    return n;
}

ssize_t rt_channel_take(struct channel *c, char *to, size_t size)
{
    if (!c->len && !rt_channel_has_ended(c)) return -EAGAIN;
    if (!c->len) return rt_acquire((uint64_t)c), c->taken.size = 0, 0;
    size_t n = take_out(c, to, size);
    if (c->rights) rt_rights_take(c, rt.self->op_pc);
    c->takes++;
    rt_acquire(sched_channel_part((uint64_t)c, c->first)); /* with all that was put in before it */
    rt_word_changed(&c->word);
    return (ssize_t)n;
}

ssize_t rt_channel_peek(struct channel *c, char *to, size_t size)
{
    struct channel copy = *c;
    if (!c->len && !rt_channel_has_ended(c)) return -EAGAIN;
    if (!c->len) return rt_acquire((uint64_t)c), c->taken.size = 0, 0;
    size_t n = take_out(&copy, to, size);
    c->taken = copy.taken;
    rt_acquire(sched_channel_part((uint64_t)c, copy.first));
    return (ssize_t)n;
}

static struct message_header header_of(const struct open_file *sender, size_t size)
{
    struct message_header h = {.size = (uint32_t)size};
    if (sender) memcpy(h.sender, sender->address, h.sender_len = sender->address_len);
    return h;
}

/* What fits; small writes and messages whole or not at all. */
ssize_t rt_channel_put(struct channel *c, const struct open_file *sender, const char *from, size_t size)
{
    size_t room = c->capacity - c->len;
    if (rt_channel_has_ended(c)) return -EPIPE;
    if (room < c->header + ((size <= WHOLE || c->header) ? size : 1)) return -EAGAIN;
    size_t n = size < room - c->header ? size : room - c->header;
    uint64_t before = sched_channel_part((uint64_t)c, c->last);
    if (rt.self->carries) rt_rights_put(c, c->written, n);
    struct message_header h = header_of(c->header == DATAGRAMS ? sender : NULL, n);
    if (c->header) copy_in(c, &h, c->header, true);
    copy_in(c, from, n, !c->header);
    c->puts++;
    rt_release_behind(sched_channel_part((uint64_t)c, c->last), before);
    rt_word_changed(&c->word);
    return (ssize_t)n;
}

/* ---- pipes ---- */

static ssize_t take(struct open_file *f, char *to, size_t size)
{
    return f->in ? rt_channel_take(f->in, to, size) : -EBADF;
}

static ssize_t put(struct open_file *f, const char *from, size_t size)
{
    return f->out ? rt_channel_put(f->out, f, from, size) : -EBADF;
}

static int ready(const struct open_file *f)
{
    int events = 0;
    if (f->in && f->in->len) events |= POLLIN | POLLRDNORM;
    if (f->in && !f->in->writers && !f->in->fresh) events |= POLLHUP;
    if (f->out && f->out->capacity - f->out->len >= f->out->least_room) events |= POLLOUT | POLLWRNORM;
    if (f->out && !f->out->readers) events |= POLLERR;
    return events;
}

static struct word *word(struct open_file *f, bool writing)
{
    struct channel *c = writing ? f->out : f->in;
    return c ? &c->word : &f->word;
}

static void close_ends(struct open_file *f)
{
    assert((!f->in || f->in->readers > 0) && (!f->out || f->out->writers > 0));
    if (f->in) f->in->readers--, rt_channel_closed(f->in);
    if (f->out) f->out->writers--, rt_channel_closed(f->out);
}

const struct file_kind rt_pipe_kind = {"pipe", take, put, ready, word, close_ends};
const struct file_kind rt_fifo_kind = {"fifo", take, put, ready, word, close_ends}; /* other processes know its name */

static int make_pipe(int fds[2], int flags, uintptr_t pc)
{
    rt_file_all(pc, "pipe");
    struct open_file *reader = rt_file_new(&rt_pipe_kind, O_RDONLY | (flags & O_NONBLOCK)),
                     *writer = rt_file_new(&rt_pipe_kind, O_WRONLY | (flags & O_NONBLOCK));
    reader->in = writer->out = rt_channel_new(flags & O_DIRECT ? MESSAGES : BYTES);
    reader->in->readers = reader->in->writers = 1;
    rt_touch(fds, 2 * sizeof *fds);
    rt_call_writes(fds, 2 * sizeof *fds, pc);
    fds[0] = rt_file_open(reader, flags & O_CLOEXEC);
    fds[1] = rt_file_open(writer, flags & O_CLOEXEC);
    return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

EXPORT int pipe2(int fds[2], int flags)
{
    if (rt.active && rt.shared) return make_pipe(fds, flags, CALLER);
    return REAL(pipe2)(fds, flags);
}

EXPORT int pipe(int fds[2])
{
    if (rt.active && rt.shared) return make_pipe(fds, 0, CALLER);
    return REAL(pipe)(fds);
}
