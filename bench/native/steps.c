/* Two threads that take STEPS steps each, REPEAT times over: for bench/native.sh. */
#include <pthread.h>
#include <stdatomic.h>
#include "heddle.h"
static atomic_int x;
static void *t(void *p) { for (int i = 0; i < STEPS; i++) x++; return p; }
int main(void)
{
    pthread_t a, b;
    heddle_nondet(REPEAT);
    pthread_create(&a, NULL, t, NULL);
    pthread_create(&b, NULL, t, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
