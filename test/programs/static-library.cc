/* The C++ library as an archive: exceptions are thrown, caught, and handed to another thread.
flags: -O1 -std=c++17
link: -static-libstdc++
expect with --races=ignore -b 1: BOUNDED no error with at most 1 preemption
*/
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>
int main()
{
    std::packaged_task<int()> task([]() -> int { throw std::runtime_error("fails"); });
    auto result = task.get_future();
    std::thread t(std::move(task));
    bool failed = false;
    try {
        result.get();
    } catch (const std::exception &) {
        failed = true;
    }
    t.join();
    assert(failed);
}
