// One small program per type of the C++ library that is under control; used like control.c.
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int plain;
static std::atomic<int> seen;

static void std_thread()
{
    std::thread t([] { seen++; });
    std::thread u([] { seen++; });
    t.join();
    u.join();
    assert(seen == 2);
}

static void std_thread_not_joined() { std::thread t([] { seen++; }); }

static std::mutex mutex;
static void add()
{
    std::lock_guard<std::mutex> lock(mutex);
    plain++;
}
static void std_mutex()
{
    std::thread t(add), u(add);
    t.join();
    u.join();
    assert(plain == 2);
}

static void std_recursive_mutex()
{
    static std::recursive_mutex m;
    auto twice = [] {
        std::lock_guard<std::recursive_mutex> one(m);
        std::lock_guard<std::recursive_mutex> two(m);
        plain++;
    };
    std::thread t(twice), u(twice);
    t.join();
    u.join();
    assert(plain == 2);
}

static void std_timed_mutex()
{
    static std::timed_mutex m;
    auto attempt = [] {
        if (m.try_lock_for(std::chrono::seconds(1))) {
            plain++;
            m.unlock();
        } else {
            seen++;
        }
    };
    std::thread t(attempt), u(attempt);
    t.join();
    u.join();
    assert(plain + seen == 2);
}

static void std_shared_mutex()
{
    static std::shared_mutex m;
    auto reader = [] {
        std::shared_lock<std::shared_mutex> lock(m);
        assert(plain == 0 || plain == 2);
    };
    std::thread t(reader), u([] {
        std::unique_lock<std::shared_mutex> lock(m);
        plain++;
        plain++;
    });
    reader();
    t.join();
    u.join();
}

static void std_condition_variable()
{
    static std::condition_variable c;
    std::thread t([] {
        std::unique_lock<std::mutex> lock(mutex);
        c.wait(lock, [] { return plain == 1; });
        plain = 2;
    });
    {
        std::lock_guard<std::mutex> lock(mutex);
        plain = 1;
    }
    c.notify_one();
    t.join();
    assert(plain == 2);
}

static void std_condition_variable_lost()
{
    static std::condition_variable c;
    std::thread t([] {
        std::unique_lock<std::mutex> lock(mutex);
        c.wait(lock);
    });
    c.notify_one();
    t.join();
}

static void std_condition_variable_timed()
{
    static std::condition_variable c;
    std::thread t([] {
        std::unique_lock<std::mutex> lock(mutex);
        if (c.wait_for(lock, std::chrono::hours(1)) == std::cv_status::timeout) seen = 1;
    });
    c.notify_one();
    t.join();
    assert(!seen);
}

static void std_once_flag()
{
    static std::once_flag flag;
    auto f = [] {
        std::call_once(flag, [] { plain++; });
        assert(plain == 1);
    };
    std::thread t(f), u(f);
    t.join();
    u.join();
}

struct slow { int value; slow() : value(3) { seen++; } };
static int get_static()
{
    static slow s;
    return s.value;
}
static void static_initialisation()
{
    std::thread t(get_static), u(get_static);
    t.join();
    u.join();
    assert(seen == 1);
}

static void std_async()
{
    auto f = std::async(std::launch::async, [] { return 6; });
    assert(f.get() * 7 == 42);
}

static void std_future()
{
    std::promise<int> p;
    auto f = p.get_future();
    std::thread t([&p] { p.set_value(5); });
    assert(f.get() == 5);
    t.join();
}

static void std_future_exception()
{
    auto f = std::async(std::launch::async, []() -> int { throw std::runtime_error("bad"); });
    try {
        f.get();
        assert(!"the exception comes out of get()");
    } catch (const std::runtime_error &e) {
        assert(!strcmp(e.what(), "bad"));
    }
}

static void std_atomic()
{
    static std::atomic<long> x{5};
    std::thread t([] { x.fetch_add(2); });
    long expected = 5;
    x.compare_exchange_strong(expected, 10);
    t.join();
    assert(x == 12 || x == 7);
}

static void std_atomic_both()
{
    static std::atomic<long> x{5};
    std::thread t([] { x.fetch_add(2); });
    long expected = 5;
    x.compare_exchange_strong(expected, 10);
    t.join();
    assert(x == 12);
}

static void std_atomic_wait()
{
    std::thread t([] {
        seen = 1;
        seen.notify_one();
    });
    seen.wait(0);
    assert(seen == 1);
    t.join();
}

static void std_atomic_wait_lost()
{
    std::thread t([] { seen = 1; });
    seen.wait(0);
    t.join();
}

