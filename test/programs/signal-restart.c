/* A handler with SA_RESTART lets a read go on, but no call that sleeps or polls.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule
expect with -- sleep: ERROR assertion: !left
expect with -- nanosleep: ERROR assertion: !status
expect with -- usleep: ERROR assertion: !status
expect with -- poll: ERROR assertion: ready == 1
*/
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *mode = "read";
static int ends[2];

static int is(const char *name) { return !strcmp(mode, name); }
static void handle(int s) { (void)s; }

static void *wait_here(void *arg)
{
    char byte;
    int status = 0, ready = 1;
    unsigned left = 0;
    struct pollfd polled = {ends[0], POLLIN, 0};
    struct timespec time = {.tv_sec = 3};
    if (is("sleep")) left = sleep(3);
    if (is("nanosleep")) status = nanosleep(&time, NULL);
    if (is("usleep")) status = usleep(100);
    if (is("poll")) ready = poll(&polled, 1, -1);
    if (is("read")) ready = (int)read(ends[0], &byte, 1);
    assert(!left);
    assert(!status);
    assert(ready == 1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    if (argc > 1) mode = argv[1];
    pipe(ends);
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&t, NULL, wait_here, NULL);
    pthread_kill(t, SIGUSR1);
    write(ends[1], "a", 1);
    pthread_join(t, NULL);
    return 0;
}
