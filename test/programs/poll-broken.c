/* A signal breaks a poll off only if nothing has come yet. Whether the byte or the signal comes first is open.
expect with -- either: VERIFIED no error in any schedule
expect with -- byte and: ERROR assertion: ready == 1
expect with -- signal and more: ERROR assertion: ready == -1
*/
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static int ends[2], wanted;

static void handle(int number) { (void)number; }

static void *wait_here(void *arg)
{
    struct pollfd polled = {ends[0], POLLIN, 0};
    int ready = poll(&polled, 1, -1);
    assert(ready == 1 || errno == EINTR);
    if (wanted == 2) assert(ready == 1);
    if (wanted == 3) assert(ready == -1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct sigaction action = {.sa_handler = handle};
    (void)argv;
    wanted = argc - 1;
    pipe(ends);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, wait_here, NULL);
    pthread_kill(t, SIGUSR1);
    write(ends[1], "a", 1);
    pthread_join(t, NULL);
    return 0;
}
