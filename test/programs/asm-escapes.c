/* Assembly on variables of a function's own frame of which other threads have the address, on those of a thread's own,
by bit, by numbers, and with the base pointer as a register like others: all of it is named.
flags: -O2 -fomit-frame-pointer
expect: BOUNDED no error in any schedule, as far as it is under control
warns: asm-escapes.c:27: warning: inline assembly: accesses memory that nobody sees
warns: asm-escapes.c:28: warning: inline assembly: accesses memory that nobody sees
warns: asm-escapes.c:29: warning: inline assembly: accesses memory that nobody sees
warns: asm-escapes.c:30: warning: inline assembly: accesses memory that nobody sees
warns: asm-escapes.c:40: warning: inline assembly: accesses memory that nobody sees
*/
#if defined __x86_64__
#include <pthread.h>
static _Thread_local int own;
static int shared;
struct pair { int first, second; };
static void *reads(void *p)
{
    struct pair *pair = p;
    __atomic_fetch_add(&pair->second, 1, __ATOMIC_SEQ_CST);
    return 0;
}
__attribute__((noinline)) static int escapes(int *tls)
{
    pthread_t t;
    struct pair pair = {0, 0};
    pthread_create(&t, 0, reads, &pair);
    __asm__ volatile("incl %0" : "+m"(pair.second));
    __asm__ volatile("incl %0" : "+m"(own));
    __asm__ volatile("lock; btsl $3, %0" : "+m"(shared));
    __asm__ volatile(".byte 0x0f, 0x1f, 0x00");
    pthread_join(t, 0);
    return pair.second + *tls;
}
__attribute__((noinline)) static int other_base(int *p)
{
    /* The compiler has the base pointer for its own use. */
    register int *base __asm__("rbp") = p;
    __asm__ volatile("" : "+r"(base));
    int n = 1;
    __asm__ volatile("incl %0" : "+m"(*base));
    return n;
}
int main(void)
{
    return escapes(&own) > 9 || other_base(&shared) > 9;
}
#endif
