/* Calls what it is given, and waits for a lock. */
#include <pthread.h>
int apply(int (*call)(int), int n);
int apply_locked(pthread_mutex_t *lock, int *to, int n);

int apply(int (*call)(int), int n) { return call(n) + call(n + 1); }

int apply_locked(pthread_mutex_t *lock, int *to, int n)
{
    pthread_mutex_lock(lock);
    int sum = *to += n;
    pthread_mutex_unlock(lock);
    return sum;
}
