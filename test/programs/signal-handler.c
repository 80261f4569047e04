/* A handler runs between any two operations of the thread that gets the signal: here it may find 1 or 2.
expect: ERROR assertion: seen == 2 .*
expect with --explore=dpor: ERROR assertion: seen == 2
expect with --verify: ERROR assertion: seen == 2
*/
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
static atomic_int n;
static volatile sig_atomic_t seen;
static pthread_t worker;
static void handler(int s)
{
    assert(s == SIGUSR1 && pthread_equal(pthread_self(), worker));
    seen = n;
}
static void *work(void *a)
{
    worker = pthread_self();
    n = 1;
    n = 2;
    n = 2;
    if (seen) assert(seen == 2);
    return a;
}
int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, 0, work, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
}
