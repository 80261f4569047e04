/* A latch and a barrier of two threads, whose implementation waits in loops that yield.
 * expect: VERIFIED no error in any schedule
 * flags: -std=c++20
 */
#include <barrier>
#include <cassert>
#include <latch>
#include <thread>
int main()
{
    std::latch ready(2);
    std::barrier sync(2);
    int a = 0, b = 0, s1 = 0, s2 = 0;
    std::thread t([&] { ready.arrive_and_wait(); a = 1; sync.arrive_and_wait(); s1 = b; }),
        u([&] { ready.arrive_and_wait(); b = 1; sync.arrive_and_wait(); s2 = a; });
    t.join();
    u.join();
    assert(s1 == 1 && s2 == 1);
}
