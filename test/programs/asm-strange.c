/* What else assembly may bring in.
expect with --sequential: BOUNDED no error in any schedule, as far as it is under control
doctor: asm-strange.c:10: inline assembly: brings in what does not repeat
doctor: asm-strange.c:11: inline assembly: a system call made directly goes past Heddle
doctor: asm-strange.c:12: inline assembly: accesses memory that nobody sees
*/
#if defined __x86_64__
static void strange(int *p, long pid)
{
    __asm__ volatile("rdtsc" ::: "rax", "rdx");
    __asm__ volatile("syscall" : "+a"(pid)::"rcx", "r11", "memory");
    __asm__ volatile("lock; addl $1, %0" : "+m"(*p)::"memory");
}
int main(void)
{
    static int n;
    strange(&n, 39);
}
#endif
