/* Two threads allocate from one resource that has no lock.
 * flags: -O1 -std=c++20
 * expect: BOUNDED no error in any schedule, not fully observed: std::pmr::\w+_resource::do_allocate at .*
 */
#include <memory_resource>
#include <thread>

int main()
{
    std::pmr::unsynchronized_pool_resource pool;
    std::thread t([&] { (void)pool.allocate(16); });
    (void)pool.allocate(16);
    t.join();
}
