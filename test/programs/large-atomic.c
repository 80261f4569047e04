/* Thirty-two bytes: libatomic locks, which keeps the assertion that the relaxed accesses leave open. That is said.
 * flags: -O1 -w
 * link: -latomic
 * expect: VERIFIED .* \(newest value only: w\S* is accessed at .*large-atomic\.c:\d+ under a lock of libatomic
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
struct quad { long a, b, c, d; };
static _Atomic struct quad w;
static atomic_int f;
static void *set(void *a)
{
    struct quad v = {1, 1, 1, 1};
    atomic_store_explicit(&w, v, memory_order_relaxed);
    atomic_store_explicit(&f, 1, memory_order_relaxed);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, set, 0);
    if (atomic_load_explicit(&f, memory_order_relaxed)) {
        struct quad v = atomic_load_explicit(&w, memory_order_relaxed);
        assert(v.a == 1 && v.d == 1);
    }
    pthread_join(t, 0);
    return 0;
}
