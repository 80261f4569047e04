/* gettid() is another number in each thread, the process's in the first, the same however it is asked for.
expect: VERIFIED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
static pid_t ids[2];
static void *worker(void *a)
{
    *(pid_t *)a = gettid();
    assert(*(pid_t *)a == syscall(SYS_gettid) && *(pid_t *)a != getpid());
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &ids[i]);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    assert(gettid() == getpid() && ids[0] != ids[1]);
    return 0;
}
