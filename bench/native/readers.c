/* One thread writes a variable, N read it: each reads before or after the write, 2^N possibilities. */
#define THREADS (N + 1)
#include "crowd.h"

static atomic_int x;

static void act(int number)
{
    if (number == 0) atomic_store(&x, 1);
    else atomic_load(&x);
}
