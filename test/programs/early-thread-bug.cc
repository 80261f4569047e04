/* The same, with a request that is never made.
expect: ERROR deadlock
*/
#define BUG
#include "early-thread.cc"
