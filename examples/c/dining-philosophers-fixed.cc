// std::scoped_lock takes both forks without a deadlock, whatever the order.
// expect with -b 1 --cflags=-std=c++17: bounded
#include <mutex>
#include <thread>

static std::mutex forks[3];

static void philosopher(int i)
{
    std::scoped_lock both(forks[i], forks[(i + 1) % 3]);
}

int main()
{
    std::thread a(philosopher, 0), b(philosopher, 1), c(philosopher, 2);
    a.join();
    b.join();
    c.join();
}
