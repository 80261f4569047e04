/* Contexts of a script engine share a runtime: the first one sets it up, the last one tears it down.
 * Bug: a new context sees that it is not the first one and uses the runtime, which the last but one is tearing down.
 * Row: RADBench/bug2
 * Expect: assertion */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int contexts, is_up;

static void *use_context(void *unused)
{
    pthread_mutex_lock(&lock);
    int is_first = contexts++ == 0;
    pthread_mutex_unlock(&lock);
    if (is_first) is_up = 1;
    assert(is_up);
    pthread_mutex_lock(&lock);
    int is_last = --contexts == 0;
    pthread_mutex_unlock(&lock);
    if (is_last) is_up = 0;
    return unused;
}

int main(void)
{
    start(use_context, NULL);
    start(use_context, NULL);
    join_all();
}
