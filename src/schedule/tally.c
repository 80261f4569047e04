/* Counts for pairs of numbers: an append-only array of rows and a hash table of their positions. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

enum { FIRST_SLOTS = 64 };

void tally_init(struct tally *t, struct pool *pool, size_t most)
{
    *t = (struct tally){.most = most, .mask = FIRST_SLOTS - 1};
    t->slots = pool_alloc(pool, FIRST_SLOTS * sizeof *t->slots);
}

static size_t slot_of(const struct tally *t, uint64_t a, uint64_t b)
{
    size_t i = hash_mix(a, b) & t->mask;
    while (t->slots[i] && (t->rows.at[t->slots[i] - 1].a != a || t->rows.at[t->slots[i] - 1].b != b))
        i = (i + 1) & t->mask;
    return i;
}

static void slots_double(struct tally *t, struct pool *pool)
{
    pool_free(pool, t->slots);
    t->mask = t->mask * 2 + 1;
    t->slots = pool_alloc(pool, (t->mask + 1) * sizeof *t->slots);
    for (size_t i = 0; i < t->rows.len; i++)
        t->slots[slot_of(t, t->rows.at[i].a, t->rows.at[i].b)] = (uint32_t)i + 1;
}

struct tally_row *tally_find(const struct tally *t, uint64_t a, uint64_t b)
{
    uint32_t at = t->slots[slot_of(t, a, b)];
    return at ? &t->rows.at[at - 1] : NULL;
}

struct tally_row *tally_add(struct tally *t, struct pool *pool, uint64_t a, uint64_t b)
{
    size_t i = slot_of(t, a, b);
    if (t->slots[i])
        return &t->rows.at[t->slots[i] - 1];
    if (t->rows.len >= t->most)
        return NULL;
    stack_push(pool, &t->rows, ((struct tally_row){a, b, 0}));
    t->slots[i] = (uint32_t)t->rows.len;
    if (t->rows.len * 2 > t->mask)
        slots_double(t, pool);
    return &stack_last(&t->rows);
}

void tally_clear(struct tally *t)
{
    if (t->rows.len)
        memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
    t->rows.len = 0;
}

/* Accesses to memory and operations on a synchronisation object at the same address are at different places. */
bool op_is_memory(const struct sched_op *op)
{
    return op->kind >= SCHED_READ && op->kind <= SCHED_CAS;
}

static bool touches_objects(const struct sched_op *op)
{
    switch (op->kind) {
    case SCHED_NONE: case SCHED_CREATE: case SCHED_JOIN: case SCHED_EXIT: case SCHED_YIELD: case SCHED_CHOOSE:
    case SCHED_GLOBAL: case SCHED_END: case SCHED_NEVER: case SCHED_LOCAL: return false;
    default: return true;
    }
}

int op_places(const struct sched_op *op, uint64_t *places)
{
    uint64_t objects[OP_PLACES] = {op->object, op->object2};
    int count = 0;
    for (int i = 0; i < OP_PLACES && touches_objects(op); i++)
        if (objects[i])
            places[count++] = objects[i] * 2 + op_is_memory(op);
    return count;
}
