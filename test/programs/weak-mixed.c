/* A word that is written as a whole and read by bytes: no old values there, but both orders, with every strategy.
 * expect with -- 0 0: ERROR assertion
 * expect with -- 0 1: ERROR assertion
 * expect with --explore=dpor -- 0 1: ERROR assertion
 * expect with --explore=optimal -- 0 1: ERROR assertion
 * expect with --explore=cb-por -- 0 1: ERROR assertion
 * expect with -- 3 0: ERROR assertion
 * expect with -- 3 1: ERROR assertion
 * expect with --explore=dpor -- 3 1: ERROR assertion
 * expect with --explore=optimal -- 3 1: ERROR assertion
 * expect with --explore=cb-por -- 3 1: ERROR assertion
 * expect with --explore=cb-por -- 3 0: ERROR assertion
 * expect with --explore=optimal -- 3 2: VERIFIED no error in any schedule \(newest value only
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static union { atomic_int word; _Atomic unsigned char byte[4]; } u;
static atomic_int other;
static int which, found;

static void *write_word(void *arg)
{
    atomic_store_explicit(&u.word, 0x01010101, memory_order_relaxed);
    return arg;
}

static void *read_byte(void *arg)
{
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    found = atomic_load_explicit(&u.byte[which], memory_order_relaxed);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t s, t;
    which = argc > 1 ? atoi(argv[1]) : 0;
    pthread_create(&s, NULL, write_word, NULL);
    pthread_create(&t, NULL, read_byte, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(argc < 3 || found != atoi(argv[2]));
    return 0;
}
