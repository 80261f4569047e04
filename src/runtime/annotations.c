/* What programs tell a thread sanitizer about synchronisation of their own, when they are compiled for one. What is
 * said to order is believed. That a race is harmless, or that accesses are to be overlooked, is not: a race is
 * reported. */
#include "runtime/internal.h"

/* Not the object's own clock: a relaxed store to it would forget what was said. */
static uint64_t clock_of(const volatile void *object) { return (uint64_t)object ^ 1ull << 62; }

#define ANNOTATION(name) \
    void Annotate##name(const char *file, int line, const volatile void *object); \
    EXPORT void Annotate##name(const char *file, int line, const volatile void *object)
#define IGNORED(name, ...) \
    void name(__VA_ARGS__); \
    EXPORT void name(__VA_ARGS__) {}
#define PLACE const char *file __attribute__((unused)), int line __attribute__((unused))
#define ARGUMENT(type, name) type name __attribute__((unused))

ANNOTATION(HappensBefore) { (void)file, (void)line, rt_release(clock_of(object)); }
ANNOTATION(HappensAfter) { (void)file, (void)line, rt_acquire(clock_of(object)); }

void __tsan_acquire(void *object);
void __tsan_release(void *object);
EXPORT void __tsan_acquire(void *object) { rt_acquire(clock_of(object)); }
EXPORT void __tsan_release(void *object) { rt_release(clock_of(object)); }

void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes);
EXPORT void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes)
{
    (void)file, (void)line, (void)writes;
    rt_acquire(clock_of(lock));
}

void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes);
EXPORT void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes)
{
    (void)file, (void)line, (void)writes;
    rt_release(clock_of(lock));
}

IGNORED(AnnotateRWLockCreate, PLACE, ARGUMENT(const volatile void *, lock))
IGNORED(AnnotateRWLockCreateStatic, PLACE, ARGUMENT(const volatile void *, lock))
IGNORED(AnnotateRWLockDestroy, PLACE, ARGUMENT(const volatile void *, lock))
IGNORED(AnnotateBenignRace, PLACE, ARGUMENT(const volatile void *, address), ARGUMENT(const char *, why))
IGNORED(AnnotateBenignRaceSized, PLACE, ARGUMENT(const volatile void *, address), ARGUMENT(unsigned long, size),
        ARGUMENT(const char *, why))
IGNORED(AnnotateNewMemory, PLACE, ARGUMENT(const volatile void *, address), ARGUMENT(unsigned long, size))
IGNORED(AnnotateThreadName, PLACE, ARGUMENT(const char *, name))
IGNORED(AnnotateIgnoreReadsBegin, PLACE)
IGNORED(AnnotateIgnoreReadsEnd, PLACE)
IGNORED(AnnotateIgnoreWritesBegin, PLACE)
IGNORED(AnnotateIgnoreWritesEnd, PLACE)
IGNORED(AnnotateIgnoreSyncBegin, PLACE)
IGNORED(AnnotateIgnoreSyncEnd, PLACE)

/* Locks that are built of other things. */
void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion)
{
    enum { TRY_FAILED = 1 << 5 };
    (void)recursion;
    if (!(flags & TRY_FAILED)) rt_acquire(clock_of(lock));
}

int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags)
{
    (void)flags;
    rt_release(clock_of(lock));
    return 0;
}

IGNORED(__tsan_mutex_create, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_destroy, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_pre_lock, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_post_unlock, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_pre_signal, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_post_signal, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_pre_divert, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))
IGNORED(__tsan_mutex_post_divert, ARGUMENT(void *, lock), ARGUMENT(unsigned, flags))

/* include/heddle/bits/shared_ptr_atomic.h */
void heddle_relaxed_pointer(void);
EXPORT void heddle_relaxed_pointer(void)
{
    rt_note("relaxed std::atomic<shared_ptr>", "it orders more in this C++ library than the standard promises", CALLER);
}
