/* Code that is observed and called by code that is not: its race is found.
 * flags: -O0
 * plain: twice.c
 * expect: ERROR race
 * warns: heddle: warning: begin(), twice() in twice.o, built without heddle cc: what they do with memory is not seen
 * whole: ERROR race
 */
#include <pthread.h>
static int counter;
void twice(void (*call)(void));

static void step(void) { counter++; }

static void *work(void *a)
{
    twice(step);
    return a;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    counter++;
    return pthread_join(t, NULL);
}
