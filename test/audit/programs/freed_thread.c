/* The same in a thread, so that the execution is run once more for it.
 * expect: ERROR memory: (read|write) of 1 bytes beyond a heap block of 4 bytes
 * expect with --isolate=fork: ERROR memory: (read|write) of 1 bytes beyond a heap block of 4 bytes
 * expect with --audit=off: VERIFIED
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *change(void *text)
{
    memfrob(text, 5);
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
