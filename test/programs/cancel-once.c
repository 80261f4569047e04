/* What is done once is done by the next one if the first is cancelled on the way.
expect with -- 2: ERROR assertion: begun != wrong
expect: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int begun, done;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void)
{
    begun++;
    pthread_testcancel();
    done++;
}
static void *work(void *a) { return pthread_once(&once, begin), a; }
int main(int argc, char **argv)
{
    int wrong = argc > 1 ? atoi(argv[1]) : 3;
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_cancel(t);
    pthread_once(&once, begin);
    pthread_join(t, 0);
    assert(done == 1 && begun >= 1);
    assert(begun != wrong);
}
