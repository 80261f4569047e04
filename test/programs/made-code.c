/* Machine code that the program makes while it runs is not observed.
 * flags: -O1
 * expect: BOUNDED no error in any schedule, .*as far as it is under control
 * expect with -- protect: BOUNDED no error in any schedule, .*as far as it is under control
 * warns: makes machine code
 */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
static int n;
static void (*increments)(int *);
static void *works(void *a) { increments(&n); return a; }
int main(int argc, char **argv)
{
    static const unsigned char code[] = {0xff, 0x07, 0xc3}; /* incl (%rdi); ret */
    pthread_t t;
    (void)argv;
    int first = argc > 1 ? PROT_READ | PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC;
    void *page = mmap(NULL, 4096, first, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, code, sizeof code);
    if (argc > 1) mprotect(page, 4096, PROT_READ | PROT_EXEC);
    memcpy(&increments, &page, sizeof page);
    pthread_create(&t, NULL, works, NULL);
    works(NULL);
    return pthread_join(t, NULL);
}
