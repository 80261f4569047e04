/* C11 threads.h: the same objects under other names (in the GNU C library they have the same layout). */
#include "runtime/internal.h"

#include <limits.h>
#include <threads.h>

_Static_assert(sizeof(mtx_t) <= sizeof(pthread_mutex_t) && sizeof(cnd_t) <= sizeof(pthread_cond_t), "same layout");

static int status_of(int error)
{
    switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
    }
}

static uint64_t in_nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000ull + (uint64_t)t->tv_nsec;
}

EXPORT int thrd_create(thrd_t *t, thrd_start_t start, void *argument)
{
    /* An int comes back in the same register as a pointer. */
    struct thread_start s = {.function = (void *(*)(void *))(uintptr_t)start, .argument = argument, .pc = CALLER};
    s.is_called = true;
    return status_of(rt_create(t, &s));
}

EXPORT int thrd_join(thrd_t t, int *result)
{
    void *value = NULL;
    int error = rt_join(t, &value, CALLER);
    if (!error) rt_call_writes(result, sizeof *result, CALLER);
    if (result) *result = (int)(intptr_t)value;
    return status_of(error);
}

EXPORT int thrd_detach(thrd_t t) { return status_of(pthread_detach(t)); }
EXPORT thrd_t thrd_current(void) { return pthread_self(); }
int c11_equal(thrd_t x, thrd_t y) __asm__("thrd_equal"); /* the header may define it in place */
EXPORT int c11_equal(thrd_t x, thrd_t y) { return x == y; }
EXPORT void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
EXPORT void thrd_yield(void) { rt_point(OP(YIELD), NULL, CALLER); }

EXPORT int mtx_init(mtx_t *m, int type)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)m;
    rt_object_init(mutex, RT_MUTEX, 0, CALLER, "mutex init");
    mutex->__data.__kind = type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL;
    return thrd_success;
}

EXPORT void mtx_destroy(mtx_t *m) { pthread_mutex_destroy((pthread_mutex_t *)m); }
EXPORT int mtx_lock(mtx_t *m) { return status_of(rt_mutex_lock((pthread_mutex_t *)m, CALLER)); }
EXPORT int mtx_trylock(mtx_t *m) { return status_of(rt_mutex_trylock((pthread_mutex_t *)m, false, CALLER)); }
EXPORT int mtx_unlock(mtx_t *m) { return status_of(rt_mutex_unlock((pthread_mutex_t *)m, CALLER)); }

EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return status_of(rt_until(deadline, rt_mutex_trylock((pthread_mutex_t *)m, true, CALLER)));
}

EXPORT int cnd_init(cnd_t *c) { return status_of(pthread_cond_init((pthread_cond_t *)c, NULL)); }
EXPORT void cnd_destroy(cnd_t *c) { pthread_cond_destroy((pthread_cond_t *)c); }
EXPORT int cnd_signal(cnd_t *c) { return status_of(pthread_cond_signal((pthread_cond_t *)c)); }
EXPORT int cnd_broadcast(cnd_t *c) { return status_of(pthread_cond_broadcast((pthread_cond_t *)c)); }

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return status_of(rt_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, false, 0, CALLER));
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return status_of(rt_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, true, in_nanoseconds(deadline), CALLER));
}

EXPORT void call_once(once_flag *flag, void (*routine)(void)) { rt_once((pthread_once_t *)flag, routine, CALLER); }
EXPORT int tss_create(tss_t *key, tss_dtor_t destroy) { return status_of(rt_key_create(key, destroy, CALLER)); }
EXPORT void tss_delete(tss_t key) { pthread_key_delete(key); }
EXPORT int tss_set(tss_t key, void *value) { return status_of(pthread_setspecific(key, value)); }
EXPORT void *tss_get(tss_t key) { return pthread_getspecific(key); }
