/* The calls of uncontrolled.h: reported where need be, then done by the C library. */
#include "runtime/internal.h"

#include "runtime/uncontrolled.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
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

/* The C library would create threads for these that are not under control. */
#define DEFINE_REFUSED(name, parameters, arguments) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        if (rt.active && rt.shared) rt_die("it calls " #name "(), which is asynchronous input or output"); \
        return ((function *)rt_real(#name))arguments; \
    }
REFUSED_CALLS(DEFINE_REFUSED)

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

/* A stream can leave locking to its callers. */
int call_fsetlocking(void *file, int type) __asm__("__fsetlocking");
EXPORT int call_fsetlocking(void *file, int type)
{
    typedef int function(void *, int);
    enum { BY_CALLER = 2 };
    if (type == BY_CALLER && rt.active && rt_is_program_code(CALLER))
        rt_note("__fsetlocking", "the stream is locked all the same: races between its callers are not seen", CALLER);
    return ((function *)rt_real("__fsetlocking"))(file, type);
}

/* Names belong to threads; everything else that prctl() changes is the process's, of which all threads here are one
 * kernel thread. */
int call_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d) __asm__("prctl");
EXPORT int call_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
    typedef int function(int, unsigned long, unsigned long, unsigned long, unsigned long);
    enum { NAME = 16 };
    int status;
    bool sets = what == PR_SET_NAME, is_name = sets || what == PR_GET_NAME;
    if (!is_name || !rt.active || !rt.shared) {
        if (has_threads()) rt_note("prctl", "all threads are one to the kernel, and it is not undone", CALLER);
        return ((function *)rt_real("prctl"))(what, a, b, c, d);
    }
    char name[NAME] = ""; /* a longer one is cut off */
    if (sets) {
        rt_call_reads_text((const char *)a, CALLER);
        strncpy(name, (const char *)a, NAME - 1);
        status = rt_thread_set_name(pthread_self(), name, CALLER);
    } else {
        status = rt_thread_get_name(pthread_self(), (char *)a, NAME, CALLER);
    }
    return status ? errno = status, -1 : 0;
}
