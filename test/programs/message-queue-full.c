/* Two threads that fill each other's queue before they empty their own.
link: -lrt
expect: ERROR deadlock
*/
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
static mqd_t q[2];
static void *f(void *a)
{
    char text[4];
    int me = a != 0;
    for (int i = 0; i < 2; i++) mq_send(q[!me], "x", 1, 0);
    for (int i = 0; i < 2; i++) mq_receive(q[me], text, sizeof text, 0);
    return a;
}
int main(void)
{
    pthread_t t;
    struct mq_attr room = {.mq_maxmsg = 1, .mq_msgsize = 4};
    q[0] = mq_open("/one", O_RDWR | O_CREAT, 0600, &room);
    q[1] = mq_open("/two", O_RDWR | O_CREAT, 0600, &room);
    pthread_create(&t, 0, f, &q);
    f(0);
    pthread_join(t, 0);
}
