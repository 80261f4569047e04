/* expect: ERROR misuse: using a barrier that was destroyed
*/
#include <pthread.h>
static pthread_barrier_t b;
static void *f(void *a)
{
    pthread_barrier_wait(&b);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_barrier_init(&b, 0, 1);
    pthread_create(&t, 0, f, 0);
    pthread_barrier_wait(&b);
    pthread_barrier_destroy(&b);
    pthread_join(t, 0);
}
