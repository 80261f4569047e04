/* Shared memory with a name is made anew by every execution: O_EXCL never fails, it is empty, and gone afterwards.
link: -lrt
expect: VERIFIED no error in any schedule$
expect with --isolate=fork: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>
#define NAME "/heddle-test-shared-memory"
static void *f(void *a)
{
    atomic_int *n = a;
    (*n)++;
    return 0;
}
int main(void)
{
    pthread_t t;
    int fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(fd >= 0 && !ftruncate(fd, 4096));
    atomic_int *n = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert(n != MAP_FAILED && !*n);
    pthread_create(&t, 0, f, n);
    f(n);
    pthread_join(t, 0);
    assert(*n == 2);
}
