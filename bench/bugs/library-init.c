/* A portable runtime initialises itself on the first call of any of its functions.
 * Bug: the flag is set before the work is done, so that the initialisation can call the library itself. A second thread
 * then uses a library without its tables.
 * Row: RADBench/bug6
 * Expect: crash */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int memory[4], *table, is_initialised;

static void initialise(void)
{
    pthread_mutex_lock(&lock);
    int is_first = !is_initialised;
    is_initialised = 1;
    pthread_mutex_unlock(&lock);
    if (is_first) table = memory;
}

static void *use_library(void *number)
{
    initialise();
    table[(long)number] = 1;
    return NULL;
}

int main(void)
{
    start(use_library, (void *)0L);
    start(use_library, (void *)1L);
    join_all();
}
