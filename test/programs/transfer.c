/* splice, tee and sendfile between pipes, sockets and files.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
static int a[2], b[2], c[2], pair[2];
static void *hands_on(void *unused)
{
    ssize_t n = splice(a[0], 0, b[1], 0, 100, 0);
    assert(n == 5);
    return unused;
}
int main(void)
{
    pthread_t t;
    char text[16] = "";
    off_t at = 2;
    loff_t where = 1;
    int file = memfd_create("file", 0);
    assert(!pipe(a) && !pipe(b) && !pipe(c) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pthread_create(&t, 0, hands_on, 0);
    assert(write(a[1], "hello", 5) == 5);
    assert(tee(b[0], c[1], 3, 0) == 3);
    pthread_join(t, 0);
    assert(read(c[0], text, 16) == 3 && !memcmp(text, "hel", 3));
    assert(splice(b[0], 0, file, 0, 16, 0) == 5);
    assert(splice(b[0], 0, file, 0, 16, SPLICE_F_NONBLOCK) < 0 && errno == EAGAIN);
    assert(sendfile(pair[0], file, &at, 100) == 3 && at == 5);
    assert(read(pair[1], text, 16) == 3 && !memcmp(text, "llo", 3));
    assert(splice(file, &where, a[1], 0, 2, 0) == 2 && where == 3);
    assert(read(a[0], text, 16) == 2 && !memcmp(text, "el", 2));
    assert(lseek(file, 0, SEEK_SET) == 0 && sendfile(a[1], file, 0, 4) == 4 && lseek(file, 0, SEEK_CUR) == 4);
    assert(splice(pair[0], 0, pair[1], 0, 4, 0) < 0 && errno == EINVAL);
    assert(tee(a[0], pair[0], 1, 0) < 0 && errno == EINVAL);
    close(c[1]);
    assert(splice(c[0], 0, pair[0], 0, 4, 0) == 0);
}
