/* Who changes an atomic and does not wake those up who wait for it: they may sleep for ever, although they looked, and looked again.
 * flags: -O1 -std=c++20
 * compiler: g++
 * expect with --verify: VERIFIED no error in any schedule
 * expect with --explore=dpor: VERIFIED no error in any schedule
 * expect with -- silent: ERROR deadlock: no thread can go on .*0 preemptions
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> ready;
static int value;

int main(int argc, char **)
{
    std::thread writer([argc] {
        value = 3;
        ready.store(1);
        if (argc == 1) ready.notify_one();
    });
    ready.wait(0);
    assert(value == 3);
    writer.join();
}
