/* The system's random numbers are the same in each execution, and the verdict says so.
expect: VERIFIED no error in any schedule .not explored: other random numbers of the system.$
*/
#include <assert.h>
#include <pthread.h>
#include <sys/random.h>

static unsigned char byte;

static void *draw(void *arg)
{
    (void)arg;
    assert(getrandom(&byte, 1, 0) == 1);
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, draw, NULL);
    pthread_join(t, NULL);
    return 0;
}
