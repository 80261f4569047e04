/* The work-stealing queue of Cilk over a circular buffer: the owner puts items at the tail and takes them from there, a thief steals at
 * the head; a lock decides only when they come close. After Table 1 of Musuvathi and Qadeer: main enqueues and later dequeues
 * SIZE jobs while a stealer takes two. No job is taken twice. BUG=1: the owner looks at the head before it has moved the tail. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SIZE
#define SIZE 3
#endif
enum { EMPTY = -1, SLOTS = SIZE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int head, tail, slot[SLOTS];
static int taken[SIZE];

static void push(int job)
{
    int t = tail;
    slot[t % SLOTS] = job;
    tail = t + 1;
}

static int pop_locked(int t)
{
    int job = EMPTY;
    pthread_mutex_lock(&lock);
    if (head <= t) {
        tail = t;
        job = slot[t % SLOTS];
    }
    pthread_mutex_unlock(&lock);
    return job;
}

static int pop(void)
{
    int t = tail - 1;
#if BUG == 1
    int h = head;
    tail = t;
    if (h <= t) return slot[t % SLOTS];
#else
    tail = t;
    if (head <= t) return slot[t % SLOTS];
#endif
    tail = t + 1; /* perhaps a thief was faster: look again, with the lock */
    return pop_locked(t);
}

static int steal(void)
{
    int job = EMPTY;
    pthread_mutex_lock(&lock);
    int h = head;
    head = h + 1;
    if (h < tail) job = slot[h % SLOTS];
    else head = h;
    pthread_mutex_unlock(&lock);
    return job;
}

static void take(int job)
{
    if (job != EMPTY) assert(taken[job]++ == 0);
}

static void *stealer(void *arg)
{
    for (int i = 0; i < 2; i++) take(steal());
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, stealer, NULL);
    for (int i = 0; i < SIZE; i++) push(i);
    for (int i = 0; i < SIZE; i++) take(pop());
    pthread_join(t, NULL);
    return 0;
}
