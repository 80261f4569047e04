/* Memory in pages out of a budget, and a lock for moments. Internal to src/search. */
#ifndef HEDDLE_PAGES_H
#define HEDDLE_PAGES_H

#include "search/store_int.h"

/* Zeroed pages; huge ones where the system has them, because every access to a table is to a random place. A small
 * search should not pay for clearing them. NULL, and nothing taken, if either the budget or the machine has no more. */
enum { HUGE_FROM = 4 << 20 };
void *pages_alloc(size_t bytes, bool huge);
void *pages_take(struct budget *b, size_t bytes);
void pages_give(struct budget *b, void *pages, size_t bytes);

/* An array that grows where it is; new bytes are zero. What fills huge pages is in huge pages, and no memory is touched
 * behind its end. */
struct field { uint8_t *at; size_t bytes, reserved; };
bool field_grow(struct field *f, struct budget *b, size_t bytes); /* false: as it was */
void field_release(struct field *f, struct budget *b);

/* Held for a lookup. Whoever waits lets others run after a while: there may be more threads than processors. */
struct spin { uint8_t held; };
void spin_wait(struct spin *s);
static inline void spin_pause(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __asm__ volatile("" ::: "memory");
#endif
}
static inline void spin_lock(struct spin *s)
{
    if (__atomic_exchange_n(&s->held, 1, __ATOMIC_ACQUIRE)) spin_wait(s);
}
static inline void spin_unlock(struct spin *s) { __atomic_store_n(&s->held, 0, __ATOMIC_RELEASE); }

#endif
