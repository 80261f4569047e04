/* The same before there are threads.
expect: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static void *run(void *argument) { return argument; }
int main(void)
{
    pthread_t t;
    assert(!chdir("/") && umask(027) != 0777);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
}
