/* One place at two addresses: whether accesses to it are ordered is not known, and the verdict says so.
link: -lrt
expect: BOUNDED no error in any schedule, as far as it is under control
warns: it is mapped more than once
*/
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#define NAME "/heddle-test-shared-memory-twice"
static int fd;
static int *map(void) { return mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); }
static void *f(void *a) { return ++*map(), a; }
int main(void)
{
    pthread_t t;
    fd = shm_open(NAME, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(fd >= 0 && !ftruncate(fd, 4096));
    int *n = map();
    pthread_create(&t, 0, f, 0);
    ++*n;
    pthread_join(t, 0);
    shm_unlink(NAME);
}
