/* A handler, or an asynchronous cancellation, can come between two plain accesses. Heddle lets it come at scheduling
 * points only, which the verdict says wherever another thread sends it.
expect with -- other: VERIFIED no error .*not explored: signal handlers that begin between two scheduling points.$
expect with -- window: VERIFIED no error .*not explored: signal handlers that begin between two scheduling points.$
expect with -- self: VERIFIED no error in any schedule$
expect with -- waits: VERIFIED no error in any schedule$
expect with -- cancel: VERIFIED no error .*not explored: asynchronous cancellation between two scheduling points.$
expect with -- deferred: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

static volatile int a, b;
static const char *what;
static sigset_t usr;

static int is(const char *name) { return !strcmp(what, name); }

static void handle(int s)
{
    (void)s;
    assert(a == b);
}

static void *receiver(void *p)
{
    int s;
    if (is("waits")) sigwait(&usr, &s);
    if (is("cancel")) pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    if (is("self")) raise(SIGUSR1);
    if (is("window")) pthread_sigmask(SIG_UNBLOCK, &usr, 0);
    a = 1;
    b = 1;
    if (is("window")) pthread_sigmask(SIG_BLOCK, &usr, 0);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    sigemptyset(&usr);
    sigaddset(&usr, SIGUSR1);
    signal(SIGUSR1, handle);
    if (is("waits") || is("window")) pthread_sigmask(SIG_BLOCK, &usr, 0);
    pthread_create(&t, 0, receiver, 0);
    if (is("cancel") || is("deferred")) pthread_cancel(t);
    else if (!is("self")) pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
    return 0;
}
