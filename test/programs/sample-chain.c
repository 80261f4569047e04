/* Two threads take six turns each, and the assertion fails only if all turns alternate. Each alternation is unlikely.
 * A sampler that always begins at the start has to draw all of them in one execution.
 * expect with --explore=rare --executions=4000: ERROR assertion: token < 12
 * expect with --explore=pos --executions=4000: UNKNOWN no error in the 4,000 schedules explored
 * expect with --explore=surw --executions=4000: UNKNOWN no error in the 4,000 schedules explored
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define TURN(number) if (token == (number)) token = (number) + 1
static atomic_int token;

static void *odd(void *unused)
{
    TURN(1);
    TURN(3);
    TURN(5);
    TURN(7);
    TURN(9);
    TURN(11);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, odd, NULL);
    TURN(0);
    TURN(2);
    TURN(4);
    TURN(6);
    TURN(8);
    TURN(10);
    pthread_join(t, NULL);
    assert(token < 12);
}
