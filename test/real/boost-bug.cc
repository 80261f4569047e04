/* The same, with two producers in the ring.
needs: boost/lockfree/queue.hpp
flags: -O1 -std=c++17
expect: ERROR (race|assertion)
expect with --races=ignore: ERROR assertion: two.pop
*/
#define BUG
#include "boost.cc"
