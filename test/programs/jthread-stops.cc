/* A thread that waits on a condition variable and is asked to stop.
 * expect: VERIFIED no error in any schedule
 * flags: -std=c++20
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
int main()
{
    std::mutex m;
    std::condition_variable_any c;
    int items = 0, taken = 0;
    {
        std::jthread consumer([&](std::stop_token stop) {
            std::unique_lock lock(m);
            while (c.wait(lock, stop, [&] { return items > 0; })) {
                items--;
                taken++;
            }
        });
        {
            std::lock_guard lock(m);
            items = 1;
        }
        c.notify_one();
    }
    assert(items + taken == 1);
}
