/* With its assembly the way out is told.
needs: ck_spinlock.h
expect with --sequential: BOUNDED no error in any schedule, as far as it is under control
warns: compiled with -DCK_USE_CC_BUILTINS=1
*/
#include <ck_spinlock.h>
static ck_spinlock_t lock = CK_SPINLOCK_INITIALIZER;
int main(void)
{
    ck_spinlock_lock(&lock);
    ck_spinlock_unlock(&lock);
}
