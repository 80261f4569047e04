/* Named semaphores are names of this process and of this execution.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
static int n;
static void *f(void *a)
{
    sem_t *s = sem_open("/heddle", O_CREAT, 0600, 1);
    sem_wait(s);
    n++;
    sem_post(s);
    sem_close(s);
    return a;
}
int main(void)
{
    pthread_t t;
    assert(sem_open("/heddle", 0) == SEM_FAILED && errno == ENOENT);
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    assert(n == 2 && sem_open("/heddle", O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
    assert(!sem_unlink("/heddle") && sem_unlink("/heddle") < 0);
}
