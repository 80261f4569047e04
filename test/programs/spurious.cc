/* Waits of C++, whose calls come from the library: those in one function, one of which checks again.
 * expect with -- if: ERROR assertion: ready
 * expect with --explore=optimal -- if: ERROR assertion: ready
 * expect with -- both: ERROR assertion: ready
 * expect with -- loop: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 * expect with -- predicate: VERIFIED no error in any schedule .spurious wake-ups: none where the program waits again.$
 * expect with -- atomic: VERIFIED no error in any schedule
 * flags: -O1 -std=c++20
 */
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

static std::mutex m;
static std::condition_variable c;
static bool ready, again;
static std::atomic<int> flag;

static void waits(const std::string &how)
{
    if (how == "atomic") {
        flag.wait(0);
        assert(flag == 1);
        return;
    }
    std::unique_lock<std::mutex> lock(m);
    if (how == "predicate") c.wait(lock, [] { return ready; });
    if (how == "loop" || how == "both")
        while (!ready) c.wait(lock);
    if (how == "if" && !ready) c.wait(lock);
    if (how == "both" && !again) c.wait(lock);
    assert(ready && (how != "both" || again));
}

int main(int argc, char **argv)
{
    std::string how = argc > 1 ? argv[1] : "loop";
    std::thread t(waits, how);
    for (bool *what : {&ready, &again}) {
        std::unique_lock<std::mutex> lock(m);
        *what = true;
        c.notify_one();
    }
    flag = 1;
    flag.notify_one();
    t.join();
}
