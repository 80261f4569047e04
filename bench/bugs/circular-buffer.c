/* A circular buffer between one sender and one receiver, with a lock and a flag that says whose turn it is.
 * Bug: the sender stores an item and advances the index in two critical sections. The receiver that runs in between
 * takes an item that is not announced, and both then disagree about the place of the next.
 * Row: CS/circular_buffer
 * Expect: assertion */
#include "threads.h"

enum { SIZE = 4, ITEMS = 3, NONE = -1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[SIZE] = {NONE, NONE, NONE, NONE}, first, next, count;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    buffer[next] = item;
    next = (next + 1) % SIZE;
    pthread_mutex_unlock(&lock);
}

static int get(void)
{
    int item = NONE;
    pthread_mutex_lock(&lock);
    if (count > 0) {
        item = buffer[first];
        first = (first + 1) % SIZE;
        count--;
        assert(item != NONE);
    }
    pthread_mutex_unlock(&lock);
    return item;
}

static void *send(void *unused)
{
    for (int i = 0; i < ITEMS; i++) put(i);
    return unused;
}

static void *receive(void *unused)
{
    int expected = 0;
    for (int i = 0; i < ITEMS; i++) {
        int item = get();
        if (item != NONE) assert(item == expected++);
    }
    return unused;
}

int main(void)
{
    start(send, NULL);
    start(receive, NULL);
    join_all();
}
