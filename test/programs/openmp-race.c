/* A sum without a reduction.
 * needs: omp.h
 * flags: -O1 -fopenmp
 * expect: ERROR race: (read|write) of sum at
 */
static int sum;

int main(void)
{
#pragma omp parallel for
    for (int i = 0; i < 4; i++) sum += i;
    return 0;
}
