/* A thread that does nothing may have ended when somebody tries to join it.
expect: ERROR assertion: status == EBUSY .* \(1 preemption, 5 steps\)
expect with --explore=optimal: ERROR assertion: status == EBUSY .* \(1 preemption, 5 steps\)
expect with --explore=cb-por: ERROR assertion: status == EBUSY .* \(1 preemption, 5 steps\)
expect with --verify: ERROR assertion: status == EBUSY .* \(1 preemption, 5 steps\)
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static void *nothing(void *a) { return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    int status = pthread_tryjoin_np(t, 0);
    assert(status == EBUSY);
}
