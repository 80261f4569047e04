/* A thread runs on the stack that pthread_attr_setstack() names: static, from the heap or mapped.
expect: VERIFIED no error in any schedule
expect with --explore=optimal: VERIFIED no error in any schedule
expect with --isolate=keep: VERIFIED no error in any schedule
expect with -- heap: VERIFIED no error in any schedule
expect with -- mmap: VERIFIED no error in any schedule
expect with -- race: ERROR race
expect with -- shared: ERROR misuse: the stack given to a new thread is that of a thread that runs
expect with -- deep: ERROR crash: stack overflow: the thread was given 65536 bytes
expect with -- freed: ERROR misuse: giving back the stack of a thread that runs
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
enum { SIZE = 65536 };
static char fixed[SIZE] __attribute__((aligned(4096)));
static char *low;
static const char *how = "static";
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;
static int is(const char *word) { return !strcmp(how, word); }
static __attribute__((noinline)) int deeper(int n)
{
    volatile char room[256];
    memset((char *)room, n, sizeof room);
    return n ? deeper(n - 1) + room[n % 256] : 0;
}
static void *worker(void *a)
{
    volatile int local = 1;
    pthread_attr_t attr;
    void *from;
    size_t size;
    assert((char *)&local >= low && (char *)&local < low + SIZE);
    assert(!pthread_getattr_np(pthread_self(), &attr) && !pthread_attr_getstack(&attr, &from, &size));
    assert(from == low && size == SIZE);
    if (is("deep")) deeper(1000);
    if (!is("race")) pthread_mutex_lock(&mutex);
    count += local;
    if (!is("race")) pthread_mutex_unlock(&mutex);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    pthread_attr_t attr;
    if (argc > 1) how = argv[1];
    low = is("heap") || is("freed") ? aligned_alloc(4096, SIZE)
        : is("mmap")                ? mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                    : fixed;
    pthread_attr_init(&attr);
    assert(pthread_attr_setstack(&attr, low, 100) != 0);
    assert(!pthread_attr_setstack(&attr, low, SIZE));
    pthread_create(&t, &attr, worker, NULL);
    if (is("shared")) pthread_create(&u, &attr, worker, NULL);
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    if (is("freed")) free(low);
    pthread_join(t, NULL);
    assert(count == 2);
    if (is("heap")) free(low);
    return 0;
}
