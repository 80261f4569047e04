/* What the kernel knows of a process is not put back after an execution, and the verdict says so. What is done
before there are threads is done once, and no reason for a word.
expect: BOUNDED no error in any schedule, as far as it is under control
warns: process-state.c:19: warning: umask: what it changes is not undone after an execution
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>
static atomic_int x;
static void *run(void *argument) { x = 1; return argument; }
int main(void)
{
    pthread_t t;
    assert(!chdir("/"));
    pthread_create(&t, 0, run, 0);
    int seen = x;
    unsigned before = umask(027);
    pthread_join(t, 0);
    assert(!seen || before == 027);
}
