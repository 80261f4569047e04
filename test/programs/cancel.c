/* Threads that are cancelled while they wait: cleanup handlers run, with the mutex held where it was; not while it is
disabled, and at once if it is asynchronous.
expect with -- cond: VERIFIED no error in any schedule
expect with --explore=optimal -- cond: VERIFIED no error in any schedule
expect with --verify -- cond: VERIFIED no error in any schedule
expect with --verify -- sem: VERIFIED no error in any schedule
expect with --explore=dpor -- cond: VERIFIED no error in any schedule
expect with -- sem: VERIFIED no error in any schedule
expect with -- join: VERIFIED no error in any schedule
expect with -- test: BOUNDED no error in any schedule, where a thread yields
expect with -- off: VERIFIED no error in any schedule
expect with -- async: ERROR assertion: finished
expect with -- forgotten: ERROR deadlock
*/
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static atomic_int cleaned, finished;
static void unlock(void *a)
{
    cleaned++;
    if (a) pthread_mutex_unlock(a);
}
static void *in_cond(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(unlock, &m);
    for (;;) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return a;
}
static void *forgets(void *a)
{
    pthread_mutex_lock(&m);
    for (;;) pthread_cond_wait(&c, &m);
    return a;
}
static void *in_sem(void *a)
{
    pthread_cleanup_push(unlock, 0);
    sem_wait(&s);
    pthread_cleanup_pop(0);
    return a;
}
static void *in_join(void *a)
{
    pthread_t t;
    pthread_cleanup_push(unlock, 0);
    pthread_create(&t, 0, in_sem, 0);
    pthread_join(t, 0);
    pthread_cleanup_pop(0);
    return a;
}
static void *tests(void *a)
{
    pthread_cleanup_push(unlock, 0);
    for (;;) pthread_testcancel();
    pthread_cleanup_pop(0);
    return a;
}
static void *off(void *a)
{
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    sem_wait(&s);
    finished = 1;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);
    pthread_cleanup_push(unlock, 0);
    pthread_testcancel();
    pthread_cleanup_pop(0);
    return PTHREAD_CANCELED;
}
static void *async(void *a)
{
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    finished = 1;
    return PTHREAD_CANCELED;
}
static const struct { const char *name; void *(*f)(void *); } cases[] = {
    {"cond", in_cond}, {"sem", in_sem},     {"join", in_join},       {"test", tests},
    {"off", off},      {"async", async}, {"forgotten", forgets}};
int main(int argc, char **argv)
{
    pthread_t t;
    void *result;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (!strcmp(cases[i].name, argv[1])) pthread_create(&t, 0, cases[i].f, 0);
    pthread_cancel(t);
    if (!strcmp(argv[1], "off")) sem_post(&s);
    pthread_join(t, &result);
    assert(result == PTHREAD_CANCELED);
    if (!strcmp(argv[1], "off") || !strcmp(argv[1], "async")) assert(finished);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
}
