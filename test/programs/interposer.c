/* The program has functions of the C library's names that call the next ones, which are the runtime's, also with many
 * threads. What such a function does itself is observed.
 * expect: VERIFIED no error in any schedule$
 * expect with -- counted: ERROR race: .*calls
 * expect with -- no-lock: ERROR race: .*data
 * expect with -- order: ERROR deadlock
 * expect with -- beyond: ERROR memory: write .* beyond a heap block of 10 bytes
 * expect with -- ended: ERROR memory
 * expect with --explore=random --executions=2 -- many: UNKNOWN no error in the 2 schedules explored
 * expect with --explore=random --executions=2 -- many-no-lock: ERROR race: .*data
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { MANY = 80 };
static const char *mode = "";
static void *(*next_malloc)(size_t);
static int (*next_lock)(pthread_mutex_t *);
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int calls, data;

static int is(const char *other) { return !strcmp(mode, other); }

void *malloc(size_t size)
{
    if (!next_malloc) next_malloc = (__typeof__(next_malloc))dlsym(RTLD_NEXT, "malloc");
    if (is("counted")) calls++;
    return next_malloc(size);
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
    if (!next_lock) next_lock = (__typeof__(next_lock))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return strstr(mode, "no-lock") ? 0 : next_lock(lock);
}

static void *work(void *a)
{
    volatile char *p = malloc(10);
    pthread_mutex_lock(a && is("order") ? &n : &m);
    if (is("order")) pthread_mutex_lock(a ? &m : &n);
    data++;
    if (is("order")) pthread_mutex_unlock(a ? &m : &n);
    if (!strstr(mode, "no-lock")) pthread_mutex_unlock(a && is("order") ? &n : &m);
    p[is("beyond") ? 10 : 9] = 1;
    free((void *)p);
    if (is("ended")) p[0] = 1;
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t[MANY];
    if (argc > 1) mode = argv[1];
    int count = strstr(mode, "many") ? MANY : 1;
    next_malloc = (__typeof__(next_malloc))dlsym(RTLD_NEXT, "malloc");
    next_lock = (__typeof__(next_lock))dlsym(RTLD_NEXT, "pthread_mutex_lock");
    for (int i = 0; i < count; i++) pthread_create(&t[i], NULL, work, &m);
    work(NULL);
    for (int i = 0; i < count; i++) pthread_join(t[i], NULL);
    return 0;
}
