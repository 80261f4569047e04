/* Exceptions that several threads hold by std::exception_ptr. The C++ library counts the holders in the header of the
 * exception, in code that is not instrumented, and the last holder runs the destructor. So the order in which holders
 * let go decides which thread that is, and letting go is a use of shared state (state.c). What a thread did with the
 * exception happens before its destruction. Taking another reference needs no step: the thread already holds one, so
 * the count cannot reach zero meanwhile. */
#include "runtime/internal.h"

/* Headers as the C++ ABI lays them out where pointers have 64 bits; both kinds lie directly before the object.
 * The primary one begins with the count. A rethrown exception has a dependent header that points to the object. */
enum { HEADER = 112, PRIMARY = 128, HANDLER_COUNT = 40, CLASS = 80 };
struct globals { char *caught; unsigned uncaught; };
struct globals *__cxa_get_globals(void);

static void let_go(char *object, uintptr_t pc)
{
    const char *count = object - PRIMARY;
    rt_state_use(count, true, pc, "exception released");
    rt_acquire((uint64_t)count);
    rt_release((uint64_t)count);
}

/* Returns the exception that the innermost handler holds if this handler is the last one to leave it, else NULL. */
static char *exception_left(void)
{
    char *header = REAL(__cxa_get_globals)()->caught, *object = header + HEADER;
    int handlers;
    if (!header || memcmp(header + CLASS + 1, "++CCUNG", 7) != 0) return NULL;
    memcpy(&handlers, header + HANDLER_COUNT, sizeof handlers);
    if (handlers != 1) return NULL; /* a negative count: it was thrown again, and goes on */
    if (header[CLASS] == 1) memcpy(&object, header, sizeof object);
    return object;
}

void __cxa_end_catch(void);
EXPORT void __cxa_end_catch(void)
{
    char *object = rt.active ? exception_left() : NULL;
    if (object) let_go(object, CALLER);
    REAL(__cxa_end_catch)();
}

void exception_ptr_release(void *pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");
EXPORT void exception_ptr_release(void *pointer)
{
    char *object = *(char **)pointer;
    if (rt.active && object) let_go(object, CALLER);
    ((void (*)(void *))rt_real("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"))(pointer);
}
