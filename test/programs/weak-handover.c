/* Who is created, joins, leaves a barrier or gets past a semaphore comes after what was done before, also in the order
 * of seq_cst operations and if that is all that lies between two of them. Relaxed accesses are in no such order.
 * expect with -- create: VERIFIED no error in any schedule$
 * expect with -- join: VERIFIED no error in any schedule$
 * expect with -- barrier: VERIFIED no error in any schedule$
 * expect with -- semaphore: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- create: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- join: VERIFIED no error in any schedule$
 * expect with -- create weak: ERROR assertion: .*1 stale read
 * expect with -- join weak: ERROR assertion: .*1 stale read
 * expect with -- barrier weak: ERROR assertion: .*1 stale read
 * expect with -- semaphore weak: ERROR assertion: .*1 stale read
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

static const char *kind;
static bool weak;
static atomic_int x, y, other;
static int r1, r2;
static pthread_barrier_t barrier;
static sem_t semaphore;

static bool is(const char *what) { return !strcmp(kind, what); }

static void look(void) { r1 = weak ? atomic_load_explicit(&y, memory_order_relaxed) : atomic_load(&y); }

/* Gets it handed over, or hands it over if it can only be joined. */
static void *one(void *arg)
{
    if (is("join")) return atomic_store(&x, 1), arg;
    if (is("barrier")) pthread_barrier_wait(&barrier);
    if (is("semaphore")) sem_wait(&semaphore);
    look();
    return arg;
}

/* The relaxed write makes the program one of weak memory. */
static void *two(void *arg)
{
    atomic_store_explicit(&other, 1, memory_order_relaxed);
    atomic_store(&y, 1);
    r2 = atomic_load(&x);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t s, t;
    kind = argv[1];
    weak = argc > 2;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    pthread_create(&t, NULL, two, NULL);
    if (is("create")) atomic_store(&x, 1);
    pthread_create(&s, NULL, one, NULL);
    if (is("barrier") || is("semaphore")) atomic_store(&x, 1);
    if (is("barrier")) pthread_barrier_wait(&barrier);
    if (is("semaphore")) sem_post(&semaphore);
    pthread_join(s, NULL);
    if (is("join")) look();
    pthread_join(t, NULL);
    assert(r1 || r2);
}
