/* oneTBB's allocator, as Debian has it.
needs: tbb/scalable_allocator.h
link: -ltbbmalloc
expect: BOUNDED no error in any schedule, where a thread yields
*/
#include <tbb/scalable_allocator.h>
#define ALLOCATE(size) scalable_malloc(size)
#define FREE(block) scalable_free(block)
#include "allocator.h"
