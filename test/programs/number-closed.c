/* A thread closes or replaces a descriptor before another one calls: the call fails, or reads from what has the
 * number by then. A call that waits already keeps its pipe, so that closing the descriptor does not wake it up.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- close: ERROR assertion: n == 1
expect with -- replace: ERROR assertion: byte == 'a'
expect with -- again: ERROR assertion: byte == 'a'
expect with -- write: ERROR assertion: n == 1
expect with -- flags: ERROR assertion: n == 1
expect with -- counter: ERROR assertion: n == 1
expect with -- waits: ERROR deadlock
expect with --explore=dfs -- close: ERROR assertion: n == 1
*/
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const char *mode = "";
static int first[2], second[2], counter;

static int is(const char *name) { return !strcmp(mode, name); }

static void *call(void *arg)
{
    char byte = 'a';
    uint64_t one = 1;
    ssize_t n = 1;
    if (is("write")) n = write(first[1], "x", 1);
    else if (is("flags")) n = fcntl(first[0], F_GETFL) != -1;
    else if (is("counter")) n = write(counter, &one, sizeof one) == sizeof one;
    else n = read(first[0], &byte, 1);
    if (is("waits")) assert(n == -1); /* else it waits for ever */
    else assert(n == 1);
    assert(byte == 'a');
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    pipe(first);
    pipe(second);
    counter = eventfd(0, 0);
    if (!is("waits")) write(first[1], "a", 1);
    write(second[1], "b", 1);
    pthread_create(&t, NULL, call, NULL);
    if (!*mode) pthread_join(t, NULL);
    if (is("replace")) dup2(second[0], first[0]);
    else if (is("counter")) close(counter);
    else if (is("write")) close(first[1]);
    else close(first[0]);
    if (is("again")) assert(dup(second[0]) == first[0]);
    if (*mode) pthread_join(t, NULL);
    return 0;
}
