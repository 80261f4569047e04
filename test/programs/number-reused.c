/* A thread closes a descriptor twice. Another thread that opens a file in between gets the same number, and loses it.
 * expect: VERIFIED no error in any schedule
 * expect with --verify=swap: VERIFIED no error in any schedule
 * expect with -- twice: ERROR assertion: !close\(fd\) .*2 preemptions
 * expect with --explore=dpor -- twice: ERROR assertion: !close
 * expect with --explore=optimal -- twice: ERROR assertion: !close
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *opens(void *a)
{
    int fd = open("made", O_CREAT | O_WRONLY, 0600);
    assert(fd >= 0);
    assert(!close(fd));
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    int fd = open("/dev/null", O_RDONLY);
    (void)argv;
    pthread_create(&t, NULL, opens, NULL);
    close(fd);
    if (argc > 1) close(fd);
    pthread_join(t, NULL);
}
