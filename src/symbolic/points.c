/* Sets of shared states, listed one by one: for comparisons with the explicit search. */
#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>

static bool contains(const struct bp_program *p, const int *now, BDD x, const uint8_t *values)
{
    while (x != bddtrue && x != bddfalse) {
        int var = bdd_var(x);
        uint8_t value = 0;
        for (size_t i = 0; i < p->shared.len; i++)
            if (now[p->shared.at[i]] == var) value = values[i];
        x = value ? bdd_high(x) : bdd_low(x);
    }
    return x == bddtrue;
}

void points_list(const struct bp_program *p, const int *now, BDD x, int node, int round, struct arena *a,
                 explore_points *out)
{
    size_t n = p->shared.len;
    uint8_t *values = xcalloc(n + 1, 1);
    assert(n < 32);
    for (uint64_t number = 0; number < (uint64_t)1 << n; number++) {
        for (size_t i = 0; i < n; i++) values[i] = (number >> i) & 1;
        if (!contains(p, now, x, values)) continue;
        uint8_t *copy = (uint8_t *)arena_strndup(a, (const char *)values, n);
        vec_push(out, ((struct explore_point){node, round, copy}));
    }
    free(values);
}
