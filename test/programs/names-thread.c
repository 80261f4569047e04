/* Thread-local variables have their names, with whose they are, and so has what they point to.
 * expect: ERROR assertion
 * prints: own.count of main -> 0 +names-thread.c:24
 * prints: own.count of main = 1 +names-thread.c:18
 * prints: list->ready = 1
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Thread_local char text[3];
static _Thread_local struct { int other; atomic_int count; } own;
struct node { struct node *next; atomic_int ready; };
static _Thread_local struct node *list;
static void *add(void *a)
{
    atomic_int *n = a;
    *n = *n + 1;
    list = calloc(1, sizeof *list);
    list->ready = 1;
    free(list);
    return text;
}
static void add_here(void) { own.count = own.count + 1; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, add, &own.count);
    add_here();
    pthread_join(t, 0);
    assert(own.count == 2);
}
