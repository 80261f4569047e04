/* The number of ways to place N queens, a job per place of the first one, on the pool of pool.h (BUG: there). In the place of NQueens of
 * Coons, Musuvathi and McKinley, which is not printed. */
#include "pool.h"

#ifndef N
#define N 2
#endif

static atomic_int found, jobs_done;

static int place(int row, unsigned columns, unsigned left, unsigned right)
{
    int n = 0;
    if (row == N) return 1;
    for (unsigned c = 1; c < 1u << N; c <<= 1)
        if (!(c & (columns | left | right))) n += place(row + 1, columns | c, (left | c) << 1, (right | c) >> 1);
    return n;
}

static void first_queen(int column)
{
    unsigned c = 1u << column;
    found += place(1, c, c << 1, c >> 1);
    jobs_done++;
}

static void start(void)
{
    for (int i = 0; i < N; i++) pool_fork(i);
}

static void finish(int rounds)
{
    static const int solutions[] = {1, 1, 0, 0, 2, 10, 4};
    assert(jobs_done == N * rounds);
    assert(found == solutions[N] * rounds);
}

int main(void)
{
    pool_run(first_queen, start, finish);
    return 0;
}
