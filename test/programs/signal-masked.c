/* All signals blocked: that of the program waits, and Heddle's own page faults go on. Unblocking runs the handler.
expect: VERIFIED no error in any schedule
expect with --explore=dpor: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
static volatile sig_atomic_t handled;
static char pages[1 << 16];
static void handler(int s) { handled += s == SIGUSR2; }
static void *work(void *a)
{
    sigset_t all, old, pending;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    assert(!sigismember(&old, SIGUSR2));
    for (int i = 0; i < 1 << 16; i += 4096) pages[i] = 1;
    raise(SIGUSR2);
    assert(!handled);
    sigpending(&pending);
    assert(sigismember(&pending, SIGUSR2));
    pthread_sigmask(SIG_SETMASK, &old, 0);
    assert(handled == 1);
    return a;
}
int main(void)
{
    pthread_t t;
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = handler}, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(handled == 1);
}
