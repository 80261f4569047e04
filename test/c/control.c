/* One small program per function and type of C that is under control. `control` alone lists them with what heddle must
 * say; `heddle check control -- NAME` checks one. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "heddle.h"

static int plain;
static atomic_int seen, other;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_t a, b;

static void start2(void *(*f)(void *), void *(*g)(void *))
{
    pthread_create(&a, NULL, f, (void *)1);
    pthread_create(&b, NULL, g, (void *)2);
}

static void join2(void)
{
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void *increment_locked(void *arg)
{
    pthread_mutex_lock(&mutex);
    plain++;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *increment(void *arg)
{
    plain++;
    return arg;
}

/* --- threads --- */
static void *give_back(void *arg) { return (char *)arg + 1; }

static void create_join(void)
{
    void *result;
    pthread_create(&a, NULL, give_back, (void *)41);
    pthread_join(a, &result);
    assert(result == (void *)42);
}

static void *exit_with(void *arg) { pthread_exit((char *)arg + 2); }

static void exit_value(void)
{
    void *result;
    pthread_create(&a, NULL, exit_with, (void *)40);
    pthread_join(a, &result);
    assert(result == (void *)42);
}

static void *set_seen(void *arg)
{
    atomic_store(&seen, 1);
    return arg;
}

static void detach(void)
{
    pthread_create(&a, NULL, set_seen, NULL);
    assert(pthread_detach(a) == 0);
    atomic_load(&seen);
}

static void detach_misuse(void)
{
    detach();
    pthread_join(a, NULL);
}

static void *check_self(void *arg)
{
    assert(pthread_equal(pthread_self(), pthread_self()));
    assert(!pthread_equal(pthread_self(), *(pthread_t *)arg));
    return NULL;
}

static void self_equal(void)
{
    pthread_t me = pthread_self();
    pthread_create(&a, NULL, check_self, &me);
    pthread_join(a, NULL);
}

static void cleaned(void *arg) { *(int *)arg += 1; }

static void *with_cleanup(void *arg)
{
    pthread_cleanup_push(cleaned, arg);
    pthread_exit(NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

static void cleanup(void)
{
    int count = 0;
    pthread_create(&a, NULL, with_cleanup, &count);
    pthread_join(a, NULL);
    assert(count == 1);
}

static void main_exits_first(void)
{
    pthread_create(&a, NULL, set_seen, NULL);
    pthread_exit(NULL);
}

static void *late_failure(void *arg)
{
    atomic_store(&seen, 1);
    assert(!"the other thread may still run when main returns");
    return arg;
}

static void exit_with_others_alive(void) { pthread_create(&a, NULL, late_failure, NULL); }

static void *exits(void *arg)
{
    (void)arg;
    exit(3);
}

static void exit_in_thread(void)
{
    pthread_create(&a, NULL, exits, NULL);
    pthread_join(a, NULL);
    assert(!"nobody comes here");
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void init_once(void) { plain++; }
static void *do_once(void *arg)
{
    pthread_once(&once, init_once);
    assert(plain == 1);
    return arg;
}

static void pthread_once_test(void)
{
    start2(do_once, do_once);
    join2();
}

static pthread_key_t key;
static atomic_int destroyed;
static void key_destroy(void *value)
{
    assert(value == (void *)1 || value == (void *)2);
    destroyed++;
}
static void *use_key(void *arg)
{
    assert(!pthread_getspecific(key));
    pthread_setspecific(key, arg);
    seen++;
    assert(pthread_getspecific(key) == arg);
    return NULL;
}

static void keys(void)
{
    pthread_key_create(&key, key_destroy);
    start2(use_key, use_key);
    join2();
    assert(destroyed == 2);
}

static __thread int local = 7;
static void *use_local(void *arg)
{
    assert(local == 7);
    local = (int)(long)arg;
    seen++;
    assert(local == (int)(long)arg);
    return &local;
}

static void thread_local_variables(void)
{
    void *x, *y;
    start2(use_local, use_local);
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert(x != y && local == 7);
}

static void *fail_open(void *arg)
{
    errno = (int)(long)arg;
    seen++;
    assert(errno == (int)(long)arg);
    return NULL;
}

static void errno_is_local(void)
{
    start2(fail_open, fail_open);
    join2();
}

/* --- mutexes --- */
static void mutex_normal(void)
{
    start2(increment_locked, increment_locked);
    join2();
    assert(plain == 2);
}

static void mutex_relock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
}

static void typed_mutex(pthread_mutex_t *m, int type)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, type);
    pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
}

