/* Each of two threads counts to ten thousand. The first three updates of a round of each thread take two steps, so that
 * an update of the other thread can be lost; all later ones are atomic. Only the end of main looks at the counter. With
 * -DFIXED every update is atomic, and each thread has a counter of its own for most rounds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
enum { ROUNDS = 2000, TORN = 0, SHARED = 4 };
#else
enum { ROUNDS = 10000, TORN = 3, SHARED = ROUNDS };
#endif
static atomic_int counter, own[2];

static void *count(void *arg)
{
    atomic_int *mine = arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (i < TORN) atomic_store(&counter, atomic_load(&counter) + 1);
        else atomic_fetch_add(i < SHARED ? &counter : mine, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, count, &own[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    assert(counter + own[0] + own[1] == 2 * ROUNDS);
}
