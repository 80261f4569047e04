/* The same without the lock.
needs: tbb/scalable_allocator.h
link: -ltbbmalloc
expect: ERROR race
*/
#define BUG
#include "tbbmalloc.c"
