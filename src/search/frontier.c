/* States waiting to be expanded, in chunks that are freed as they are consumed. */
#include "search/store_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 16, ITEM_HEAD = 8 + 4 };

struct frontier_chunk {
    struct frontier_chunk *next;
    size_t used, room;
    uint8_t data[];
};

void frontier_init(struct frontier *f, struct budget *budget)
{
    *f = (struct frontier){.budget = budget};
}

static size_t item_bytes(uint32_t state_size) { return ITEM_HEAD + (size_t)state_size; }

static size_t chunk_cost(const struct frontier_chunk *c) { return sizeof *c + c->room; }

static bool add_chunk(struct frontier *f, size_t need)
{
    size_t room = MAX(need, (size_t)CHUNK_BYTES);
    if (!budget_take(f->budget, sizeof(struct frontier_chunk) + room)) return false;
    struct frontier_chunk *c = malloc(sizeof *c + room);
    if (!c) {
        budget_give_up(f->budget, sizeof *c + room);
        return false;
    }
    *c = (struct frontier_chunk){.room = room};
    if (f->tail) f->tail->next = c;
    else f->head = c;
    f->tail = c;
    return true;
}

bool frontier_push(struct frontier *f, struct frontier_item item)
{
    size_t need = item_bytes(item.size);
    if ((!f->tail || f->tail->room - f->tail->used < need) && !add_chunk(f, need)) return false;
    assert_costly(f->tail->used + need <= f->tail->room && item.state);
    uint8_t *at = f->tail->data + f->tail->used;
    store64(at, item.word);
    memcpy(at + 8, &item.size, 4);
    memcpy(at + ITEM_HEAD, item.state, item.size);
    f->tail->used += need;
    f->len++;
    return true;
}

static void drop_head(struct frontier *f)
{
    struct frontier_chunk *c = f->head;
    assert(c->used <= c->room && !c->next == (c == f->tail));
    f->head = c->next;
    if (!f->head) f->tail = NULL;
    f->read_at = 0;
    budget_give(f->budget, chunk_cost(c));
    free(c);
}

struct frontier_item frontier_pop(struct frontier *f)
{
    assert(f->len > 0);
    if (f->read_at == f->head->used) drop_head(f);
    const uint8_t *at = f->head->data + f->read_at;
    struct frontier_item item = {.word = load64(at), .state = at + ITEM_HEAD};
    memcpy(&item.size, at + 8, 4);
    f->read_at += item_bytes(item.size);
    assert_costly(f->read_at <= f->head->used);
    f->len--;
    return item;
}

void frontier_release(struct frontier *f)
{
    while (f->head) drop_head(f);
    f->len = 0;
}
