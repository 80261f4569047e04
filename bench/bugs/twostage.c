/* THREADS - 1 writers change two variables, each under a lock of its own, and one reader compares them.
 * Bug: between the two critical sections the variables disagree, and the reader fails if it runs there.
 * Row: CS/twostage -DTHREADS=2
 * Row: CS/twostage_20 -DTHREADS=20
 * Row: CS/twostage_50 -DTHREADS=50
 * Row: CS/twostage_100 -DTHREADS=100
 * Expect: assertion */
#include "threads.h"

static pthread_mutex_t source_lock = PTHREAD_MUTEX_INITIALIZER, result_lock = PTHREAD_MUTEX_INITIALIZER;
static int source, result;

static void *write_both(void *unused)
{
    pthread_mutex_lock(&source_lock);
    source = 1;
    pthread_mutex_unlock(&source_lock);
    pthread_mutex_lock(&result_lock);
    result = source + 1;
    pthread_mutex_unlock(&result_lock);
    return unused;
}

static void *read_both(void *unused)
{
    pthread_mutex_lock(&source_lock);
    int seen = source;
    pthread_mutex_unlock(&source_lock);
    if (!seen) return unused;
    pthread_mutex_lock(&result_lock);
    int computed = result;
    pthread_mutex_unlock(&result_lock);
    assert(computed == seen + 1);
    return unused;
}

int main(void)
{
    for (int i = 0; i < THREADS - 1; i++) start(write_both, NULL);
    start(read_both, NULL);
    join_all();
}
