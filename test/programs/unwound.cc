/* A thread that is cancelled, or calls pthread_exit(), destroys the objects of its C++ frames.
expect with -- exit: VERIFIED no error in any schedule$
expect with -- cancel: VERIFIED no error in any schedule$
expect with --isolate=keep -- cancel: VERIFIED no error in any schedule$
expect with -- cleanup: VERIFIED no error in any schedule$
expect with -- rethrown: VERIFIED no error in any schedule$
expect with -- swallowed: ERROR crash: a catch block ends pthread_exit\(\) or a cancellation
*/
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <string>

static std::mutex m;
static sem_t never, locked;
static std::string what;
static int handled;

static void handle(void *p) { *static_cast<int *>(p) = 1; }

static void leave()
{
    if (what == "cancel") sem_post(&locked), sem_wait(&never);
    pthread_exit(nullptr);
}

static void *run(void *p)
{
    std::lock_guard<std::mutex> guard(m);
    if (what == "cleanup") {
        pthread_cleanup_push(handle, &handled);
        leave();
        pthread_cleanup_pop(0);
    }
    if (what == "rethrown" || what == "swallowed") {
        try {
            leave();
        } catch (...) {
            if (what == "rethrown") throw;
        }
    }
    leave();
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    pthread_create(&t, nullptr, run, nullptr);
    if (what == "cancel") sem_wait(&locked), pthread_cancel(t);
    pthread_join(t, nullptr);
    m.lock();
    m.unlock();
    assert(what != "cleanup" || handled);
}
