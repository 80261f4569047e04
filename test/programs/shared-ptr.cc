/* One pointer that a thread replaces while another reads it.
 * flags: -O1 -std=c++20
 * expect: VERIFIED no error in any schedule
 * compiler: g++
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

struct config { int a, b; };
static std::atomic<std::shared_ptr<config>> current{std::make_shared<config>(config{1, 1})};

int main()
{
    std::thread writer([] { current.store(std::make_shared<config>(config{2, 2})); });
    std::shared_ptr<config> seen = current.load();
    assert(seen->a == seen->b);
    writer.join();
    assert(current.load()->a == 2);
}
