/* Two threads hand a token back and forth and let others go first while they wait; a third looks on. Without fairness
 * there are executions without end. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 2 };
static atomic_int token, seen;

static void *player(void *number)
{
    int me = (int)(long)number;
    for (int i = 0; i < ROUNDS; i++) {
        while (atomic_load(&token) != me) sched_yield();
        atomic_store(&token, 1 - me);
    }
    return NULL;
}

static void *observer(void *arg)
{
    atomic_store(&seen, atomic_load(&token));
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, player, (void *)0);
    pthread_create(&t[1], NULL, player, (void *)1);
    pthread_create(&t[2], NULL, observer, NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    return 0;
}
