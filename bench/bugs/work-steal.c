/* A work-stealing queue (the T.H.E. protocol): the owner pushes and pops at the tail, thieves steal at the head.
 * Bug: when owner and thief meet at the last item, the owner looks again without the lock. Both take the item.
 * Row: Chess/WorkStealQueue -DITEMS=4 -DTHIEVES=1
 * Expect: assertion */
#include "threads.h"
#include <stdatomic.h>

enum { NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
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
    int t = tail - 1;
    tail = t;
    if (head < t) return items[t % ITEMS];
    tail = t + 1;
    if (head > t) return NONE;
    tail = t; /* wrong: the lock is missing here */
    return items[t % ITEMS];
}

static int steal(void)
{
    int item = NONE;
    pthread_mutex_lock(&lock);
    int h = head;
    head = h + 1;
    if (h < tail) item = items[h % ITEMS];
    else head = h;
    pthread_mutex_unlock(&lock);
    return item;
}

static void use(int item)
{
    if (item != NONE) assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS / 2; i++) use(steal());
    return unused;
}

int main(void)
{
    for (int i = 0; i < THIEVES; i++) start(thief, NULL);
    for (int i = 0; i < ITEMS; i++) {
        push(i);
        if (i % 2) use(pop());
    }
    for (int i = 0; i < ITEMS / 2; i++) use(pop());
    join_all();
}
