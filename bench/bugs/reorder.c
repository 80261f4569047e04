/* THREADS - 1 threads set two variables, one after the other, and one thread compares them.
 * Bug: the two stores are not one step. The checker fails if it runs between the stores of the first setter.
 * All setters store the same values, so that most schedules look alike to the checker.
 * Row: CS/reorder_3 -DTHREADS=3
 * Row: CS/reorder_4 -DTHREADS=4
 * Row: CS/reorder_5 -DTHREADS=5
 * Row: CS/reorder_10 -DTHREADS=10
 * Row: CS/reorder_20 -DTHREADS=20
 * Row: CS/reorder_50 -DTHREADS=50
 * Row: CS/reorder_100 -DTHREADS=100
 * Expect: assertion */
#include "threads.h"

static int first, second;

static void *set(void *unused)
{
    first = 1;
    second = -1;
    return unused;
}

static void *check(void *unused)
{
    int a = first, b = second;
    assert((a == 0 && b == 0) || (a == 1 && b == -1));
    return unused;
}

int main(void)
{
    for (int i = 0; i < THREADS - 1; i++) start(set, NULL);
    start(check, NULL);
    join_all();
}
