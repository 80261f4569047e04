/* GLib's mutexes and conditions are made of instructions inside the library that nobody sees, so the program's calls
 * of them come here. Its queues and things done once order what goes through them. The library's own calls stay its
 * own. */
#include "runtime/internal.h"

void g_mutex_init(void *m);
void g_mutex_clear(void *m);
void g_mutex_lock(void *m);
void g_mutex_unlock(void *m);
int g_mutex_trylock(void *m);
void g_cond_init(void *c);
void g_cond_clear(void *c);
void g_cond_wait(void *c, void *m);
int g_cond_wait_until(void *c, void *m, int64_t microseconds);
void g_cond_signal(void *c);
void g_cond_broadcast(void *c);

static pthread_mutex_t *mutex_of(void *m) { return rt_mutex_beside(m); }

/* A GCond is smaller than a pthread_cond_t: of that only a name and room for the mark of its kind are needed. */
static pthread_cond_t *cond_of(void *c) { return (pthread_cond_t *)(void *)rt_mutex_beside(c); }

EXPORT void g_mutex_init(void *m)
{
    rt_object_init(mutex_of(m), RT_NO_OBJECT, 0, CALLER, "mutex init");
    memset(m, 0, sizeof(void *));
}
EXPORT void g_mutex_clear(void *m)
{
    rt_object_destroy(mutex_of(m), RT_NO_OBJECT, CALLER, "mutex destroy");
    if (!rt.active || rt_mutex_is_free(mutex_of(m))) return;
    rt_find(RT_MISUSE, CALLER, "destroying a mutex that is locked");
    rt_finding_end();
}
EXPORT void g_mutex_lock(void *m) { rt_mutex_lock(mutex_of(m), CALLER); }
EXPORT void g_mutex_unlock(void *m) { rt_mutex_unlock(mutex_of(m), CALLER); }
EXPORT int g_mutex_trylock(void *m) { return rt_mutex_trylock(mutex_of(m), false, CALLER) == 0; }
EXPORT void g_cond_init(void *c) { rt_object_init(cond_of(c), RT_NO_OBJECT, 0, CALLER, "cond init"); }
EXPORT void g_cond_clear(void *c) { rt_object_destroy(cond_of(c), RT_NO_OBJECT, CALLER, "cond destroy"); }
EXPORT void g_cond_wait(void *c, void *m) { rt_cond_wait(cond_of(c), mutex_of(m), false, 0, CALLER); }
EXPORT int g_cond_wait_until(void *c, void *m, int64_t microseconds)
{
    return rt_cond_wait(cond_of(c), mutex_of(m), true, (uint64_t)microseconds * 1000, CALLER) == 0;
}
EXPORT void g_cond_signal(void *c) { pthread_cond_signal(cond_of(c)); }
EXPORT void g_cond_broadcast(void *c) { pthread_cond_broadcast(cond_of(c)); }

#define PUSHES(name) \
    void name(void *queue, void *data); \
    EXPORT void name(void *queue, void *data) \
    { \
        rt_release((uint64_t)queue); \
        REAL(name)(queue, data); \
    }
PUSHES(g_async_queue_push)
PUSHES(g_async_queue_push_front)
PUSHES(g_async_queue_push_unlocked)

#define POPS(name, parameters, arguments) \
    void *name parameters; \
    EXPORT void *name parameters \
    { \
        void *data = REAL(name) arguments; \
        rt_acquire((uint64_t)queue); \
        return data; \
    }
POPS(g_async_queue_pop, (void *queue), (queue))
POPS(g_async_queue_pop_unlocked, (void *queue), (queue))
POPS(g_async_queue_try_pop, (void *queue), (queue))
POPS(g_async_queue_timeout_pop, (void *queue, uint64_t microseconds), (queue, microseconds))

void g_once_init_leave(void *location, uintptr_t result);
EXPORT void g_once_init_leave(void *location, uintptr_t result)
{
    rt_release((uint64_t)location);
    REAL(g_once_init_leave)(location, result);
}
