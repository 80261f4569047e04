/* A function of an object that was built without heddle writes a global variable while its caller holds a lock that the
 * other thread takes as well. As of libraries nothing is said of it.
 * plain: helper.c
 * expect with --audit: VERIFIED no error in any schedule$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
void add(int *to, int n);
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *a)
{
    pthread_mutex_lock(&lock);
    add(&total, 2);
    pthread_mutex_unlock(&lock);
    return a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return pthread_join(t, NULL) || total != 3;
}
