/* Two threads hold one exception; the one that lets go last destroys it. No step of the program says which one that is.
flags: -O1 -std=c++17
expect: ERROR assertion: is_first
expect with --explore=optimal: ERROR assertion: is_first
expect with --explore=optimal --races=ignore -- same: ERROR assertion: is_first
expect with --explore=optimal -- joined: VERIFIED no error in any schedule
*/
#include <cassert>
#include <exception>
#include <thread>
static thread_local bool is_first;
static std::exception_ptr one, two;
static bool checks = true;
struct Failure { ~Failure() { if (checks) assert(is_first); } };

static void handle()
{
    try {
        std::rethrow_exception(one);
    } catch (const Failure &) {
        one = nullptr; /* the handler is left later, and then lets go, too */
    }
}

int main(int argc, char **argv)
{
    bool joins = argc > 1 && argv[1][0] == 'j', same = argc > 1 && argv[1][0] == 's';
    is_first = true;
    try {
        throw Failure{};
    } catch (...) {
        one = std::current_exception();
    }
    two = one;
    std::thread t([same] { same ? handle() : void(one = nullptr); });
    if (joins) t.join();
    two = nullptr;
    if (!joins) t.join();
}
