/* sigwait, pause, and a semaphore that a handler posts to, each woken up by another thread.
expect: VERIFIED no error in any schedule
expect with --verify: VERIFIED no error in any schedule
expect with --explore=dpor: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
static sem_t ready, posted;
static volatile sig_atomic_t handled;
static void handler(int s)
{
    handled = s;
    sem_post(&posted);
}
static void *work(void *a)
{
    sigset_t set;
    int s;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, 0);
    sem_post(&ready);
    sigwait(&set, &s);
    assert(s == SIGUSR1 && !handled);
    sem_post(&ready);
    while (sem_wait(&posted)) assert(errno == EINTR);
    assert(handled == SIGUSR2);
    return a;
}
int main(void)
{
    pthread_t t;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handler}, 0);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = handler}, 0);
    pthread_create(&t, 0, work, 0);
    sem_wait(&ready);
    pthread_kill(t, SIGUSR1);
    sem_wait(&ready);
    pthread_kill(t, SIGUSR2);
    pthread_join(t, 0);
}
