/* The start function of a thread was built without heddle. It is called by no observed code, so that it is not audited.
 * What it calls is named with it.
 * plain: thread.c
 * expect: BOUNDED no error in any schedule, not observed: twice_of\(\), run\(\) in thread.o, built without heddle cc$
 * whole: ERROR race
 */
#include <pthread.h>
int counter;
void *run(void *a);

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    counter++;
    return pthread_join(t, NULL);
}
