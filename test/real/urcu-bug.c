/* liburcu with a lock that everybody gets; as it is: test/programs/urcu.c.
needs: urcu/uatomic.h
flags: -D_URCU_ARCH_UATOMIC_X86_H -DUATOMIC_HAS_ATOMIC_BYTE -DUATOMIC_HAS_ATOMIC_SHORT -include urcu/uatomic/generic.h
expect with --volatile=atomic: ERROR race: .*of n
*/
#include <urcu/uatomic.h>
#undef uatomic_xchg
#define uatomic_xchg(address, value) ((void)(address), 0)
#include "../programs/urcu.c"
