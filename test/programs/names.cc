/* Names in a counterexample as they are in the source: functions with their classes, lambdas by place, what lies behind
 * pointers by type and member, both sides of a race with the step they come after.
 * flags: -O0
 * expect: ERROR race: read of ch->last\[2\] at
 * prints: T1 lambda at names.cc:45 +T2 Worker::run\(\)
 * prints: create T1 +names.cc:45
 * prints: join T1 +names.cc:46
 * prints: lock ch->mutex +names.cc:25
 * prints: ch->size: 0 -> 1 +names.cc:27
 * prints: races with: write of 4 bytes at ch->last\[2\] by T1, after step 6
 * prints: Channel<int>::receive\(\) at .*names.cc:32
 */
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

template <class T> struct Channel {
    std::mutex mutex;
    std::atomic<int> size{0};
    T last[4]{};

    void send(T value)
    {
        std::lock_guard<std::mutex> guard(mutex);
        last[0] = value;
        size++;
    }
    T receive()
    {
        int left = size--;
        last[2]++;
        return left;
    }
};

struct Worker {
    Channel<int> *in;
    int total = 0;
    void run() { total += in->receive(); }
};

static void start(Worker &one, Worker &two)
{
    std::thread a([&] { one.run(); }), b(&Worker::run, &two);
    a.join();
    b.join();
}

int main()
{
    auto ch = std::make_unique<Channel<int>>();
    Worker one{ch.get()}, two{ch.get()};
    ch->send(1);
    start(one, two);
}
