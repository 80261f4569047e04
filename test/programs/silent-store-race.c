/* The second store of the flag changes nothing, but a thread that reads it is not ordered after the first store. That
 * is a race on `data`, but only if the reader comes after both stores.
 * A check that takes the second store for a read must not lose it.
expect with --memory-model=sc: ERROR race: read of .*
expect with --memory-model=sc --explore=optimal: ERROR race: read of .*
expect with --memory-model=sc --explore=dfs: ERROR race: read of .*
*/
#include <pthread.h>
#include <stdatomic.h>

static int data;
static atomic_int flag;

static void *publish(void *unused)
{
    data = 1;
    flag = 1;
    return unused;
}

static void *repeat(void *unused)
{
    if (atomic_load_explicit(&flag, memory_order_relaxed)) flag = 1;
    return unused;
}

static void *look(void *unused)
{
    return flag && data ? unused : 0;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, look, 0);
    pthread_create(&threads[1], 0, publish, 0);
    pthread_create(&threads[2], 0, repeat, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    return 0;
}
