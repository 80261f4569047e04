/* Calls on what a process has once: the end of its data, names of its threads, whether a pipe is waited for. What
   prctl() changes beside names is not explored, and named.
flags: -O1 -Wno-unused-result -Wno-deprecated-declarations
expect: VERIFIED no error in any schedule$
expect with -- break: ERROR assertion
expect with -- name: ERROR assertion
expect with -- waits: ERROR assertion
expect with -- asks: ERROR assertion
expect with -- prctl: BOUNDED no error in any schedule, as far as it is under control
*/
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *mode = "";
static pthread_t first;
static int ends[2];
static int is(const char *name) { return !*mode || !strcmp(mode, name); }
static void changes(void)
{
    if (is("break")) sbrk(16);
    if (is("name")) pthread_setname_np(first, "other");
    if (!strcmp(mode, "waits")) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        fcntl(ends[0], F_SETFL, 0);
        write(ends[1], "xx", 2);
    }
    if (is("asks")) fcntl(ends[0], F_SETFL, O_NONBLOCK);
    if (!strcmp(mode, "prctl")) prctl(PR_SET_KEEPCAPS, 0);
}
static long answer(void)
{
    char text[16] = "", own[16] = "";
    long n = 0;
    if (is("break")) n += (long)sbrk(0);
    if (is("name")) pthread_getname_np(first, text, sizeof text), prctl(PR_GET_NAME, own), n += text[0];
    if (is("waits") && *mode) n += read(ends[0], text, 1);
    if (is("asks")) n += fcntl(ends[0], F_GETFL) & O_NONBLOCK;
    return n;
}
static void *works(void *a)
{
    if (!*mode) pthread_mutex_lock(&m);
    if (!*mode || !a) changes();
    else {
        long before = answer();
        assert(answer() == before);
    }
    if (!*mode) pthread_mutex_unlock(&m);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    first = pthread_self();
    prctl(PR_SET_NAME, "first");
    pipe(ends);
    pthread_create(&t, NULL, works, NULL);
    works("second");
    return pthread_join(t, NULL);
}
