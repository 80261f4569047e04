/* N threads with one critical section each, under one lock: N! orders. */
#define THREADS N
#include "crowd.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void act(int number)
{
    (void)number;
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
}
