// The pointer is checked without the lock, and it is an ordinary variable: the check races with the initialisation.
// expect: race, 0 preemptions
#include <cassert>
#include <mutex>
#include <thread>

struct config { int value = 42; };
static config *instance;
static std::mutex mutex;

static config *get()
{
    if (!instance) {
        std::lock_guard<std::mutex> lock(mutex);
        if (!instance) instance = new config;
    }
    return instance;
}

int main()
{
    std::thread a([] { assert(get()->value == 42); });
    std::thread b([] { assert(get()->value == 42); });
    a.join();
    b.join();
}
