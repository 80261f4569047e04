#define _GNU_SOURCE
#include "search/pages_int.h"

#include <assert.h>
#include <sched.h>
#include <sys/mman.h>

/* Several threads ask, so what is over the limit is given back. */
bool budget_take(struct budget *b, size_t bytes)
{
    size_t used = __atomic_add_fetch(&b->used, bytes, __ATOMIC_RELAXED);
    if (b->limit && (bytes > b->limit || used > b->limit)) {
        __atomic_sub_fetch(&b->used, bytes, __ATOMIC_RELAXED);
        __atomic_store_n(&b->refused, true, __ATOMIC_RELAXED);
        return false;
    }
    size_t peak = __atomic_load_n(&b->peak, __ATOMIC_RELAXED);
    while (used > peak && !__atomic_compare_exchange_n(&b->peak, &peak, used, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return true;
}

void budget_give(struct budget *b, size_t bytes)
{
    size_t before = __atomic_fetch_sub(&b->used, bytes, __ATOMIC_RELAXED);
    assert(before >= bytes);
    (void)before;
}

void budget_give_up(struct budget *b, size_t bytes)
{
    budget_give(b, bytes);
    __atomic_store_n(&b->refused, true, __ATOMIC_RELAXED);
}

void *pages_alloc(size_t bytes, bool huge)
{
    assert(bytes);
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (huge) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

void *pages_take(struct budget *b, size_t bytes)
{
    if (!budget_take(b, bytes)) return NULL;
    void *p = pages_alloc(bytes, bytes >= HUGE_FROM);
    if (!p) budget_give_up(b, bytes);
    return p;
}

void *pages_grow(struct budget *b, void *pages, size_t old, size_t bytes)
{
    assert(bytes > old);
    if (!budget_take(b, bytes - old)) return NULL;
    void *p = mremap(pages, old, bytes, MREMAP_MAYMOVE);
    if (p == MAP_FAILED) {
        budget_give_up(b, bytes - old);
        return NULL;
    }
    if (bytes >= HUGE_FROM) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

void pages_give(struct budget *b, void *pages, size_t bytes)
{
    if (!pages) return;
    munmap(pages, bytes);
    budget_give(b, bytes);
}

void spin_wait(struct spin *s)
{
    for (unsigned tries = 1;; tries++) {
        while (__atomic_load_n(&s->held, __ATOMIC_RELAXED)) {
            if (tries++ % 256 == 0) sched_yield();
            spin_pause();
        }
        if (!__atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE)) return;
    }
}
