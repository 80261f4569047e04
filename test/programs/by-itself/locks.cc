// std::lock, shared pointers that are atomic, exceptions and futures of a program that runs by itself.
#include <atomic>
#include <chrono>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>
static std::mutex a, b;
static std::shared_mutex c;
static int x, y;
static thread_local int own = 1;
template <class First, class Second> static void together(First &first, Second &second)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            for (int n = 0; n < 2000; n++) {
                if (i % 2) {
                    std::scoped_lock all(first, second);
                    x++, y--;
                } else {
                    std::scoped_lock all(second, first);
                    x++, y--;
                }
                own++;
            }
        });
    for (auto &t : threads) t.join();
}
int main()
{
    together(a, b);
    together(a, c);
    auto wrong = std::async(std::launch::async, [] { throw std::runtime_error("thrown"); return 1; });
    try {
        wrong.get();
    } catch (const std::exception &e) {
        std::cout << e.what() << '\n';
    }
    std::promise<void> later;
    auto told = later.get_future();
    auto before = std::chrono::steady_clock::now();
    bool timed_out = told.wait_for(std::chrono::milliseconds(5)) == std::future_status::timeout;
    bool waited = std::chrono::steady_clock::now() - before >= std::chrono::milliseconds(5);
    later.set_value();
    told.wait();
    std::cout << x << ' ' << y << ' ' << own << ' ' << timed_out << ' ' << waited << '\n';
}
