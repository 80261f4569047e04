/* A thread that a constructor creates may begin at once, before `ready` is set. Heddle lets it begin with main(), which
 * the verdict says.
expect: VERIFIED no error in any schedule .not explored: threads made before main\(\) that begin before main\(\).$
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static pthread_t early;

static void *run(void *p)
{
    assert(ready);
    return p;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_create(&early, 0, run, 0);
    ready = 1;
}

int main(void)
{
    pthread_join(early, 0);
    return 0;
}
