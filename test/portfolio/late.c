/* At least two preemptions are needed. Bound 0 is small, and bound 1 is large. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { WORKERS = 3, ROUNDS = 100 };
static atomic_int noise, x;

static void *work(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) atomic_fetch_add(&noise, 1);
    return unused;
}

static void *write_twice(void *unused)
{
    x = 1;
    x = 2;
    return unused;
}

static void *read_twice(void *unused)
{
    int a = x, b = x;
    assert(!(a == 1 && b == 2));
    return unused;
}

int main(void)
{
    pthread_t reader, writer, workers[WORKERS];
    for (int i = 0; i < WORKERS; i++) pthread_create(&workers[i], NULL, work, NULL);
    pthread_create(&reader, NULL, read_twice, NULL);
    pthread_create(&writer, NULL, write_twice, NULL);
    for (int i = 0; i < WORKERS; i++) pthread_join(workers[i], NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
}
