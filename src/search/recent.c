#include "search/recent_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 17, HEAD = 8, LARGEST = 512 };

struct head { uint32_t hash; uint16_t size; uint16_t last; };
_Static_assert(sizeof(struct head) == HEAD, "states are aligned behind it");

void recent_release(struct recent *r)
{
    free(r->slots);
    *r = (struct recent){0};
}

static void begin(struct recent *r, uint32_t size)
{
    recent_release(r);
    r->stride = (HEAD + (size_t)size + 15) / 16 * 16;
    size_t slots = 1;
    while (2 * slots * r->stride <= BYTES) slots *= 2;
    r->mask = slots - 1;
    assert(r->stride >= HEAD + (size_t)size && slots * r->stride <= BYTES);
    r->slots = xcalloc(slots, r->stride);
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_of(const uint8_t *state, uint32_t size)
{
    uint64_t h = size, last = 0;
    for (; size >= 16; state += 16, size -= 16)
        h = fold(load64(state) ^ h, load64(state + 8) ^ UINT64_C(0xa0761d6478bd642f));
    if (size >= 8) {
        h = fold(load64(state) ^ h, UINT64_C(0xe7037ed1a0b428db));
        state += 8, size -= 8;
    }
    if (!size) return h;
    memcpy(&last, state, size);
    return fold(last ^ h, UINT64_C(0x8ebc6af09c88c6e3));
}

static inline bool same(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    uint64_t differs = 0;
    for (; size >= 8; a += 8, b += 8, size -= 8) differs |= load64(a) ^ load64(b);
    return !differs && (!size || !memcmp(a, b, size));
}

bool recent_seen(struct recent *r, const uint8_t *state, uint32_t size, int last)
{
    if (size > LARGEST) return false;
    if (HEAD + (size_t)size > r->stride) begin(r, size);
    uint64_t hash = hash_of(state, size);
    uint8_t *slot = r->slots + (hash & r->mask) * r->stride;
    struct head head, now = {(uint32_t)(hash >> 32), (uint16_t)size, (uint16_t)last};
    memcpy(&head, slot, sizeof head);
    if (head.hash == now.hash && head.size == size && head.last == last && same(slot + HEAD, state, size)) return true;
    memcpy(slot, &now, sizeof now);
    memcpy(slot + HEAD, state, size);
    return false;
}
