/* Items in batches. A thread fills one batch for each process; a full one goes to the main thread, which alone talks
 * to the transport. There is a fixed number of batches: whoever needs one while all are on their way waits, and the
 * main thread receives while it waits, so that two processes that wait for each other do not wait for ever. How many
 * batches have to come is counted, never guessed from time. */
#include "cluster/cluster_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 1 << 16,       /* bytes, where there are few processes */
    SMALLEST_BATCH = 1 << 11,
    ALL_BATCHES = 1 << 22, /* bytes that a thread's should have */
    SPARE_BATCHES = 32,
};

struct header { uint32_t items, told; }; /* told: instead of items; 0: nothing */
struct batch {
    struct batch *next;
    int to;
    uint32_t len; /* items */
    uint8_t bytes[];
};

struct exchange {
    struct cluster *c;
    struct exchange_plan plan;
    uint32_t batch_items;
    size_t batch_bytes;
    struct batch **filling;    /* by thread and process */
    pthread_mutex_t lock;      /* of the two lists */
    struct batch *spare, *full, **full_end;
    struct batch **sending;    /* by slot of the transport */
    int slots, busy_slots, next_slot;
    uint64_t *sent_to;         /* batches, by process, since the last time that all had arrived */
    uint64_t received;
    uint8_t *arriving;
    bool is_arriving;
};

static struct batch *batch_new(struct exchange *x)
{
    struct batch *b = xmalloc(sizeof *b + x->batch_bytes);
    *b = (struct batch){0};
    return b;
}

static uint32_t items_of_batch(const struct exchange *x)
{
    size_t bytes = MAX(MIN((size_t)BATCH, (size_t)ALL_BATCHES / (size_t)x->c->t->size), (size_t)SMALLEST_BATCH);
    return (uint32_t)MAX((bytes - sizeof(struct header)) / x->plan.item, 1u);
}

struct exchange *exchange_new(struct cluster *c, struct exchange_plan plan)
{
    struct exchange *x = xcalloc(1, sizeof *x);
    x->c = c;
    x->plan = plan;
    x->batch_items = items_of_batch(x);
    x->batch_bytes = sizeof(struct header) + x->batch_items * plan.item;
    x->filling = xcalloc((size_t)plan.workers * (size_t)c->t->size, sizeof *x->filling);
    x->slots = SPARE_BATCHES;
    x->sending = xcalloc((size_t)x->slots, sizeof *x->sending);
    c->t->slots(x->slots);
    x->sent_to = xcalloc((size_t)c->t->size, sizeof *x->sent_to);
    x->arriving = xmalloc(x->batch_bytes);
    pthread_mutex_init(&x->lock, NULL);
    x->full_end = &x->full;
    for (int i = 0; i < SPARE_BATCHES; i++) {
        struct batch *b = batch_new(x);
        b->next = x->spare;
        x->spare = b;
    }
    return x;
}

