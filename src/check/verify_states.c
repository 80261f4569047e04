/* A set of whole states, each stored once, for the methods of --verify: it shares no code with the stores of the
 * searches. */
#include "check/verify_graph_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

const uint8_t *states_at(const struct states *s, uint32_t number, uint32_t *size)
{
    size_t from = number ? s->ends.at[number - 1] : 0;
    assert(number < s->ends.len && s->ends.at[number] > from);
    *size = (uint32_t)(s->ends.at[number] - from);
    return s->bytes.at + from;
}

static size_t state_slot(const struct states *s, const uint8_t *bytes, uint32_t size)
{
    size_t i = hash_bytes(bytes, size, 0) & (s->cap - 1);
    for (; s->slots[i]; i = (i + 1) & (s->cap - 1)) {
        uint32_t other;
        const uint8_t *known = states_at(s, s->slots[i] - 1, &other);
        if (other == size && !memcmp(known, bytes, size)) break;
    }
    return i;
}

static void states_grow(struct states *s)
{
    free(s->slots);
    s->cap = s->cap ? 2 * s->cap : FIRST_SLOTS;
    s->slots = xcalloc(s->cap, sizeof *s->slots);
    for (uint32_t i = 0; i < s->ends.len; i++) {
        uint32_t size;
        const uint8_t *bytes = states_at(s, i, &size);
        s->slots[state_slot(s, bytes, size)] = i + 1;
    }
}

uint32_t states_add(struct states *s, const uint8_t *bytes, uint32_t size)
{
    if (2 * (s->ends.len + 1) > s->cap) states_grow(s);
    size_t i = state_slot(s, bytes, size);
    if (s->slots[i]) return s->slots[i] - 1;
    size_t from = s->bytes.len;
    vec_reserve(&s->bytes, from + size);
    memcpy(s->bytes.at + from, bytes, size);
    s->bytes.len += size;
    vec_push(&s->ends, s->bytes.len);
    vec_push(&s->reached, false);
    s->slots[i] = (uint32_t)s->ends.len;
    return s->slots[i] - 1;
}

void states_release(struct states *s)
{
    vec_release(&s->bytes);
    vec_release(&s->ends);
    vec_release(&s->reached);
    free(s->slots);
}
