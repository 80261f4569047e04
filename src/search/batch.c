/* Successors wait here until enough are together, so that random memory accesses overlap. */
#include "search/search_int.h"

#include <assert.h>
#include <string.h>

void batch_add(struct batch *b, const struct store *store, struct arrival a)
{
    assert(b->len < BATCH_SIZE);
    a.hash = store_hash(a.state, a.size);
    store_prefetch(store, a.hash);
    vec_reserve(&b->bytes, b->bytes.len + a.size);
    memcpy(b->bytes.at + b->bytes.len, a.state, a.size);
    b->offsets[b->len] = b->bytes.len;
    b->items[b->len++] = a;
    b->bytes.len += a.size;
}

void batch_settle(struct batch *b, const struct store *store)
{
    for (size_t i = 0; i < b->len; i++) {
        b->items[i].state = b->bytes.at + b->offsets[i];
        assert_costly(store_hash(b->items[i].state, b->items[i].size) == b->items[i].hash);
        store_prefetch_record(store, b->items[i].hash);
    }
}
