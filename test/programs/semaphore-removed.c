/* A System V semaphore is removed while another thread waits for it, or before that thread calls.
expect: VERIFIED no error in any schedule
expect with -- waiting: ERROR assertion: error == EIDRM
expect with -- before and: ERROR assertion: error == EINVAL
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>
static int set, expected;

static void *work(void *arg)
{
    int result = semop(set, &(struct sembuf){0, -1, 0}, 1), error = errno;
    assert(result == -1);
    if (expected == 0) assert(error == EIDRM || error == EINVAL);
    if (expected == 1) assert(error == EIDRM);
    if (expected == 2) assert(error == EINVAL);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    expected = argc - 1;
    set = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&t, NULL, work, NULL);
    semctl(set, 0, IPC_RMID);
    pthread_join(t, NULL);
    return 0;
}
