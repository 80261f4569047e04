/* Three threads change a sum under one lock; the third one expects to come before the others have finished.
 * Bug: nothing orders the threads, and the third one fails if it comes last.
 * Row: CS/lazy01
 * Expect: assertion */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *amount)
{
    pthread_mutex_lock(&lock);
    sum += (int)(long)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(sum < 3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(add, (void *)1L);
    start(add, (void *)2L);
    start(look, NULL);
    join_all();
}
