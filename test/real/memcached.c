/* memcached: a server with two workers and two clients in the same process, which count a key up. From source. Its
clock and its statistics race as they are. Items are large (-n), because a page is cut into items one after the other,
each of which may be a scheduling point.
needs: memcached.h
compiler: gcc
flags: -O1 -I$REAL/memcached -DHAVE_CONFIG_H
link: $REAL/memcached/made/libmemcached.a -levent
expect with --races=ignore --executions=300: UNKNOWN no error in
expect with --races=explore --explore=pct --executions=1000: UNKNOWN no error in
*/
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int memcached_main(int argc, char **argv);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ended, sum;
static void say(int fd, const char *text, char *answer, size_t size)
{
    size_t n = 0;
    assert(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    while (n < 2 || memcmp(answer + n - 2, "\r\n", 2)) {
        ssize_t got = read(fd, answer + n, size - n);
        assert(got > 0);
        n += (size_t)got;
    }
    answer[n] = 0;
}
static void *client(void *a)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(11399)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char answer[256];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    while (connect(fd, (struct sockaddr *)&to, sizeof to)) sched_yield();
    say(fd, "add k 0 0 1\r\n0\r\n", answer, sizeof answer - 1);
    say(fd, "incr k 1\r\n", answer, sizeof answer - 1);
    close(fd);
    pthread_mutex_lock(&lock);
    sum += atoi(answer);
    if (++ended == 2) {
        assert(sum == 1 + 2);
        _exit(0);
    }
    pthread_mutex_unlock(&lock);
    return a;
}
int main(void)
{
    char *words[] = {"memcached", "-u", "root", "-l", "127.0.0.1", "-p", "11399", "-U", "0", "-t", "2", "-m", "8",
                     "-n", "4096", "-o", "no_hashexpand,no_lru_crawler,no_lru_maintainer,no_slab_reassign", 0};
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, client, 0);
    return memcached_main(sizeof words / sizeof *words - 1, words);
}
