/* The calls of uncontrolled.h: reported, then done by the C library. */
#include "runtime/internal.h"

#include "runtime/uncontrolled.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/types.h>

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
