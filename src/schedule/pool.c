/* Memory from the allocator of the runtime: blocks in a list, so that one call gives everything back. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct pool_block { struct pool_block *prev, *next; size_t size, padding; };

void *pool_alloc(struct pool *p, size_t size)
{
    struct pool_block *b = p->config->memory_pool.alloc(p->config->memory_pool.context, sizeof *b + size);
    if (!b)
        __builtin_trap(); /* the interface asks for config.memory below what the allocator can give */
    *b = (struct pool_block){.next = p->blocks, .size = sizeof *b + size};
    if (p->blocks)
        p->blocks->prev = b;
    p->blocks = b;
    p->used += b->size;
    memset(b + 1, 0, size);
    return b + 1;
}

void pool_free(struct pool *p, void *block)
{
    if (!block)
        return;
    struct pool_block *b = (struct pool_block *)block - 1;
    if (b->prev)
        b->prev->next = b->next;
    else
        p->blocks = b->next;
    if (b->next)
        b->next->prev = b->prev;
    assert(p->used >= b->size);
    p->used -= b->size;
    p->config->memory_pool.release(p->config->memory_pool.context, b, b->size);
}

void pool_release(struct pool *p)
{
    while (p->blocks)
        pool_free(p, p->blocks + 1);
    assert(p->used == 0);
}

void *pool_grow(struct pool *p, void *at, size_t *cap, size_t need, size_t item)
{
    size_t wanted = *cap ? *cap * 2 : 16;
    while (wanted < need)
        wanted *= 2;
    void *fresh = pool_alloc(p, wanted * item);
    if (at)
        memcpy(fresh, at, *cap * item);
    pool_free(p, at);
    *cap = wanted;
    return fresh;
}

bool pool_has_room(const struct pool *p, size_t size)
{
    return !p->config->memory || p->used + size <= p->config->memory;
}
