/* memfrob has no row in the runtime's tables: it writes what the other thread reads.
 * expect: BOUNDED no error in any schedule, not fully observed: memfrob at race.c:\d+ writes text\[0\], which T2 reads at race.c:\d+$
 * expect with --audit: BOUNDED no error in any schedule, not fully observed: memfrob
 * expect with --audit=off: VERIFIED no error in any schedule \(calls into code that is not observed: not audited with --audit=off\)$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char text[64];
int seen;

static void *change(void *unused)
{
    memfrob(text, 8);
    return unused;
}

static void *look(void *unused)
{
    seen = text[0];
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
