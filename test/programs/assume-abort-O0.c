/* abort() in a function named assume_abort_if_not() is an assumption, however the function is compiled; elsewhere it is
 * a crash. Without optimisation.
 * expect: VERIFIED no error in any schedule$
 * expect with --explore=optimal: VERIFIED no error in any schedule$
 * expect with --explore=dfs -j 2: VERIFIED no error in any schedule$
 * expect with -- 1: ERROR assertion: x < 2
 * expect with -- 1 2: ERROR crash: abort\(\) is called
 * flags: -O0
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x;

void assume_abort_if_not(int condition)
{
    if (!condition) {
        abort();
    }
}

static void must_be(int condition)
{
    if (!condition) abort();
}

static void *adds(void *unused)
{
    int seen = x;
    assume_abort_if_not(seen == 0);
    x = seen + 1;
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    (void)argv;
    pthread_create(&t, NULL, adds, NULL);
    pthread_create(&u, NULL, adds, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(x == 1);
    if (argc == 2) {
        x++;
        assert(x < 2);
    }
    if (argc == 3) must_be(x == 2);
    return 0;
}
