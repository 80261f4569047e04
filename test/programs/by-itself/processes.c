/* Other processes and the world outside of a program that runs by itself: memory, mutexes and semaphores that two
 * processes share, one of which dies with the mutex; pipes, sockets, files, what is printed before the end. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
struct shared { pthread_mutex_t mutex, robust; sem_t done; int count; };
static int status_of(pid_t pid)
{
    int status;
    assert(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
static void *counts(void *a)
{
    struct shared *s = a;
    for (int i = 0; i < 10000; i++) {
        pthread_mutex_lock(&s->mutex);
        s->count++;
        pthread_mutex_unlock(&s->mutex);
    }
    sem_post(&s->done);
    return a;
}
static void shares(void)
{
    struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t attributes;
    pthread_t t;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&s->mutex, &attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&s->robust, &attributes);
    sem_init(&s->done, 1, 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_create(&t, NULL, counts, s);
        counts(s);
        pthread_join(t, NULL);
        pthread_mutex_lock(&s->robust);
        _exit(3);
    }
    counts(s);
    for (int i = 0; i < 3; i++) sem_wait(&s->done);
    int status = status_of(child);
    printf("counted %d, status %d, owner dead: %d\n", s->count, status, pthread_mutex_lock(&s->robust) == EOWNERDEAD);
}
static void *answers(void *a)
{
    char c;
    int fd = accept(*(int *)a, NULL, NULL);
    while (read(fd, &c, 1) == 1) assert(write(fd, &c, 1) == 1);
    close(fd);
    return a;
}
static void by_sockets(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    struct epoll_event event = {.events = EPOLLIN};
    char text[6] = "";
    pthread_t t;
    int server = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0), all = epoll_create1(0);
    assert(!bind(server, (struct sockaddr *)&here, sizeof here) && !listen(server, 1));
    assert(!getsockname(server, (struct sockaddr *)&here, &size) && here.sin_port);
    pthread_create(&t, NULL, answers, &server);
    assert(!connect(client, (struct sockaddr *)&here, sizeof here) && write(client, "hello", 5) == 5);
    epoll_ctl(all, EPOLL_CTL_ADD, client, &event);
    for (int n = 0; n < 5;) {
        assert(epoll_wait(all, &event, 1, 60000) == 1);
        n += (int)read(client, text + n, (size_t)(5 - n));
    }
    shutdown(client, SHUT_WR);
    pthread_join(t, NULL);
    printf("by sockets: %s\n", text);
}
static void with_files(void)
{
    char name[] = "/tmp/heddle-by-itself-XXXXXX", line[20] = "";
    int fd = mkstemp(name);
    assert(fd >= 0 && write(fd, "kept", 4) == 4 && !close(fd));
    FILE *f = popen("cat", "w"), *g = fopen(name, "r");
    assert(f && g && fgets(line, sizeof line, g) && !fclose(g) && !unlink(name));
    fflush(stdout);
    fprintf(f, "file: %s\n", line);
    printf("cat ends with %d\n", pclose(f));
    printf("sh ends with %d\n", WEXITSTATUS(system("exit 5")));
}
static void at_end(void) { puts("at the end"); }
int main(void)
{
    atexit(at_end);
    shares();
    by_sockets();
    with_files();
    return 7;
}
