/* Test programs of cmocka run the tests that $CMOCKA_TEST_FILTER names. The library has a function for it and no other
 * way to be told from outside; what this program is linked with may have none of it. */
#include <stdlib.h>

extern void cmocka_set_test_filter(const char *pattern) __attribute__((weak));

static void __attribute__((constructor)) choose_cmocka_tests(void)
{
    const char *pattern = getenv("CMOCKA_TEST_FILTER");
    if (pattern && cmocka_set_test_filter) cmocka_set_test_filter(pattern);
}
