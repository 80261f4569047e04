/* Who wakes others up looks first whether somebody waits: a seq_cst load behind a release store need not see that. The
 * system compares with the newest value, which is no choice: strategies must not let the store sleep through that.
 * expect: ERROR deadlock: .*1 stale read
 * expect with --explore=dpor: ERROR deadlock: .*1 stale read
 * expect with --explore=optimal: ERROR deadlock: .*1 stale read
 * expect with --explore=cb-por: ERROR deadlock: .*1 stale read
 * expect with --explore=dfs: ERROR deadlock: .*1 stale read
 * expect with -- exchange: VERIFIED no error in any schedule
 * expect with --explore=dpor -- exchange: VERIFIED no error in any schedule
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word, waiting;
static bool strong;

static void *wake(void *arg)
{
    atomic_store_explicit(&word, 1, memory_order_release);
    if (strong ? atomic_fetch_add(&waiting, 0) : atomic_load(&waiting))
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return arg;
}

static void *wait(void *arg)
{
    atomic_fetch_add(&waiting, 1);
    while (!atomic_load_explicit(&word, memory_order_acquire))
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    strong = argc > 1;
    pthread_create(&a, NULL, wake, NULL);
    pthread_create(&b, NULL, wait, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return (int)(argv[0][0] == 0);
}
