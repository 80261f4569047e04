/* The same, with two producers in the queue that is made for one.
needs: concurrentqueue/concurrentqueue.h
needs: readerwriterqueue/readerwriterqueue.h
flags: -O1 -std=c++17
expect: ERROR assertion: !inSection
*/
#define BUG
#include "moodycamel.cc"
