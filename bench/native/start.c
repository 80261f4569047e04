/* A start of NUMBERS numbers that are computed before two threads take STEPS steps each: for bench/native.sh. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic long x, y;
static int *table;
static void *t(void *p)
{
    for (int i = 0; i < STEPS; i++) {
        x++;
        y += table[i % NUMBERS] & 1;
    }
    return p;
}
int main(void)
{
    pthread_t a, b;
    table = malloc(NUMBERS * sizeof *table);
    for (unsigned i = 0; i < NUMBERS; i++) table[i] = (int)(i * 2654435761u);
    pthread_create(&a, NULL, t, NULL);
    pthread_create(&b, NULL, t, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
