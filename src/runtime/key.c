/* What belongs to one thread: pthread keys, destructors of thread_local objects, cleanup handlers, pthread_exit. */
#include "runtime/internal.h"

#include <limits.h>
#include <setjmp.h>

EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    for (unsigned i = 0; i < MAX_KEYS; i++)
        if (!rt.keys[i].used) {
            rt.keys[i] = (struct thread_key){true, destroy};
            rt.keys_changed = true;
            for (int t = 0; rt.active && t < rt.thread_limit; t++) rt.threads[t].keys[i] = NULL;
            *key = i;
            return 0;
        }
    return EAGAIN;
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
    if (key >= MAX_KEYS || !rt.keys[key].used) return EINVAL;
    rt.keys[key].used = false;
    rt.keys_changed = true;
    return 0;
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key >= MAX_KEYS || !rt.keys[key].used) return EINVAL;
    if (!rt.active) {
        rt.early_keys[key] = (void *)value;
        rt.has_early_keys = true;
        return 0;
    }
    rt.self->keys[key] = (void *)value;
    rt.self->uses_keys = true;
    return 0;
}

EXPORT void *pthread_getspecific(pthread_key_t key)
{
    if (key >= MAX_KEYS || !rt.keys[key].used) return NULL;
    return rt.active ? rt.self->keys[key] : rt.early_keys[key];
}

void rt_run_key_destructors(struct thread *t)
{
    bool again = t->uses_keys;
    for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (int i = 0; i < MAX_KEYS; i++) {
            void *value = t->keys[i];
            if (!value || !rt.keys[i].used || !rt.keys[i].destroy) continue;
            t->keys[i] = NULL;
            rt.keys[i].destroy(value);
            again = true;
        }
    }
}

struct tls_destructor {
    struct tls_destructor *next;
    void (*destroy)(void *);
    void *object;
};
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module);
void *malloc(size_t size);

EXPORT int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module)
{
    (void)module;
    if (!rt.active) return 0; /* of the thread that runs constructors: lives as long as the process */
    struct tls_destructor *d = malloc(sizeof *d);
    *d = (struct tls_destructor){rt.self->tls_destructors, destroy, object};
    rt.self->tls_destructors = d;
    return 0;
}

void rt_run_tls_destructors(struct thread *t)
{
    while (t->tls_destructors) {
        struct tls_destructor *d = t->tls_destructors;
        t->tls_destructors = d->next;
        d->destroy(d->object);
    }
}

/* pthread_cleanup_push in C is a macro over setjmp and these three functions. */
struct cleanup {
    jmp_buf jump;
    struct cleanup *next;
}; /* as __pthread_unwind_buf_t: its private part holds the link */
static struct cleanup **link_of(__pthread_unwind_buf_t *b) { return (struct cleanup **)&b->__pad[0]; }
void __pthread_register_cancel(__pthread_unwind_buf_t *b);
void __pthread_unregister_cancel(__pthread_unwind_buf_t *b);
void __pthread_unwind_next(__pthread_unwind_buf_t *b);

EXPORT void __pthread_register_cancel(__pthread_unwind_buf_t *b)
{
    if (!rt.active) return;
    *link_of(b) = rt.self->cleanups;
    rt.self->cleanups = (struct cleanup *)b;
}

EXPORT void __pthread_unregister_cancel(__pthread_unwind_buf_t *b)
{
    if (rt.active) rt.self->cleanups = *link_of(b);
}

static void unwind(void)
{
    struct thread *self = rt.self;
    assert(self->exiting);
    if (!self->cleanups) rt_thread_end(self->result);
    __pthread_unwind_buf_t *b = (__pthread_unwind_buf_t *)self->cleanups;
    self->cleanups = *link_of(b);
    struct __jmp_buf_tag *jump = (void *)b->__cancel_jmp_buf; /* its beginning: no signal mask was saved */
    __asm__("" : "+r"(jump));
    longjmp(jump, 1);
}

EXPORT void __pthread_unwind_next(__pthread_unwind_buf_t *b)
{
    (void)b;
    unwind();
    __builtin_unreachable();
}

void rt_cancel_self(void)
{
    struct thread *self = rt.self;
    self->exiting = true;
    self->at_cancellation_point = false;
    self->result = PTHREAD_CANCELED;
    unwind();
    __builtin_unreachable();
}

EXPORT void pthread_exit(void *result)
{
    if (!rt.active) rt_die("pthread_exit() before main()");
    rt.self->exiting = true;
    rt.self->result = result;
    unwind();
    __builtin_unreachable();
}
