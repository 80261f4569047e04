/* Plain accesses to what is atomic later, or was before: before the threads, after them, and of memory that nobody else
 * knows yet. That is no mixture that a verdict would have to name.
 * expect: VERIFIED no error in any schedule$
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { atomic_int value; };
static _Atomic(struct node *) head;
static int word;

static void *add(void *arg)
{
    struct node *n = malloc(sizeof *n);
    atomic_init(&n->value, 3);
    atomic_store_explicit(&head, n, memory_order_release);
    __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t t;
    word = 5;
    pthread_create(&t, NULL, add, NULL);
    struct node *n = atomic_load_explicit(&head, memory_order_acquire);
    if (n) atomic_fetch_add_explicit(&n->value, 1, memory_order_relaxed);
    __atomic_fetch_add(&word, 1, __ATOMIC_RELAXED);
    pthread_join(t, NULL);
    free(atomic_load(&head));
    return word != 7;
}
