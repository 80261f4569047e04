/* The work-stealing queue of Cilk (the T.H.E. protocol): the owner pushes SIZE items and pops as many at the tail, a thief
 * steals twice at the head; a lock decides only when they come close. No item is taken twice. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { EMPTY = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static int items[SIZE], taken[SIZE];

static void push(int item)
{
    int t = tail;
    items[t] = item;
    tail = t + 1;
}

static int pop(void)
{
    int t = tail - 1;
    tail = t;
    if (head <= t) return items[t];
    tail = t + 1; /* perhaps a thief was faster: look again, with the lock */
    pthread_mutex_lock(&lock);
    int item = EMPTY;
    if (head <= t) {
        tail = t;
        item = items[t];
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static int steal(void)
{
    int item = EMPTY;
    pthread_mutex_lock(&lock);
    int h = head;
    head = h + 1;
    if (h < tail) item = items[h];
    else head = h;
    pthread_mutex_unlock(&lock);
    return item;
}

static void *thief(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int item = steal();
        if (item != EMPTY) assert(taken[item]++ == 0);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, thief, NULL);
    for (int i = 0; i < SIZE; i++) push(i);
    for (int i = 0; i < SIZE; i++) {
        int item = pop();
        if (item != EMPTY) assert(taken[item]++ == 0);
    }
    pthread_join(t, NULL);
    return 0;
}
