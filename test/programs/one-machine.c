/* What the system tells of itself: names of new files never coincide and repeat themselves, the parent is the same in
 * all executions; that only one processor and one sequence of random bytes were tried is said.
flags: -O1 -Wno-unused-result
expect: VERIFIED no error in any schedule$
expect with -- processor: VERIFIED no error in any schedule .not explored: threads that run on another processor
expect with -- random: VERIFIED no error in any schedule .not explored: other random numbers of the system.$
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static const char *mode = "";
static char names[2][24] = {"one-machine.XXXXXX", "one-machine.XXXXXX"};

static int is(const char *name) { return !strcmp(mode, name); }

static void make_all(void)
{
    char folder[] = "one-folder.XXXXXX", wrong[] = "one.XXXXX", behind[] = "one.XXXXXX.c";
    int fd = mkostemps(behind, 2, O_CLOEXEC);
    assert(fd >= 0 && !strcmp(behind + strlen(behind) - 2, ".c") && write(fd, "x", 1) == 1 && !close(fd));
    assert(mkdtemp(folder) && !access(folder, X_OK));
    assert(mkstemp(wrong) == -1 && errno == EINVAL);
}

static void *work(void *arg)
{
    if (is("processor")) assert(sched_getcpu() >= 0);
    if (is("random")) assert(*(char *)getauxval(AT_RANDOM) != 'q');
    assert(mkstemp(names[(long)arg]) >= 0);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    pid_t parent = getppid();
    make_all();
    pthread_create(&t, NULL, work, (void *)1);
    work(NULL);
    pthread_join(t, NULL);
    assert(strcmp(names[0], names[1]) && parent == getppid());
    return 0;
}
