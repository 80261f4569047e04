/* The comparison function is observed code: what it does is announced, also while lfind is audited. lfind itself reads
 * the number of elements.
 * expect: BOUNDED no error in any schedule, not fully observed: lfind at callback.c:\d+ reads count, which T2 writes at callback.c:\d+$
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static int compared;
static size_t count = 3;
static const int numbers[4] = {1, 2, 3, 4};

static int compare(const void *a, const void *b)
{
    __atomic_fetch_add(&compared, 1, __ATOMIC_RELAXED);
    return *(const int *)a != *(const int *)b;
}

static void *find(void *unused)
{
    int key = 3;
    return lfind(&key, numbers, &count, sizeof numbers[0], compare) ? unused : NULL;
}

static void *grow(void *unused)
{
    count = 4;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, find, NULL);
    pthread_create(&b, NULL, grow, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
