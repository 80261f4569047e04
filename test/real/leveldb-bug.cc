/* The same, with a cache that does not lock.
needs: leveldb/db.h
compiler: g++
flags: -O1 -std=c++17 -I$REAL/leveldb -I$REAL/leveldb/include -I$REAL/leveldb/made -DLEVELDB_PLATFORM_POSIX=1
link: $REAL/leveldb/made/libleveldb.a
expect: ERROR race: .*cache.cc
*/
#define BUG
#include "leveldb.cc"
