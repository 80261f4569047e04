/* What std::make_shared made is called by the pointers to it, not by where its counts are.
 * expect: ERROR race: read of
 * prints: shared->balance: 0 -> 1 +names-shared.cc:18
 * prints: races with: write of 4 bytes at (mine->balance|plain.names-shared.cc:22..balance) by main
 */
#include <atomic>
#include <memory>
#include <thread>
struct account {
    int id;
    std::atomic<int> balance;
};
struct plain {
    long id;
    int balance;
};
static std::shared_ptr<account> shared;
static void pay() { shared->balance++; }
int main()
{
    shared = std::make_shared<account>();
    auto mine = std::make_shared<plain>();
    std::thread t([mine] { pay(), mine->balance++; });
    pay();
    mine->balance++;
    t.join();
}
