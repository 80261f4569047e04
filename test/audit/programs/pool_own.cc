/* Each thread has a resource of its own.
 * flags: -O1 -std=c++20
 * expect with --audit: VERIFIED no error in any schedule$
 */
#include <memory_resource>
#include <thread>
#include <vector>

static void fill()
{
    std::pmr::monotonic_buffer_resource buffer;
    std::pmr::unsynchronized_pool_resource pool(&buffer);
    std::pmr::vector<int> numbers(&pool);
    for (int i = 0; i < 10; i++) numbers.push_back(i);
}

int main()
{
    std::thread t(fill);
    fill();
    t.join();
}
