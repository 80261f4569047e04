/* --digest: one number for an exploration. Two that run the same executions in the same order, each of which leaves the
 * same behind in memory, have the same number, wherever the executions were resumed. */
#include "runtime/internal.h"

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t of_words(uint64_t h, const char *from, const char *upto)
{
    for (; from + 8 <= upto; from += 8) {
        uint64_t word;
        memcpy(&word, from, sizeof word);
        h = mix(h, word);
    }
    return h;
}

/* Pages become hot in another order if executions begin elsewhere. */
static uint64_t of_pages(void)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < rt.hot_page_count; i++) {
        const struct hot_page *h = &rt.hot_pages[i];
        if (memcmp(h->page, h->copy, PAGE)) sum += of_words((uintptr_t)h->page, h->page, h->page + PAGE);
    }
    return sum;
}

/* What functions leave on their stacks to see that nobody wrote beyond them, and what hides addresses that setjmp()
 * keeps, is drawn anew for each process. Those that are being called now do not return. */
void rt_digest_init(void)
{
#if defined __x86_64__
    if (!rt.shared || !rt.shared->config.digest) return;
    __asm__ volatile("movq %0, %%fs:0x28\n movq %0, %%fs:0x30" ::"r"(0x0123456789abcd00ul) : "memory");
#endif
}

/* Stacks only until calls are unwound for the first time: what that leaves there depends on what is known of code. */
void rt_digest(void)
{
    struct rt_shared *s = rt.shared;
    int id;
    if (!s->config.digest) return;
    uint64_t h = mix(mix(s->digest, rt.step_hash), (uint64_t)rt.end << 32 | s->step_count);
    h = mix(mix(h, rt.time), rt.random);
    h = mix(h, of_pages());
    h = of_words(h, rt.heap.snapshot_top, rt.heap.top);
    FOR_EACH_THREAD(id, rt.unwind_rows ? SET_NONE : rt.created)
        h = of_words(h, rt_lowest_used(&rt.threads[id]), rt.threads[id].stack_high);
    s->digest = h;
}
