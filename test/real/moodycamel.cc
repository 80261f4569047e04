/* moodycamel's queues: several producers, and one producer with one consumer.
needs: concurrentqueue/concurrentqueue.h
needs: readerwriterqueue/readerwriterqueue.h
flags: -O1 -std=c++17
expect with -b 1: BOUNDED no error with at most 1 preemption
*/
#include <cassert>
#include <concurrentqueue/concurrentqueue.h>
#include <readerwriterqueue/readerwriterqueue.h>
#include <thread>
int main()
{
    moodycamel::ConcurrentQueue<int> many;
    moodycamel::ReaderWriterQueue<int> two(4);
    std::thread t([&] {
        many.enqueue(1);
        two.enqueue(1);
        two.enqueue(2);
    });
#ifdef BUG
    two.enqueue(3);
#endif
    many.enqueue(2);
    int seen = 0, sum = 0;
    for (int i = 0; i < 2; i++) {
        while (!many.try_dequeue(seen)) {}
        sum += seen;
    }
    assert(sum == 3);
    for (int i = 1; i <= 2; i++) {
        while (!two.try_dequeue(seen)) {}
#ifndef BUG
        assert(seen == i);
#endif
    }
    t.join();
}
