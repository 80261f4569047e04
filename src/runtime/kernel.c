/* System calls of an audited call of which no wrapper of the runtime knows. What they change or read is the kernel's
 * and may concern other threads, so that the verdict names the call. Three kinds of system calls are harmless: those
 * that concern memory, time, the identity of the process or nothing at all, those that look at files of the system, and
 * those on descriptors that the same call has opened. */
#include "runtime/audit_int.h"

#include <fcntl.h>
#include <sys/syscall.h>

#if defined __x86_64__
static bool is_own(const struct audited_call *c, long fd)
{
    enum { BITS = 64 };
    return fd >= 0 && fd < BITS * (long)ARRAY_LEN(c->opened) && c->opened[fd / BITS] >> (fd % BITS) & 1;
}

static void set_own(struct audited_call *c, long fd, bool to)
{
    enum { BITS = 64 };
    if (fd < 0 || fd >= BITS * (long)ARRAY_LEN(c->opened)) return;
    uint64_t bit = 1ull << (fd % BITS), *word = &c->opened[fd / BITS];
    *word = to ? *word | bit : *word & ~bit;
}

static bool is_of_the_system(const char *path)
{
    static const char *const places[] = {"/etc/", "/usr/", "/lib", "/proc/", "/sys/", "/dev/", "/run/"};
    for (size_t i = 0; path && i < ARRAY_LEN(places); i++)
        if (!strncmp(path, places[i], strlen(places[i]))) return true;
    return false;
}

static bool only_reads(long flags) { return !(flags & (O_ACCMODE | O_CREAT | O_TRUNC)); }

static bool concerns_nobody(long number)
{
    static const uint16_t list[] = {
        SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_mremap, SYS_brk, SYS_futex, SYS_sched_yield, SYS_getpid,
        SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getcpu, SYS_uname, SYS_sysinfo,
        SYS_getrusage, SYS_times, SYS_time, SYS_gettimeofday, SYS_clock_gettime, SYS_clock_getres, SYS_nanosleep,
        SYS_clock_nanosleep, SYS_sched_getaffinity, SYS_getpgrp, SYS_getpgid, SYS_getsid, SYS_set_robust_list,
        SYS_membarrier, SYS_rseq, SYS_rt_sigprocmask, SYS_sched_get_priority_max, SYS_sched_get_priority_min};
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        if (list[i] == number) return true;
    return false;
}

static bool is_harmless(const struct audited_call *c, long number, const long *a)
{
    switch (number) {
    case SYS_open: return is_of_the_system((const char *)a[0]) && only_reads(a[1]);
    case SYS_openat: return is_of_the_system((const char *)a[1]) && only_reads(a[2]);
    case SYS_stat: case SYS_lstat: case SYS_access: case SYS_readlink: return is_of_the_system((const char *)a[0]);
    case SYS_newfstatat: case SYS_faccessat: case SYS_readlinkat: case SYS_statx:
        return is_of_the_system((const char *)a[1]) || is_own(c, a[0]);
    case SYS_read: case SYS_pread64: case SYS_fstat: case SYS_lseek: case SYS_close: case SYS_fcntl:
    case SYS_getdents64: case SYS_ioctl: case SYS_fadvise64:
        return is_own(c, a[0]);
    default: return concerns_nobody(number);
    }
}

void kernel_see(struct audited_call *c, long number, const long *arguments, long result)
{
    if (!is_harmless(c, number, arguments)) audit_system_call(number);
    else if (number == SYS_open || number == SYS_openat) set_own(c, result, true);
    else if (number == SYS_close) set_own(c, arguments[0], false);
}
#else
void kernel_see(struct audited_call *c, long number, const long *arguments, long result)
{
    (void)c, (void)number, (void)arguments, (void)result;
}
#endif
