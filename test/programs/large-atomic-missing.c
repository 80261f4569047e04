/* The same without libatomic, without which the program cannot be built otherwise.
 * flags: -O1 -w
 * expect: UNKNOWN .* an atomic variable has a size for which a library locks: link with -latomic$
 */
#include "large-atomic.c"
