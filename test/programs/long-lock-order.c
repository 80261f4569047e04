/* Two threads take two locks in opposite orders, ten thousand times. A search that goes depth first meets the deadlock
 * in the last round that it sees; it is shown in the first round in which it can happen: two threads are created, and
 * each takes one lock. With an argument N this is the round N; before it each thread takes only one lock in a round.
 * expect: ERROR deadlock: no thread can go on \(1 preemption, 4 steps\)
 * expect with --explore=dpor: ERROR deadlock: no thread can go on \(1 preemption, 4 steps\)
 * expect with --explore=pos --seed 3: ERROR deadlock: no thread can go on \(1 preemption, 4 steps\)
 * expect with --memory-model=sc -j1: ERROR deadlock: no thread can go on \(1 preemption, 4 steps\)
 * expect with -- 30: ERROR deadlock: no thread can go on \(1 preemption, 124 steps\)
 */
#include <pthread.h>
#include <stdlib.h>

enum { ROUNDS = 10000 };

static int late;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take_both(pthread_mutex_t *first, pthread_mutex_t *second, int round)
{
    pthread_mutex_lock(first);
    if (round >= late) {
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
    }
    pthread_mutex_unlock(first);
}

static void *forwards(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) take_both(&a, &b, i);
    return arg;
}

static void *backwards(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) take_both(&b, &a, i);
    return arg;
}

int main(int count, char **words)
{
    if (count > 1) late = atoi(words[1]);
    pthread_t t, u;
    pthread_create(&t, NULL, forwards, NULL);
    pthread_create(&u, NULL, backwards, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
