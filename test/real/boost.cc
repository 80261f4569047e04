/* Boost's lock-free queue with two producers, and its ring with one. The free list of the queue reads what another thread may have taken
already, and then throws it away: to C++ that is a race.
needs: boost/lockfree/queue.hpp
flags: -O1 -std=c++17
expect with --races=ignore -b 1: BOUNDED no error with at most 1 preemption
*/
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cassert>
#include <thread>
int main()
{
    boost::lockfree::queue<int, boost::lockfree::capacity<4>> many;
    boost::lockfree::spsc_queue<int, boost::lockfree::capacity<4>> two;
    std::thread t([&] {
        many.push(1);
        two.push(1);
    });
    many.push(2);
#ifdef BUG
    two.push(2);
#endif
    int seen = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        while (!many.pop(seen)) {}
        sum += seen;
    }
    assert(sum == 3);
    while (!two.pop(seen)) {}
    t.join();
#ifdef BUG
    assert(two.pop(seen));
#endif
}
