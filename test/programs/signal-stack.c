/* A handler does not run on the stack of sigaltstack(), which is reported where it would.
expect: ERROR assertion: inside
warns: the handler runs on the thread's own stack
*/
#include <assert.h>
#include <pthread.h>
#include <signal.h>

static char other[65536];
static volatile int inside = -1;

static void handle(int s)
{
    char here;
    (void)s;
    inside = &here >= other && &here < other + sizeof other;
}

static void *run(void *p)
{
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    sigaltstack(&stack, 0);
    raise(SIGUSR1);
    return p;
}

int main(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    pthread_t t;
    sigaction(SIGUSR1, &action, 0);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    assert(inside);
    return 0;
}
