/* The queue of work-stealing.c with the tail published before the head is read, and the lock taken when in doubt.
 * expect: verified */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ITEMS = 2, EMPTY = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail;
static int items[ITEMS];
static atomic_int taken[ITEMS];

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

static void use(int item)
{
    if (item != EMPTY) assert(atomic_fetch_add(&taken[item], 1) == 0);
}

static void *thief(void *arg)
{
    use(steal());
    return arg;
}

int main(void)
{
    pthread_t t;
    for (int i = 0; i < ITEMS; i++) push(i);
    pthread_create(&t, NULL, thief, NULL);
    use(pop());
    use(pop());
    pthread_join(t, NULL);
    assert(taken[0] + taken[1] == ITEMS);
}
