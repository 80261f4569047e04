/* Pipes: bytes from writers to readers. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <unistd.h>

struct channel *rt_channel_new(bool messages)
{
    struct channel *c = rt_file_memory(sizeof *c);
    c->messages = messages;
    c->data = rt_file_memory(PIPE_SIZE);
    return c;
}

static void copy_in(struct channel *c, const void *from, size_t size)
{
    const char *p = from;
    for (size_t i = 0; i < size; i++) c->data[(c->from + c->len + i) % PIPE_SIZE] = p[i];
    c->len += (uint32_t)size;
    assert(c->len <= PIPE_SIZE);
}

static void copy_out(struct channel *c, void *to, size_t size)
{
    char *p = to;
    assert(size <= c->len && c->from < PIPE_SIZE);
    for (size_t i = 0; i < size; i++) p[i] = c->data[(c->from + i) % PIPE_SIZE];
    c->from = (uint32_t)((c->from + size) % PIPE_SIZE);
    c->len -= (uint32_t)size;
}

ssize_t rt_channel_take(struct channel *c, char *to, size_t size)
{
    uint32_t whole = 0;
    if (!c->len) return c->writers ? -EAGAIN : 0;
    if (c->messages) copy_out(c, &whole, sizeof whole);
    size_t n = c->messages ? whole : c->len;
    if (n > size) n = size;
    copy_out(c, to, n);
    if (c->messages) { /* the rest of a message is lost */
        assert(whole >= n && whole - n <= c->len);
        c->from = (uint32_t)((c->from + whole - n) % PIPE_SIZE);
        c->len -= (uint32_t)(whole - n);
    }
    c->takes++;
    rt_acquire((uint64_t)&c->word);
    rt_word_changed(&c->word);
    return (ssize_t)n;
}

/* What fits; small writes and messages whole or not at all. */
ssize_t rt_channel_put(struct channel *c, const char *from, size_t size)
{
    enum { WHOLE = 4096 }; /* PIPE_BUF */
    size_t room = PIPE_SIZE - c->len, header = c->messages ? sizeof(uint32_t) : 0;
    if (!c->readers) return -EPIPE;
    if (!size && !c->messages) return 0;
    if (c->messages && size + header > PIPE_SIZE) return -EMSGSIZE;
    if (room < header + ((size <= WHOLE || c->messages) ? size : 1)) return -EAGAIN;
    size_t n = size < room - header ? size : room - header;
    uint32_t whole = (uint32_t)n;
    if (c->messages) copy_in(c, &whole, sizeof whole);
    copy_in(c, from, n);
    c->puts++;
    rt_release((uint64_t)&c->word);
    rt_word_changed(&c->word);
    return (ssize_t)n;
}

static ssize_t take(struct open_file *f, char *to, size_t size)
{
    return f->in ? rt_channel_take(f->in, to, size) : -EBADF;
}

static ssize_t put(struct open_file *f, const char *from, size_t size)
{
    return f->out ? rt_channel_put(f->out, from, size) : -EBADF;
}

static int ready(const struct open_file *f)
{
    int events = 0;
    if (f->in && f->in->len) events |= POLLIN | POLLRDNORM;
    if (f->in && !f->in->writers) events |= POLLHUP;
    if (f->out && PIPE_SIZE - f->out->len >= 4096) events |= POLLOUT | POLLWRNORM;
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
    if (f->in) f->in->readers--, rt_word_changed_by_all(&f->in->word);
    if (f->out) f->out->writers--, rt_word_changed_by_all(&f->out->word);
}

const struct file_kind rt_pipe_kind = {"pipe", take, put, ready, word, close_ends};

static int make_pipe(int fds[2], int flags, uintptr_t pc)
{
    rt_file_all(pc, "pipe");
    struct open_file *reader = rt_file_new(&rt_pipe_kind, O_RDONLY | (flags & O_NONBLOCK)),
                     *writer = rt_file_new(&rt_pipe_kind, O_WRONLY | (flags & O_NONBLOCK));
    reader->in = writer->out = rt_channel_new(flags & O_DIRECT);
    reader->in->readers = reader->in->writers = 1;
    rt_touch(fds, 2 * sizeof *fds);
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
