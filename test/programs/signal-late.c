/* A signal may arrive after what its sender did later is seen; but not after a wait for it, nor after who sends it to himself goes on.
 * expect with -- seen: ERROR assertion: handled .*0 preemptions
 * expect with --explore=dpor -- seen: ERROR assertion: handled
 * expect with --explore=optimal -- seen: ERROR assertion: handled
 * expect with --explore=cb-por -- seen: ERROR assertion: handled
 * expect with --verify -- waits: VERIFIED no error in any schedule
 * expect with --explore=optimal -- waits: VERIFIED no error in any schedule
 * expect with --verify -- self: VERIFIED no error in any schedule
 * expect with --verify -- inside: ERROR deadlock
 * expect with --verify -- ended: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int handled, flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static const char *what;

static void handler(int s)
{
    (void)s;
    if (!strcmp(what, "inside")) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    handled = 1;
    sem_post(&sem);
}

static void *work(void *a)
{
    if (!strcmp(what, "waits")) {
        while (sem_wait(&sem)) {}
        assert(handled);
    } else if (!strcmp(what, "seen")) {
        while (!flag) {}
        assert(handled);
    } else if (!strcmp(what, "inside")) { /* the handler may come while the lock is held, although it was sent before */
        while (!flag) {}
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    signal(SIGUSR1, handler);
    sem_init(&sem, 0, 0);
    pthread_create(&t, 0, work, 0);
    if (!strcmp(what, "self")) {
        pthread_kill(pthread_self(), SIGUSR1);
        assert(handled);
    } else {
        pthread_kill(t, SIGUSR1);
        flag = 1;
    }
    pthread_join(t, 0);
}
