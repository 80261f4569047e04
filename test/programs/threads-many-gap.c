/* With more than 64 threads the runtime's functions are jumps, which keep the registers of code where the compiler
 * announces nothing, and the number of floating-point arguments.
flags: -O0 -w
expect: VERIFIED no error in any schedule$
*/
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 70 };
struct large { long part[6]; };
static struct large shared;

static struct large make(long n)
{
    struct large l = {{n, n, n, n, n, n}};
    return l;
}

static long sum(struct large l)
{
    long total = 0;
    for (int i = 0; i < 6; i++) total += l.part[i];
    return total;
}

static void *work(void *arg) { return arg; }

int main(void)
{
    pthread_t t[THREADS];
    char text[32];
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    for (long i = 0; i < 3; i++) {
        shared = make(i);
        assert(sum(shared) == 6 * i);
    }
    snprintf(text, sizeof text, "%.1f %.1f", 1.5, 2.5);
    assert(!strcmp(text, "1.5 2.5"));
    return 0;
}
