/* A library function writes to a thread-local variable of another thread.
 * link: -lm
 * expect: BOUNDED no error in any schedule, not fully observed: calls that reach thread-local variables of another thread$
 */
#include <math.h>
#include <pthread.h>

static _Thread_local int quotient;
static volatile double number = 3;

static void *divide(void *into)
{
    number = remquo(number, 2, into);
    return into;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, divide, &quotient);
    quotient = 5;
    pthread_join(t, NULL);
    return 0;
}
