/* A latch for as many as there are, and for one less.
 * flags: -O1 -std=c++20
 * compiler: g++
 * expect: VERIFIED no error in any schedule
 * expect with -- early: ERROR race: read of data\[1\] at
 */
#include <cassert>
#include <latch>
#include <thread>

static int data[2];

int main(int argc, char **)
{
    std::latch all(argc == 1 ? 2 : 1);
    auto work = [&all, argc](int i) {
        data[i] = i + 1;
        if (argc == 1 || i == 0) all.count_down();
    };
    std::thread one(work, 0), two(work, 1);
    all.wait();
    assert(data[0] + data[1] == 3);
    one.join();
    two.join();
}
