/* Each thread gives its own thread-local variable to a library function, and memory that it mapped.
 * link: -lm
 * expect: VERIFIED no error in any schedule$
 */
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

static _Thread_local int quotient;

static void *divide(void *unused)
{
    int *own = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile double number = 3;
    number = remquo(number, 2, &quotient);
    number = remquo(number, 2, own);
    munmap(own, 4096);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, divide, NULL);
    divide(NULL);
    pthread_join(t, NULL);
    return 0;
}
