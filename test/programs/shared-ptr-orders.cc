/* What a std::atomic<std::shared_ptr> orders. A store publishes what its thread has written; a load publishes nothing,
 * although it takes the lock inside of the class and gives it back; nor does that race. What relaxed operations order is
 * the library's own.
 * flags: -O1 -std=c++20
 * expect with -- store: VERIFIED no error in any schedule( .not explored: failures of weak.*)?$
 * expect with -- release: VERIFIED no error in any schedule( .not explored: failures of weak.*)?$
 * expect with -- exchange: VERIFIED no error in any schedule( .not explored: failures of weak.*)?$
 * expect with -- weak: VERIFIED no error in any schedule( .not explored: failures of weak.*)?$
 * expect with -- load: ERROR race
 * expect with -- read: VERIFIED no error in any schedule( .not explored: failures of weak.*)?$
 * expect with -- failure: ERROR race
 * expect with -- relaxed: BOUNDED .*under control
 */
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

static std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
static std::atomic<std::weak_ptr<int>> weak;
static std::atomic<int> flag;
static int data;

static void publish(const std::string &how)
{
    auto other = std::make_shared<int>(3);
    data = 1;
    if (how == "store") shared.store(std::make_shared<int>(2));
    if (how == "release") shared.store(std::make_shared<int>(2), std::memory_order_release);
    if (how == "relaxed") shared.store(std::make_shared<int>(2), std::memory_order_relaxed);
    if (how == "exchange") shared.exchange(std::make_shared<int>(2), std::memory_order_acq_rel);
    if (how == "weak") weak.store(shared.load());
    if (how == "load" || how == "read") shared.load(std::memory_order_acquire);
    if (how == "failure") shared.compare_exchange_strong(other, other, std::memory_order_acq_rel);
    flag.store(1, std::memory_order_relaxed);
}

int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "store";
    std::thread t(publish, how);
    if (how == "weak") {
        if (auto seen = weak.load().lock()) assert(data == 1 && *seen == 1);
    } else if (how == "load" || how == "failure" || how == "read") {
        if (flag.load(std::memory_order_relaxed)) {
            auto old = shared.exchange(nullptr);
            if (how != "read") assert(data == 1);
        }
    } else {
        auto order = how == "release" ? std::memory_order_acquire : std::memory_order_seq_cst;
        auto seen = shared.load(how == "relaxed" ? std::memory_order_relaxed : order);
        if (*seen == 2) assert(data == 1);
    }
    t.join();
    return 0;
}
