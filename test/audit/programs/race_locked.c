/* The same under a lock.
 * expect: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64];
int seen;

static void *change(void *unused)
{
    pthread_mutex_lock(&lock);
    memfrob(text, 8);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *look(void *unused)
{
    pthread_mutex_lock(&lock);
    seen = text[0];
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, change, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
