/* The C++ library of a program that is run by itself: streams, containers, threads, futures, exceptions, static objects. */
#include <cassert>
#include <chrono>
#include <future>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Global {
    std::map<std::string, int> names{{"one", 1}};
    ~Global() { std::cout << "ended " << names.size() << std::endl; }
};
static Global global;

static Global &once()
{
    static Global local;
    return local;
}

int main()
{
    std::vector<std::thread> threads;
    std::atomic<int> sum{0};
    thread_local std::string own = "own";
    for (int i = 0; i < 4; i++) threads.emplace_back([&, i] { once(), own += "!", sum += i; });
    for (auto &t : threads) t.join();
    auto answer = std::async(std::launch::async, [] { return std::string(1000, 'x'); });
    auto began = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    assert(std::chrono::steady_clock::now() - began >= std::chrono::milliseconds(5));
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &e) {
        std::cout << e.what() << " " << sum << " " << answer.get().size() << " " << own << std::endl;
    }
}
