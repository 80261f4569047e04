/* A detached thread says that it is done and still runs on the stack that main gives back.
expect with -- free: ERROR misuse: giving back the stack of a thread that runs
expect with -- munmap: ERROR misuse: giving back the stack of a thread that runs
expect with -- join: VERIFIED no error in any schedule$
*/
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 65536 };
static sem_t done;

static void *run(void *p)
{
    sem_post(&done);
    return p;
}

int main(int argc, char **argv)
{
    int joins = argc > 1 && !strcmp(argv[1], "join"), maps = argc > 1 && !strcmp(argv[1], "munmap");
    pthread_attr_t attr;
    pthread_t t;
    char *stack = maps ? mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                       : aligned_alloc(4096, SIZE);
    sem_init(&done, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstack(&attr, stack, SIZE);
    if (!joins) pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attr, run, 0);
    sem_wait(&done);
    if (joins) pthread_join(t, 0);
    if (maps) munmap(stack, SIZE);
    else free(stack);
    return 0;
}
