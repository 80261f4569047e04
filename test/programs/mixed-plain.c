/* A place that one thread accesses atomically and another one plainly, without a race: named, with the line.
 * expect: VERIFIED .* \(newest value only: x is accessed plainly at .*plain\.c:20, and atomically elsewhere\)$
 * expect with --memory-model=sc: VERIFIED no error in any schedule \(interleavings only: [^()]*\)$
 */
#include <pthread.h>

static int x, ready;

static void *set(void *arg)
{
    __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    return arg;
}

static void *get(void *arg)
{
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        /* it happens after the store */
        x++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
