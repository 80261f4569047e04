/* Compiler barriers, fences, hints and operands in a frame that nobody has the address of are no reason for a warning.
expect: VERIFIED no error in any schedule$
doctor: no call outside control
*/
#if defined __x86_64__
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
__attribute__((noinline)) static void *f(void *a)
{
    int local = 1;
    __asm__ volatile("" ::: "memory");
    __asm__ volatile("mfence" ::: "memory");
    __asm__ volatile("pause");
    __asm__ volatile("rep; nop" ::: "memory");
    __asm__ volatile("incl %0" : "+m"(local));
    n += local;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
}
#endif
