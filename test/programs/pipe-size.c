/* A pipe whose size was set holds so many bytes: a write of more waits for a reader. One that is about to write when
 * the size changes gets the new size.
expect with -- read: VERIFIED no error in any schedule$
expect with --explore=dpor -- read: VERIFIED no error in any schedule$
expect: ERROR deadlock
expect with -- late: ERROR deadlock
flags: -w
*/
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int p[2];
static char b[5000];

static void *writes(void *unused)
{
    assert(write(p[1], b, 5000) == 5000);
    return unused;
}

int main(int argc, char **argv)
{
    int late = argc > 1 && argv[1][0] == 'l';
    pthread_t t;
    pipe(p);
    assert(fcntl(p[0], F_GETPIPE_SZ) == 65536);
    if (!late) assert(fcntl(p[1], F_SETPIPE_SZ, 1000) == 4096 && fcntl(p[0], F_GETPIPE_SZ) == 4096);
    pthread_create(&t, 0, writes, 0);
    if (late) fcntl(p[1], F_SETPIPE_SZ, 4096);
    for (int done = 0; argc > 1 && !late && done < 5000;) done += read(p[0], b, 5000);
    pthread_join(t, 0);
    return 0;
}
