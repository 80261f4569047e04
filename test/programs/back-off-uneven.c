/* Two threads that give way to each other, one of them for longer. With an argument they count their rounds; with two
they give up after the second, and there is no livelock.
expect: ERROR livelock: the same state comes again after \d+ steps
expect with -- count: ERROR livelock: threads give way to each other for ever, in the same \d+ steps again and again
expect with -- give up: VERIFIED no error in any schedule$
*/
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>
static atomic_int wants[2], rounds;
static int arguments;
static void *enter(void *a)
{
    long me = (long)a;
    for (unsigned n = 0; arguments < 2 || n < 2; n += arguments == 2) {
        wants[me] = 1;
        if (arguments == 1) rounds++;
        if (!wants[1 - me]) break;
        wants[me] = 0;
        for (int i = 0; i <= me; i++) usleep(100 + 50 * me);
    }
    wants[me] = 0;
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    (void)argv;
    arguments = argc - 1;
    pthread_create(&a, 0, enter, (void *)0);
    pthread_create(&b, 0, enter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
