/* Readers that lock twice come to a standstill with a lock that prefers writers: that it is not found is said.
 * expect: BOUNDED no error in any schedule, as far as it is under control
 * warns: pthread_rwlockattr_setkind_np: writers that wait do not hold readers back
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;

static void *reads(void *a)
{
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return a;
}

int main(void)
{
    pthread_rwlockattr_t attr;
    pthread_t t;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&lock, &attr);
    pthread_create(&t, NULL, reads, NULL);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(t, NULL);
}
