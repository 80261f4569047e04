/* A pipe is a queue: its two ends concern each other only where it is empty or full, so there is one order of three
writes and three reads. What is read has happened, and so has the end; what is written later has not.
prints: preemptions 0: 1 schedule,
expect: VERIFIED no error in any schedule$
expect with --explore=optimal: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with -- behind: ERROR race: read of shared
expect with --explore=optimal -- behind: ERROR race: read of shared
expect with -- end: VERIFIED no error in any schedule$
expect with -- interrupted: VERIFIED no error .*not explored: signal handlers that begin between two scheduling points.$
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
static int p[2], shared;
static const char *how;
static void *writer(void *a)
{
    for (int i = 0; i < 3; i++) {
        char c = (char)('a' + i);
        assert(write(p[1], &c, 1) == 1);
        if (!i && !strcmp(how, "behind")) shared = getpid();
    }
    return a;
}
static void *reader(void *a)
{
    char c;
    for (int i = 0; i < 3; i++) {
        assert(read(p[0], &c, 1) == 1 && c == 'a' + i);
        if (!i && !strcmp(how, "behind")) assert(shared >= 0);
    }
    return a;
}
static void *closer(void *a)
{
    shared = getpid();
    close(p[1]);
    return a;
}
static void handler(int s) { (void)s; }
static void *sender(void *main)
{
    pthread_kill(*(pthread_t *)main, SIGUSR1);
    return 0;
}
/* A read that finds what it wants is not interrupted by a signal that comes before it. */
static int interrupted(void)
{
    struct sigaction action = {.sa_handler = handler};
    pthread_t t, self = pthread_self();
    char c;
    sigaction(SIGUSR1, &action, 0);
    assert(write(p[1], "a", 1) == 1);
    pthread_create(&t, 0, sender, &self);
    assert(read(p[0], &c, 1) == 1);
    return pthread_join(t, 0);
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    char c;
    how = argc > 1 ? argv[1] : "";
    assert(!pipe(p));
    if (!strcmp(how, "interrupted")) return interrupted();
    pthread_create(&t, 0, strcmp(how, "end") ? writer : closer, 0);
    if (!strcmp(how, "end")) {
        assert(read(p[0], &c, 1) == 0 && shared == getpid());
        return pthread_join(t, 0);
    }
    pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0);
    return pthread_join(u, 0);
}
