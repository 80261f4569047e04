/* The same with instrumentation.
 * expect: ERROR race
 */
#include <pthread.h>
#include <stdio.h>
static int counter;

__attribute__((noinline)) static void update(void) { counter++; }
__attribute__((noinline)) static int own(int n)
{
    volatile int place[4] = {1, 2, n, 4};
    return place[n & 3];
}

static void *work(void *a)
{
    if (!a) update();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argc > 1 ? argv : NULL);
    counter++;
    pthread_join(t, NULL);
    return own(2) != 2;
}
