/* A robust mutex tells who comes next that its owner has ended; it can be made good or is lost.
expect with -- good: VERIFIED no error in any schedule$
expect with --explore=optimal -- good: VERIFIED no error in any schedule$
expect with --verify -- good: VERIFIED no error in any schedule$
expect with -- lost: VERIFIED no error in any schedule$
expect with -- plain: ERROR deadlock
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m;
static int n;
static void *leave(void *a)
{
    int status = pthread_mutex_lock(&m);
    assert(status == 0 || status == ENOTRECOVERABLE);
    if (!status) n++;
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    if (strcmp(argv[1], "plain")) pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&m, &attr);
    pthread_create(&t, 0, leave, 0);
    pthread_join(t, 0);
    assert(pthread_mutex_lock(&m) == EOWNERDEAD && n == 1);
    if (!strcmp(argv[1], "good")) assert(!pthread_mutex_consistent(&m));
    assert(!pthread_mutex_unlock(&m));
    assert(pthread_mutex_lock(&m) == (strcmp(argv[1], "good") ? ENOTRECOVERABLE : 0));
}
