/* A server that counts its visitors, a thread for each. With two at once one may be lost:
 *
 *     heddle check visitors.c --input=visitors.input */
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static atomic_int visitors;

static void *serve(void *connection)
{
    int fd = (int)(intptr_t)connection;
    char line[6];
    if (read(fd, line, sizeof line) > 0) {
        int before = visitors;
        visitors = before + 1;
        write(fd, "welcome\n", 8);
    }
    close(fd);
    return 0;
}

static void stop(int signal)
{
    assert(visitors == 2);
    _exit(0);
}

int main(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(8080)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    signal(SIGTERM, stop);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 5)) return 1;
    for (;;) {
        pthread_t thread;
        int fd = accept(listener, 0, 0);
        if (fd < 0) continue;
        pthread_create(&thread, 0, serve, (void *)(intptr_t)fd);
        pthread_detach(thread);
    }
}
