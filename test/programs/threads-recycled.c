/* Threads that are created and joined one after the other: numbers are given out again, and the strategies see all that has one number as one thread. Each
 * begins with fresh thread-local variables. Every round commutes with none of the others, and the second thread's two steps may come anywhere
 * among those of 12 rounds: 13 * 14 / 2 = 91 traces, and as many schedules of dpor.
 * expect: VERIFIED no error in any schedule
 * expect with --explore=dpor: VERIFIED no error in any schedule
 * expect with --explore=optimal: VERIFIED no error in any schedule
 * expect with --explore=cb-por: VERIFIED no error in any schedule
 * expect with --explore=dfs: VERIFIED no error in any schedule
 * expect with --verify: VERIFIED no error in any schedule
 * expect with --isolate=fork: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 12 };
static _Thread_local int own = 5;
static int plain;
static atomic_int steps;

static void *round_of(void *a)
{
    assert(own == 5);
    own = 9;
    plain++;
    steps++;
    return a;
}

static void *beside(void *a)
{
    steps++;
    steps++;
    return a;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&u, 0, beside, 0);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_create(&t, 0, round_of, 0);
        pthread_join(t, 0);
    }
    pthread_join(u, 0);
    assert(plain == ROUNDS && steps == ROUNDS + 2);
}
