/* zstd: the thread pool that it compresses with, two threads and a queue of one job. From source.
needs: pool.h
flags: -O1 -I$REAL/libzstd/lib/common -DZSTD_MULTITHREAD
link: $REAL/libzstd/lib/common/zstd_common.c $REAL/libzstd/lib/common/error_private.c
expect with -b 1: BOUNDED no error with at most 1 preemption
*/
#include "threading.h"
#ifdef BUG
#undef ZSTD_pthread_cond_signal
#define ZSTD_pthread_cond_signal(c) ((void)(c), 0)
#endif
#include "pool.c"
#include "threading.c"
#include <assert.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void job(void *unused)
{
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
}
int main(void)
{
    POOL_ctx *pool = POOL_create(2, 1);
    for (int i = 0; i < 3; i++) POOL_add(pool, job, 0);
    POOL_free(pool);
    assert(done == 3);
}
