/* The string functions of the program: their accesses are looked at like those of its own code, then the C library does
 * the work. */
#include "runtime/internal.h"

#include "runtime/strings.h"

#include <strings.h>

#define R(address, size) rt_range((uintptr_t)(address), size, false, CALLER);
#define W(address, size) rt_range((uintptr_t)(address), size, true, CALLER);
#define SIZE(s) (size_of_string(s))
#define PART(s, n) (part_of_string(s, n))
#define SAME(a, b) (same_part(a, b))

static size_t part_of_string(const char *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i]) i++;
    return i < n ? i + 1 : n;
}

static size_t size_of_string(const char *s) { return part_of_string(s, SIZE_MAX); }

static size_t same_part(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return i + 1;
}

#define DEFINE(result, name, parameters, arguments, accesses) \
    __typeof__(result) __real_##name parameters; \
    __typeof__(result) __wrap_##name parameters; \
    EXPORT __typeof__(result) __wrap_##name parameters \
    { \
        accesses \
        return ((__typeof__(&__real_##name))rt_audited(#name, __real_##name, CALLER))arguments; \
    }
STRING_CALLS(DEFINE)

bool rt_is_string_function(const char *name)
{
#define NAME(result, name, parameters, arguments, accesses) #name,
    static const char *const names[] = {STRING_CALLS(NAME)};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}
