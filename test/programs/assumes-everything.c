/* Every schedule ends in a failed assumption: nothing was shown.
 * expect: UNKNOWN every schedule ended in a failed assumption: nothing was checked$
 * expect with -b 0: UNKNOWN every schedule ended in a failed assumption
 * expect with --explore=optimal: UNKNOWN every schedule ended in a failed assumption
 * expect with --explore=dfs -j 2: UNKNOWN every schedule ended in a failed assumption
 * expect with --isolate=fork: UNKNOWN every schedule ended in a failed assumption
 * expect with -- 1: VERIFIED no error in any schedule$
 */
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int least = 3;

static void *adds(void *unused)
{
    x++;
    heddle_assume(x >= least);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    (void)argv;
    if (argc > 1) least = 1;
    pthread_create(&t, NULL, adds, NULL);
    pthread_create(&u, NULL, adds, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
