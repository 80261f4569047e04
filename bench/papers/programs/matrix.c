/* A product of two matrices of N rows, a job per row of the result, on the pool of pool.h (BUG: there). In the place of Matrix of
 * Coons, Musuvathi and McKinley, which is not printed. */
#include "pool.h"

#ifndef N
#define N 2
#endif

static const int a[N][N] = {{1, 2}, {3, 4}}, b[N][N] = {{5, 6}, {7, 8}};
static atomic_int product[N];

static void row(int i)
{
    int sum = 0;
    for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) sum += a[i][k] * b[k][j];
    product[i] += sum;
}

static void start(void)
{
    for (int i = 0; i < N; i++) pool_fork(i);
}

static void finish(int rounds)
{
    assert(product[0] == 41 * rounds && product[1] == 93 * rounds);
}

int main(void)
{
    pool_run(row, start, finish);
    return 0;
}
