/* Letters of any length, for what is too rare for batches. */
#include "cluster/cluster_int.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 64 };

/* On their way. */
static uint8_t *sent[SLOTS];
static bool has_slots;
static uint64_t *posted_to; /* by process */
static uint64_t fetched;

static void begin(struct cluster *c)
{
    if (has_slots) return;
    c->t->slots(SLOTS);
    posted_to = xcalloc((size_t)c->t->size, sizeof *posted_to);
    has_slots = true;
}

static void end_sends(struct cluster *c)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!sent[i] || !c->t->is_sent(i)) continue;
        free(sent[i]);
        sent[i] = NULL;
    }
}

static int free_slot(struct cluster *c)
{
    for (uint32_t looks = 0;; looks++) {
        end_sends(c);
        for (int i = 0; i < SLOTS; i++)
            if (!sent[i]) return i;
        cluster_wait_a_little(c, looks);
    }
}

void cluster_post(struct cluster *c, int to, const void *bytes, size_t count)
{
    begin(c);
    assert(count && to != c->t->rank);
    int slot = free_slot(c);
    sent[slot] = memcpy(xmalloc(count), bytes, count);
    c->t->send(slot, to, sent[slot], count);
    posted_to[to]++;
}

bool cluster_fetch(struct cluster *c, int *from, byte_list *letter)
{
    begin(c);
    end_sends(c);
    size_t bytes = c->t->waiting(from);
    if (!bytes) return false;
    vec_reserve(letter, bytes);
    letter->len = c->t->receive(letter->at, bytes);
    assert(letter->len == bytes);
    fetched++;
    return true;
}

static bool throw_away(void *ctx)
{
    byte_list letter = {0};
    int from;
    bool some = false;
    while (cluster_fetch(ctx, &from, &letter)) some = true;
    vec_release(&letter);
    return some;
}

void cluster_settle_post(struct cluster *c)
{
    uint64_t expected = 0;
    begin(c);
    c->t->sum_for_each(posted_to, &expected);
    cluster_await(c, throw_away, c);
    for (uint32_t looks = 0; fetched < expected; looks++) {
        throw_away(c);
        cluster_wait_a_little(c, looks);
    }
    for (int i = 0; i < SLOTS; i++)
        for (uint32_t looks = 0; sent[i]; looks++) {
            end_sends(c);
            cluster_wait_a_little(c, looks);
        }
    free(posted_to);
    posted_to = NULL;
    fetched = 0;
    has_slots = false; /* an exchange takes them for itself */
    cluster_sum(c, &expected, 1);
}
