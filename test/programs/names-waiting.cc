/* A thread that waits inside of a library is shown where the program called it, not where an earlier call left its mark.
expect: ERROR deadlock: no thread can go on
warns: names-waiting.cc:27: error: deadlock
prints: main waits for the end of T1\s+main at \S*names-waiting.cc:27
prints: T3 lambda at names-waiting.cc:25
*/
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
static std::mutex m;
static std::condition_variable cv;
static std::deque<int> q;
static void receive()
{
    std::unique_lock<std::mutex> g(m);
    while (q.empty()) cv.wait(g);
    q.pop_front();
}
int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; i++) threads.emplace_back(receive);
    threads.emplace_back([] { std::lock_guard<std::mutex> g(m); q.push_back(1); });
    cv.notify_one();
    for (auto &t : threads) t.join();
}
