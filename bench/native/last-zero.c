/* Thread 0 looks from the top of the array for the last zero; thread j sets a[j] = a[j-1] + 1 (Abdulla, Aronis, Jonsson,
 * Sagonas 2014). There are (N + 3) * 2^(N - 2) traces. */
#define THREADS (N + 1)
#include "crowd.h"

static atomic_int a[N + 1];

static void act(int number)
{
    int i = N;
    if (number > 0) atomic_store(&a[number], atomic_load(&a[number - 1]) + 1);
    else
        while (atomic_load(&a[i])) i--;
}
