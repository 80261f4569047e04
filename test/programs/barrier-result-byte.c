/* The second byte of the result of a barrier tells which thread is the serial one. clang reads it from %ah.
flags: -O2
expect: ERROR assertion: bytes\[0\] == 0
expect with -- other: ERROR assertion: bytes\[1\] == 0
expect with -- any and: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
static pthread_barrier_t barrier;
static int bytes[2];

static void *work(void *arg)
{
    union { int whole; unsigned char part[sizeof(int)]; } result;
    result.whole = pthread_barrier_wait(&barrier);
    *(int *)arg = result.part[1];
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    (void)argv;
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &bytes[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    if (argc == 1) assert(bytes[0] == 0);
    if (argc == 2) assert(bytes[1] == 0);
    if (argc == 3) assert((bytes[0] == 0) != (bytes[1] == 0));
    return 0;
}
