/* Message queues are names of this process and of this execution; the highest priority comes first.
link: -lrt
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
static int handed;
static void *producer(void *a)
{
    mqd_t q = mq_open("/heddle", O_WRONLY);
    assert(q >= 0);
    handed = 5;
    for (int i = 1; i <= 3; i++) assert(!mq_send(q, (char[]){(char)i}, 1, 0)); /* there is room for two */
    assert(!mq_close(q));
    return a;
}
int main(void)
{
    pthread_t t;
    char text[4];
    unsigned priority;
    struct mq_attr room = {.mq_maxmsg = 2, .mq_msgsize = 4}, now;
    assert(mq_open("/heddle", O_RDWR) < 0 && errno == ENOENT);
    mqd_t q = mq_open("/heddle", O_RDWR | O_CREAT, 0600, &room);
    assert(q >= 0 && mq_open("/heddle", O_RDWR | O_CREAT | O_EXCL, 0600, &room) < 0 && errno == EEXIST);
    assert(!mq_send(q, "low", 4, 1) && !mq_send(q, "top", 4, 2));
    assert(mq_receive(q, text, 3, 0) < 0 && errno == EMSGSIZE);
    assert(mq_receive(q, text, 4, &priority) == 4 && !strcmp(text, "top") && priority == 2);
    assert(mq_receive(q, text, 4, &priority) == 4 && !strcmp(text, "low") && priority == 1);
    struct pollfd p = {.fd = q, .events = POLLIN};
    assert(poll(&p, 1, 0) == 0);
    assert(mq_timedreceive(q, text, 4, 0, &(struct timespec){1, 0}) < 0 && errno == ETIMEDOUT);
    pthread_create(&t, 0, producer, 0);
    for (int i = 1; i <= 3; i++) assert(mq_receive(q, text, 4, 0) == 1 && text[0] == i && handed == 5);
    pthread_join(t, 0);
    assert(!mq_getattr(q, &now) && now.mq_curmsgs == 0 && now.mq_maxmsg == 2);
    assert(!mq_setattr(q, &(struct mq_attr){.mq_flags = O_NONBLOCK}, 0));
    assert(mq_receive(q, text, 4, 0) < 0 && errno == EAGAIN);
    assert(!mq_unlink("/heddle") && mq_unlink("/heddle") < 0 && !mq_close(q));
}
