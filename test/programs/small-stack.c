/* A thread has as much stack as the program asks for. With an argument its frames take more.
flags: -O0
expect: VERIFIED no error in any schedule$
expect with -- deep: ERROR crash: stack overflow: the thread was given 32768 bytes
expect with -- deep large: VERIFIED no error in any schedule$
expect with -- deep large frame: ERROR crash: stack overflow: the thread was given \d+ bytes
*/
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static int dive(int n)
{
    volatile char frame[1000];
    frame[0] = (char)n;
    return n ? dive(n - 1) + frame[0] : 0;
}

static void *work(void *depth)
{
    dive(*(int *)depth);
    return NULL;
}

/* It begins below all pages that protect the stack. */
static void *large_frame(void *arg)
{
    volatile char frame[9 << 20];
    memset((char *)frame, 0, 8);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_attr_t attributes;
    int depth = argc > 1 ? 60 : 2;
    (void)argv;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, argc > 2 ? 1 << 20 : 1 << 15);
    if (argc > 3) pthread_create(&t, NULL, large_frame, NULL);
    else pthread_create(&t, &attributes, work, &depth);
    pthread_join(t, NULL);
    return 0;
}
