/* A sequence lock with one writer that writes twice: hundreds of graphs, and many more executions within bounds.
 * expect: VERIFIED no error in any schedule$
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
enum { ROUNDS = 2 };
static atomic_uint sequence;
static atomic_int x, y;
static void *writer(void *u)
{
    for (int i = 1; i <= ROUNDS; i++) {
        unsigned s = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_store_explicit(&y, i, memory_order_relaxed);
        atomic_store_explicit(&sequence, s + 2, memory_order_release);
    }
    return u;
}
static void *reader(void *u)
{
    unsigned before, after;
    int a, b;
    do {
        while ((before = atomic_load_explicit(&sequence, memory_order_acquire)) & 1)
            ;
        a = atomic_load_explicit(&x, memory_order_relaxed);
        b = atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        after = atomic_load_explicit(&sequence, memory_order_relaxed);
    } while (before != after);
    assert(a == b);
    return u;
}
int main(void)
{
    pthread_t w, r;
    pthread_create(&w, NULL, writer, NULL);
    pthread_create(&r, NULL, reader, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
}