static void std_jthread()
{
    std::jthread t([](std::stop_token stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
    });
    t.request_stop();
}

static void std_latch()
{
    static std::latch done(2);
    std::thread t([] { seen++, done.count_down(); }), u([] { seen++, done.count_down(); });
    done.wait();
    assert(seen == 2);
    t.join();
    u.join();
}

static void std_barrier()
{
    static std::barrier<> meet(2);
    std::thread t([] {
        seen++;
        meet.arrive_and_wait();
        assert(seen == 2);
    });
    seen++;
    meet.arrive_and_wait();
    assert(seen == 2);
    t.join();
}

static void std_counting_semaphore()
{
    static std::counting_semaphore<4> s(0);
    std::thread t([] {
        plain = 3;
        s.release();
    });
    s.acquire();
    assert(plain == 3);
    t.join();
}

static void std_sleep()
{
    auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::hours(24));
    assert(std::chrono::steady_clock::now() - start >= std::chrono::hours(24));
}

static void std_random_device()
{
    std::random_device d;
    unsigned steps = d() % 4;
    std::thread t([] { seen++; });
    for (unsigned i = 0; i < steps; i++) seen++;
    t.join();
}

struct counted { ~counted() { seen++; } };
static void thread_local_destructor()
{
    std::thread t([] {
        static thread_local counted c;
        (void)&c;
    });
    t.join();
    assert(seen == 1);
}

static void uncaught_exception()
{
    std::thread t([] { throw std::runtime_error("nobody catches this"); });
    t.join();
}

static void caught_exception()
{
    std::thread t([] {
        try {
            throw 5;
        } catch (int v) {
            seen = v;
        }
    });
    t.join();
    assert(seen == 5);
}

static void shared_pointer()
{
    auto p = std::make_shared<std::string>("a string that is too long to be kept inside the object");
    std::thread t([p] { assert(p->size() > 20); });
    std::vector<std::string> v{*p, *p};
    p.reset();
    t.join();
    assert(v[0] == v[1]);
}

static void container_race()
{
    static std::vector<int> v;
    std::thread t([] { v.push_back(1); }), u([] { v.push_back(2); });
    t.join();
    u.join();
}

#define V "VERIFIED"
static const struct { const char *name; void (*run)(); const char *verdict, *options; } tests[] = {
    {"std_thread", std_thread, V, ""}, {"std_thread_not_joined", std_thread_not_joined, "ERROR crash", ""},
    {"std_mutex", std_mutex, V, ""}, {"std_recursive_mutex", std_recursive_mutex, V, ""},
    {"std_timed_mutex", std_timed_mutex, V, ""}, {"std_shared_mutex", std_shared_mutex, V, ""},
    {"std_condition_variable", std_condition_variable, V, ""},
    {"std_condition_variable_lost", std_condition_variable_lost, "ERROR deadlock", ""},
    {"std_condition_variable_timed", std_condition_variable_timed, "ERROR assertion", ""},
    {"std_once_flag", std_once_flag, V, ""}, {"static_initialisation", static_initialisation, V, ""},
    {"std_async", std_async, V, "--explore=dpor"}, {"std_future", std_future, V, "--explore=dpor"}, {"std_future_exception", std_future_exception, V, "--explore=dpor"},
    {"std_atomic", std_atomic, V, ""}, {"std_atomic_both", std_atomic_both, "ERROR assertion", ""},
    {"std_atomic_wait", std_atomic_wait, "BOUNDED", "-b 1"}, {"std_atomic_wait_lost", std_atomic_wait_lost, "ERROR deadlock", "--fair-bound=20"},
    {"std_jthread", std_jthread, "BOUNDED", "-b 1"}, {"std_latch", std_latch, "BOUNDED", "-b 1"},
    {"std_barrier", std_barrier, "BOUNDED", "-b 1"}, {"std_counting_semaphore", std_counting_semaphore, "BOUNDED", "-b 1"},
    {"std_sleep", std_sleep, V, ""}, {"std_random_device", std_random_device, V, ""},
    {"thread_local_destructor", thread_local_destructor, V, ""}, {"uncaught_exception", uncaught_exception, "ERROR crash", ""},
    {"caught_exception", caught_exception, V, ""}, {"shared_pointer", shared_pointer, V, ""},
    {"container_race", container_race, "ERROR race", ""},
};

int main(int argc, char **argv)
{
    for (auto &test : tests) {
        if (argc < 2) printf("%s\t%s\t%s\n", test.name, test.verdict, test.options);
        else if (!strcmp(argv[1], test.name)) return test.run(), 0;
    }
    return argc < 2 ? 0 : 99;
}
