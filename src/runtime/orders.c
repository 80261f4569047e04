/* The places of the program that have a memory order, for --suggest-orders: heddle learns them from one exploration,
 * and gives some of them another order in the next. */
#include "runtime/internal.h"

static bool is_site(const struct rt_site *s, const uint64_t *frames, enum rt_site_kind kind)
{
    return s->frames[0] == frames[0] && s->frames[1] == frames[1] && s->kind == kind;
}

/* The order that the operation is to have. Where it is called from counts, too: std::atomic is one place for many. */
int rt_order_at(int order, enum rt_site_kind kind, uintptr_t address, uintptr_t pc)
{
    struct rt_shared *s = rt.shared;
    const struct thread *t = rt.self;
    uint64_t frames[RT_WEAK_FRAMES] = {pc};
    for (uint32_t i = 1; i < RT_WEAK_FRAMES && i <= t->call_count; i++) frames[i] = t->calls[t->call_count - i].pc;
    for (uint32_t i = 0; i < s->site_count && i < RT_MAX_SITES; i++)
        if (is_site(&s->sites[i], frames, kind)) return s->sites[i].has_given ? s->sites[i].given : order;
    if (s->site_count == RT_MAX_SITES) return order;
    struct rt_site *site = &s->sites[s->site_count++];
    *site = (struct rt_site){.kind = (uint8_t)kind, .order = (uint8_t)order, .address = address};
    memcpy(site->frames, frames, sizeof frames);
    return order;
}
