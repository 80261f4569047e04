/* One thread changes what a signal does between two of another thread. With a lock (no argument) both come first.
flags: -O1
expect: VERIFIED no error in any schedule$
expect with -- raise: ERROR assertion
expect with -- asks: ERROR assertion
*/
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static volatile int first_runs;
static void first(int s) { first_runs++, (void)s; }
static void second(int s) { (void)s; }
static int is(const char *name) { return !strcmp(mode, name); }
static void *changes(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    signal(SIGUSR1, second);
    signal(SIGUSR1, first);
    if (!*mode) pthread_mutex_unlock(&m);
    return a;
}
static void *raises(void *a)
{
    struct sigaction before, after;
    if (!*mode) pthread_mutex_lock(&m);
    sigaction(SIGUSR1, NULL, &before);
    sigaction(SIGUSR1, NULL, &after);
    if (!is("raise")) assert(before.sa_handler == after.sa_handler);
    raise(SIGUSR1);
    if (!is("asks")) assert(first_runs == 1);
    if (!*mode) pthread_mutex_unlock(&m);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    if (argc > 1) mode = argv[1];
    signal(SIGUSR1, first);
    pthread_create(&t, NULL, changes, NULL);
    pthread_create(&u, NULL, raises, NULL);
    pthread_join(t, NULL);
    return pthread_join(u, NULL);
}
