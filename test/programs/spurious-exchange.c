/* A weak compare-exchange may fail although it finds what it expects. Where it is tried again that makes no difference.
 * compiler: gcc
 * (clang calls the same function for weak and strong ones.)
 * expect with -- once: ERROR assertion: done .*0 preemptions, 1 spurious event,
 * expect with -j 2 -- once: ERROR assertion: done
 * expect with --explore=icb -- once: ERROR assertion: done .*0 preemptions, 1 spurious event,
 * expect with --explore=dfs -- once: ERROR assertion: done
 * expect with --explore=dpor --memory-model=sc -- once: ERROR assertion: done
 * expect with --explore=optimal -- once: ERROR assertion: done
 * expect with --explore=optimal --memory-model=sc -- once: ERROR assertion: done
 * expect with --explore=cb-por -- once: ERROR assertion: done
 * expect with --explore=cb-por --memory-model=sc -- once: ERROR assertion: done
 * expect with --explore=random -- once: ERROR assertion: done
 * expect with --spurious=0 -- once: VERIFIED no error in any schedule .spurious wake-ups: none, as --spurious=0 asks.$
 * expect with -- strong: VERIFIED no error in any schedule$
 * expect with -- loop: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- loop: VERIFIED no error in any schedule$
 * expect with --explore=dfs -j 2 -- loop: VERIFIED no error in any schedule$
 * expect with -- limited: VERIFIED no error in any schedule .spurious wake-ups: at most 1 in an execution.$
 * expect with --verify=swap -- limited: VERIFIED no error in any schedule .spurious wake-ups: at most 1
 * expect with --spurious=2 -- limited: ERROR assertion: done
 * expect with -- relaxed: VERIFIED no error in any schedule$
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int x;
static const char *how;

static int is(const char *word) { return !strcmp(how, word); }

static void *adds(void *unused)
{
    int seen = atomic_load_explicit(&x, memory_order_relaxed), done = 0;
    if (is("once")) {
        done = atomic_compare_exchange_weak(&x, &seen, seen + 1) || seen == 1;
    } else if (is("strong")) {
        done = atomic_compare_exchange_strong(&x, &seen, seen + 1) || seen == 1;
    } else if (is("limited")) {
        for (int tries = 0; tries < 2 && !done; tries++)
            done = atomic_compare_exchange_weak(&x, &seen, seen + 1) || seen == 1;
    } else if (is("relaxed")) {
        while (!atomic_compare_exchange_weak_explicit(&x, &seen, seen + 1, memory_order_relaxed,
                                                      memory_order_relaxed)) {}
        done = 1;
    } else {
        while (!atomic_compare_exchange_weak(&x, &seen, seen + 1)) {}
        done = 1;
    }
    assert(done);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    how = argc > 1 ? argv[1] : "loop";
    pthread_create(&t, NULL, adds, NULL);
    pthread_create(&u, NULL, adds, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
