/* What was made before fork() leads to the child: pipes in both directions, with what is in them already, a pair of
sockets, an eventfd. The child replaces itself, or goes on with what it has. Where the child waits for another thread of
the program, the one that waits for the child stops everybody: that is no error of the program.
expect with -- pipe: BOUNDED no error in any schedule, as far as it is under control
expect with -- exec: BOUNDED no error in any schedule, as far as it is under control
expect with -- pair: BOUNDED no error in any schedule, as far as it is under control
expect with -- messages: BOUNDED no error in any schedule, as far as it is under control
expect with -- eventfd: BOUNDED no error in any schedule, as far as it is under control
expect with -- wrong: ERROR assertion
expect with -- stuck: UNKNOWN the program cannot be explored: a thread waits for another process
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int n;
static int late[2];
static void *count(void *a)
{
    n++;
    return a;
}
static void *tell(void *a)
{
    n++;
    assert(write(late[1], "t", 1) == 1);
    return a;
}
static void end_of(pid_t pid)
{
    int status;
    assert(waitpid(pid, &status, 0) == pid && status == 0);
}
static void by_pipe(int replaces)
{
    int there[2], back[2];
    char text[8] = "";
    assert(!pipe(there) && !pipe(back));
    assert(write(there[1], "ab", 2) == 2);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(there[0], 0);
        dup2(back[1], 1);
        close(there[0]), close(there[1]), close(back[0]), close(back[1]);
        if (replaces) execlp("cat", "cat", (char *)0);
        for (ssize_t got; (got = read(0, text, 1)) == 1;) assert(write(1, text, 1) == 1);
        _exit(0);
    }
    close(there[0]), close(back[1]);
    assert(write(there[1], "c", 1) == 1);
    close(there[1]);
    for (size_t got = 0; got < 3; got++) assert(read(back[0], text + got, 1) == 1);
    assert(!strcmp(text, "abc") && read(back[0], text, 1) == 0);
    close(back[0]);
    end_of(pid);
}
static void by_pair(int type)
{
    int ends[2];
    char text[8] = "";
    assert(!socketpair(AF_UNIX, type, 0, ends));
    assert(write(ends[0], "one", 3) == 3);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        _exit(read(ends[1], text, 3) != 3 || write(ends[1], text, 2) != 2);
    }
    close(ends[1]);
    assert(read(ends[0], text, 4) == 2 && !strcmp(text, "on"));
    end_of(pid);
}
static void by_eventfd(void)
{
    eventfd_t value;
    int fd = eventfd(2, 0);
    pid_t pid = fork();
    if (pid == 0) _exit(eventfd_read(fd, &value) || value != 2 || eventfd_write(fd, 5));
    end_of(pid);
    assert(!eventfd_read(fd, &value) && value == 5);
}
static void stuck(pthread_t *t)
{
    char c;
    int back[2];
    assert(!pipe(late) && !pipe(back));
    pid_t pid = fork();
    if (pid == 0) _exit(read(late[0], &c, 1) != 1 || write(back[1], &c, 1) != 1);
    pthread_create(t, 0, tell, 0);
    assert(read(back[0], &c, 1) == 1);
    end_of(pid);
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    assert(argc == 2);
    const char *what = argv[1];
    int is_stuck = !strcmp(what, "stuck");
    if (is_stuck) stuck(&u);
    pthread_create(&t, 0, count, 0);
    if (!strcmp(what, "pipe")) by_pipe(0);
    if (!strcmp(what, "exec")) by_pipe(1);
    if (!strcmp(what, "pair")) by_pair(SOCK_STREAM);
    if (!strcmp(what, "messages")) by_pair(SOCK_SEQPACKET);
    if (!strcmp(what, "eventfd")) by_eventfd();
    n++;
    pthread_join(t, 0);
    if (is_stuck) pthread_join(u, 0);
    assert(strcmp(what, "wrong"));
}
