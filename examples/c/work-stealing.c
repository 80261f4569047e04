/* A work-stealing queue: the owner pushes and pops at the tail, a thief steals at the head; a lock decides only when they
 * come close. Here pop reads the head before it has published the new tail: both may take the last item.
 * expect: assertion, 1 preemption */
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
    int t = tail - 1, h = head; /* wrong: the tail must be published first */
    if (t < h) return EMPTY;
    tail = t;
    return items[t];
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
}
