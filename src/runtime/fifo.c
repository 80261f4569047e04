/* FIFOs: pipes with a name, which is a real one. What goes through them stays in the process: opening one finds the
 * channel of its name, and waits for somebody to open the other end. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fifo {
    struct fifo *next;
    uint64_t device, inode;
    struct channel *channel;
    struct word opened;                     /* changes whenever it is */
    uint32_t reading_opens, writing_opens;  /* so far */
};

static bool controls(void) { return rt.active && rt.shared; }

static bool is_fifo(int at, const char *path, struct stat *s)
{
    long error = rt_syscall(SYS_newfstatat, at, (long)path, (long)s, 0, 0, 0);
    return !error && S_ISFIFO(s->st_mode);
}

static struct fifo *find(const struct stat *s)
{
    struct fifo *f = rt_descriptors()->fifos;
    while (f && (f->device != s->st_dev || f->inode != s->st_ino)) f = f->next;
    return f;
}

/* The kernel numbers the file that an execution makes, each time anew. */
bool rt_fifo_holds_number(const void *at)
{
    const struct fifo *f = rt.files.all ? rt.files.all->fifos : NULL;
    while (f && at != &f->inode) f = f->next;
    return f;
}

static struct channel *new_channel(void)
{
    struct channel *c = rt_channel_new(BYTES);
    c->fresh = true;
    return c;
}

static struct fifo *add(const struct stat *s)
{
    struct descriptors *all = rt_descriptors();
    struct fifo *f = rt_file_memory(sizeof *f);
    f->device = s->st_dev;
    f->inode = s->st_ino;
    f->channel = new_channel();
    f->next = all->fifos;
    return all->fifos = f;
}

/* The number of a file that was removed may have been given to this one. */
void rt_fifo_made(int at, const char *path)
{
    struct stat s;
    if (!controls() || !is_fifo(at, path, &s)) return;
    struct fifo *old = find(&s);
    if (old) old->inode = 0;
    add(&s);
}

static bool is_opened(const struct fifo *f, int way, uint32_t opens_before)
{
    if (way == O_RDONLY) return f->channel->writers || f->writing_opens != opens_before;
    return f->channel->readers || f->reading_opens != opens_before;
}

/* Until the other end is opened, also if it is closed again at once. False: a handler broke it off. */
static bool wait_for_other_end(struct fifo *f, int way, uint32_t opens_before, uintptr_t pc)
{
    rt_cancellation_point(true);
    bool good = true;
    while (good && !is_opened(f, way, opens_before))
        good = rt_file_wait(&f->opened, f->opened.version, f->opened.by_all, pc, "open");
    rt_cancellation_point(false);
    return good;
}

/* What is in it when nobody has it open any more is gone. */
static struct open_file *open_ends(struct fifo *f, int flags)
{
    int way = flags & O_ACCMODE;
    if (!f->channel->readers && !f->channel->writers && f->channel->written) f->channel = new_channel();
    struct open_file *file = rt_file_new(&rt_fifo_kind, way | (flags & O_NONBLOCK));
    if (way != O_WRONLY) file->in = f->channel, f->channel->readers++, f->reading_opens++;
    if (way != O_RDONLY) file->out = f->channel, f->channel->writers++, f->writing_opens++;
    rt_channel_opened(f->channel);
    rt_word_changed_by_all(&f->opened);
    return file;
}

int rt_fifo_open(int at, const char *path, int flags, uintptr_t pc)
{
    struct stat s;
    int way = flags & O_ACCMODE;
    bool asks = (flags & O_CREAT && flags & O_EXCL) || flags & O_PATH;
    if (!controls() || !path || asks || !is_fifo(at, path, &s)) return RT_NO_FIFO;
    rt_file_all(pc, "open");
    if (!is_fifo(at, path, &s)) return RT_NO_FIFO; /* not any more */
    struct fifo *f = find(&s);
    if (!f) rt_note("open", "a FIFO: nobody outside the process is reached", pc), f = add(&s);
    if (way == O_WRONLY && (flags & O_NONBLOCK) && !f->channel->readers) return errno = ENXIO, -1;
    uint32_t opens_before = way == O_RDONLY ? f->writing_opens : f->reading_opens;
    int fd = rt_file_open(open_ends(f, flags), flags & O_CLOEXEC);
    bool waits = fd >= 0 && way != O_RDWR && !(flags & O_NONBLOCK);
    if (!waits || wait_for_other_end(f, way, opens_before, pc)) return fd;
    close(fd);
    return errno = EINTR, -1;
}

void *rt_fifo_stream(const char *path, const char *mode, uintptr_t pc)
{
    int way = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    int fd = rt_fifo_open(AT_FDCWD, path, way | (strchr(mode, 'e') ? O_CLOEXEC : 0), pc);
    return fd == RT_NO_FIFO ? (void *)(long)RT_NO_FIFO : fd < 0 ? NULL : fdopen(fd, mode);
}
