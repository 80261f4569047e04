/* Sorted tables of keys in cache lines, against a plain list of what was put in: with whole and with short keys, over
 * the size at which a table goes over to short ones, with every size of marks, and when memory is full. */
#include "search/lines_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Number i of many keys, each of which has one number, spread evenly. */
static uint64_t nth_key(const struct lines *t, uint64_t i)
{
    return t->least + ((i * UINT64_C(0x9e3779b97f4a7c15)) & ((UINT64_C(1) << t->bits) - 1));
}

static void set_mark(const struct lines *t, struct place p, uint64_t i)
{
    for (uint32_t k = 0; k < t->mark; k++) place_mark(t, p)[k] = (uint8_t)(i * 7 + k);
}

static bool has_mark(const struct lines *t, struct place p, uint64_t i)
{
    for (uint32_t k = 0; k < t->mark; k++)
        if (place_mark(t, p)[k] != (uint8_t)(i * 7 + k)) return false;
    return true;
}

static bool put(struct lines *t, struct budget *b, uint64_t i)
{
    struct place p;
    assert_false(t->at && lines_find(t, nth_key(t, i), &p));
    if (!lines_add(t, nth_key(t, i), b, &p)) return false;
    set_mark(t, p, i);
    return true;
}

/* Exactly the keys 0 .. n-1, with their marks, and in order. */
static void compare(const struct lines *t, uint64_t n)
{
    struct place p;
    uint64_t seen = 0, before = 0;
    assert_int_equal(t->count, n);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(lines_find(t, nth_key(t, i), &p));
        assert_int_equal(place_key(t, p), nth_key(t, i));
        assert_true(has_mark(t, p, i));
    }
    for (uint64_t i = n; i < n + n / 4 + 10; i++) assert_false(t->at && lines_find(t, nth_key(t, i), &p));
    for (bool more = lines_from(t, 0, &p); more; p.slot++, more = lines_here(t, &p), seen++) {
        assert_true(!seen || place_key(t, p) > before);
        before = place_key(t, p);
    }
    assert_int_equal(seen, n);
}

static void keys_are_kept(void **state)
{
    static const struct { uint32_t bits, mark; uint64_t least; } kinds[] = {
        {62, 0, 0}, {58, 2, UINT64_C(5) << 58}, {58, 0, UINT64_C(15) << 58}, {62, 1, 0}, {50, 2, 0}, {50, 4, 0},
        {50, 8, 0}, {50, 40, 0}, {50, 0, UINT64_C(1) << 50}, {40, 2, 0}, {40, 0, 0}, {32, 2, 0},
    };
    bool has_whole = false, has_short = false;
    (void)state;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        struct budget b = {0};
        struct lines t;
        lines_init(&t, kinds[kind].bits, kinds[kind].mark, kinds[kind].least);
        for (uint64_t n = 0, next = 0; n < 120000; n++) {
            if (n == next) compare(&t, n), next = n + n / 3 + 1;
            assert_true(put(&t, &b, n));
            has_whole |= t.width == 8, has_short |= t.width == 6;
        }
        compare(&t, 120000);
        lines_release(&t, &b);
        assert_int_equal(b.used, 0);
    }
    assert_true(has_whole && has_short);
}

/* As many as there are in a part of a search with millions of states. */
static void large_tables_have_short_keys(void **state)
{
    struct budget b = {0};
    struct lines t;
    (void)state;
    lines_init(&t, 58, 2, UINT64_C(3) << 58);
    uint64_t n = 0;
    while (t.width == 8) assert_true(put(&t, &b, n++));
    compare(&t, n);
    assert_int_equal(t.per_line, 8);
    for (uint64_t end = 3 * n; n < end; n++) assert_true(put(&t, &b, n));
    compare(&t, n);
    /* between 7/8 of 8 keys in a line, and what a quarter more lines leave of that */
    assert_true(b.used <= n * 8 * 8 / 7 * 5 / 4 * 66 / 64 && b.used >= n * 8);
    lines_release(&t, &b);
}

static void nothing_is_lost_when_memory_is_full(void **state)
{
    (void)state;
    for (size_t limit = 2000; limit < 3000000; limit += limit / 2 + 12345) {
        struct budget b = {.limit = limit};
        struct lines t;
        uint64_t n = 0;
        lines_init(&t, 50, 2, 0);
        while (put(&t, &b, n)) n++;
        if (n) compare(&t, n);
        assert_true(b.used <= limit && n * 14 > limit / 8);
        lines_release(&t, &b);
    }
}

/* More neighbours than short keys can be behind their line: they are refused, and what is there stays. */
static void neighbours_are_refused_in_the_end(void **state)
{
    struct budget b = {.limit = 1 << 20};
    struct lines t;
    struct place p;
    uint64_t n = 0;
    (void)state;
    lines_init(&t, 40, 2, 0);
    for (;; n++) {
        assert_false(t.at && lines_find(&t, n, &p));
        if (!lines_add(&t, n, &b, &p)) break;
    }
    assert_true(n >= 8 * 32 - 8 && t.count == n);
    for (uint64_t i = 0; i < n; i++) assert_true(lines_find(&t, i, &p) && place_key(&t, p) == i);
    lines_release(&t, &b);
}

/* The room that is made is enough for as many as was said. */
static void room_is_made(void **state)
{
    struct budget b = {0};
    struct lines t;
    (void)state;
    lines_init(&t, 50, 4, 0);
    uint64_t n = 0;
    for (uint64_t more = 1; more < 50000; more += more / 2 + 1) {
        assert_true(lines_make_room(&t, more, &b));
        size_t used = b.used;
        for (uint64_t end = n + more; n < end; n++) assert_true(put(&t, &b, n));
        assert_int_equal(b.used, used);
    }
    compare(&t, n);
    lines_clear(&t);
    compare(&t, 0);
    lines_release(&t, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_kept),
        cmocka_unit_test(large_tables_have_short_keys),
        cmocka_unit_test(nothing_is_lost_when_memory_is_full),
        cmocka_unit_test(neighbours_are_refused_in_the_end),
        cmocka_unit_test(room_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
