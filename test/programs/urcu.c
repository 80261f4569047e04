/* liburcu's atomic operations and its wait-free stack without assembly.
needs: urcu/uatomic.h
flags: -D_URCU_ARCH_UATOMIC_X86_H -DUATOMIC_HAS_ATOMIC_BYTE -DUATOMIC_HAS_ATOMIC_SHORT -include urcu/uatomic/generic.h
expect with --volatile=atomic: VERIFIED no error in any schedule \(interleavings only
doctor: no call outside control
*/
#include <assert.h>
#include <pthread.h>
#include <urcu/uatomic.h>
static int lock, n, ready;
static void *f(void *a)
{
    while (uatomic_xchg(&lock, 1)) {}
    n++;
    uatomic_set(&lock, 0);
    uatomic_inc(&ready);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    while (uatomic_read(&ready) != 2) {}
    assert(n == 2);
    pthread_join(t, 0);
}
