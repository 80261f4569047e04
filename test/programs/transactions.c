/* Transactional memory is not under control, and the verdict says so.
 * compiler: gcc
 * flags: -O0 -fgnu-tm
 * link: -fgnu-tm
 * expect: BOUNDED no error in any schedule, as far as it is under control \(see the warnings\)
 * warns: libitm: transactional memory
 */
#include <pthread.h>

static int x;

static void *add(void *unused)
{
    int old;
    __transaction_atomic { old = x; }
    __transaction_atomic { x = old + 1; }
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, add, NULL);
    add(NULL);
    pthread_join(t, NULL);
    return 0;
}
