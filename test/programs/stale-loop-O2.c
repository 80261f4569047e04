/* stale-loop.c, compiled in another way.
 * flags: -O2
 * expect with --explore=bpor: BOUNDED no error in any schedule, where
 * expect with --explore=dfs: BOUNDED no error in any schedule, where
 * expect with --explore=optimal: VERIFIED
 */
#include "stale-loop.c"
