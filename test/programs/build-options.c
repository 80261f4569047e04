/* Whatever it is built with, the program is instrumented.
   flags: -O2 -flto -ffat-lto-objects -fno-sanitize=all -fsanitize=address,undefined -fsanitize=thread -s
   expect: ERROR race: read of n at .*build-options.c:.* and write at
*/
#include <pthread.h>

static int n;

static void *work(void *a)
{
    n++;
    return a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
}
