/* A thread uses a local variable of a function of another thread, which may have returned by then.
expect with -- joins: VERIFIED no error in any schedule
expect with --races=explore -- joins: VERIFIED no error in any schedule
expect with -- returns: ERROR (memory: write of 4 bytes of a function that has returned|race: )
expect with --races=explore -- returns: ERROR memory: write of 4 bytes of a function that has returned at .*:17
expect with --races=explore --explore=optimal -- returns: ERROR memory: write of 4 bytes of a function that has returned
expect with --races=explore --explore=dfs -- returns: ERROR memory: write of 4 bytes of a function that has returned
*/
#include <pthread.h>
#include <string.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static void *worker(void *p)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    *(int *)p = 1;
    return NULL;
}
static __attribute__((noinline)) int starts(int joins)
{
    int local = 0;
    pthread_create(&thread, NULL, worker, &local);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    if (joins) pthread_join(thread, NULL);
    return 0;
}
int main(int argc, char **argv)
{
    int joins = argc > 1 && !strcmp(argv[1], "joins"), status = starts(joins);
    if (!joins) pthread_join(thread, NULL);
    return status;
}
