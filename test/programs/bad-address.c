/* Atomic operations, futexes and synchronisation objects at addresses where nothing is mapped are crashes with a place.
flags: -O1 -Wno-nonnull
expect with -- nothing: VERIFIED no error in any schedule
expect with -- cas: ERROR crash: segmentation fault: null pointer \(address 0\) at .*bad-address.c:48
expect with --explore=dfs -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=icb -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=dpor -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=optimal -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=cb-por -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=random -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=pct -- cas: ERROR crash: .* at .*bad-address.c:48
expect with --explore=fair -- cas: ERROR crash: .* at .*bad-address.c:48
expect with -- wild: ERROR crash: segmentation fault at address 0x123450 at .*bad-address.c:49
expect with -- relaxed: ERROR crash: .* at .*bad-address.c:50
expect with --explore=optimal -- relaxed: ERROR crash: .* at .*bad-address.c:50
expect with -- expected: ERROR crash: .* at .*bad-address.c:51
expect with -- load: ERROR crash: .* at .*bad-address.c:52
expect with -- add: ERROR crash: .* at .*bad-address.c:53
expect with -- constant: ERROR crash: segmentation fault at address .* at .*bad-address.c:54
expect with -- lock: ERROR crash: .* at .*bad-address.c:55
expect with -- rdlock: ERROR crash: .* at .*bad-address.c:56
expect with -- spin: ERROR crash: .* at .*bad-address.c:57
expect with --explore=optimal -- spin: ERROR crash: .* at .*bad-address.c:57
expect with -- wait: ERROR crash: .* at .*bad-address.c:58
expect with -- signal: ERROR crash: .* at .*bad-address.c:59
expect with -- post: ERROR crash: .* at .*bad-address.c:60
expect with -- barrier: ERROR crash: .* at .*bad-address.c:61
expect with -- futex: ERROR crash: .* at .*bad-address.c:62
expect with --explore=optimal -- futex: ERROR crash: .* at .*bad-address.c:62
*/
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
atomic_int *at, x;
void *object;
static const atomic_int constant = 5;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *how;
static int is(const char *word) { return !strcmp(how, word); }
static void *worker(void *a)
{
    int e = 0;
    if (is("cas")) atomic_compare_exchange_strong(at, &e, 1);
    if (is("wild")) atomic_compare_exchange_strong((atomic_int *)0x123450, &e, 1);
    if (is("relaxed")) atomic_compare_exchange_weak_explicit(at, &e, 1, memory_order_relaxed, memory_order_relaxed);
    if (is("expected")) atomic_compare_exchange_strong(&x, (int *)object, 1);
    if (is("load")) e = atomic_load_explicit(at, memory_order_relaxed);
    if (is("add")) atomic_fetch_add(at, 1);
    if (is("constant")) atomic_store((atomic_int *)&constant, 1);
    if (is("lock")) pthread_mutex_lock(object);
    if (is("rdlock")) pthread_rwlock_rdlock(object);
    if (is("spin")) pthread_spin_lock(object);
    if (is("wait")) pthread_cond_wait(object, &mutex);
    if (is("signal")) pthread_cond_signal(object);
    if (is("post")) sem_post(object);
    if (is("barrier")) pthread_barrier_wait(object);
    if (is("futex")) syscall(SYS_futex, object, FUTEX_WAIT_PRIVATE, 0, NULL);
    return e ? NULL : a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    how = argc > 1 ? argv[1] : "nothing";
    pthread_create(&t, NULL, worker, NULL);
    atomic_fetch_add(&x, 1);
    pthread_join(t, NULL);
    return 0;
}
