/* A long execution with its branches deep in it: two threads fill tables of their own under locks of their own, WORK
 * rounds of hashing before each step, and at the end meet a few times under a lock that both use; with MEET_FIRST at the
 * beginning, so that nothing that takes long is ever repeated. */
#include <assert.h>
#include <pthread.h>

#ifndef STEPS
#define STEPS 100
#endif
#ifndef WORK
#define WORK 10000
#endif
#ifndef MEETINGS
#define MEETINGS 4
#endif

enum { SIZE = 4096 };
struct table {
    pthread_mutex_t lock;
    unsigned cells[SIZE], last;
};

static struct table tables[2] = {{PTHREAD_MUTEX_INITIALIZER}, {PTHREAD_MUTEX_INITIALIZER}};
static pthread_mutex_t meeting = PTHREAD_MUTEX_INITIALIZER;
static int met;

static void fill(struct table *t)
{
    unsigned h = t->last;
    for (int i = 0; i < WORK; i++) h = (h ^ (unsigned)i) * 16777619u;
    t->last = h;
    t->cells[h % SIZE]++;
}

static void meet(void)
{
    for (int i = 0; i < MEETINGS; i++) {
        pthread_mutex_lock(&meeting);
        met++;
        pthread_mutex_unlock(&meeting);
    }
}

static void *work(void *p)
{
    struct table *t = p;
#ifdef MEET_FIRST
    meet();
#endif
    for (int i = 0; i < STEPS / 2; i++) {
        fill(t);
        pthread_mutex_lock(&t->lock);
        pthread_mutex_unlock(&t->lock);
    }
#ifndef MEET_FIRST
    meet();
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &tables[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(met == 2 * MEETINGS);
}
