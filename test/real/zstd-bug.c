/* The same, with signals that are lost.
needs: pool.h
flags: -O1 -I$REAL/libzstd/lib/common -DZSTD_MULTITHREAD
link: $REAL/libzstd/lib/common/zstd_common.c $REAL/libzstd/lib/common/error_private.c
expect: ERROR deadlock
*/
#define BUG
#include "zstd.c"
