// Three philosophers, each takes the left fork first. One preemption is enough: the second stops after its first fork,
// then the first and the third run into each other by themselves.
// expect: deadlock, 1 preemption
#include <mutex>
#include <thread>

static std::mutex forks[3];

static void philosopher(int i)
{
    std::lock_guard<std::mutex> left(forks[i]);
    std::lock_guard<std::mutex> right(forks[(i + 1) % 3]);
}

int main()
{
    std::thread a(philosopher, 0), b(philosopher, 1), c(philosopher, 2);
    a.join();
    b.join();
    c.join();
}
