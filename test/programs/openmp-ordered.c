/* What is not under control is refused.
 * compiler: gcc
 * flags: -O1 -fopenmp
 * expect: UNKNOWN
 */
static int last;

int main(void)
{
#pragma omp parallel for ordered
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        last = i;
    }
    return last != 3;
}
