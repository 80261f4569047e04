/* Watchdogs do not bark, and nobody is killed by the signal of a timer.
   expect: BOUNDED no error in any schedule, as far as it is under control
   warns: timers.c:23: warning: alarm: its time comes only when all others wait
   warns: timers.c:28: warning: timer_settime: its time comes only when all others wait
*/
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void *work(void *a) { return a; }

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 1}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec when = {{0, 0}, {0, 1}};
    timer_t timer;
    pthread_t t;
    stack_t stack = {.ss_sp = &timer, .ss_size = sizeof timer};
    sigaltstack(&stack, NULL);
    alarm(1);
    alarm(0);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_create(&t, NULL, work, NULL);
    timer_create(CLOCK_REALTIME, &event, &timer);
    timer_settime(timer, 0, &when, NULL);
    sleep(2);
    timer_delete(timer);
    pthread_join(t, NULL);
}
