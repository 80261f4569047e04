/* A work-stealing queue without a lock: thieves move the head by compare-and-swap.
 * Bug: the owner takes the last item without a compare-and-swap of its own, so a thief can take it as well.
 * Row: Chess/InterlockedWorkStealQueue -DITEMS=4 -DTHIEVES=1
 * Expect: assertion */
#include "threads.h"
#include <stdatomic.h>

enum { NONE = -1 };

static atomic_int head, tail;
static int items[ITEMS];
static atomic_int taken[ITEMS];

static void push(int item)
{
    int t = tail;
    items[t % ITEMS] = item;
    tail = t + 1;
}

static int pop(void)
{
    int t = tail - 1, h = head;
    if (h > t) return NONE;
    tail = t;
    return items[t % ITEMS];
}

static int steal(void)
{
    int h = head;
    if (h >= tail) return NONE;
    int item = items[h % ITEMS];
    return atomic_compare_exchange_strong(&head, &h, h + 1) ? item : NONE;
}

static void use(int item)
{
    if (item != NONE) assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS; i++) use(steal());
    return unused;
}

int main(void)
{
    for (int i = 0; i < THIEVES; i++) start(thief, NULL);
    for (int i = 0; i < ITEMS; i++) push(i);
    for (int i = 0; i < ITEMS; i++) use(pop());
    join_all();
}
