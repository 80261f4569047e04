/* The same, with a block that is written while another thread frees it.
needs: mimalloc.h
flags: -O1 -I$REAL/mimalloc/include -DMI_MALLOC_OVERRIDE=0 -DMI_TRACK_VALGRIND=0
link: $REAL/mimalloc/src/static.c
expect: ERROR race
*/
#define BUG
#include "mimalloc.c"
