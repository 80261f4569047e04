/* The exception of a task is destroyed by whoever drops it last, after all others have looked at it.
flags: -O0 -std=c++17
expect with -b 2: BOUNDED no error with at most 2 preemptions
*/
#include <cassert>
#include <future>
#include <string>
#include <thread>
struct Failure { std::string why; };
int main()
{
    std::packaged_task<int()> task([]() -> int { throw Failure{"a text that is too long to be kept in place"}; });
    auto result = task.get_future();
    std::thread t(std::move(task));
    try {
        result.get();
        assert(false);
    } catch (const Failure &f) {
        assert(f.why[0] == 'a');
    }
    t.join();
}
