/* One preemption is needed, and bound 0 is done early, so the error that another strategy finds is proved simplest. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { WORKERS = 3, ROUNDS = 200 };
static atomic_int noise, balance;

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(&noise, 1);
    return unused;
}

static void *deposit(void *unused)
{
    int was = balance;
    balance = was + 1;
    return unused;
}

int main(void)
{
    pthread_t depositors[2], workers[WORKERS];
    for (int i = 0; i < 2; i++) pthread_create(&depositors[i], NULL, deposit, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    for (int i = 0; i < 2; i++) pthread_join(depositors[i], NULL);
    assert(balance == 2);
}
