/* Each thread enters four numbers into a hash table and goes on to the next place when one is taken (Flanagan and
 * Godefroid 2005). Up to 11 threads never meet; 12, 13 and 14 have 8, 64 and 512 traces. */
#define THREADS N
#include "crowd.h"

enum { SIZE = 128, NUMBERS = 4 };
static atomic_int table[SIZE];

static void act(int number)
{
    for (int m = 1; m <= NUMBERS; m++) {
        int w = m * 11 + number, h = w * 7 % SIZE;
        for (int expected = 0; !atomic_compare_exchange_strong(&table[h], &expected, w); expected = 0)
            h = (h + 1) % SIZE;
    }
}
