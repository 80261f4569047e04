/* Who has said that he is done has not ended yet.
expect: ERROR assertion: status == 0 .* \(1 preemption, 7 steps\)
expect with --explore=dpor: ERROR assertion: status == 0 .* \(1 preemption, 7 steps\)
expect with --explore=icb: ERROR assertion: status == 0 .* \(1 preemption, 7 steps\)
expect with --isolate=fork: ERROR assertion: status == 0 .* \(1 preemption, 7 steps\)
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int done;
static void *work(void *a) { return done = 1, a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    while (!done) {}
    int status = pthread_tryjoin_np(t, 0);
    assert(status == 0);
}
