/* A thread that the constructor of a global object starts, and its destructor joins; another one is left to itself.
expect: VERIFIED no error in any schedule
expect with --isolate=fork: VERIFIED no error in any schedule
*/
#include <cassert>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
static thread_local int own = 3;
struct worker {
    std::mutex lock;
    std::condition_variable changed;
    int asked = 0, done = 0;
    std::thread thread{[this] {
        std::unique_lock<std::mutex> held(lock);
        assert(own == 3);
        changed.wait(held, [this] { return asked != 0; });
        done = asked;
        changed.notify_all();
    }};
    ~worker() { thread.join(); }
};
static std::atomic<int> left;
static worker one;
struct leaver {
    leaver() { std::thread([] { left = 1; }).detach(); }
};
static leaver other;
int main()
{
    std::unique_lock<std::mutex> held(one.lock);
#ifndef BUG
    one.asked = 7;
    one.changed.notify_all();
#endif
    own = 4;
    one.changed.wait(held, [] { return one.done != 0; });
    assert(one.done == 7);
}
