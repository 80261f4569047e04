/* The same bytes under a common lock, and other bytes without one.
 * expect with --audit: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[64];

static void *change(void *own)
{
    memfrob(own, 8);
    pthread_mutex_lock(&lock);
    memfrob(text, 8);
    pthread_mutex_unlock(&lock);
    return own;
}

int main(void)
{
    pthread_t t;
    change(text + 8);
    pthread_create(&t, NULL, change, text + 16);
    change(text + 24);
    pthread_join(t, NULL);
    return 0;
}
