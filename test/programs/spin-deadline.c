/* A loop that looks at a flag until a deadline: it may end by either, and is no livelock.
 * expect: VERIFIED no error in any schedule
 * expect with --explore=optimal: VERIFIED no error in any schedule
 * expect with -- up: ERROR assertion: !up
 * expect with --explore=optimal -- up: ERROR assertion: !up
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static atomic_int flag;
static bool up, wants_time_up;

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *wait_for_flag(void *arg)
{
    long end = now() + 1000000;
    while (!atomic_load_explicit(&flag, memory_order_acquire) && !up) up = now() > end;
    return arg;
}

static void *set_flag(void *arg)
{
    atomic_store_explicit(&flag, 1, memory_order_release);
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    wants_time_up = argc > 1;
    pthread_t a, b;
    pthread_create(&a, NULL, wait_for_flag, NULL);
    pthread_create(&b, NULL, set_flag, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (wants_time_up) assert(!up);
    return 0;
}
