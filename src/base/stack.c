/* A large stack is the stack of a thread that lives as long as the call. */
#define _GNU_SOURCE
#include "base/stack.h"

#include "base/base.h"

#include <pthread.h>
#include <signal.h>

#define LARGEST_STACK ((size_t)1 << 30)
#define SMALLEST_STACK ((size_t)1 << 20)

struct call {
    void (*fn)(void *ctx);
    void *ctx;
    sigset_t mask; /* of the calling thread */
};

static void *run_call(void *call)
{
    struct call *c = call;
    pthread_sigmask(SIG_SETMASK, &c->mask, NULL);
    c->fn(c->ctx);
    return NULL;
}

static bool call_with(size_t bytes, struct call *call)
{
    pthread_attr_t attributes;
    pthread_t thread;
    if (pthread_attr_init(&attributes)) return false;
    bool started = !pthread_attr_setstacksize(&attributes, bytes) &&
                   !pthread_create(&thread, &attributes, run_call, call);
    pthread_attr_destroy(&attributes);
    if (started) pthread_join(thread, NULL);
    return started;
}

void stack_call(void (*fn)(void *ctx), void *ctx)
{
    struct call call = {fn, ctx};
    sigset_t all;
    bool called = false;
    sigfillset(&all); /* signals go to the thread that works, whose children their handlers end */
    pthread_sigmask(SIG_SETMASK, &all, &call.mask);
    for (size_t bytes = LARGEST_STACK; bytes >= SMALLEST_STACK && !called; bytes /= 2) called = call_with(bytes, &call);
    pthread_sigmask(SIG_SETMASK, &call.mask, NULL);
    if (!called) fn(ctx);
}

size_t stack_size(void)
{
    pthread_attr_t attributes;
    void *start;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return SMALLEST_STACK;
    if (pthread_attr_getstack(&attributes, &start, &bytes)) bytes = SMALLEST_STACK;
    pthread_attr_destroy(&attributes);
    return bytes;
}
