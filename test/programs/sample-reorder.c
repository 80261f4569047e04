/* One of 40 threads that write two variables has to stop in between, before any of them writes the second one. All
 * orders of their steps are too many to try, and few fail. A constraint on the second read finds the error at once.
 * expect with --explore=rff --races=explore --executions=40: ERROR assertion: a == 0 .. b == -1
 * expect with --explore=surw --races=explore --executions=400: ERROR assertion: a == 0 .. b == -1
 * expect with --explore=pos --races=explore --executions=400: UNKNOWN no error in the 400 schedules explored
 * expect with --explore=rff --races=ignore --executions=20: UNKNOWN no error in the 20 schedules explored
 */
#include <assert.h>
#include <pthread.h>

enum { WRITERS = 40 };
static int a, b;

static void *write_both(void *arg)
{
    a = 1;
    b = -1;
    return arg;
}

static void *look(void *arg)
{
    assert(a == 0 || b == -1);
    return arg;
}

int main(void)
{
    pthread_t t[WRITERS + 1];
    for (int i = 0; i < WRITERS; i++) pthread_create(&t[i], NULL, write_both, NULL);
    pthread_create(&t[WRITERS], NULL, look, NULL);
    for (int i = 0; i <= WRITERS; i++) pthread_join(t[i], NULL);
}
