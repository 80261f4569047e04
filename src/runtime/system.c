/* The bottom of the runtime: system calls without errno, mappings, the pool that the strategies allocate from. */
#include "runtime/internal.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
long rt_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined __aarch64__
long rt_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
#else
#error "Heddle's runtime knows x86-64 and arm64"
#endif

/* The program's memory is put back after each execution, the runtime's own is not. */
void rt_own_mapping(char *low, size_t size)
{
    size = (size + PAGE - 1) & ~(PAGE - 1);
    if (!rt.owned) {
        long list = rt_syscall(SYS_mmap, 0, sizeof *rt.owned * MAX_OWNED, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        rt.owned = (struct range *)list;
        rt.owned[rt.owned_count++] = (struct range){(char *)list, (char *)list + sizeof *rt.owned * MAX_OWNED};
    }
    struct range *last = rt.owned_count ? &rt.owned[rt.owned_count - 1] : NULL;
    if (last && last->low == low + size) last->low = low; /* the kernel maps downwards */
    else if (rt.owned_count < MAX_OWNED) rt.owned[rt.owned_count++] = (struct range){low, low + size};
    else rt_die("the runtime has too many mappings");
}

void *rt_map(void *at, size_t size, int extra_flags)
{
    int flags = MAP_ANONYMOUS | MAP_NORESERVE | (extra_flags & MAP_SHARED ? 0 : MAP_PRIVATE) | extra_flags;
    long p = rt_syscall(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (p < 0 && p > -4096) rt_die("no memory left for Heddle's runtime");
    rt_own_mapping((char *)p, size);
    return (void *)p;
}

void *rt_real(const char *name)
{
    void *p = dlsym(RTLD_NEXT, name);
    if (!p) rt_die("a function of the C library is missing");
    return p;
}

/* The program's own vsnprintf() is announced (format.c), this one is not. */
int rt_print(char *to, size_t size, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = ((__typeof__(&vsnprintf))rt_real_once(CALL_vsnprintf, "vsnprintf"))(to, size, format, ap);
    va_end(ap);
    return n;
}

double rt_now(void)
{
    struct timespec t = {0};
    rt_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* xorshift64*: only has to be the same in every execution. */
uint64_t rt_random(void)
{
    rt_depends_on_turns();
    rt.random ^= rt.random >> 12;
    rt.random ^= rt.random << 25;
    rt.random ^= rt.random >> 27;
    return rt.random * 0x2545f4914f6cdd1dull;
}

/* Sizes are rounded up to powers of two; each has a list of free pieces. */
static int pool_class(size_t size)
{
    int c = 4;
    while (((size_t)1 << c) < size) c++;
    assert(c < (int)ARRAY_LEN(rt.pool->free_lists));
    return c;
}

void *rt_pool_alloc(void *context, size_t size)
{
    (void)context;
    int c = pool_class(size);
    void *p = rt.pool->free_lists[c];
    if (p) {
        assert_costly((size_t)((char *)p - (char *)rt.pool) < rt.pool->used);
        rt.pool->free_lists[c] = *(void **)p;
        return p;
    }
    size_t rounded = (size_t)1 << c;
    assert(rt.pool->used <= rt.pool->size);
    if (rounded > rt.pool->size - rt.pool->used) rt_die("no memory left for the strategy");
    p = (char *)rt.pool + rt.pool->used;
    rt.pool->used += rounded;
    return p;
}

void rt_pool_free(void *context, void *p, size_t size)
{
    (void)context;
    if (!p) return;
    int c = pool_class(size);
    assert_costly((size_t)((char *)p - (char *)rt.pool) < rt.pool->used && p != rt.pool->free_lists[c]);
    *(void **)p = rt.pool->free_lists[c];
    rt.pool->free_lists[c] = p;
}
