/* Signals, timers and cancellation of a program that runs by itself: to one thread, waited for, from a crash that is
 * survived, from timers; handlers run in the thread that they are sent to. With an argument it ends in another way. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
static pthread_t handled_by;
static volatile sig_atomic_t handled, resumed, rang;
static sigjmp_buf back;
static int cleaned;
static void on_user(int s)
{
    handled_by = pthread_self();
    handled = s;
}
static void on_alarm(int s) { rang = s; }
static void on_crash(int s, siginfo_t *info, void *context)
{
    (void)context;
    siglongjmp(back, info->si_addr ? s : 1);
}
static void *pauses(void *a)
{
    while (!handled) pause();
    resumed = 1;
    return a;
}
static void *waits(void *a)
{
    sigset_t set;
    int got;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    assert(!sigwait(&set, &got) && got == SIGUSR2);
    return a;
}
static void clean(void *a) { cleaned += *(int *)a; }
static void *cancelled(void *a)
{
    int one = 1;
    pthread_cleanup_push(clean, &one);
    for (;;) sleep(100);
    pthread_cleanup_pop(0);
    return a;
}
static void to_threads(void)
{
    pthread_t t, u, v;
    sigset_t set;
    void *result;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR1, on_user);
    pthread_create(&t, NULL, pauses, NULL);
    pthread_create(&u, NULL, waits, NULL);
    pthread_create(&v, NULL, cancelled, NULL);
    while (!resumed) { /* one that comes just before pause() is not enough */
        pthread_kill(t, SIGUSR1);
        usleep(1000);
    }
    pthread_kill(u, SIGUSR2);
    pthread_cancel(v);
    printf("handled by its thread: %d\n", pthread_equal(handled_by, t) != 0);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    pthread_join(v, &result);
    printf("cancelled: %d, cleaned up: %d\n", result == PTHREAD_CANCELED, cleaned);
}
static void timers(void)
{
    struct itimerval once = {{0, 0}, {0, 2000}};
    struct itimerspec soon = {{0, 0}, {0, 2000000}};
    struct timespec before, after;
    uint64_t expired;
    timer_t timer;
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &once, NULL);
    while (!rang) usleep(500);
    rang = 0;
    assert(!timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM}, &timer));
    clock_gettime(CLOCK_MONOTONIC, &before);
    timer_settime(timer, 0, &soon, NULL);
    while (!rang) usleep(500);
    clock_gettime(CLOCK_MONOTONIC, &after);
    timer_delete(timer);
    int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    timerfd_settime(fd, 0, &soon, NULL);
    assert(read(fd, &expired, 8) == 8);
    long long passed = (after.tv_sec - before.tv_sec) * 1000000000LL + after.tv_nsec - before.tv_nsec;
    printf("timers ring: %d in time, %d\n", passed >= 2000000, (int)expired);
}
static void survives(void)
{
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int s = sigsetjmp(back, 1);
    if (!s) *(volatile char *)page = 1;
    printf("survives: %s\n", strsignal(s));
}
int main(int argc, char **argv)
{
    to_threads();
    timers();
    survives();
    fflush(stdout);
    if (argc > 1 && !strcmp(argv[1], "abort")) abort();
    if (argc > 1 && !strcmp(argv[1], "assert")) assert(argc == 1);
    if (argc > 1 && !strcmp(argv[1], "signal")) raise(SIGTERM);
    return argc > 1 ? atoi(argv[1]) : 0;
}
