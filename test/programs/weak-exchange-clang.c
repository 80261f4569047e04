/* clang calls one function for weak and strong compare-exchanges, so that weak ones never fail for no reason. The
 * verdict says so.
compiler: clang
expect: VERIFIED no error in any schedule \(not explored: failures of weak compare-exchanges, which clang .*\)$
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *work(void *arg)
{
    int old = 0;
    assert(atomic_compare_exchange_weak(&x, &old, 1));
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
