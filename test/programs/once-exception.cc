/* The first attempt fails with an exception: what it did is seen by the second, and nobody waits for ever.
 * expect: VERIFIED no error in any schedule
 * expect with --verify -- twice: ERROR assertion: done
 */
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::once_flag flag;
static int attempts, done, fails = 1;

static void initialise()
{
    if (attempts++ < fails) throw std::runtime_error("not yet");
    done = 1;
}

static void work()
{
    try {
        std::call_once(flag, initialise);
    } catch (const std::runtime_error &) {
        try {
            std::call_once(flag, initialise);
        } catch (const std::runtime_error &) {
        }
    }
    assert(done);
}

int main(int argc, char **)
{
    fails = argc;
    std::thread one(work), two(work);
    one.join();
    two.join();
}
