/* Readers of two kinds share a resource: the first of each kind takes the resource, the last one gives it back.
 * Bug: a thread waits for the resource while it holds the lock of the counts. The thread that has the resource needs
 * that lock to give the resource back.
 * Row: CS/carter01
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER, resource = PTHREAD_MUTEX_INITIALIZER;
static int left, right;

static void *from_left(void *unused)
{
    pthread_mutex_lock(&count_lock);
    if (++left == 1) pthread_mutex_lock(&resource);
    pthread_mutex_unlock(&count_lock);
    pthread_mutex_lock(&count_lock);
    if (--left == 0) pthread_mutex_unlock(&resource);
    pthread_mutex_unlock(&count_lock);
    return unused;
}

static void *from_right(void *unused)
{
    pthread_mutex_lock(&count_lock);
    if (++right == 1) pthread_mutex_lock(&resource);
    pthread_mutex_unlock(&count_lock);
    pthread_mutex_lock(&count_lock);
    if (--right == 0) pthread_mutex_unlock(&resource);
    pthread_mutex_unlock(&count_lock);
    return unused;
}

static void *idle(void *unused)
{
    return unused;
}

int main(void)
{
    start(from_left, NULL);
    start(from_right, NULL);
    start(idle, NULL);
    start(idle, NULL);
    join_all();
}
