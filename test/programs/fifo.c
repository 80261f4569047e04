/* A FIFO is made anew by every execution, and who opens one end waits for the other. With an argument both only read.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with --verify=swap: VERIFIED no error in any schedule$
expect with --isolate=fork: VERIFIED no error in any schedule$
expect with -- both: ERROR deadlock
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define NAME "heddle-test-fifo"
#define OTHER "heddle-test-fifo-2"
static int both;
static void *writes(void *a)
{
    int fd = open(NAME, both ? O_RDONLY : O_WRONLY);
    assert(fd >= 0 && write(fd, "hello", 5) == 5);
    close(fd);
    FILE *f = fopen(OTHER, "w");
    fputs("line\n", f);
    fclose(f);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char text[16];
    both = argc > 1;
    assert(!mkfifo(NAME, 0600) && mkfifo(NAME, 0600) && errno == EEXIST && !mkfifo(OTHER, 0600));
    assert(open(NAME, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO);
    pthread_create(&t, 0, writes, 0);
    int fd = open(NAME, O_RDONLY);
    assert(fd >= 0 && read(fd, text, 5) == 5 && !memcmp(text, "hello", 5) && !close(fd));
    FILE *f = fopen(OTHER, "r");
    assert(fgets(text, sizeof text, f) && !strcmp(text, "line\n") && !fgets(text, sizeof text, f));
    fclose(f);
    pthread_join(t, 0);
    fd = open(NAME, O_RDONLY | O_NONBLOCK);
    struct pollfd p = {fd, POLLIN, 0};
    assert(read(fd, text, 1) == 0);
    int other = open(NAME, O_WRONLY);
    assert(read(fd, text, 1) < 0 && errno == EAGAIN && write(other, "x", 1) == 1);
    assert(poll(&p, 1, -1) == 1 && read(fd, text, 2) == 1);
    assert(write(other, "lost", 4) == 4 && !close(fd) && !close(other));
    assert((fd = open(NAME, O_RDONLY | O_NONBLOCK)) >= 0);
    assert(read(fd, text, 16) == 0 && !unlink(OTHER) && !unlink(NAME) && open(NAME, O_RDONLY) < 0 && errno == ENOENT);
}
