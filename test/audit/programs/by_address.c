/* Library functions that are called by addresses in variables, which are compared with the functions.
 * link: -lm
 * expect: BOUNDED no error in any schedule, not fully observed: remquo at by_address.c:\d+ writes quotient, which main writes at by_address.c:\d+$
 */
#include <assert.h>
#include <math.h>
#include <pthread.h>

static int quotient;
static double (*volatile divide_by)(double, double, int *) = remquo;

static void *divide(void *unused)
{
    volatile double number = 3;
    number = divide_by(number, 2, &quotient);
    return unused;
}

int main(void)
{
    pthread_t t;
    assert(divide_by == remquo);
    pthread_create(&t, NULL, divide, NULL);
    quotient = 5;
    pthread_join(t, NULL);
    return 0;
}
