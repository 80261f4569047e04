/* What comes in time may come too late.
flags: -O1 -std=c++20
expect: ERROR assertion: came .* \(0 preemptions
expect with --memory-model=sc --explore=dpor: ERROR assertion: came
*/
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>
int main()
{
    std::binary_semaphore s{0};
    std::thread t([&] { s.release(); });
    bool came = s.try_acquire_for(std::chrono::seconds(1));
    t.join();
    assert(came);
}
