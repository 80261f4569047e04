/* A work-stealing queue without a lock, of objects that are used again: the owner pushes what it has popped.
 * Bug: the owner resets head and tail when the queue is empty. A thief that has read the old head can then swap it,
 * because the number is the same again, and takes an object that is no longer there.
 * Row: Chess/InterlockedWorkStealQueueWithState -DITEMS=2 -DTHIEVES=1
 * Expect: assertion */
#include "threads.h"
#include <stdatomic.h>

struct work {
    atomic_int uses, expected;
};

static atomic_int head, tail;
static struct work objects[ITEMS];
static _Atomic(struct work *) items[ITEMS];

static void push(struct work *w)
{
    int t = tail;
    atomic_fetch_add(&w->expected, 1);
    items[t] = w;
    tail = t + 1;
}

static struct work *pop(void)
{
    int t = tail - 1;
    tail = t;
    int h = head;
    if (h < t) return items[t];
    struct work *w = NULL;
    if (h == t && atomic_compare_exchange_strong(&head, &h, h + 1)) w = items[t];
    tail = 0; /* wrong: a thief can still be on its way with an old head */
    head = 0;
    return w;
}

static struct work *steal(void)
{
    int h = head;
    if (h >= tail) return NULL;
    struct work *w = items[h];
    return atomic_compare_exchange_strong(&head, &h, h + 1) ? w : NULL;
}

static void use(struct work *w)
{
    if (!w) return;
    int uses = atomic_fetch_add(&w->uses, 1) + 1;
    assert(uses <= w->expected);
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS; i++) use(steal());
    return unused;
}

int main(void)
{
    for (int i = 0; i < THIEVES; i++) start(thief, NULL);
    for (int i = 0; i < ITEMS; i++) {
        push(&objects[i]);
        use(pop());
    }
    push(&objects[0]);
    use(pop());
    join_all();
}
