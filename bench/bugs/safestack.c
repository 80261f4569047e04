/* SafeStack: a lock-free stack of cells in an array. A thread owns the cell that it has popped, until it pushes it.
 * Bug: the links of cells come back to old values (ABA), so two threads can own one cell. It takes three threads and
 * at least five preemptions, which makes it the hardest row of the table.
 * Row: SafeStack --memory-model=sc
 * Row: SafeStack+weak
 * Expect: assertion */
#include "threads.h"
#include <stdatomic.h>

enum { CELLS = 3, THREADS = 3, ROUNDS = 2, NONE = -1 };

static struct cell {
    int owner;
    atomic_int next;
} cells[CELLS];
static atomic_int head, count = CELLS;

static int pop(void)
{
    while (count > 1) {
        int top = head;
        int next = atomic_exchange(&cells[top].next, NONE);
        if (next == NONE) continue;
        int expected = top;
        if (atomic_compare_exchange_strong(&head, &expected, next)) {
            atomic_fetch_sub(&count, 1);
            return top;
        }
        atomic_exchange(&cells[top].next, next);
    }
    return NONE;
}

static void push(int cell)
{
    int top = head;
    do {
        cells[cell].next = top;
    } while (!atomic_compare_exchange_strong(&head, &top, cell));
    atomic_fetch_add(&count, 1);
}

static void *use(void *number)
{
    int self = (int)(long)number;
    for (int i = 0; i < ROUNDS; i++) {
        int cell = pop();
        while (cell == NONE) {
            sched_yield();
            cell = pop();
        }
        cells[cell].owner = self;
        assert(cells[cell].owner == self);
        push(cell);
    }
    return NULL;
}

int main(void)
{
    for (int i = 0; i < CELLS; i++) cells[i].next = i + 1 < CELLS ? i + 1 : NONE;
    for (long i = 0; i < THREADS; i++) start(use, (void *)i);
    join_all();
}
