/* An assumption that fails stops its thread only: the error of the other one is found. Inside an atomic
 * section nobody sees what came before the assumption.
 * expect: ERROR assertion
 * expect with --explore=optimal: ERROR assertion
 * flags: -O1 -DBUG=1
 */
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static atomic_int x, half;

static void *reader(void *unused)
{
    __VERIFIER_atomic_begin();
    half = 1;
    heddle_assume(x == 1);
    half = 0;
    __VERIFIER_atomic_end();
    heddle_assume(x == 2);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    x = 1;
    assert(half == 0);
    assert(x == 1 - BUG);
    return 0;
}
