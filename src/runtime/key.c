/* What belongs to one thread: pthread keys, destructors of thread_local objects, cleanup handlers, pthread_exit. */
#include "runtime/internal.h"

#include <limits.h>
#include <setjmp.h>

/* Keys are created and deleted in an order that other threads see: by their numbers, and because a key that was deleted
 * is no key. Where threads use keys while one of them deletes some, using them is a step as well, which is learnt like
 * a place in the program. */
static uintptr_t uses_key(void) { return (uintptr_t)rt_run_key_destructors; }

static void key_step(uintptr_t pc, const char *label)
{
    if (rt.active && !rt_is_alone()) rt_point_labelled(OP(GLOBAL), NULL, pc, label);
}

static void use_step(pthread_key_t key, uintptr_t pc, const char *label)
{
    if (!rt.active || !rt_is_hot(uses_key())) return;
    rt_point_labelled(OP(READ, .object = (uint64_t)&rt.keys[key], .count = 1), NULL, pc, label);
}

static void learn_uses(void)
{
    int id;
    if (!rt.active || !rt.shared || rt_is_alone()) return;
    FOR_EACH_THREAD(id, rt.created)
        if (id != rt.self->id && rt.threads[id].uses_keys) rt_learn_point(uses_key());
}

int rt_key_create(pthread_key_t *key, void (*destroy)(void *), uintptr_t pc)
{
    key_step(pc, "key create");
    for (unsigned i = 0; i < MAX_KEYS; i++)
        if (!rt.keys[i].used) {
            rt.keys[i] = (struct thread_key){true, destroy};
            rt.keys_changed = true;
            for (int t = 0; rt.active && t < rt.thread_limit; t++) rt.threads[t].keys[i] = NULL;
            rt_call_writes(key, sizeof *key, pc);
            *key = i;
            return 0;
        }
    return EAGAIN;
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    return rt_key_create(key, destroy, CALLER);
}

EXPORT int pthread_key_delete(pthread_key_t key)
{
    key_step(CALLER, "key delete");
    learn_uses();
    if (key >= MAX_KEYS || !rt.keys[key].used) return EINVAL;
    rt.keys[key].used = false;
    rt.keys_changed = true;
    return 0;
}

/* What such a call does is not defined. */
static void refuse_unknown(pthread_key_t key, uintptr_t pc)
{
    if (!rt.active || !rt_is_program_code(pc) || (key < MAX_KEYS && rt.keys[key].used)) return;
    rt_find(RT_MISUSE, pc, "using a key that was deleted, or was never created");
    rt_finding_end();
}

EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    if (key < MAX_KEYS) use_step(key, CALLER, "setspecific");
    refuse_unknown(key, CALLER);
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
    if (key < MAX_KEYS) use_step(key, CALLER, "getspecific");
    refuse_unknown(key, CALLER);
    if (key >= MAX_KEYS || !rt.keys[key].used) return NULL;
    if (!rt.active) return rt.early_keys[key];
    rt.self->uses_keys = true;
    return rt.self->keys[key];
}

/* The library makes states of promises ready in a destructor, by stores that are not instrumented. */
static void begin_ready(struct thread *t)
{
    if (t->ready_count) rt_point_labelled(OP(GLOBAL), NULL, (uintptr_t)t->start + 1, "make ready");
    for (uint32_t i = 0; i < t->ready_count; i++) rt_release(t->ready[i].status);
    t->makes_ready = t->ready_count;
}

/* It calls a function of the program, perhaps because it was the last owner of a state. */
void rt_ready_acquire(void)
{
    for (uint32_t i = 0; i < rt.self->ready_count; i++) {
        rt_acquire(rt.self->ready[i].uses);
        rt_weak_acquire_newest(rt.self->ready[i].uses);
    }
}

static void run_key_destructors(struct thread *t)
{
    bool again = t->uses_keys;
    if (again) use_step(0, 0, "key destructors");
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

void rt_run_key_destructors(struct thread *t)
{
    begin_ready(t);
    run_key_destructors(t);
    t->makes_ready = false;
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

/* The handler that was registered last. */
static __attribute__((noreturn)) void run_cleanup(struct thread *self)
{
    __pthread_unwind_buf_t *b = (__pthread_unwind_buf_t *)self->cleanups;
    self->cleanups = *link_of(b);
    struct __jmp_buf_tag *jump = (void *)b->__cancel_jmp_buf; /* its beginning: no signal mask was saved */
    __asm__("" : "+r"(jump));
    longjmp(jump, 1);
}

static __attribute__((noreturn)) void end_unwound(struct thread *self)
{
    if (self->cleanups) run_cleanup(self);
    rt_thread_end(self->result);
    __builtin_unreachable();
}

/* Destructors of C++ objects are run by the unwinder, as the C library has it. It is in no program without C++. */
#pragma weak _Unwind_ForcedUnwind
#pragma weak _Unwind_GetCFA

/* Before each frame. A handler that was registered in a frame below this one is next. */
static _Unwind_Reason_Code unwind_frame(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                        struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *p)
{
    struct thread *self = p;
    (void)version, (void)class, (void)exception;
    bool is_next = self->cleanups && (uintptr_t)self->cleanups < (uintptr_t)_Unwind_GetCFA(context);
    if ((actions & _UA_END_OF_STACK) || is_next) end_unwound(self);
    return _URC_NO_REASON;
}

static void swallowed(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
    (void)reason, (void)exception;
    rt_find(RT_CRASH, CALLER, "a catch block ends pthread_exit() or a cancellation, and does not throw it again");
    rt_finding_end();
}

static void unwind(void)
{
    struct thread *self = rt.self;
    assert(self->exiting);
    if (_Unwind_ForcedUnwind && _Unwind_GetCFA) {
        self->unwinding = (struct _Unwind_Exception){.exception_cleanup = swallowed};
        _Unwind_ForcedUnwind(&self->unwinding, unwind_frame, self); /* returns where frames have no tables */
    }
    end_unwound(self);
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
    rt_file_call_over();
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
