/* Threads that are blocked when the program ends. Those that wait for each other's locks, or for a lock whose owner has
 * ended, can never go on: a deadlock, whether or not main waits for them. Others might have been woken: a note, unless
 * they are detached and wait for work.
 * expect with -- cycle: ERROR deadlock: threads wait for each other's locks and the program ends
 * expect with --explore=optimal -- cycle: ERROR deadlock: threads wait for each other's locks and the program ends
 * expect with --explore=dfs -j 2 -- cycle: ERROR deadlock
 * expect with --explore=cb-por -- cycle: ERROR deadlock
 * expect with --explore=dpor --memory-model=sc -- cycle: ERROR deadlock
 * expect with --isolate=fork -- cycle: ERROR deadlock
 * expect with -- detached-cycle: ERROR deadlock
 * expect with -- exit-cycle: ERROR deadlock
 * expect with -- order: VERIFIED no error in any schedule$
 * expect with -- three: ERROR deadlock
 * expect with -- twice: ERROR deadlock
 * expect with -- readers: ERROR deadlock
 * expect with -- ended: ERROR deadlock: a thread waits for a lock whose owner has ended
 * expect with -- robust: VERIFIED no error in any schedule$
 * expect with -- main-ended: ERROR deadlock: no thread can go on
 * expect with -- handler: ERROR deadlock
 * expect with -- held-by-main: VERIFIED .*still waiting at the end: locks_one\(\) at blocked-at-end.c:70.$
 * expect with -j 2 -- worker: VERIFIED .*still waiting at the end: waits\(\) at blocked-at-end.c:82.$
 * expect with --explore=optimal -- worker: VERIFIED .*still waiting at the end: waits\(\) at blocked-at-end.c:82.$
 * expect with -- worker-owns: VERIFIED .*still waiting at the end: locks_two\(\) at .*, waits_with_two\(\) at
 * expect with -- detached-worker: VERIFIED no error in any schedule .spurious wake-ups: none where
 * expect with -- exit: VERIFIED .*still waiting at the end: main\(\) at blocked-at-end.c:\d+.$
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER,
                       three = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void nest(pthread_mutex_t *a, pthread_mutex_t *b)
{
    pthread_mutex_lock(a);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
}

static void *one_two(void *unused) { return nest(&one, &two), unused; }
static void *two_one(void *unused) { return nest(&two, &one), unused; }
static void *two_three(void *unused) { return nest(&two, &three), unused; }
static void *three_one(void *unused) { return nest(&three, &one), unused; }
static void *one_one(void *unused) { return nest(&one, &one), unused; }

static void *upgrades(void *unused)
{
    pthread_rwlock_rdlock(&both);
    pthread_rwlock_wrlock(&both);
    return unused;
}

static void *keeps_one(void *unused)
{
    pthread_mutex_lock(&one);
    return unused;
}

static void *locks_one(void *unused)
{




    pthread_mutex_lock(&one);
    pthread_mutex_unlock(&one);
    return unused;
}

static void *waits(void *unused)
{




    pthread_mutex_lock(&one);
    for (;;) pthread_cond_wait(&work, &one);
    return unused;
}

static void *waits_with_two(void *unused)
{
    pthread_mutex_lock(&two);
    pthread_mutex_lock(&one);
    for (;;) pthread_cond_wait(&work, &one);
    return unused;
}

static void *locks_two(void *unused)
{
    pthread_mutex_lock(&two);
    pthread_mutex_unlock(&two);
    return unused;
}

static void on_signal(int unused)
{
    (void)unused;
    pthread_mutex_lock(&one);
}

static void *is_interrupted(void *unused)
{
    pthread_mutex_lock(&one);
    raise(SIGUSR1);
    pthread_mutex_unlock(&one);
    return unused;
}

static void *exits(void *unused)
{
    (void)unused;
    exit(0);
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, function, NULL);
    return t;
}

static void make_robust(void)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&one, &attr);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
#define IS(word) (!strcmp(how, word))
    if (IS("cycle") || IS("detached-cycle") || IS("exit-cycle") || IS("main-ended")) {
        pthread_t t = start(one_two);
        start(two_one);
        if (IS("detached-cycle")) pthread_detach(t);
        if (IS("exit-cycle")) {
            start(exits);
            pthread_mutex_lock(&three);
            for (;;) pthread_cond_wait(&work, &three);
        }
        if (IS("main-ended")) pthread_exit(NULL);
    } else if (IS("order")) {
        start(one_two);
        start(one_two);
    } else if (IS("three")) {
        start(one_two);
        start(two_three);
        start(three_one);
    } else if (IS("twice")) {
        start(one_one);
    } else if (IS("readers")) {
        start(upgrades);
        start(upgrades);
    } else if (IS("ended") || IS("robust")) {
        if (IS("robust")) make_robust();
        pthread_join(start(keeps_one), NULL);
        start(locks_one);
    } else if (IS("handler")) {
        signal(SIGUSR1, on_signal);
        start(is_interrupted);
    } else if (IS("held-by-main")) {
        pthread_mutex_lock(&one);
        start(locks_one);
    } else if (IS("worker")) {
        start(waits);
    } else if (IS("worker-owns")) {
        start(waits_with_two);
        start(locks_two);
    } else if (IS("detached-worker")) {
        pthread_detach(start(waits));
    } else if (IS("exit")) {
        start(exits);
        pthread_mutex_lock(&one);
        for (;;) pthread_cond_wait(&work, &one);
    }
    return 0;
}
