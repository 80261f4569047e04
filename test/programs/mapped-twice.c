/* mremap() of no bytes maps shared memory at a second address, which is reported.
flags: -O1
expect: BOUNDED no error in any schedule, as far as it is under control
warns: it is mapped more than once
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

enum { SIZE = 4096 };
static int *first, *second;

static void *work(void *arg)
{
    *first = 1;
    return arg;
}

int main(void)
{
    pthread_t t;
    first = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    second = mremap(first, 0, SIZE, MREMAP_MAYMOVE);
    if (second == MAP_FAILED) return 1;
    pthread_create(&t, NULL, work, NULL);
    volatile int value = *second;
    pthread_join(t, NULL);
    return value == 2;
}
