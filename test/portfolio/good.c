/* No error, and more schedules than are explored within the patience of a portfolio. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
enum { WORKERS = 3, ROUNDS = 6 };
static atomic_int noise[2];

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(&noise[i % 2], i);
    return unused;
}

int main(void)
{
    pthread_t workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
}
