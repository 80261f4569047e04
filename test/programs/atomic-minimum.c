/* clang does not instrument an atomic minimum.
 * compiler: clang
 * expect: BOUNDED no error in any schedule, as far as it is under control \(see the warnings\)$
 * warns: an atomic operation that the compiler does not instrument
 */
#include <assert.h>
#include <pthread.h>

static int x = 10;

static void *work(void *unused)
{
    if (__atomic_load_n(&x, __ATOMIC_SEQ_CST) <= 3) return unused;
    __atomic_fetch_min(&x, 3, __ATOMIC_SEQ_CST);
    __atomic_fetch_max(&x, 7, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    assert(__atomic_load_n(&x, __ATOMIC_SEQ_CST) == 7);
    pthread_join(b, NULL);
    return 0;
}
