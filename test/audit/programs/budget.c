/* Call sites beyond the budget are counted, unless there is none.
 * expect: VERIFIED no error in any schedule \(calls into code that is not observed: 1 place not audited\)$
 * expect with --audit: VERIFIED no error in any schedule$
 * expect with --audit=off: VERIFIED no error in any schedule \(calls into code that is not observed: not audited with --audit=off\)$
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

static char text[8000];

/* It writes to every byte, which takes longer than 50 milliseconds. */
static void *convert(void *unused)
{
    memfrob(text, sizeof text);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, convert, NULL);
    pthread_join(t, NULL);
    return 0;
}
