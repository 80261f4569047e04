/* The calls of uncontrolled.h: reported where need be, then done by the C library. */
#include "runtime/internal.h"

#include "runtime/uncontrolled.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/types.h>
#include <sys/utsname.h>

/* The C library's headers are not included: the parameters here are as wide as theirs, and that is all a call needs. */
#define DEFINE(result, name, parameters, arguments, meaning) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt_note(#name, meaning, CALLER); \
        rt.used_files = true; \
        return ((function *)rt_real(#name))arguments; \
    }
UNCONTROLLED_CALLS(DEFINE)

static bool has_threads(void) { return rt.self && (rt.self->id || rt.self->children); }

#define DEFINE_SURVIVING(result, name, parameters, arguments, meaning) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        if (has_threads()) rt_note(#name, meaning, CALLER); \
        return ((function *)rt_real(#name))arguments; \
    }
SURVIVING_CALLS(DEFINE_SURVIVING)

/* The kernel does not come to pages that are write-protected to see whether they change: it would fail. */
#define DEFINE_FILLING(result, name, parameters, arguments, to, size) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt_touch(to, size); \
        return ((function *)rt_real(#name))arguments; \
    }
FILLING_CALLS(DEFINE_FILLING)
