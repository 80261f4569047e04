/* A block that is handed over without order, though nobody writes to it before: allocating is writing.
expect: ERROR race
expect with --races=ignore: BOUNDED
*/
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *_Atomic box;
static void *take(void *a)
{
    int *p = atomic_load_explicit(&box, memory_order_relaxed);
    if (p) *p = 1;
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, take, 0);
    int *p = malloc(sizeof *p);
    atomic_store_explicit(&box, p, memory_order_relaxed);
    pthread_join(t, 0);
    free(p);
}
