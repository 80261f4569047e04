#define _GNU_SOURCE
#include "search/pages_int.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

/* Several threads ask, so what is over the limit is given back. */
bool budget_take_if_any(struct budget *b, size_t bytes)
{
    size_t used = __atomic_add_fetch(&b->used, bytes, __ATOMIC_RELAXED);
    if (b->limit && (bytes > b->limit || used > b->limit)) {
        __atomic_sub_fetch(&b->used, bytes, __ATOMIC_RELAXED);
        return false;
    }
    size_t peak = __atomic_load_n(&b->peak, __ATOMIC_RELAXED);
    while (used > peak && !__atomic_compare_exchange_n(&b->peak, &peak, used, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    return true;
}

bool budget_take(struct budget *b, size_t bytes)
{
    bool taken = budget_take_if_any(b, bytes);
    if (!taken) __atomic_store_n(&b->refused, true, __ATOMIC_RELAXED);
    return taken;
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

void pages_give(struct budget *b, void *pages, size_t bytes)
{
    if (!pages) return;
    munmap(pages, bytes);
    budget_give(b, bytes);
}

enum { HUGE_PAGE = 2 << 20, SMALL_PAGE = 4096 };
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static size_t rounded(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

/* Addresses that begin with a huge page, if there is room for one; memory comes when they are used. */
static uint8_t *reserve(size_t bytes)
{
    if (bytes <= HUGE_PAGE) return pages_alloc(bytes, false);
    uint8_t *p = pages_alloc(bytes + HUGE_PAGE, false);
    if (!p) return NULL;
    uint8_t *aligned = (uint8_t *)rounded((size_t)p, HUGE_PAGE);
    if (aligned > p) munmap(p, (size_t)(aligned - p));
    munmap(aligned + bytes, HUGE_PAGE - (size_t)(aligned - p));
    return aligned;
}

/* To more addresses. Whole huge pages stay where they are in memory; what is behind them is copied: a huge page cannot
 * be made of what was moved here and what was here before. */
static bool move_field(struct field *f, size_t bytes)
{
    size_t reserved = rounded(f->at ? 4 * bytes : bytes, HUGE_PAGE), used = rounded(f->bytes, SMALL_PAGE);
    size_t whole = used / HUGE_PAGE * HUGE_PAGE, huge = bytes / HUGE_PAGE * HUGE_PAGE;
    uint8_t *at = reserve(reserved);
    if (!at) return false;
    if (whole && mremap(f->at, whole, whole, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED) {
        munmap(at, reserved);
        return false;
    }
    if (huge) madvise(at, huge, MADV_HUGEPAGE);
    if (used > whole) memcpy(at + whole, f->at + whole, used - whole);
    if (f->reserved > whole) munmap(f->at + whole, f->reserved - whole);
    f->at = at;
    f->reserved = reserved;
    return true;
}

/* The last huge page is whole now: of the part of it that was in use before, it is made by the kernel. */
static void make_huge(struct field *f, size_t bytes)
{
    size_t huge = bytes / HUGE_PAGE * HUGE_PAGE, before = f->bytes / HUGE_PAGE * HUGE_PAGE;
    if (huge) madvise(f->at, huge, MADV_HUGEPAGE);
    if (huge > before && f->bytes > before) madvise(f->at + before, HUGE_PAGE, MADV_COLLAPSE);
}

bool field_grow(struct field *f, struct budget *b, size_t bytes)
{
    assert(bytes > f->bytes);
    if (!budget_take(b, bytes - f->bytes)) return false;
    bool moves = bytes > f->reserved;
    if (moves && !move_field(f, bytes)) {
        budget_give_up(b, bytes - f->bytes);
        return false;
    }
    if (!moves) make_huge(f, bytes);
    f->bytes = bytes;
    return true;
}

void field_release(struct field *f, struct budget *b)
{
    if (f->at) munmap(f->at, f->reserved);
    budget_give(b, f->bytes);
    *f = (struct field){0};
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
