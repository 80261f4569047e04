/* Machine code in a constant array is not observed. Heddle links so that it cannot be run, whatever is asked for.
flags: -O1
link: -Wl,-z,noseparate-code
compiler: gcc
expect: ERROR crash: segmentation fault
*/
#include <pthread.h>

static int n;
const unsigned char code[] = {0xff, 0x07, 0xc3}; /* incl (%rdi); ret */

static void *work(void *arg)
{
    ((void (*)(int *))(void *)code)(&n);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    n++;
    pthread_join(t, NULL);
    return 0;
}
