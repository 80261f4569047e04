/* In weak memory, a thread that keeps a mutex because it assumes something in vain, or because the program ends:
 * another one that waits for it could have had it first. And who of two ends the program is a choice.
 * expect with --explore=optimal -- assume: ERROR assertion: n == 1
 * expect with --explore=optimal -- end: ERROR assertion: n == 1
 * expect with --explore=optimal -- both: ERROR exit
 * expect with --explore=dpor -- assume: ERROR assertion: n == 1
 * expect with --explore=dpor -- end: ERROR assertion: n == 1
 * expect with --explore=dpor -- both: ERROR exit
 * expect with --explore=cb-por -- assume: ERROR assertion: n == 1
 * expect with --explore=cb-por -- end: ERROR assertion: n == 1
 * expect with --explore=cb-por -- both: ERROR exit
 */
#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;
static int n;
static const char *kind;

static void *keeps(void *arg)
{
    pthread_mutex_lock(&m);
    n = 1;
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    heddle_assume(atomic_load_explicit(&y, memory_order_relaxed));
    pthread_mutex_unlock(&m);
    return arg;
}

static void *waits(void *arg)
{
    if (!strcmp(kind, "both")) {
        atomic_store_explicit(&x, 2, memory_order_relaxed);
        exit(3);
    }
    pthread_mutex_lock(&m);
    assert(n == 1);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t s, t;
    kind = argc > 1 ? argv[1] : "assume";
    if (!strcmp(kind, "assume")) pthread_create(&s, NULL, keeps, NULL);
    pthread_create(&t, NULL, waits, NULL);
    if (!strcmp(kind, "end")) {
        pthread_mutex_lock(&m);
        n = 1;
    }
    atomic_store_explicit(&x, 3, memory_order_relaxed);
    if (strcmp(kind, "assume")) exit(0);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
