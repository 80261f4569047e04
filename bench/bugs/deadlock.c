/* Two threads take two locks in opposite orders.
 * Bug: each can hold one lock and wait for the other.
 * Row: CS/deadlock01
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *forwards(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    counter++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *backwards(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    counter--;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void)
{
    start(forwards, NULL);
    start(backwards, NULL);
    join_all();
}
