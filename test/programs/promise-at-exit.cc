/* A promise that is made ready when its thread ends: the C++ library does that by code that is not instrumented. What
 * the thread did before is ordered before what the owner of the future does, and the last owner of the state destroys it.
flags: -O1 -std=c++17
expect: VERIFIED no error in any schedule
expect with -- task: VERIFIED no error in any schedule
expect with -- early: ERROR race: .* value
*/
#include <cassert>
#include <future>
#include <thread>
static int value;

static void fulfil(std::promise<int> p)
{
    p.set_value_at_thread_exit(3);
    value = 4;
}

int main(int argc, char **argv)
{
    bool is_early = argc > 1 && argv[1][0] == 'e';
    if (argc > 1 && !is_early) {
        std::packaged_task<int()> task([] { value = 4; return 3; });
        auto answer = task.get_future();
        std::thread t([](std::packaged_task<int()> own) { own.make_ready_at_thread_exit(); }, std::move(task));
        assert(answer.get() == 3 && value == 4);
        t.join();
        return 0;
    }
    std::promise<int> promise;
    auto answer = promise.get_future();
    std::thread t(fulfil, std::move(promise));
    if (is_early) value = 5;
    assert(answer.get() == 3 && value == 4);
    t.join();
}
