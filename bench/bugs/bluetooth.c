/* A driver that counts the requests in flight, and is stopped while a request arrives.
 * Bug: a request looks at the flag first and counts itself afterwards. The driver can stop in between, and the request
 * then works with a driver that has stopped.
 * Row: CS/bluetooth_driver
 * Expect: assertion */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pending = 1, stopping, all_finished, stopped;

static void count_down(void)
{
    pthread_mutex_lock(&lock);
    if (--pending == 0) all_finished = 1;
    pthread_mutex_unlock(&lock);
}

static int count_up(void)
{
    if (stopping) return -1;
    pthread_mutex_lock(&lock);
    pending++;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void *request(void *unused)
{
    if (count_up() == 0) {
        assert(!stopped);
        count_down();
    }
    return unused;
}

int main(void)
{
    start(request, NULL);
    stopping = 1;
    count_down();
    if (all_finished) stopped = 1;
    join_all();
}
