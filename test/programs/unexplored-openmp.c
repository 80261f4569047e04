/* Tasks run where they are created, a team whose size is open has two threads, and a region inside of another one has
 * one. The verdict says which of these matters to the program.
flags: -O1 -fopenmp
link: -fopenmp
expect with -- task: VERIFIED no error .*not explored: OpenMP tasks that run later than they are created.$
expect with -- included: VERIFIED no error in any schedule$
expect with -- open: VERIFIED no error in any schedule .not explored: OpenMP teams of more than 2 threads.$
expect with -- nested: VERIFIED no error .*not explored: OpenMP regions of several threads while another one is active.$
expect with -- inner: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <omp.h>
#include <string.h>

static void task(int deferred)
{
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(x) if (deferred)
        x = 1;
        x = 2;
    }
    assert(x == 2);
}

static void inner(void)
{
    int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp parallel num_threads(2)
        x++;
    }
}

static void open_size(void)
{
    int x[2] = {0};
#pragma omp parallel
    x[omp_get_thread_num() & 1]++;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "nested")) omp_set_max_active_levels(2);
    if (!strcmp(what, "task")) task(1);
    else if (!strcmp(what, "included")) task(0);
    else if (!strcmp(what, "open")) open_size();
    else inner();
    return 0;
}
