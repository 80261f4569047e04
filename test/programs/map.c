/* Memory that the program maps itself is fresh, and at the same place, in every execution.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with --explore=optimal: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static atomic_int n;
static void *where;
static void *f(void *a)
{
    n++;
    n++;
    return a;
}
int main(void)
{
    pthread_t t;
    enum { SIZE = 1 << 20 };
    int both = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *p = mmap(0, SIZE, both, flags, -1, 0), *q = mmap(p, 4096, both, flags, -1, 0);
    char *shared = mmap(0, 4096, both, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(p != MAP_FAILED && q != p && !p[0] && !p[SIZE - 1] && !q[0] && !shared[0]);
    p[0] = p[SIZE - 1] = q[0] = shared[0] = 1;
    p = mremap(p, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    assert(p[0] == 1 && p[SIZE - 1] == 1 && !p[SIZE] && !p[2 * SIZE - 1]);
    p[SIZE] = 1;
    assert(!mprotect(q, 4096, PROT_READ) && q[0] == 1);
    assert(!munmap(q, 4096) && !munmap(p + SIZE, SIZE));
    assert(mmap(p, 4096, both, flags | MAP_FIXED, -1, 0) == p && !p[0]);
    char *b = sbrk(8192);
    assert(!b[0] && !b[8191] && sbrk(0) == b + 8192);
    memset(b, 1, 8192);
    where = p;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
}
