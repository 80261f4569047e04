/* Loops that compilers would make of accesses to 32 bytes at once, which one of them does not instrument.
expect: ERROR race: (read|write) of
flags: -O3
*/
#include <pthread.h>
static double a[100], b[100];
#if defined __x86_64__
__attribute__((target("avx2")))
#endif
static void *f(void *p)
{
    for (int i = 0; i < 100; i++) a[i] += b[i];
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    a[50]++;
    pthread_join(t, 0);
}
