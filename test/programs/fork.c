/* A child goes its own way, with or without exec; handlers of fork run; what replaces the program is its end; err() and
error() end it with their status.
expect with -- child: BOUNDED no error in any schedule, as far as it is under control
expect with -- exec: BOUNDED no error in any schedule, as far as it is under control
expect with -- replace: BOUNDED no error in any schedule, as far as it is under control
expect with -- err: ERROR exit: err\(3\) is called
expect with --exit=3 -- err: VERIFIED
expect with -- error: ERROR exit: error\(4\) is called
*/
#include <assert.h>
#include <err.h>
#include <error.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static atomic_int n;
static int prepared;
static void prepare(void) { prepared++; }
static void *f(void *a)
{
    n++;
    return a;
}
static int in_child(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    n++;
    pthread_join(t, 0);
    return n < 2;
}
static void run_child(int replaces)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (replaces) execlp("sh", "sh", "-c", "exit 0", (char *)0);
        exit(in_child());
    }
    assert(waitpid(pid, &status, 0) == pid && status == 0 && prepared == 1);
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_atfork(prepare, 0, 0);
    pthread_create(&t, 0, f, 0);
    if (!strcmp(argv[1], "child")) run_child(0);
    if (!strcmp(argv[1], "exec")) run_child(1);
    if (!strcmp(argv[1], "replace")) execlp("false", "false", (char *)0);
    if (!strcmp(argv[1], "err")) err(3, "trouble");
    if (!strcmp(argv[1], "error")) error(4, 0, "trouble");
    n++;
    pthread_join(t, 0);
}
