/* std::lock() gives back what it has where it does not get all. That two of them could do so in turn for ever is no
error of those who use it, whichever strategy comes upon it. Of two mutexes alike, and of different ones.
flags: -O1 -std=c++17
expect with -b 9: BOUNDED no error with at most 9 preemptions
expect with --explore=fair --max-steps=60: UNKNOWN no error in .* executions were cut off
expect with --explore=optimal --max-steps=60: UNKNOWN no error in .* executions were cut off
expect with -b 9 -- others: BOUNDED no error with at most 9 preemptions
expect with --explore=fair --max-steps=60 -- others: UNKNOWN no error in .* executions were cut off
*/
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::mutex a, b;
static std::shared_mutex c;
static int x;
template <class First, class Second> static void both(First &first, Second &second)
{
    std::thread t([&] { std::scoped_lock all(first, second); x++; });
    { std::scoped_lock all(second, first); x++; }
    t.join();
}
int main(int argc, char **)
{
    if (argc == 1) both(a, b);
    else both(a, c);
}
