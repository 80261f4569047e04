/* As reorder.c, with plain variables whose races are explored: what a store of a constant writes is known, too.
expect with --races=explore --executions=40: ERROR assertion: .* \(1 preemption, .*
*/
#include <assert.h>
#include <pthread.h>

enum { SETTERS = 10 };
static int a, b;

static void *set(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}

static void *look(void *unused)
{
    int first = a, second = b;
    assert((first == 0 && second == 0) || (first == 1 && second == -1));
    return unused;
}

int main(void)
{
    pthread_t threads[SETTERS + 1];
    for (int i = 0; i < SETTERS; i++) pthread_create(&threads[i], 0, set, 0);
    pthread_create(&threads[SETTERS], 0, look, 0);
    for (int i = 0; i <= SETTERS; i++) pthread_join(threads[i], 0);
    return 0;
}
