/* A download in segments: workers add what they have written to a sum; a handler of signals saves the sum and ends.
 * Bug: the handler reads the sum and the parts without a lock, and saves a state that no moment had.
 * Row: CB/aget-bug2
 * Expect: assertion */
#include "threads.h"

enum { WORKERS = 2, BLOCKS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int written[WORKERS], sum;

static void *download(void *number)
{
    long n = (long)number;
    for (int i = 0; i < BLOCKS; i++) {
        written[n]++;
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *save(void *unused)
{
    int saved = sum, parts = 0;
    for (int i = 0; i < WORKERS; i++) parts += written[i];
    assert(saved == parts);
    return unused;
}

int main(void)
{
    for (long i = 0; i < WORKERS; i++) start(download, (void *)i);
    start(save, NULL);
    join_all();
}
