/* A detached thread writes to a variable of main(), which may have returned.
flags: -O0
expect: ERROR race: .*
expect with -- static: VERIFIED no error in any schedule$
*/
#include <pthread.h>

static int lasting, *place;

static void *work(void *arg)
{
    *place = 1;
    return arg;
}

int main(int argc, char **argv)
{
    int local = 0;
    pthread_t t;
    (void)argv;
    place = argc > 1 ? &lasting : &local;
    pthread_create(&t, NULL, work, NULL);
    pthread_detach(t);
    return 0;
}
