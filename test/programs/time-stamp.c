/* The processor's counters do not repeat, also where the compiler writes the instruction.
 * flags: -O1
 * expect: BOUNDED no error in any schedule, .*as far as it is under control
 * warns: what does not repeat
 */
#include <pthread.h>
static volatile unsigned long long seen;
static void *works(void *a)
{
    unsigned which;
    seen = __builtin_ia32_rdtscp(&which);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, works, NULL);
    return pthread_join(t, NULL);
}
