/* A full fence in inline assembly orders as a seq_cst fence does.
flags: -O1
compiler: gcc
expect: VERIFIED no error in any schedule
expect with -- locked: VERIFIED no error in any schedule
expect with -- none: ERROR assertion
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int a, b;
static char how = 'm';

static void fence(void)
{
#if defined __x86_64__
    if (how == 'm') __asm__ volatile("mfence" ::: "memory");
    if (how == 'l') __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
#else
    if (how != 'n') atomic_thread_fence(memory_order_seq_cst);
#endif
}

static void *first(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    fence();
    a = atomic_load_explicit(&y, memory_order_relaxed);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) how = *argv[1];
    pthread_create(&t, NULL, first, NULL);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    fence();
    b = atomic_load_explicit(&x, memory_order_relaxed);
    pthread_join(t, NULL);
    assert(a || b);
    return 0;
}
