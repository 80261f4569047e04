/* An error in the first schedule. If $MARK is set, a process that records does not come to main: it leaves a file of
 * that name, takes $TAKE megabytes, and sleeps. What is printed there goes to a file, elsewhere it goes nowhere. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static atomic_int ready;

__attribute__((constructor)) static void hang_if_recording(void)
{
    struct stat out;
    const char *mark = getenv("MARK"), *take = getenv("TAKE");
    if (!mark || fstat(1, &out) || !S_ISREG(out.st_mode)) return;
    size_t size = (size_t)(take ? atoi(take) : 0) << 20;
    char *block = malloc(size + 1);
    if (block) memset(block, 1, size + 1);
    close(open(mark, O_WRONLY | O_CREAT, 0600));
    for (;;) sleep(1);
}

static void *set(void *unused)
{
    ready = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    assert(ready);
    pthread_join(t, NULL);
}
