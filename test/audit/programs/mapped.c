/* A library function writes to memory that the program mapped itself.
 * link: -lm
 * expect: BOUNDED no error in any schedule, not fully observed: remquo at mapped.c:\d+ writes memory, which main writes at mapped.c:\d+$
 */
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

static int *quotient;
static volatile double number = 3;

static void *divide(void *unused)
{
    number = remquo(number, 2, quotient);
    return unused;
}

int main(void)
{
    pthread_t t;
    quotient = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&t, NULL, divide, NULL);
    *quotient = 5;
    pthread_join(t, NULL);
    return 0;
}