static void free_list(struct batch *b)
{
    for (struct batch *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void exchange_free(struct exchange *x)
{
    if (!x) return;
    assert(!x->busy_slots && !x->full);
    for (size_t i = 0; i < (size_t)x->plan.workers * (size_t)x->c->t->size; i++) free(x->filling[i]);
    free_list(x->spare);
    free(x->filling);
    free(x->sending);
    free(x->sent_to);
    free(x->arriving);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

/* ---- sending ---- */

static struct batch *take_full(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    struct batch *b = x->full;
    if (b && !(x->full = b->next)) x->full_end = &x->full;
    pthread_mutex_unlock(&x->lock);
    return b;
}

static void give_back(struct exchange *x, struct batch *b)
{
    b->len = 0;
    pthread_mutex_lock(&x->lock);
    b->next = x->spare;
    x->spare = b;
    pthread_mutex_unlock(&x->lock);
}

static void send_batch(struct exchange *x, struct batch *b)
{
    while (x->sending[x->next_slot]) x->next_slot = (x->next_slot + 1) % x->slots;
    size_t bytes = sizeof(struct header) + b->len * x->plan.item;
    x->sending[x->next_slot] = b;
    x->busy_slots++;
    x->c->t->send(x->next_slot, b->to, b->bytes, bytes);
    x->sent_to[b->to]++;
    x->c->counts.batches++;
    x->c->counts.items += b->len;
    x->c->counts.bytes += bytes;
}

static bool end_sends(struct exchange *x)
{
    bool some = false;
    for (int i = 0; i < x->slots && x->busy_slots; i++) {
        if (!x->sending[i] || !x->c->t->is_sent(i)) continue;
        give_back(x, x->sending[i]);
        x->sending[i] = NULL;
        x->busy_slots--;
        some = true;
    }
    return some;
}

static bool send_full(struct exchange *x)
{
    bool some = false;
    for (struct batch *b; x->busy_slots < x->slots && (b = take_full(x)); some = true) send_batch(x, b);
    return some;
}

/* ---- receiving ---- */

static bool receive_one(struct exchange *x)
{
    struct header h;
    size_t bytes = x->is_arriving ? 0 : x->c->t->receive(x->arriving, x->batch_bytes);
    if (!bytes) return false;
    memcpy(&h, x->arriving, sizeof h);
    assert(bytes == sizeof h + h.items * x->plan.item);
    x->received++;
    x->is_arriving = true; /* what arrives may lead to something that is put */
    if (h.told) x->plan.told(x->plan.ctx, h.told);
    else x->plan.arrive(x->plan.ctx, x->arriving + sizeof h, h.items);
    x->is_arriving = false;
    return true;
}

static bool progress(struct exchange *x)
{
    bool some = end_sends(x);
    some |= send_full(x);
    for (int i = 0; i < SPARE_BATCHES && receive_one(x); i++) some = true;
    return some;
}

void exchange_progress(struct exchange *x) { progress(x); }

/* ---- what threads put ---- */

static struct batch *try_spare(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    struct batch *b = x->spare;
    if (b) x->spare = b->next;
    pthread_mutex_unlock(&x->lock);
    return b;
}

/* In the place of one that is handed over. */
static struct batch *await_spare(struct exchange *x, int worker)
{
    struct batch *b;
    for (uint32_t looks = 0; !(b = try_spare(x)); looks++)
        if (worker || !progress(x)) cluster_wait_a_little(x->c, looks);
    return b;
}

static void hand_over(struct exchange *x, struct batch *b, uint32_t told)
{
    struct header h = {.items = b->len, .told = told};
    memcpy(b->bytes, &h, sizeof h);
    b->next = NULL;
    pthread_mutex_lock(&x->lock);
    *x->full_end = b;
    x->full_end = &b->next;
    pthread_mutex_unlock(&x->lock);
}

void exchange_put(struct exchange *x, int worker, int to, const void *item)
{
    struct batch **at = &x->filling[(size_t)worker * (size_t)x->c->t->size + (size_t)to], *b = *at;
    assert_costly(to != x->c->t->rank && to < x->c->t->size);
    if (!b) b = *at = batch_new(x);
    b->to = to;
    memcpy(b->bytes + sizeof(struct header) + b->len++ * x->plan.item, item, x->plan.item);
    if (b->len < x->batch_items) return;
    *at = NULL;
    hand_over(x, b, 0);
    struct batch *fresh = await_spare(x, worker);
    if (*at) give_back(x, fresh); /* what arrived while it waited has put something */
    else *at = fresh;
    if (!worker) progress(x);
}

static void tell(struct exchange *x, int to, uint32_t what)
{
    struct batch *b = await_spare(x, 0);
    b->to = to;
    hand_over(x, b, what);
}

void exchange_tell(struct exchange *x, uint32_t what)
{
    assert(what);
    for (int to = 0; to < x->c->t->size; to++)
        if (to != x->c->t->rank) tell(x, to, what);
    progress(x);
}

/* ---- until all has arrived ---- */

static void hand_over_rest(struct exchange *x)
{
    for (size_t i = 0; i < (size_t)x->plan.workers * (size_t)x->c->t->size; i++) {
        struct batch *b = x->filling[i];
        if (!b || !b->len) continue;
        x->filling[i] = NULL;
        hand_over(x, b, 0);
        struct batch *fresh = await_spare(x, 0);
        if (x->filling[i]) give_back(x, fresh);
        else x->filling[i] = fresh;
    }
}

static bool progress_while_waiting(void *ctx) { return progress(ctx); }

/* looks: since the last progress. */
static void progress_or_wait(struct exchange *x, uint32_t *looks)
{
    double began = seconds_now();
    if (progress(x)) {
        *looks = 0;
        return;
    }
    cluster_wait_a_little(x->c, *looks);
    x->c->counts.idle += seconds_now() - began;
}

void exchange_settle(struct exchange *x)
{
    uint64_t expected = 0;
    hand_over_rest(x);
    for (uint32_t looks = 0; x->full || x->busy_slots; looks++) progress_or_wait(x, &looks);
    x->c->t->sum_for_each(x->sent_to, &expected);
    cluster_await(x->c, progress_while_waiting, x);
    for (uint32_t looks = 0; x->received < expected; looks++) progress_or_wait(x, &looks);
    assert(x->received == expected);
    x->received = 0;
    memset(x->sent_to, 0, (size_t)x->c->t->size * sizeof *x->sent_to);
}
