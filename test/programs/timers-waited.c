/* A timer for which everybody waits rings: by a signal, and by a thread.
 * expect with -- alarm: BOUNDED no error in any schedule, .*as far as it is under control
 * expect with --explore=dpor -- alarm: BOUNDED no error in any schedule, .*as far as it is under control
 * expect with -- thread: BOUNDED no error in any schedule, .*as far as it is under control
 * expect with -- silent: ERROR deadlock: no thread can go on
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sem_t rung;
static const char *what;

static void ring(int s)
{
    (void)s;
    if (strcmp(what, "silent")) sem_post(&rung);
}
static void ring_in_thread(union sigval v) { ring(v.sival_int); }

static void *waits(void *a)
{
    while (sem_wait(&rung) && errno == EINTR) {}
    return a;
}

int main(int argc, char **argv)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring_in_thread};
    struct itimerspec soon = {.it_value = {1, 0}};
    timer_t timer;
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    sem_init(&rung, 0, 0);
    signal(SIGALRM, ring);
    pthread_create(&t, NULL, waits, NULL);
    if (!strcmp(what, "thread")) {
        assert(!timer_create(CLOCK_MONOTONIC, &event, &timer));
        assert(!timer_settime(timer, 0, &soon, NULL));
    } else {
        assert(alarm(2) == 0 && alarm(1) == 2);
    }
    pthread_join(t, NULL);
}
