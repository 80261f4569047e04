/* expect: ERROR crash: segmentation fault: null pointer \(address 0\) \(the program's handler for it is not run\)
*/
#include <pthread.h>
#include <signal.h>

static int *volatile nowhere;

static void handle(int s) { (void)s; }

static void *run(void *p)
{
    *nowhere = 1;
    return p;
}

int main(void)
{
    pthread_t t;
    signal(SIGSEGV, handle);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    return 0;
}
