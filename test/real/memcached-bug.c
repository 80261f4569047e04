/* The same, with items that nobody locks.
needs: memcached.h
compiler: gcc
flags: -O1 -I$REAL/memcached -DHAVE_CONFIG_H
link: $REAL/memcached/made/thread-bug.o $REAL/memcached/made/libmemcached.a -levent
expect with --races=explore --explore=pct --executions=5000: ERROR assertion: sum == 1 . 2
*/
#include "memcached.c"
