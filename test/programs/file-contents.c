/* Two threads read a number in a file, add one and write it back. Without a lock one of the additions may be lost;
numbers at different places do not concern each other.
flags: -O1 -D_GNU_SOURCE
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with -- pread: ERROR assertion
expect with -- seek: ERROR assertion
expect with -- stream: ERROR assertion
expect with -- copy: ERROR assertion
expect with -- vector: ERROR assertion
expect with --explore=optimal -- pread: ERROR assertion
expect with --explore=dpor -- pread: ERROR assertion
expect with --races=ignore -- pread: ERROR assertion
expect with -- apart: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char name[] = "/tmp/heddle-contents-XXXXXX";
static const char *mode = "";
static int fd;
static int is(const char *s) { return !strcmp(mode, s); }
static void add_at(int file, long at)
{
    long n = 0;
    assert(pread(file, &n, sizeof n, at) == sizeof n);
    n++;
    assert(pwrite(file, &n, sizeof n, at) == sizeof n);
}
static void add_by_seeking(int file)
{
    long n = 0;
    assert(!lseek(file, 0, SEEK_SET) && read(file, &n, sizeof n) == sizeof n);
    n++;
    assert(!lseek(file, 0, SEEK_SET) && write(file, &n, sizeof n) == sizeof n);
}
static void add_by_stream(void)
{
    long n = 0;
    FILE *f = fopen(name, "r+");
    assert(fread(&n, sizeof n, 1, f) == 1);
    n++;
    rewind(f);
    assert(fwrite(&n, sizeof n, 1, f) == 1);
    fclose(f);
}
static void add_by_vector(void)
{
    long n = 0;
    struct iovec v = {&n, sizeof n};
    assert(preadv(fd, &v, 1, 0) == sizeof n);
    n++;
    assert(pwritev(fd, &v, 1, 0) == sizeof n);
}
static void *adds(void *a)
{
    int own;
    if (!*mode) pthread_mutex_lock(&m);
    if (is("apart")) add_at(fd, a ? 0 : 64);
    else if (is("seek")) own = open(name, O_RDWR), add_by_seeking(own), close(own);
    else if (is("copy")) own = dup(fd), add_by_seeking(own), close(own);
    else if (is("stream")) add_by_stream();
    else if (is("vector")) add_by_vector();
    else add_at(fd, 0);
    if (!*mode) pthread_mutex_unlock(&m);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t;
    long n = 0, zero[16] = {0};
    mode = argc > 1 ? argv[1] : "";
    fd = mkstemp(name);
    assert(fd >= 0 && write(fd, zero, sizeof zero) == sizeof zero);
    pthread_create(&t, 0, adds, 0);
    adds(&n);
    pthread_join(t, 0);
    assert(pread(fd, &n, sizeof n, 0) == sizeof n && n == (is("apart") ? 1 : 2));
    unlink(name);
    return 0;
}
