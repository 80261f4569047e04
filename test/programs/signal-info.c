/* What a handler, sigwaitinfo, sigtimedwait and signalfd are told of a signal: how it was sent, by whom, with which
value. Of an ordinary signal one waits, with the first value; of a realtime one as many as were sent.
expect: BOUNDED no error in any schedule, where a thread yields at most 1 time more
expect with --isolate=main: BOUNDED no error in any schedule, where a thread yields at most 1 time more
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
static siginfo_t seen;
static volatile sig_atomic_t handled;
static sigset_t set, usr2;
static void handler(int s, siginfo_t *info, void *context) { seen = *info, handled++; }
static void check(int code, int value)
{
    assert(handled == 1 && seen.si_signo == SIGUSR1 && seen.si_code == code);
    assert(seen.si_pid == getpid() && seen.si_uid == getuid());
    assert(code != SI_QUEUE || seen.si_value.sival_int == value);
    handled = 0;
}
static void *waits(void *a)
{
    siginfo_t info;
    struct timespec soon = {0, 1};
    assert(sigwaitinfo(&usr2, &info) == SIGUSR2 && info.si_code == SI_QUEUE && info.si_value.sival_int == 7);
    assert(info.si_pid == getpid());
    assert(sigwaitinfo(&set, &info) == SIGRTMIN && info.si_value.sival_int == 1);
    while (sigtimedwait(&set, &info, &soon) < 0) assert(errno == EAGAIN);
    assert(info.si_signo == SIGRTMIN && info.si_value.sival_int == 2);
    assert(sigtimedwait(&set, &info, &soon) < 0);
    return 0;
}
static void by_descriptor(void)
{
    struct signalfd_siginfo info;
    int fd = signalfd(-1, &set, SFD_NONBLOCK);
    assert(!pthread_sigqueue(pthread_self(), SIGRTMAX, (union sigval){.sival_int = 3}) && !raise(SIGUSR2));
    assert(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2 && info.ssi_code == SI_TKILL);
    assert(read(fd, &info, sizeof info) == sizeof info && info.ssi_code == SI_QUEUE && info.ssi_int == 3);
    assert(info.ssi_pid == getpid());
    assert(read(fd, &info, sizeof info) < 0);
    close(fd);
}
int main(void)
{
    pthread_t t;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGUSR1, &action, 0);
    assert(!raise(SIGUSR1)), check(SI_TKILL, 0);
    assert(!kill(getpid(), SIGUSR1)), check(SI_USER, 0);
    assert(!pthread_kill(pthread_self(), SIGUSR1)), check(SI_TKILL, 0);
    assert(!sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 5})), check(SI_QUEUE, 5);
    sigemptyset(&usr2), sigaddset(&usr2, SIGUSR2);
    sigemptyset(&set), sigaddset(&set, SIGUSR2), sigaddset(&set, SIGRTMIN), sigaddset(&set, SIGRTMAX);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    by_descriptor();
    for (int i = 7; i < 9; i++) assert(!sigqueue(getpid(), SIGUSR2, (union sigval){.sival_int = i}));
    pthread_create(&t, 0, waits, 0);
    for (int i = 1; i < 3; i++) assert(!pthread_sigqueue(t, SIGRTMIN, (union sigval){.sival_int = i}));
    pthread_join(t, 0);
}
