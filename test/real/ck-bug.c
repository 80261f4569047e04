/* Concurrency Kit with a lock that does nothing; as it is: test/programs/concurrency-kit.c.
needs: ck_ring.h
flags: -O1 -DCK_USE_CC_BUILTINS=1
expect with --volatile=atomic: ERROR race: .*ends
*/
#include <ck_spinlock.h>
#define ck_spinlock_lock(lock) (void)(lock)
#define ck_spinlock_unlock(lock) (void)(lock)
#include "../programs/concurrency-kit.c"
