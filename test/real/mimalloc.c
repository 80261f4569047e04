/* mimalloc: blocks that one thread allocates and another one frees. From source.
needs: mimalloc.h
flags: -O1 -I$REAL/mimalloc/include -DMI_MALLOC_OVERRIDE=0 -DMI_TRACK_VALGRIND=0
link: $REAL/mimalloc/src/static.c
expect with -b 3: BOUNDED no error with at most 3 preemptions
*/
#include <assert.h>
#include <mimalloc.h>
#include <pthread.h>
enum { SIZE = 20000, FULL = 4 }; /* a page of mimalloc's has room for three */
static int *shared, *more[FULL];
static void *f(void *a)
{
    int *p = mi_malloc(SIZE);
    *p = 1;
    mi_free(shared);
    assert(*p == 1);
    mi_free(p);
    return a;
}
int main(void)
{
    pthread_t t;
    shared = mi_malloc(SIZE);
    *shared = 1;
    pthread_create(&t, 0, f, 0);
    for (int i = 0; i < FULL; i++) *(more[i] = mi_malloc(SIZE)) = 2;
#ifdef BUG
    *shared = 3;
#endif
    pthread_join(t, 0);
    for (int i = 0; i < FULL; i++) {
        assert(*more[i] == 2);
        mi_free(more[i]);
    }
}
