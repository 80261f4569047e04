/* Executions longer than the limit cover nothing, whatever lies behind it.
expect with --executions=3: UNKNOWN no error in the 3 schedules explored; stopped after the number
expect with -b 0: UNKNOWN no error in the 2 schedules explored; executions were cut off by --max-steps
expect with -b 0 --max-steps=100000: ERROR assertion: 0
*/
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *f(void *a)
{
    for (int i = 0; i < 10000; i++) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    }
    assert(0);
    return a;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
