/* fflush(NULL) waits for the lock of each stream, and writes what other threads have in their buffers.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule
expect with -- lock: ERROR deadlock
expect with -- read: ERROR assertion
expect with -- twice: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode = "";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static char path[] = "flush-all.tmp";

static int is(const char *name) { return !strcmp(mode, name); }

static void *work(void *arg)
{
    if (is("read")) return fputc('x', out), arg;
    if (is("twice")) return fflush(NULL), arg;
    flockfile(out);
    if (is("lock")) pthread_mutex_lock(&m), pthread_mutex_unlock(&m);
    funlockfile(out);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    char byte = 0;
    if (argc > 1) mode = argv[1];
    out = fopen(path, "w");
    pthread_create(&t, NULL, work, NULL);
    if (is("lock")) pthread_mutex_lock(&m);
    fflush(NULL);
    if (is("lock")) pthread_mutex_unlock(&m);
    int fd = open(path, O_RDONLY);
    assert(read(fd, &byte, 1) == 0); /* fails if the byte was put in before it was flushed */
    close(fd);
    pthread_join(t, NULL);
    fclose(out);
    unlink(path);
    return 0;
}
