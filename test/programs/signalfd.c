/* A thread that takes signals from a descriptor, by itself and with poll. Whoever does not wait for a signal misses it.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with --explore=dpor: VERIFIED no error in any schedule$
expect with -- nonblock: ERROR assertion: taken == 2
*/
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
static int fd, taken, said;
static void *work(void *a)
{
    struct signalfd_siginfo info;
    struct pollfd p = {.fd = fd, .events = POLLIN};
    assert(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR1 && said == 1);
    assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
    assert(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGUSR2);
    taken = 2;
    return a;
}
static void *impatient(void *a)
{
    struct signalfd_siginfo info;
    for (int i = 0; i < 2; i++) taken += read(fd, &info, sizeof info) == sizeof info;
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    fd = signalfd(-1, &set, argc > 1 ? SFD_NONBLOCK : 0);
    assert(fd >= 0 && signalfd(fd, &set, 0) == fd);
    pthread_create(&t, 0, argc > 1 ? impatient : work, 0);
    said = 1;
    kill(getpid(), SIGUSR1);
    kill(getpid(), SIGUSR2);
    pthread_join(t, 0);
    assert(taken == 2);
}
