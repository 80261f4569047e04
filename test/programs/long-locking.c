/* Executions longer than the limit cover nothing, but their end is looked at: each goes on without switches that are
 * chosen. With an argument there is no error at the end, and the verdict claims nothing.
expect with --executions=3: ERROR assertion: 0 at .*\(0 preemptions, 20003 steps\)
expect with -b 0: ERROR assertion: 0
expect with -b 0 --max-steps=100000: ERROR assertion: 0
expect with --executions=3 -- fine: UNKNOWN no error in the 3 schedules explored; stopped after the number
expect with -b 0 -- fine: UNKNOWN no error in the 2 schedules explored; executions were cut off by --max-steps
expect with -b 0 --max-steps=100000 -- fine: BOUNDED no error with at most 0 preemptions
*/
#include <assert.h>
#include <pthread.h>
static int is_fine;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
    for (int i = 0; i < 10000; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    if (!is_fine) assert(0);
    return a;
}
int main(int count, char **words)
{
    is_fine = count > 1 && words[1];
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
