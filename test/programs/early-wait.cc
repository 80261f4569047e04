/* A constructor that waits for a thread cannot be controlled.
expect: UNKNOWN .*what runs before main\(\) waits for a thread
*/
#include <thread>
struct waiter {
    waiter() { std::thread([] {}).join(); }
};
static waiter one;
int main() {}
