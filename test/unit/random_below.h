/* Random numbers for tests: the same ones in every run. */
#ifndef RANDOM_BELOW_H
#define RANDOM_BELOW_H

#include <stdint.h>

static uint64_t random_state = 88172645463325252u;

static inline unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 11) % n;
}

#endif
