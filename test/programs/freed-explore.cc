/* The same with operators delete: plain, for arrays, with a size and with an alignment, and by a shared_ptr.
expect with --races=explore: VERIFIED no error in any schedule
expect with --races=explore -- delete: ERROR memory: write of 4 bytes after free
expect with --races=explore --explore=optimal -- delete: ERROR memory: write of 4 bytes after free
expect with --races=explore -- array: ERROR memory: write of 4 bytes after free
expect with --races=explore -- aligned: ERROR memory: write of 4 bytes after free
expect with --races=explore -- vector: ERROR memory: write of 4 bytes after free
expect with --races=explore -- shared: ERROR memory: write of 4 bytes after free
*/
#include <cstring>
#include <memory>
#include <thread>
#include <vector>
struct alignas(64) wide { int number; };
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "none";
    auto is = [how](const char *word) { return !std::strcmp(how, word); };
    int *one = new int(0), *array = new int[10]();
    wide *aligned = new wide();
    std::vector<int> vector(5);
    auto shared = std::make_shared<int>(0);
    int *where = is("array") ? &array[3] : is("aligned") ? &aligned->number : is("vector") ? &vector[2]
               : is("shared") ? shared.get() : one;
    std::thread t([where] { *where = 1; });
    if (is("delete")) delete one, one = nullptr;
    if (is("array")) delete[] array, array = nullptr;
    if (is("aligned")) delete aligned, aligned = nullptr;
    if (is("vector")) vector.resize(100);
    if (is("shared")) shared.reset();
    t.join();
    delete one;
    delete[] array;
    delete aligned;
}
