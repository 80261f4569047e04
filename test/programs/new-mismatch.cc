/* What allocates a block and what frees it belong together: malloc() and free(), new and delete, new[] and delete[].
expect: VERIFIED no error in any schedule$
expect with -- 1: ERROR memory: a block from new is given to free\(\) at .*new-mismatch.cc:\d+
expect with -- 2: ERROR memory: a block from new\[\] is given to delete at .*new-mismatch.cc:\d+
expect with -- 3: ERROR memory: a block from new is given to delete\[\] at .*new-mismatch.cc:\d+
expect with -- 4: ERROR memory: a block from malloc\(\) is given to delete at .*new-mismatch.cc:\d+
expect with -- 5: ERROR memory: a block from new\[\] is given to free\(\) at .*new-mismatch.cc:\d+
expect with -- 6: ERROR memory: a block from malloc\(\) is given to delete at .*new-mismatch.cc:\d+
expect with -- 7: ERROR memory: a block from new\[\] is given to free\(\) at .*new-mismatch.cc:\d+
expect with -- 8: ERROR memory: a block from new\[\] is given to delete at 
flags: -std=c++17 -w -fsized-deallocation
*/
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

struct alignas(64) wide { int x; };
struct whole { int x; ~whole() { x = 0; } };

static void correct()
{
    delete new int;
    delete[] new int[3];
    delete[] new whole[3];
    delete new wide;
    delete[] new wide[3];
    delete[] new (std::nothrow) wide[3];
    delete new (std::nothrow) wide;
    delete[] new (std::nothrow) char[3];
    delete new (std::nothrow) int;
    ::operator delete(::operator new(8, std::nothrow), std::nothrow);
    ::operator delete[](::operator new[](8, std::nothrow), std::nothrow);
    ::operator delete(::operator new(8), std::size_t(8));
    ::operator delete[](::operator new[](8), std::size_t(8));
    ::operator delete(::operator new(128, std::align_val_t(64)), std::align_val_t(64));
    ::operator delete(::operator new(128, std::align_val_t(64)), std::size_t(128), std::align_val_t(64));
    ::operator delete[](::operator new[](128, std::align_val_t(64)), std::size_t(128), std::align_val_t(64));
    ::operator delete[](::operator new[](128, std::align_val_t(64), std::nothrow), std::align_val_t(64), std::nothrow);
    free(strdup("text"));
    free(realloc(malloc(3), 300));
    free(aligned_alloc(64, 64));
    std::string("a text that is too long for the object itself") + "s";
    std::vector<std::shared_ptr<wide>>(3, std::make_shared<wide>());
    std::unique_ptr<int[]>(new int[3]);
}

static void wrong(int which)
{
    switch (which) {
    case 1: free(new int); break;
    case 2: delete (new wide[3]); break;
    case 3: delete[] new int; break;
    case 4: delete (int *)malloc(sizeof(int)); break;
    case 5: realloc(new char[3], 30); break;
    case 6: delete strdup("text"); break;
    case 7: free(new (std::nothrow) char[3]); break;
    case 8: std::unique_ptr<int>(new int[3]); break;
    }
}

int main(int argc, char **argv)
{
    std::thread t(correct);
    correct();
    t.join();
    if (argc > 1) wrong(atoi(argv[1]));
    return 0;
}
