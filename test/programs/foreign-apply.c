/* A function that was built without heddle calls observed code back, which waits for a lock: the audit pauses.
 * plain: apply.c
 * expect with --audit: VERIFIED no error in any schedule$
 * expect with --audit=off: BOUNDED .*, not observed: apply\(\) in apply.o, built without heddle cc$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
int apply(int (*call)(int), int n);
static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int add(int n)
{
    pthread_mutex_lock(&lock);
    total += n;
    pthread_mutex_unlock(&lock);
    return n;
}

static void *work(void *a)
{
    int sum = apply(add, 1);
    return sum == 3 ? a : NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argv);
    if (argc == 1) add(3);
    return pthread_join(t, NULL) || total != 6;
}
