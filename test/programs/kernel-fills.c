/* The kernel writes into memory that the program has not written to yet, which is watched.
expect: VERIFIED no error in any schedule
expect with --isolate=keep: VERIFIED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>
static struct { _Alignas(4096) char at[4096]; } page[12];
static void *run(void *argument)
{
    assert(getcwd(page[0].at, 4096));
    assert(readlink("/proc/self/exe", page[1].at, 4096) > 0);
    assert(!getrusage(RUSAGE_SELF, (void *)page[2].at));
    assert(!getrlimit(RLIMIT_NOFILE, (void *)page[3].at));
    assert(!sysinfo((void *)page[4].at));
    assert(!sched_getaffinity(0, sizeof(cpu_set_t), (void *)page[5].at));
    assert(!sched_getparam(0, (void *)page[6].at));
    assert(!statfs("/", (void *)page[7].at));
    assert(!fstat(0, (void *)page[8].at));
    assert(!uname((void *)page[9].at));
    assert(!prlimit(0, RLIMIT_NOFILE, 0, (void *)page[10].at));
    return argument;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
}
