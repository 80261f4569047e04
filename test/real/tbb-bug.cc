/* The same, with a second producer whose element may come first.
needs: tbb/concurrent_queue.h
link: -ltbb -Wl,--no-as-needed -ltbbmalloc
expect: ERROR assertion: seen == 1
*/
#define BUG
#include "tbb.cc"
