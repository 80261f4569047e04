/* OpenMP: loops of all schedules, reductions, critical, atomic, single, sections, tasks, barriers, locks.
 * needs: omp.h
 * flags: -O1 -fopenmp
 * expect with -b 0: BOUNDED
 * expect with -b 1: BOUNDED no error with at most 1 preemption
 */
#include <assert.h>
#include <omp.h>

static int plain, total, parts;
static double x[100];
static omp_lock_t lock;

static void work(void)
{
    int once = 0, tasks = 0, copied = 0;
#pragma omp parallel num_threads(2) firstprivate(copied)
    {
#pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 5; i++) x[i] = i;
#pragma omp for schedule(guided)
        for (unsigned long long i = 9; i > 4; i--) x[i] = (double)i;
#pragma omp single copyprivate(copied)
        {
            once++;
            copied = 7;
        }
        assert(copied == 7);
#pragma omp critical(name)
        plain++;
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp atomic
                parts++;
            }
#pragma omp section
            {
#pragma omp atomic
                parts++;
            }
        }
        omp_set_lock(&lock);
        total++;
        omp_unset_lock(&lock);
#pragma omp barrier
        assert(plain == omp_get_num_threads() && total == 2);
#pragma omp master
        for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i) shared(tasks)
            tasks += i;
        }
    }
    assert(once == 1 && parts == 2 && x[4] == 4 && x[5] == 5 && x[9] == 9 && tasks == 3);
}

int main(void)
{
    int sum = 0;
    omp_init_lock(&lock);
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 8; i++) sum += i;
    assert(sum == 28);
    work();
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < 3; i++) {
#pragma omp parallel /* one thread */
        {
#pragma omp atomic
            total += i;
        }
    }
    assert(total == 5);
    return 0;
}
