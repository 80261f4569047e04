// The pointer is atomic; storing it publishes what was written before.
// expect: verified
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct config { int value = 42; };
static std::atomic<config *> instance;
static std::mutex mutex;

static config *get()
{
    config *c = instance.load(std::memory_order_acquire);
    if (!c) {
        std::lock_guard<std::mutex> lock(mutex);
        c = instance.load(std::memory_order_relaxed);
        if (!c) instance.store(c = new config, std::memory_order_release);
    }
    return c;
}

int main()
{
    std::thread a([] { assert(get()->value == 42); });
    std::thread b([] { assert(get()->value == 42); });
    a.join();
    b.join();
}
