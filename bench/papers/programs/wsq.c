/* The work-stealing queue of Cilk over a circular buffer: the owner puts jobs at the tail and takes them from there, a thief steals at
 * the head; a lock decides only when they come close. After Table 1 of Musuvathi and Qadeer: main enqueues SIZE jobs and dequeues
 * until there are none, while a stealer takes two. No job is taken twice. Head and tail are accessed by interlocked operations only, any
 * two of which depend on each other; slots are plain memory. BUG=1: the owner looks at the head before it has moved the tail.
 *
 * More switches that nobody cares about: READS_COMMUTE (two threads that read do not mind each other), SLOT_POINTS (slots are such
 * variables, too). Fewer: ONE_VARIABLE (whoever touches head or tail minds all who do), ONE_LOCK (and all who hold the lock). */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef SIZE
#define SIZE 3
#endif
enum { EMPTY = -1, SLOTS = SIZE, POPS = SIZE + 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int taken[SIZE];

#ifdef ONE_VARIABLE
static atomic_int touched;
static int head, tail;
static int get(int *x) { atomic_fetch_add(&touched, 1); return *x; }
static void set(int *x, int value) { atomic_fetch_add(&touched, 1); *x = value; }
#else
static atomic_int head, tail;
#ifdef READS_COMMUTE
static int get(atomic_int *x) { return *x; }
#else
static int get(atomic_int *x) { return atomic_fetch_add(x, 0); }
#endif
static void set(atomic_int *x, int value) { atomic_exchange(x, value); }
#endif

#ifdef SLOT_POINTS
static atomic_int slot[SLOTS];
#else
static int slot[SLOTS];
#endif

static void touch_lock(void)
{
#ifdef ONE_LOCK
    atomic_fetch_add(&touched, 1);
#endif
}

static void acquire(void)
{
    pthread_mutex_lock(&lock);
    touch_lock();
}

static void release(void)
{
    touch_lock();
    pthread_mutex_unlock(&lock);
}

static void push(int job)
{
    int t = get(&tail);
    assert(t < get(&head) + SLOTS); /* it grows then, which this driver does not make it */
    slot[t % SLOTS] = job;
    set(&tail, t + 1);
}

static int pop_locked(void)
{
    int job = EMPTY;
    acquire();
    int t = get(&tail) - 1;
    set(&tail, t);
    if (get(&head) <= t) job = slot[t % SLOTS];
    else set(&tail, t + 1);
    release();
    return job;
}

static int pop(void)
{
    int t = get(&tail) - 1;
#if BUG == 1
    int h = get(&head);
    set(&tail, t);
    if (h <= t) return slot[t % SLOTS];
#else
    set(&tail, t);
    if (get(&head) <= t) return slot[t % SLOTS];
#endif
    set(&tail, t + 1); /* perhaps a thief was faster: look again, with the lock */
    return pop_locked();
}

static int steal(void)
{
    int job = EMPTY;
    acquire();
    int h = get(&head);
    set(&head, h + 1);
    if (h < get(&tail)) job = slot[h % SLOTS];
    else set(&head, h);
    release();
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
    for (int i = 0; i < POPS; i++) take(pop());
    pthread_join(t, NULL);
    return 0;
}
