/* A program with its own operator new calls malloc() there. The other operators are the library's, which call it.
expect: VERIFIED no error in any schedule$
flags: -std=c++17 -w -fsized-deallocation
*/
#include <cstdlib>
#include <new>
#include <thread>

void *operator new(std::size_t n) { return malloc(n); }
void operator delete(void *p) noexcept { free(p); }

int main()
{
    auto both = [] {
        delete new int;
        delete[] new int[3];
        ::operator delete(::operator new(8), std::size_t(8));
        struct alignas(64) wide { int x; };
        delete new wide;
    };
    std::thread t(both);
    both();
    t.join();
    return 0;
}
