/* A program that creates no thread shows nothing about concurrency, unless that is accepted; its errors count.
 * expect: UNKNOWN no thread was created: nothing concurrent was checked; --sequential accepts that$
 * expect with -b 1: UNKNOWN no thread was created
 * expect with --explore=optimal: UNKNOWN no thread was created
 * expect with --sequential: VERIFIED no error in any schedule .nothing concurrent was checked: no thread was created.$
 * expect with -- 1: ERROR assertion
 * expect with -- 1 2: VERIFIED no error in any schedule$
 */
#include <assert.h>
#include <pthread.h>

static void *nothing(void *unused) { return unused; }

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    if (argc > 2) return pthread_create(&t, NULL, nothing, NULL) || pthread_join(t, NULL);
    assert(argc == 1);
    return 0;
}
