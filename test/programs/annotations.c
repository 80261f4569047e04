/* A lock made of a relaxed flag orders nothing to C, unless the program says so to a thread sanitizer.
expect: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
void AnnotateHappensBefore(const char *file, int line, const volatile void *object);
void AnnotateHappensAfter(const char *file, int line, const volatile void *object);
static atomic_int taken;
static int n;
static void *f(void *a)
{
    while (atomic_exchange_explicit(&taken, 1, memory_order_relaxed)) {}
#ifndef SILENT
    AnnotateHappensAfter(__FILE__, __LINE__, &taken);
#endif
    n++;
#ifndef SILENT
    AnnotateHappensBefore(__FILE__, __LINE__, &taken);
#endif
    atomic_store_explicit(&taken, 0, memory_order_relaxed);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    assert(n == 2);
}
