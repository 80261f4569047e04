/* A constructor that was built without heddle runs before there is a breakpoint.
 * flags: -O0
 * plain: twice.c
 * expect: BOUNDED no error in any schedule, not observed: begin\(\) in twice.o, built without heddle cc$
 * whole: VERIFIED no error in any schedule$
 */
#include <pthread.h>
void twice(void (*call)(void));

static void *work(void *a) { return a; }

int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, work, argv);
    if (argc > 5) twice(NULL);
    return pthread_join(t, NULL);
}
