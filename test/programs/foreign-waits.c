/* A function that was built without heddle takes a lock itself, for which it may have to wait.
 * plain: apply.c
 * expect with --audit: VERIFIED no error in any schedule$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int apply_locked(pthread_mutex_t *lock, int *to, int n);
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *a)
{
    apply_locked(&lock, &total, 1);
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argv);
    pthread_mutex_lock(&lock);
    if (argc == 1) total += 2;
    pthread_mutex_unlock(&lock);
    return pthread_join(t, NULL) || total != 3;
}