static void mutex_recursive(void)
{
    pthread_mutex_t m;
    typed_mutex(&m, PTHREAD_MUTEX_RECURSIVE);
    assert(!pthread_mutex_lock(&m) && !pthread_mutex_lock(&m) && !pthread_mutex_trylock(&m));
    assert(!pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m));
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(!pthread_mutex_destroy(&m));
}

static void mutex_errorcheck(void)
{
    pthread_mutex_t m;
    typed_mutex(&m, PTHREAD_MUTEX_ERRORCHECK);
    assert(pthread_mutex_unlock(&m) == EPERM);
    assert(!pthread_mutex_lock(&m) && pthread_mutex_lock(&m) == EDEADLK);
    assert(!pthread_mutex_unlock(&m));
}

static void *try_lock(void *arg)
{
    if (pthread_mutex_trylock(&mutex) == 0) {
        plain++;
        pthread_mutex_unlock(&mutex);
    } else {
        other++;
    }
    return arg;
}

static void mutex_trylock(void)
{
    start2(try_lock, try_lock);
    join2();
    assert(plain + other == 2 && plain >= 1);
}

static void mutex_trylock_can_fail(void)
{
    start2(try_lock, try_lock);
    join2();
    assert(plain == 2);
}

/* The loop waits for the mutex as well as for the flag, so it ends. */
static void *try_until_told(void *arg)
{
    while (!seen && pthread_mutex_trylock(&mutex)) {
    }
    return arg;
}

static void mutex_trylock_loop(void)
{
    pthread_mutex_lock(&mutex);
    pthread_create(&a, NULL, try_until_told, NULL);
    pthread_mutex_unlock(&mutex);
    pthread_join(a, NULL);
}

static void *timed_lock(void *arg)
{
    struct timespec soon = {time(NULL) + 1, 0};
    int status = pthread_mutex_timedlock(&mutex, &soon);
    assert(status == 0 || status == ETIMEDOUT);
    if (status) other++;
    else pthread_mutex_unlock(&mutex);
    return arg;
}

static void mutex_timedlock(void)
{
    start2(increment_locked, timed_lock);
    join2();
}

static void mutex_timedlock_can_fail(void)
{
    start2(increment_locked, timed_lock);
    join2();
    assert(!other);
}

static void mutex_unlock_misuse(void) { pthread_mutex_unlock(&mutex); }

