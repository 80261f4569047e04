/* Ten threads write the same two values, and one looks whether it sees one of them alone. Which of them writes first
 * makes no difference, and later stores change nothing. So 10! orders of the writers become 20 schedules
 * without a preemption.
expect: ERROR assertion: .* \(1 preemption, .*
prints: preemptions 0: 20 schedules
prints: preemptions 1: 11 schedules,.* error
*/
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SETTERS = 10 };
static atomic_int a, b;

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
