/* A work-stealing queue whose items are objects: whoever takes an object advances its state.
 * Bug: the owner looks at the head before it announces the new tail. Owner and thief take the same object, and both
 * advance its state.
 * Row: Chess/StateWorkStealQueue -DITEMS=4 -DTHIEVES=2
 * Expect: assertion */
#include "threads.h"
#include <stdatomic.h>

struct work {
    int state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static struct work objects[ITEMS], *items[ITEMS];

static void push(struct work *w)
{
    int t = tail;
    items[t % ITEMS] = w;
    tail = t + 1;
}

static struct work *pop(void)
{
    int t = tail - 1, h = head;
    if (h > t) return NULL;
    tail = t;
    return items[t % ITEMS];
}

static struct work *steal(void)
{
    struct work *w = NULL;
    pthread_mutex_lock(&lock);
    int h = head;
    head = h + 1;
    if (h < tail) w = items[h % ITEMS];
    else head = h;
    pthread_mutex_unlock(&lock);
    return w;
}

static void advance(struct work *w)
{
    if (!w) return;
    w->state++;
    assert(w->state == 1);
}

static void *thief(void *unused)
{
    for (int i = 0; i < ITEMS; i++) advance(steal());
    return unused;
}

int main(void)
{
    for (int i = 0; i < THIEVES; i++) start(thief, NULL);
    for (int i = 0; i < ITEMS; i++) push(&objects[i]);
    for (int i = 0; i < ITEMS; i++) advance(pop());
    join_all();
}
