/* A thread that ends in the middle of C++ functions leaves objects there, whose destructors are run.
flags: -O1
expect: VERIFIED no error in any schedule
expect with -- cancelled: VERIFIED no error in any schedule
*/
#include <pthread.h>
#include <cstring>
static const char *mode = "";
static int destroyed;
struct Counter { ~Counter() { destroyed++; } };

__attribute__((noinline)) static void leave(void)
{
    if (!strcmp(mode, "cancelled")) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
    }
    pthread_exit(NULL);
}

static void *work(void *)
{
    Counter c;
    leave();
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc > 1) mode = argv[1];
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return destroyed != 1;
}
