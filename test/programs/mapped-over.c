/* A fixed mapping takes the place of another one: its pages are zeros from then on.
expect with -- shared: ERROR race: .*
expect with -- joined: VERIFIED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

static int *page;

static void *replace(void *arg)
{
    (void)arg;
    mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
    pthread_create(&t, NULL, replace, NULL);
    if (argc > 1 && !strcmp(argv[1], "joined")) {
        pthread_join(t, NULL);
        assert(*page == 0);
    } else {
        assert(*page == 1);
        pthread_join(t, NULL);
    }
    return 0;
}
