/* Who is cancelled and signalled may be cancelled, or go on.
expect with -- 0: ERROR assertion: result != wrong
expect with -- 1: ERROR assertion: result != wrong
expect: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_there;
static void gives_back(void *a) { (void)a, pthread_mutex_unlock(&m); }
static void *waits(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(gives_back, 0);
    while (!is_there) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    void *result, *wrong = argc < 2 ? argv : argv[1][0] == '0' ? 0 : PTHREAD_CANCELED;
    pthread_create(&t, 0, waits, 0);
    pthread_mutex_lock(&m);
    pthread_cancel(t);
    is_there = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, &result);
    assert(result != wrong);
}
