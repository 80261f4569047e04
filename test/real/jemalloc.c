/* jemalloc's own functions, as Debian has it.
needs: jemalloc/jemalloc.h
link: -ljemalloc
expect with -b 2: BOUNDED no error with at most 2 preemptions
*/
#include <jemalloc/jemalloc.h>
#define ALLOCATE(size) mallocx(size, 0)
#define FREE(block) dallocx(block, 0)
#include "allocator.h"
