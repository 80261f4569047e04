/* Races on memory that functions of the runtime read or write for the program, and a block that one of them uses after
 * it was freed. With a lock (no argument) there is no error.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule .not explored: other random numbers of the system.$
expect with -- clock: ERROR race
expect with -- day: ERROR race
expect with -- time: ERROR race
expect with -- pipe: ERROR race
expect with -- pair: ERROR race
expect with -- poll: ERROR race
expect with -- polled: ERROR race
expect with -- select: ERROR race
expect with -- create: ERROR race
expect with -- join: ERROR race
expect with -- value: ERROR race
expect with -- action: ERROR race
expect with -- mask: ERROR race
expect with -- sleep: ERROR race
expect with -- deadline: ERROR race
expect with -- random: ERROR race
expect with -- freed: ERROR .*(freed|free)
*/
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static struct timespec when = {.tv_sec = 1}, *block;
static struct timeval day;
static time_t now;
static int fds[2], known[2], value, random_number;
static struct pollfd polled;
static fd_set set;
static pthread_t handle;
static void *result;
static sem_t semaphore;
static struct sigaction old;
static sigset_t mask;
static const char *mode = "";
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static void *nothing(void *a) { return a; }
static void joins(void)
{
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_join(t, &result);
}
static void creates(void)
{
    pthread_create(&handle, 0, nothing, 0);
    pthread_join(handle, 0);
}
/* One of the threads (a) calls the functions, the other accesses what they use. */
static void calls(void)
{
    if (is("clock")) clock_gettime(CLOCK_MONOTONIC, &when);
    if (is("day")) gettimeofday(&day, 0);
    if (is("time")) time(&now);
    if (is("pipe")) pipe(fds);
    if (is("pair")) socketpair(AF_UNIX, SOCK_STREAM, 0, fds);
    if (is("poll") || is("polled")) poll(&polled, 1, 0);
    if (is("select")) FD_SET(known[0], &set), select(known[0] + 1, &set, 0, 0, &(struct timeval){0});
    if (is("create")) creates();
    if (is("join")) joins();
    if (is("value")) sem_getvalue(&semaphore, &value);
    if (is("action")) sigaction(SIGUSR1, 0, &old);
    if (is("mask")) pthread_sigmask(SIG_BLOCK, 0, &mask);
    if (is("sleep")) nanosleep(&when, 0);
    if (is("deadline") && !pthread_mutex_timedlock(&other, &when)) pthread_mutex_unlock(&other);
    if (is("random")) getrandom(&random_number, sizeof random_number, 0);
}
static void touches(void)
{
    if (is("clock") || is("sleep") || is("deadline")) when.tv_nsec = 7;
    if (is("day")) day.tv_usec = 7;
    if (is("time")) now = 7;
    if (is("pipe") || is("pair")) fds[1] = 7;
    if (is("poll")) polled.revents = 0;
    if (is("polled")) polled.events = POLLIN;
    if (is("select")) FD_ZERO(&set);
    if (is("create")) handle = pthread_self();
    if (is("join")) result = &result;
    if (is("value")) value = 7;
    if (is("action")) old.sa_flags = 0;
    if (is("mask")) memset(&mask, 0, sizeof mask);
    if (is("random")) random_number = 7;
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    a ? calls() : touches();
    if (!*mode) pthread_mutex_unlock(&m);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    mode = argc > 1 ? argv[1] : "";
    block = malloc(sizeof *block);
    if (is("freed") && *mode) free(block);
    if (is("freed")) clock_gettime(CLOCK_MONOTONIC, block);
    pipe(known);
    polled = (struct pollfd){.fd = known[0], .events = POLLIN};
    sem_init(&semaphore, 0, 1);
    pthread_create(&t, 0, works, 0);
    works(&t);
    pthread_join(t, 0);
    return 0;
}
