/* expect: UNKNOWN the program cannot be explored: it calls aio_read\(\), which is asynchronous input or output
*/
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>

static char text[10];

static void *run(void *p) { return p; }

int main(void)
{
    pthread_t t;
    struct aiocb request = {.aio_fildes = open("/etc/passwd", O_RDONLY), .aio_buf = text, .aio_nbytes = sizeof text};
    const struct aiocb *all[] = {&request};
    pthread_create(&t, 0, run, 0);
    aio_read(&request);
    aio_suspend(all, 1, 0);
    pthread_join(t, 0);
    return 0;
}
