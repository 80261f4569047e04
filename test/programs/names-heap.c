/* A list and an array on the heap are called by the pointers to them.
 * expect: ERROR assertion
 * prints: queue->head->ready = 1
 * prints: table\[3\]: 0 -> 5
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    struct node *next;
    atomic_int ready;
};
struct queue {
    struct node *head;
    int length;
} *queue;
atomic_int *table;

static void *fill(void *unused)
{
    queue->head->ready = 1;
    atomic_fetch_add(&table[3], 5);
    return unused;
}

int main(void)
{
    pthread_t t;
    table = calloc(6, sizeof *table);
    queue = calloc(1, sizeof *queue);
    queue->head = calloc(1, sizeof *queue->head);
    pthread_create(&t, NULL, fill, NULL);
    pthread_join(t, NULL);
    assert(table[3] == 0);
    return 0;
}
