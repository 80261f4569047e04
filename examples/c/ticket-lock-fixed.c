/* A ticket lock that spins, with an atomic ticket. The spinning needs no annotation.
 * expect: verified */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next_ticket, now_serving;
static int n;

static void lock(void)
{
    unsigned mine = atomic_fetch_add(&next_ticket, 1);
    while (now_serving != mine) {}
}

static void unlock(void) { now_serving = now_serving + 1; }

static void *work(void *arg)
{
    lock();
    n++;
    unlock();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
