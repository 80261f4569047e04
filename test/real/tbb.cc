/* oneTBB: its queue between two threads. Its allocator is linked, for otherwise it would be loaded anew by every execution.
needs: tbb/concurrent_queue.h
link: -ltbb -Wl,--no-as-needed -ltbbmalloc
expect with -b 2: BOUNDED no error with at most 2 preemptions
*/
#include <cassert>
#include <tbb/concurrent_queue.h>
#include <thread>
int main()
{
    tbb::concurrent_queue<int> queue;
    int seen = 0;
    std::thread t([&] {
        queue.push(1);
        queue.push(2);
    });
#ifdef BUG
    queue.push(3);
#endif
    while (!queue.try_pop(seen)) {}
    assert(seen == 1);
    t.join();
}
