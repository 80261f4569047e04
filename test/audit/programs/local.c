/* A variable of main's own stack, which it handed to a thread.
 * expect: BOUNDED no error in any schedule, not fully observed: memfrob at local.c:\d+ writes memory, which T1 reads at local.c:\d+$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static void *look(void *text)
{
    return ((char *)text)[0] ? NULL : text;
}

int main(void)
{
    pthread_t a;
    char text[8] = "";
    pthread_create(&a, NULL, look, text);
    memfrob(text, sizeof text);
    pthread_join(a, NULL);
    return 0;
}
