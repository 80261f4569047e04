/* The right twin.
 * expect: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *change(void *text)
{
    memfrob(text, 4);
    return NULL;
}

int main(void)
{
    pthread_t t;
    char *text = malloc(4);
    pthread_create(&t, NULL, change, text);
    pthread_join(t, NULL);
    free(text);
    return 0;
}
