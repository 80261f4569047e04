/* Calls of two threads from one place, which was called before there were threads: they share bytes from the third
 * call of each thread on. With --audit=off the verdict says that there were calls.
 * expect with --audit: BOUNDED no error in any schedule, not fully observed: memfrob at two_calls.c:\d+ writes text\[16\], which (T\d|main) reads at two_calls.c:\d+$
 * expect with --audit=off: VERIFIED no error in any schedule \(calls into code that is not observed: not audited with --audit=off\)$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char text[64];

static void *change(void *from)
{
    for (int i = 0; i < 3; i++) memfrob((char *)from + 8 * i, 8);
    return from;
}

int main(void)
{
    pthread_t t;
    change(text);
    pthread_create(&t, NULL, change, text);
    change(text + 16);
    pthread_join(t, NULL);
    return 0;
}
