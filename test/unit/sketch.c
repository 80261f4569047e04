/* What samples of several searches tell about all states, on made-up searches whose truth is known. */
#include "search/sketch_int.h"

#include <math.h>
#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Search number `search` sees each of `all` states with the given chance; *seen: how many some search saw. */
static struct overlap searches(uint32_t count, uint64_t all, double chance, double *seen)
{
    struct overlap o;
    uint8_t *met = xcalloc(all, 1);
    struct sketch *s = xmalloc(sizeof *s);
    overlap_init(&o);
    for (uint32_t i = 0; i < count; i++) {
        sketch_init(s);
        for (uint64_t x = 0; x < all; x++) {
            if ((double)mix(x * 1000 + i + 77) >= chance * 0x1p64) continue;
            sketch_add(s, mix(x + 1));
            met[x] = 1;
        }
        overlap_add(&o, s);
    }
    *seen = 0;
    for (uint64_t x = 0; x < all; x++) *seen += met[x];
    free(met);
    free(s);
    return o;
}

/* As long as nothing is dropped from the samples the count is exact. */
static void few_states_are_counted(void **unused)
{
    (void)unused;
    double seen;
    struct overlap o = searches(5, 3000, 0.4, &seen);
    assert_true(overlap_states(&o) == seen);
    overlap_release(&o);
}

/* A sample of 4,096 has a standard deviation of 1.6 %; five of them are allowed. All states are equally likely to be
 * met here, which is when Chao's estimate is not only a bound but right. */
static void many_states_are_estimated(void **unused)
{
    (void)unused;
    static const double chances[] = {0.1, 0.3, 0.6};
    for (size_t i = 0; i < 3; i++) {
        double seen, all = 300000;
        struct overlap o = searches(4, (uint64_t)all, chances[i], &seen);
        assert_true(fabs(overlap_states(&o) / seen - 1) < 0.08);
        assert_true(fabs(overlap_share(&o) - seen / all) < 0.08);
        overlap_release(&o);
    }
}

static void one_search_tells_nothing(void **unused)
{
    (void)unused;
    double seen;
    struct overlap o = searches(1, 1000, 0.5, &seen);
    assert_true(overlap_share(&o) == 0);
    overlap_release(&o);
    o = searches(3, 1000, 1, &seen);
    assert_true(overlap_share(&o) == 1 && overlap_states(&o) == 1000);
    overlap_release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_states_are_counted),
                                       cmocka_unit_test(many_states_are_estimated),
                                       cmocka_unit_test(one_search_tells_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
