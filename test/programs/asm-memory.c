/* Increments by assembly, which no compiler instruments: lost updates are not seen, and the verdict says so.
expect: BOUNDED no error in any schedule, as far as it is under control
warns: asm-memory.c:13: warning: inline assembly: accesses memory that nobody sees
warns: 2 statements are not instrumented, and outside control
doctor: asm-memory.c:14: inline assembly: accesses memory that nobody sees
*/
#if defined __x86_64__
#include <pthread.h>
static int n;
static void *f(void *a)
{
    int r;
    __asm__ volatile("movl %1, %0" : "=r"(r) : "m"(n));
    __asm__ volatile("movl %1, %0" : "=m"(n) : "r"(r + 1));
    return a;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}
#endif
