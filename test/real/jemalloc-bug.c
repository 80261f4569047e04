/* The same without the lock.
needs: jemalloc/jemalloc.h
link: -ljemalloc
expect: ERROR race
*/
#define BUG
#include "jemalloc.c"
