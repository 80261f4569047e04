/* A thread closes a descriptor while another one is about to lock its file, or to wait for a message. The call may
 * come too late.
link: -lrt
expect: VERIFIED no error in any schedule
expect with -- flock: ERROR assertion: result >= 0
expect with -- range: ERROR assertion: result >= 0
expect with -- queue: ERROR assertion: result >= 0
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
static int descriptor;
static const char *what = "";

static void *work(void *arg)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
    char text[8];
    int result = 0;
    if (!strcmp(what, "flock")) result = flock(descriptor, LOCK_EX);
    else if (!strcmp(what, "range")) result = fcntl(descriptor, F_OFD_SETLKW, &range);
    else if (!strcmp(what, "queue")) result = (int)mq_receive(descriptor, text, sizeof text, NULL);
    else if (flock(descriptor, LOCK_EX)) assert(errno == EBADF);
    assert(result >= 0);
    return arg;
}

int main(int argc, char **argv)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    pthread_t t;
    if (argc > 1) what = argv[1];
    bool is_queue = !strcmp(what, "queue");
    descriptor = is_queue ? mq_open("/lock-closed", O_CREAT | O_RDWR, 0600, &attributes)
                          : open("lock-closed", O_CREAT | O_RDWR, 0600);
    assert(descriptor >= 0);
    if (is_queue) mq_send(descriptor, "a", 1, 0);
    pthread_create(&t, NULL, work, NULL);
    is_queue ? mq_close(descriptor) : close(descriptor);
    pthread_join(t, NULL);
    return 0;
}
