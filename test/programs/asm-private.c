/* Members and elements of variables in a function's own frame, which the instrumentation is told of, but nobody else.
flags: -O0
compiler: gcc
expect: VERIFIED no error in any schedule$
doctor: no call outside control
*/
#if defined __x86_64__
#include <pthread.h>
static int probe(int a)
{
    unsigned short word;
    int four[4] = {a};
    struct { long x, y; } pair = {a, a};
    __asm__ volatile("fnstcw %0" : "=m"(word));
    __asm__ volatile("incl %0" : "+m"(four[1]));
    __asm__ volatile("incq %0" : "+m"(pair.y));
    return word + four[1] + (int)pair.y;
}
static void *f(void *a) { return (void *)(long)probe((int)(long)a); }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
}
#endif
