/* Which memory instructions access, of those whose operands depend on a mask: a store of a few bytes by the C library
 * would otherwise count as one of a whole vector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "runtime/operands.c"

enum { RDI = 7 };
static const uint8_t store_bytes[] = {0x62, 0xf1, 0x7f, 0x29, 0x7f, 0x07};        /* vmovdqu8 %ymm0,(%rdi){%k1} */
static const uint8_t store_bytes_at[] = {0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x47, 1};  /* vmovdqu8 %zmm0,64(%rdi){%k1} */
static const uint8_t store_words[] = {0x62, 0xf1, 0x7e, 0x29, 0x7f, 0x07};        /* vmovdqu32 %ymm0,(%rdi){%k1} */
static const uint8_t load_bytes[] = {0x62, 0xf1, 0x7f, 0xa9, 0x6f, 0x07};         /* vmovdqu8 (%rdi),%ymm0{%k1}{z} */
static const uint8_t compare[] = {0x62, 0xf3, 0x7d, 0x29, 0x3e, 0x07, 4};         /* vpcmpnequb (%rdi),%ymm0,%k0{%k1} */
static const uint8_t store_all[] = {0x62, 0xf1, 0x7f, 0x28, 0x7f, 0x07};          /* vmovdqu8 %ymm0,(%rdi) */

static struct operands decode(const uint8_t *code, bool has_masks, uint64_t mask)
{
    struct operand_registers r = {.has_masks = has_masks, .masks = {[1] = mask}};
    struct operands o;
    r.general[RDI] = 1000;
    operands_decode(code, &r, &o);
    assert_true(o.is_known);
    return o;
}

static void check(struct operands o, uintptr_t address, size_t size, bool writes, bool is_loose)
{
    assert_int_equal(o.count, 1);
    assert_int_equal(o.at[0].address, address);
    assert_int_equal(o.at[0].size, size);
    assert_int_equal(o.at[0].writes, writes);
    assert_int_equal(o.at[0].reads, !writes);
    assert_int_equal(o.at[0].is_loose, is_loose);
}

static void stores_write_the_lanes_of_the_mask(void **state)
{
    (void)state;
    check(decode(store_bytes, true, 0x1ff), 1000, 9, true, false);
    check(decode(store_bytes, true, 0xff0), 1004, 8, true, false);
    check(decode(store_bytes, true, UINT64_MAX), 1000, 32, true, false);
    check(decode(store_bytes_at, true, UINT64_MAX), 1064, 64, true, false);
    check(decode(store_bytes_at, true, 1), 1064, 1, true, false);
    check(decode(store_words, true, 6), 1004, 8, true, false);
    check(decode(store_all, true, 1), 1000, 32, true, false);
}

static void masks_with_holes_are_loose(void **state)
{
    (void)state;
    check(decode(store_bytes, true, 0x105), 1000, 9, true, true);
    check(decode(store_bytes, false, 0), 1000, 32, true, true);
}

static void empty_masks_access_nothing(void **state)
{
    (void)state;
    assert_int_equal(decode(store_bytes, true, 0).count, 0);
    assert_int_equal(decode(store_bytes, true, UINT64_C(1) << 40).count, 0);
}

static void loads_stay_loose(void **state)
{
    (void)state;
    check(decode(load_bytes, true, 7), 1000, 3, false, true);
    check(decode(compare, true, 0x30), 1004, 2, false, true);
    check(decode(compare, false, 0), 1000, 32, false, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_write_the_lanes_of_the_mask), cmocka_unit_test(masks_with_holes_are_loose),
        cmocka_unit_test(empty_masks_access_nothing), cmocka_unit_test(loads_stay_loose)};
    return cmocka_run_group_tests_name("operands", tests, NULL, NULL);
}
