/* Two threads add to a counter without a lock, ten thousand times. The sum is wrong after any lost update, but it is
 * compared at the end, after more steps than an execution may have: what lies behind the limit is run all the same.
 * expect with --time 60: ERROR assertion: counter == 2 \* ROUNDS at .*\(1 preemption, 40006 steps\)
 * expect with --explore=pos --time 60: ERROR assertion: counter == 2 \* ROUNDS
 * expect with --max-steps=1000 --isolate=fork: ERROR assertion: counter == 2 \* ROUNDS at .*\(1 preemption, 40006
 * expect with --max-steps=1000 --executions=20 -- right: UNKNOWN no error in the 20 schedules explored; stopped after
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ROUNDS = 10000 };

static atomic_int counter;
static int is_right;

static void *add(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (is_right) {
            counter++;
        } else {
            int seen = counter;
            counter = seen + 1;
        }
    }
    return arg;
}

int main(int count, char **words)
{
    is_right = count > 1 && words[1];
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2 * ROUNDS);
}
