/* A function that was built without heddle reads a block that another thread may have freed.
 * plain: helper.c
 * expect with --audit: ERROR memory
 * whole: ERROR
 */
#include <pthread.h>
#include <stdlib.h>
int sum(const int *from, int count);
static int *block;

static void *work(void *a)
{
    free(block);
    return a;
}

int main(void)
{
    pthread_t t;
    block = calloc(4, sizeof *block);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return sum(block, 4) == 1;
}