static void *unlock_for_others(void *arg)
{
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void mutex_unlock_by_other(void)
{
    pthread_mutex_lock(&mutex);
    pthread_create(&a, NULL, unlock_for_others, NULL);
    pthread_join(a, NULL);
}

static void mutex_destroy_locked(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_destroy(&mutex);
}

static void mutex_use_destroyed(void)
{
    pthread_mutex_destroy(&mutex);
    pthread_mutex_lock(&mutex);
}

/* --- condition variables --- */
static void *wait_for_plain(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!plain) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *signal_plain(void *arg)
{
    pthread_mutex_lock(&mutex);
    plain = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void cond_signal(void)
{
    start2(wait_for_plain, signal_plain);
    join2();
}

static void *broadcast_plain(void *arg)
{
    pthread_mutex_lock(&mutex);
    plain = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void cond_broadcast(void)
{
    start2(wait_for_plain, wait_for_plain);
    broadcast_plain(NULL);
    join2();
}

static void cond_signal_wakes_one(void)
{
    start2(wait_for_plain, wait_for_plain);
    signal_plain(NULL);
    join2();
}

static void *timed_wait(void *arg)
{
    struct timespec later = {time(NULL) + 5, 0};
    pthread_mutex_lock(&mutex);
    int status = pthread_cond_timedwait(&cond, &mutex, &later);
    if (status == ETIMEDOUT) {
        other = 1;
        assert(time(NULL) >= later.tv_sec);
    } else {
        assert(status == 0 && plain);
    }
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void cond_timedwait(void)
{
    start2(timed_wait, signal_plain);
    join2();
}

static void cond_timedwait_times_out(void)
{
    start2(timed_wait, signal_plain);
    join2();
    assert(!other);
}

static void *timed_wait_signalled(void *arg)
{
    struct timespec later = {time(NULL) + 5, 0};
    pthread_mutex_lock(&mutex);
    if (pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &later) == 0) seen = 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void cond_clockwait_is_signalled(void)
{
    start2(timed_wait_signalled, signal_plain);
    join2();
    assert(!seen);
}

static void *wait_once(void *arg)
{
    pthread_mutex_lock(&mutex);
    if (!plain) pthread_cond_wait(&cond, &mutex);
    assert(plain);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void cond_without_loop(void)
{
    start2(wait_once, signal_plain);
    join2();
}

static void cond_wait_unlocked(void) { pthread_cond_wait(&cond, &mutex); }

/* --- rwlocks, spin locks, barriers, semaphores --- */
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static void *rw_read(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    assert(plain == 0 || plain == 2);
    pthread_rwlock_unlock(&rwlock);
    return arg;
}
static void *rw_write(void *arg)
{
    pthread_rwlock_wrlock(&rwlock);
    plain++;
    plain++;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void rwlock_test(void)
{
    start2(rw_read, rw_write);
    rw_read(NULL);
    join2();
}

static void *rw_meet(void *arg)
{
    pthread_rwlock_rdlock(&rwlock);
    if (++seen == 2) other = 1;
    seen--;
    pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void rwlock_readers_meet(void)
{
    start2(rw_meet, rw_meet);
    join2();
    assert(!other);
}

static void *rw_try(void *arg)
{
    struct timespec soon = {0};
    if (!pthread_rwlock_tryrdlock(&rwlock)) pthread_rwlock_unlock(&rwlock);
    if (!pthread_rwlock_trywrlock(&rwlock)) pthread_rwlock_unlock(&rwlock);
    if (!pthread_rwlock_timedrdlock(&rwlock, &soon)) pthread_rwlock_unlock(&rwlock);
    if (!pthread_rwlock_timedwrlock(&rwlock, &soon)) pthread_rwlock_unlock(&rwlock);
    return arg;
}

static void rwlock_try(void)
{
    pthread_create(&a, NULL, rw_try, NULL);
    rw_write(NULL);
    pthread_join(a, NULL);
}

static void rwlock_misuse(void) { pthread_rwlock_unlock(&rwlock); }

static pthread_spinlock_t spin;
static void *spin_increment(void *arg)
{
    if (arg == (void *)2 && pthread_spin_trylock(&spin)) return arg;
    if (arg == (void *)1) pthread_spin_lock(&spin);
    plain++;
    pthread_spin_unlock(&spin);
    return arg;
}

static void spinlock(void)
{
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    start2(spin_increment, spin_increment);
    join2();
    assert(plain == 1 || plain == 2);
    pthread_spin_destroy(&spin);
}

static pthread_barrier_t barrier;
static void *meet(void *arg)
{
    seen++;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) other++;
    assert(seen == 2);
    return arg;
}

static void barrier_test(void)
{
    pthread_barrier_init(&barrier, NULL, 2);
    start2(meet, meet);
    join2();
    assert(other == 1);
    pthread_barrier_destroy(&barrier);
}

static void barrier_too_few(void)
{
    pthread_barrier_init(&barrier, NULL, 3);
    start2(meet, meet);
    join2();
}

static sem_t sem;
static void *sem_producer(void *arg)
{
    plain = 5;
    sem_post(&sem);
    return arg;
}
static void *sem_consumer(void *arg)
{
    sem_wait(&sem);
    assert(plain == 5);
    return arg;
}

static void semaphore(void)
{
    int value;
    sem_init(&sem, 0, 0);
    start2(sem_producer, sem_consumer);
    join2();
    assert(!sem_getvalue(&sem, &value) && value == 0);
    sem_destroy(&sem);
}

static void *sem_try(void *arg)
{
    struct timespec soon = {0};
    int status = arg == (void *)1 ? sem_trywait(&sem) : sem_timedwait(&sem, &soon);
    assert(!status || errno == (arg == (void *)1 ? EAGAIN : ETIMEDOUT));
    if (!status) seen++;
    return arg;
}

static void semaphore_try(void)
{
    sem_init(&sem, 0, 1);
    start2(sem_try, sem_try);
    join2();
    assert(seen == 1);
}

/* --- C11 --- */
static mtx_t c_mutex;
static cnd_t c_cond;
static once_flag c_once = ONCE_FLAG_INIT;
static tss_t c_key;
static void c_init(void) { mtx_init(&c_mutex, mtx_plain); }
static int c_thread(void *arg)
{
    call_once(&c_once, c_init);
    tss_set(c_key, arg);
    mtx_lock(&c_mutex);
    plain++;
    cnd_signal(&c_cond);
    mtx_unlock(&c_mutex);
    assert(tss_get(c_key) == arg);
    thrd_yield();
    return 5;
}

static void c11_threads(void)
{
    thrd_t t;
    int result;
    cnd_init(&c_cond);
    tss_create(&c_key, NULL);
    assert(thrd_create(&t, c_thread, &t) == thrd_success);
    call_once(&c_once, c_init);
    mtx_lock(&c_mutex);
    while (!plain) cnd_wait(&c_cond, &c_mutex);
    mtx_unlock(&c_mutex);
    assert(thrd_join(t, &result) == thrd_success && result == 5 && !thrd_equal(t, thrd_current()));
}

static int c_timed(void *arg)
{
    struct timespec soon = {0};
    if (mtx_timedlock(&c_mutex, &soon) == thrd_success) {
        int status = cnd_timedwait(&c_cond, &c_mutex, &soon);
        assert(status == thrd_success || status == thrd_timedout);
        mtx_unlock(&c_mutex);
    }
    if (mtx_trylock(&c_mutex) == thrd_success) mtx_unlock(&c_mutex);
    thrd_exit(arg != NULL);
}

static void c11_timed(void)
{
    thrd_t t;
    int result;
    mtx_init(&c_mutex, mtx_timed);
    cnd_init(&c_cond);
    thrd_create(&t, c_timed, NULL);
    mtx_lock(&c_mutex);
    cnd_broadcast(&c_cond);
    mtx_unlock(&c_mutex);
    assert(thrd_join(t, &result) == thrd_success && result == 0);
}

/* --- time and chance --- */
static void *sleeps(void *arg)
{
    time_t before = time(NULL);
    sleep(60);
    assert(time(NULL) >= before + 60);
    usleep(1000);
    struct timespec day = {86400, 0};
    nanosleep(&day, NULL);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &day, NULL);
    assert(time(NULL) >= before + 2 * 86400);
    return arg;
}

static void sleep_costs_nothing(void)
{
    pthread_create(&a, NULL, sleeps, NULL);
    pthread_join(a, NULL);
}

static void *sleep_then_set(void *arg)
{
    sleep(1);
    seen = 1;
    return arg;
}

static void sleep_is_no_synchronisation(void)
{
    pthread_create(&a, NULL, sleep_then_set, NULL);
    sleep(5);
    assert(seen == 1);
    pthread_join(a, NULL);
}

static void clocks(void)
{
    struct timespec t1, t2;
    struct timeval tv;
    clock_gettime(CLOCK_MONOTONIC, &t1);
    clock_gettime(CLOCK_MONOTONIC, &t2);
    gettimeofday(&tv, NULL);
    timespec_get(&t1, TIME_UTC);
    assert(t2.tv_sec >= t1.tv_sec - 1 && tv.tv_sec >= t2.tv_sec && time(NULL) >= tv.tv_sec && clock() >= 0);
    while (time(NULL) < tv.tv_sec + 3) {}
}

static void *yields(void *arg)
{
    while (!seen) sched_yield();
    return arg;
}

static void yield_loop(void)
{
    start2(yields, set_seen);
    join2();
}

static void random_repeats(void)
{
    unsigned x, y;
    getrandom(&x, sizeof x, 0);
    getentropy(&y, sizeof y);
    srand(1);
    srandom((unsigned)time(NULL));
    plain = (int)(x ^ y ^ (unsigned)rand() ^ (unsigned)random());
    pthread_create(&a, NULL, set_seen, NULL);
    for (int i = 0; i < (plain & 3); i++) seen++;
    pthread_join(a, NULL);
}

/* --- what programs say to a verifier --- */
int __VERIFIER_nondet_int(void);
_Bool __VERIFIER_nondet_bool(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void reach_error(void);

static void nondet_all_values(void) { assert(heddle_nondet(3) != 2); }
static void nondet_range(void) { assert(heddle_nondet(3) < 3 && heddle_nondet(1) == 0); }
static void nondet_two_in_a_row(void) { assert(!(heddle_nondet(2) && heddle_nondet(4) == 3)); }
static void assume_prunes(void)
{
    unsigned v = heddle_nondet(4);
    heddle_assume(v != 2);
    __VERIFIER_assume(v != 3);
    heddle_assert(v < 2);
}
static void verifier_bool(void) { assert(!__VERIFIER_nondet_bool()); }
static void verifier_int(void) { assert(__VERIFIER_nondet_int() != -1); }
static void verifier_reach_error(void)
{
    if (heddle_nondet(2)) reach_error();
}
static void heddle_assert_fails(void) { heddle_assert(plain == 1); }
static void *yields_too(void *arg)
{
    while (!seen) heddle_yield();
    return arg;
}
static void heddle_yield_loop(void)
{
    start2(yields_too, set_seen);
    join2();
}

static void *atomic_section(void *arg)
{
    __VERIFIER_atomic_begin();
    int v = seen;
    seen = v + 1;
    __VERIFIER_atomic_end();
    return arg;
}

static void verifier_atomic(void)
{
    start2(atomic_section, atomic_section);
    join2();
    assert(seen == 2);
}

void __VERIFIER_atomic_add(int);
void __VERIFIER_atomic_add(int by)
{
    int v = seen;
    seen = v + by;
}
static void *atomic_function(void *arg)
{
    __VERIFIER_atomic_add(1);
    return arg;
}

static void verifier_atomic_function(void)
{
    start2(atomic_function, atomic_function);
    join2();
    assert(seen == 2);
}

/* --- memory and crashes --- */
static char *kept;
static void heap_use_after_free(void)
{
    volatile int *p = malloc(16);
    free((void *)p);
    p[1] = 3;
}
static void heap_double_free(void)
{
    char *p = malloc(16), *q = p;
    free(p);
    free(q);
}
static void heap_overflow(void)
{
    volatile char *p = malloc(10);
    p[10] = 1;
}
static void heap_overflow_by_string(void)
{
    static char source[] = "12345";
    char *volatile p = malloc(5);
    strcpy(p, source);
}
static void heap_leak(void) { kept = malloc(3); }
static void heap_bad_free(void)
{
    char *volatile p = malloc(16);
    free(p + 8);
}
static void heap_functions(void)
{
    char *p = malloc(10), *q = calloc(3, 5), *r = realloc(p, 100), *s;
    assert(r != p && q[14] == 0 && !posix_memalign((void **)&s, 256, 10) && (size_t)s % 256 == 0);
    strcpy(r, "hello");
    char *t = strdup(r), *u = aligned_alloc(64, 64);
    assert(!strcmp(t, "hello") && (size_t)u % 64 == 0);
    free(q), free(r), free(s), free(t), free(u), free(NULL);
}
static void *allocate(void *arg)
{
    char *p = malloc(24);
    seen++;
    if (arg == (void *)1) kept = p;
    else free(p);
    return p;
}
static void heap_same_addresses(void)
{
    start2(allocate, allocate);
    join2();
    assert(kept && plain++ == 0);
    free(kept);
}
static void null_pointer(void) { *(volatile int *)NULL = 1; }
static void call_null(void) { ((void (*volatile)(void))NULL)(); }
static void division(void)
{
    volatile int zero = 0;
    plain = 7 / zero;
}
static int deep(volatile int *p)
{
    volatile int here[1000];
    here[0] = *p;
    return deep(here) + here[0];
}
static void stack_overflow(void)
{
    volatile int x = 1;
    plain = deep(&x);
}
static void aborts(void) { abort(); }
static void endless_loop(void)
{
    for (volatile int i = 0;;) i = 0;
}
static jmp_buf jump;
static void thrown(void) { longjmp(jump, 7); }
static void longjmps(void)
{
    if (setjmp(jump) == 0) thrown();
    pthread_create(&a, NULL, set_seen, NULL);
    pthread_join(a, NULL);
}
static void *waits_for_ever(void *arg)
{
    while (!seen) {}
    return arg;
}
static void livelock(void)
{
    pthread_create(&a, NULL, waits_for_ever, NULL);
    pthread_join(a, NULL);
}
static void deadlock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_create(&a, NULL, increment_locked, NULL);
    pthread_join(a, NULL);
}
static void data_race(void)
{
    start2(increment, increment);
    join2();
}
static char text[16];
static void *writes_text(void *arg)
{
    memset(text, 'x', 8);
    return arg;
}
static void *reads_text(void *arg)
{
    char copy[16];
    memcpy(copy, text, 16);
    return arg;
}
static void race_in_string_functions(void)
{
    start2(writes_text, reads_text);
    join2();
}
static char bytes[8];
static void *byte0(void *arg)
{
    bytes[0]++;
    return arg;
}
static void *byte1(void *arg)
{
    bytes[1]++;
    return arg;
}
static void no_race_on_neighbours(void)
{
    start2(byte0, byte1);
    join2();
}
static void *relaxed_publish(void *arg)
{
    plain = 1;
    atomic_store_explicit(&seen, 1, memory_order_relaxed);
    return arg;
}
static void *relaxed_consume(void *arg)
{
    if (atomic_load_explicit(&seen, memory_order_relaxed)) plain++;
    return arg;
}
static void relaxed_does_not_order(void)
{
    start2(relaxed_publish, relaxed_consume);
    join2();
}
static void *release_publish(void *arg)
{
    plain = 1;
    atomic_store_explicit(&seen, 1, memory_order_release);
    return arg;
}
static void *acquire_consume(void *arg)
{
    if (atomic_load_explicit(&seen, memory_order_acquire)) assert(plain++ == 1);
    return arg;
}
static void acquire_release_orders(void)
{
    start2(release_publish, acquire_consume);
    join2();
}
static void *fence_publish(void *arg)
{
    plain = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&seen, 1, memory_order_relaxed);
    return arg;
}
static void *fence_consume(void *arg)
{
    if (atomic_load_explicit(&seen, memory_order_relaxed)) {
        atomic_thread_fence(memory_order_acquire);
        assert(plain++ == 1);
    }
    return arg;
}
static void fences_order(void)
{
    start2(fence_publish, fence_consume);
    join2();
}

/* --- atomics of all sizes --- */
#define ATOMICS(name, type) \
    static _Atomic(type) name##_value; \
    static void *name##_thread(void *arg) \
    { \
        name##_value += 3; \
        atomic_fetch_or(&name##_value, (type)0); \
        atomic_fetch_xor(&name##_value, (type)0); \
        type expected = 100; \
        assert(!atomic_compare_exchange_strong(&name##_value, &expected, (type)1) && expected <= 6); \
        return arg; \
    } \
    static void name(void) \
    { \
        pthread_create(&a, NULL, name##_thread, NULL); \
        name##_value += 3; \
        pthread_join(a, NULL); \
        assert(name##_value == 6 && atomic_exchange(&name##_value, (type)9) == 6); \
        atomic_fetch_sub(&name##_value, (type)1); \
        atomic_fetch_and(&name##_value, (type)12); \
        assert(name##_value == 8); \
    }
ATOMICS(atomic_8, unsigned char)
ATOMICS(atomic_16, unsigned short)
ATOMICS(atomic_32, unsigned)
ATOMICS(atomic_64, unsigned long)
ATOMICS(atomic_128, unsigned __int128)

#define V "VERIFIED"
static const struct { const char *name; void (*run)(void); const char *verdict, *options; } tests[] = {
    {"pthread_create_join", create_join, V, ""}, {"pthread_exit", exit_value, V, ""}, {"pthread_detach", detach, V, ""},
    {"pthread_detach_misuse", detach_misuse, "ERROR misuse", ""}, {"pthread_self_equal", self_equal, V, ""},
    {"pthread_cleanup", cleanup, V, ""}, {"main_exits_first", main_exits_first, V, ""},
    {"exit_with_others_alive", exit_with_others_alive, "ERROR assertion", ""}, {"exit_in_thread", exit_in_thread, V, "--exit=3"}, {"exit_status", exit_in_thread, "ERROR exit: exit(3)", ""},
    {"exit_ignored", exit_in_thread, V, "--exit=ignore"}, {"exit_status_wrong", exit_in_thread, "ERROR exit", "--exit=0,2,4"},
    {"pthread_once", pthread_once_test, V, ""}, {"pthread_keys", keys, V, ""},
    {"thread_local", thread_local_variables, V, ""}, {"errno", errno_is_local, V, ""},
    {"mutex_normal", mutex_normal, V, ""}, {"mutex_relock", mutex_relock, "ERROR deadlock", ""},
    {"mutex_recursive", mutex_recursive, V, ""}, {"mutex_errorcheck", mutex_errorcheck, V, ""},
    {"mutex_trylock", mutex_trylock, V, ""}, {"mutex_trylock_can_fail", mutex_trylock_can_fail, "ERROR assertion", ""},
    {"mutex_trylock_loop", mutex_trylock_loop, "BOUNDED", ""},
    {"mutex_timedlock", mutex_timedlock, V, ""}, {"mutex_timedlock_can_fail", mutex_timedlock_can_fail, "ERROR assertion", ""},
    {"mutex_unlock_misuse", mutex_unlock_misuse, "ERROR misuse", ""}, {"mutex_unlock_by_other", mutex_unlock_by_other, "ERROR misuse", ""},
    {"mutex_destroy_locked", mutex_destroy_locked, "ERROR misuse", ""}, {"mutex_use_destroyed", mutex_use_destroyed, "ERROR misuse", ""},
    {"cond_signal", cond_signal, V, ""}, {"cond_broadcast", cond_broadcast, V, ""},
    {"cond_signal_wakes_one", cond_signal_wakes_one, "ERROR deadlock", ""}, {"cond_timedwait", cond_timedwait, V, "--spurious=0"},
    {"cond_timedwait_times_out", cond_timedwait_times_out, "ERROR assertion", ""},
    {"cond_clockwait_is_signalled", cond_clockwait_is_signalled, "ERROR assertion", ""},
    {"cond_without_loop", cond_without_loop, V, "--spurious=0"}, {"cond_spurious", cond_without_loop, "ERROR assertion", "--spurious"},
    {"cond_wait_unlocked", cond_wait_unlocked, "ERROR misuse", ""},
    {"rwlock", rwlock_test, V, ""}, {"rwlock_readers_meet", rwlock_readers_meet, "ERROR assertion", ""},
    {"rwlock_try", rwlock_try, V, ""}, {"rwlock_misuse", rwlock_misuse, "ERROR misuse", ""}, {"spinlock", spinlock, V, ""},
    {"barrier", barrier_test, V, ""}, {"barrier_too_few", barrier_too_few, "ERROR deadlock", ""},
    {"semaphore", semaphore, V, ""}, {"semaphore_try", semaphore_try, V, ""},
    {"c11_threads", c11_threads, V, ""}, {"c11_timed", c11_timed, V, ""},
    {"sleep", sleep_costs_nothing, V, ""}, {"sleep_is_no_synchronisation", sleep_is_no_synchronisation, "ERROR assertion", ""},
    {"clocks", clocks, V, ""}, {"sched_yield", yield_loop, "BOUNDED", ""}, {"random", random_repeats, V, ""},
    {"heddle_nondet", nondet_all_values, "ERROR assertion", ""}, {"heddle_nondet_range", nondet_range, V, ""},
    {"heddle_nondet_two", nondet_two_in_a_row, "ERROR assertion", ""}, {"heddle_assume", assume_prunes, V, ""},
    {"heddle_assert", heddle_assert_fails, "ERROR assertion", ""}, {"heddle_yield", heddle_yield_loop, "BOUNDED", ""},
    {"verifier_nondet_bool", verifier_bool, "ERROR assertion", ""}, {"verifier_nondet_int", verifier_int, "ERROR assertion", ""},
    {"verifier_reach_error", verifier_reach_error, "ERROR assertion", ""},
    {"verifier_atomic", verifier_atomic, V, ""}, {"verifier_atomic_function", verifier_atomic_function, V, ""},
    {"heap_use_after_free", heap_use_after_free, "ERROR memory", ""}, {"heap_double_free", heap_double_free, "ERROR memory", ""},
    {"heap_overflow", heap_overflow, "ERROR memory", ""}, {"heap_overflow_by_string", heap_overflow_by_string, "ERROR memory", ""},
    {"heap_bad_free", heap_bad_free, "ERROR memory", ""}, {"heap_functions", heap_functions, V, "--leaks"},
    {"heap_leak", heap_leak, "ERROR memory", "--leaks"}, {"heap_same_addresses", heap_same_addresses, V, ""},
    {"crash_null_pointer", null_pointer, "ERROR crash", ""}, {"crash_call_null", call_null, "ERROR crash", ""},
    {"crash_division", division, "ERROR crash", ""}, {"crash_stack_overflow", stack_overflow, "ERROR crash", ""},
    {"crash_abort", aborts, "ERROR crash", ""}, {"endless_loop", endless_loop, "ERROR livelock", "--step-time=1"},
    {"longjmp", longjmps, V, ""}, {"livelock", livelock, "ERROR livelock", ""}, {"deadlock", deadlock, "ERROR deadlock", ""},
    {"data_race", data_race, "ERROR race", ""}, {"race_in_string_functions", race_in_string_functions, "ERROR race", ""},
    {"races_ignored", data_race, "BOUNDED", "--races=ignore"}, {"races_explored", data_race, V, "--races=explore"},
    {"no_race_on_neighbours", no_race_on_neighbours, V, ""}, {"relaxed_does_not_order", relaxed_does_not_order, "ERROR race", ""},
    {"acquire_release", acquire_release_orders, V, ""}, {"fences", fences_order, V, ""},
    {"atomic_8", atomic_8, V, ""}, {"atomic_16", atomic_16, V, ""}, {"atomic_32", atomic_32, V, ""},
    {"atomic_64", atomic_64, V, ""}, {"atomic_128", atomic_128, V, ""},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc < 2) printf("%s\t%s\t%s\n", tests[i].name, tests[i].verdict, tests[i].options);
        else if (!strcmp(argv[1], tests[i].name)) {
            tests[i].run();
            return 0;
        }
    }
    return argc < 2 ? 0 : 99;
}
