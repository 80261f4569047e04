/* signalfd: signals that are pending for the thread that reads. All such descriptors share one word, which sending
 * changes. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <sys/signalfd.h>

static struct word *word(struct open_file *f, bool writing)
{
    (void)f, (void)writing;
    return &rt_descriptors()->signals;
}

static ssize_t take(struct open_file *f, char *to, size_t size)
{
    struct signalfd_siginfo info = {0};
    size_t n = 0;
    if (size < sizeof info) return -EINVAL;
    siginfo_t from;
    for (; n + sizeof info <= size && rt_take_signal(f->counter, &from); n += sizeof info) {
        info.ssi_signo = (uint32_t)from.si_signo;
        info.ssi_code = from.si_code;
        info.ssi_pid = (uint32_t)from.si_pid;
        info.ssi_uid = from.si_uid;
        info.ssi_int = from.si_value.sival_int;
        info.ssi_ptr = (uint64_t)from.si_value.sival_ptr;
        memcpy(to + n, &info, sizeof info);
    }
    if (n) rt_word_changed(&rt_descriptors()->signals);
    return n ? (ssize_t)n : -EAGAIN;
}

static int ready(const struct open_file *f)
{
    return (rt.self->signals | rt.signal.pending) & f->counter ? POLLIN | POLLRDNORM : 0;
}

static const struct file_kind kind = {"signalfd", take, NULL, ready, word, NULL};

bool rt_has_signal_files(void)
{
    return rt.files.generation == rt.generation && rt.files.all && rt.files.all->has_signal_files;
}

void rt_signal_files_changed(void)
{
    if (rt_has_signal_files()) rt_word_changed_by_all(&rt_descriptors()->signals);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
    if (!rt.active || !rt.shared) return REAL(signalfd)(fd, set, flags);
    rt_file_all(CALLER, "signalfd");
    struct open_file *f = rt_file(fd);
    if (fd >= 0 && (!f || f->kind != &kind)) return errno = f ? EINVAL : EBADF, -1;
    bool is_new = !f;
    if (is_new) f = rt_file_new(&kind, O_RDONLY | (flags & SFD_NONBLOCK ? O_NONBLOCK : 0));
    rt_call_reads(set, sizeof(uint64_t), CALLER); /* the kernel's part of it */
    f->counter = rt_signal_set(set);
    rt_descriptors()->has_signal_files = true;
    if (is_new) return rt_file_open(f, flags & SFD_CLOEXEC);
    rt_word_changed_by_all(&rt_descriptors()->signals);
    return fd;
}
