/* Half of a word, and the whole: named, with the line of one of the two.
 * expect: VERIFIED .* \(newest value only: w is accessed atomically at .*:1[05], and in another size elsewhere\)$
 */
#include <pthread.h>
#include <stdint.h>

static uint64_t w;
static void *half(void *arg)
{
    __atomic_store_n((uint32_t *)&w + 1, 1, __ATOMIC_RELAXED);
    return arg;
}
static void *whole(void *arg)
{
    __atomic_load_n(&w, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, half, NULL);
    pthread_create(&b, NULL, whole, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
