/* Each thread has its buffer: silence.
 * expect: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char text[2][8];

static void *change(void *own)
{
    memfrob(own, sizeof text[0]);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, change, text[0]);
    pthread_create(&b, NULL, change, text[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return text[0][0] != text[1][0];
}
