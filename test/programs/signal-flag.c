/* A loop that waits for what its own handler sets is no livelock; a signal without a handler ends the program.
expect with -- flag: VERIFIED no error in any schedule
expect with --explore=dpor -- flag: VERIFIED no error in any schedule
expect with --verify -- flag: VERIFIED no error in any schedule
expect with -- end: ERROR crash: the program is ended by signal 15 \(TERM\)
expect with -- ignore: VERIFIED no error in any schedule
*/
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
static atomic_int flag;
static void handler(int s) { flag = s; }
static void *work(void *a)
{
    while (!flag) {}
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    if (!strcmp(argv[1], "ignore")) signal(SIGTERM, SIG_IGN);
    pthread_create(&t, 0, work, 0);
    if (strcmp(argv[1], "flag")) kill(getpid(), SIGTERM);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
}
