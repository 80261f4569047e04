/* One thread increments a counter under the right lock; OTHERS threads increment it under another lock.
 * Bug: the two locks do not exclude each other, so the first thread can see a value that it has not written.
 * Row: CS/wronglock -DOTHERS=7
 * Row: CS/wronglock_3 -DOTHERS=3
 * Expect: assertion */
#include "threads.h"

static pthread_mutex_t right = PTHREAD_MUTEX_INITIALIZER, wrong = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *careful(void *unused)
{
    pthread_mutex_lock(&right);
    int before = counter;
    counter++;
    assert(counter == before + 1);
    pthread_mutex_unlock(&right);
    return unused;
}

static void *careless(void *unused)
{
    pthread_mutex_lock(&wrong);
    counter++;
    pthread_mutex_unlock(&wrong);
    return unused;
}

int main(void)
{
    start(careful, NULL);
    for (int i = 0; i < OTHERS; i++) start(careless, NULL);
    join_all();
}
