/* What orders two accesses, and what does not: one program per edge of the standard's "synchronizes with" (C++20, where
 * only read-modify-writes continue a release sequence), each with twins in which the edge is missing and the accesses
 * to `data` race. `edges` alone lists them with what heddle must say, and whether a thread sanitizer can judge them. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RELAXED memory_order_relaxed
#define ACQUIRE memory_order_acquire
#define RELEASE memory_order_release
#define ACQ_REL memory_order_acq_rel
#define SEQ_CST memory_order_seq_cst

static int data, more;
static atomic_int flag, second;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spinlock;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void await(atomic_int *what, int value, memory_order order)
{
    while (atomic_load_explicit(what, order) != value) { }
}
static void set(atomic_int *what, int value, memory_order order) { atomic_store_explicit(what, value, order); }
static void add(atomic_int *what, memory_order order) { atomic_fetch_add_explicit(what, 1, order); }
static void fence(memory_order order) { atomic_thread_fence(order); }
static void one_to_two(memory_order order)
{
    for (int one = 1; !atomic_compare_exchange_strong_explicit(&flag, &one, 2, order, RELAXED); one = 1) { }
}

/* A program is the bodies of up to three threads. */
#define CODE(name, ...) static void *name(void *arg) { __VA_ARGS__; return arg; }

/* --- an atomic store and a load that reads it --- */
CODE(write_release, data = 1; set(&flag, 1, RELEASE))
CODE(write_seq_cst, data = 1; set(&flag, 1, SEQ_CST))
CODE(write_relaxed, data = 1; set(&flag, 1, RELAXED))
CODE(write_too_late, set(&flag, 1, RELEASE); data = 1)
CODE(read_acquire, await(&flag, 1, ACQUIRE); data++)
CODE(read_seq_cst, await(&flag, 1, SEQ_CST); data++)
CODE(read_relaxed, await(&flag, 1, RELAXED); data++)
CODE(read_without_waiting, if (atomic_load_explicit(&flag, ACQUIRE)) data++)

/* --- the store itself comes before what follows the load; a plain write before it does not race with the load --- */
static struct job { int result; atomic_int done; } *job;
CODE(finish_release, job->result = 3; set(&job->done, 1, RELEASE))
CODE(finish_exchange, job->result = 3; atomic_exchange_explicit(&job->done, 1, RELEASE))
CODE(finish_relaxed, set(&job->done, 1, RELAXED))
CODE(finish_fence, job->result = 3; fence(RELEASE); set(&job->done, 1, RELAXED))
CODE(await_and_free, await(&job->done, 1, ACQUIRE); free(job))
CODE(await_and_overwrite, await(&job->done, 1, ACQUIRE); memset(job, 0, sizeof *job))

/* --- release sequences --- */
CODE(exchange_relaxed, one_to_two(RELAXED))
CODE(store_relaxed, await(&flag, 1, RELAXED); set(&flag, 2, RELAXED))
CODE(store_release, await(&flag, 1, RELAXED); set(&flag, 2, RELEASE))
CODE(store_acq_rel, await(&flag, 1, ACQUIRE); set(&flag, 2, RELEASE))
CODE(write_twice, data = 1; set(&flag, 1, RELEASE); set(&flag, 2, RELAXED))
CODE(write_and_add, data = 1; set(&flag, 1, RELEASE); add(&flag, RELAXED))
CODE(read_two_acquire, await(&flag, 2, ACQUIRE); data++)
CODE(read_two_relaxed, await(&flag, 2, RELAXED); data++)
CODE(add_release_data, data = 1; add(&flag, RELEASE))
CODE(add_release_more, more = 1; add(&flag, RELEASE))
CODE(add_relaxed_more, more = 1; add(&flag, RELAXED))
CODE(read_both, await(&flag, 2, ACQUIRE); data++; more++)

/* --- a compare-exchange that fails is a load of its second order --- */
static int fails(memory_order order)
{
    int two = 2;
    return !atomic_compare_exchange_strong_explicit(&flag, &two, 3, ACQ_REL, order) && two == 1;
}
CODE(fail_acquire, while (!fails(ACQUIRE)) { } data++)
CODE(fail_relaxed, while (!fails(RELAXED)) { } data++)

/* --- fences --- */
CODE(fence_write, data = 1; fence(RELEASE); set(&flag, 1, RELAXED))
CODE(fence_write_add, data = 1; fence(RELEASE); add(&flag, RELAXED))
CODE(fence_write_seq_cst, data = 1; fence(SEQ_CST); set(&flag, 1, RELAXED))
CODE(fence_write_acq_rel, data = 1; fence(ACQ_REL); set(&flag, 1, RELAXED))
CODE(fence_acquire_write, data = 1; fence(ACQUIRE); set(&flag, 1, RELAXED))
CODE(fence_too_early, fence(RELEASE); data = 1; set(&flag, 1, RELAXED))
CODE(fence_too_late, data = 1; set(&flag, 1, RELAXED); fence(RELEASE))
CODE(fence_read, await(&flag, 1, RELAXED); fence(ACQUIRE); data++)
CODE(fence_read_two, await(&flag, 2, RELAXED); fence(ACQUIRE); data++)
CODE(fence_read_seq_cst, await(&flag, 1, RELAXED); fence(SEQ_CST); data++)
CODE(fence_release_read, await(&flag, 1, RELAXED); fence(RELEASE); data++)
CODE(fence_read_too_early, fence(ACQUIRE); await(&flag, 1, RELAXED); data++)
CODE(only_a_fence, data++; fence(SEQ_CST))
CODE(fence_between, fence(SEQ_CST); data++)

/* --- an atomic write does not hide an earlier one that it is not ordered with --- */
CODE(first_relaxed, set(&flag, 1, RELAXED))
CODE(first_release, set(&flag, 1, RELEASE))
CODE(take_relaxed, one_to_two(RELAXED); set(&second, 1, RELEASE))
CODE(take_acquire, one_to_two(ACQUIRE); set(&second, 1, RELEASE))
CODE(read_plainly, await(&second, 1, ACQUIRE); data = *(int *)&flag)

/* --- string functions are writes, also where the compiler makes stores of them --- */
struct pair { char text[16]; } pair;
CODE(clear, memset(&pair, 0, sizeof pair))
CODE(copy_text, strcpy(pair.text, "abc"))
CODE(clear_locked, pthread_mutex_lock(&mutex); memset(&pair, 0, sizeof pair); pthread_mutex_unlock(&mutex))
CODE(copy_text_locked, pthread_mutex_lock(&mutex); strcpy(pair.text, "abc"); pthread_mutex_unlock(&mutex))

/* --- threads --- */
CODE(write_data, data++)
static void created(void (*before)(void), void (*after)(void), void (*joined)(void))
{
    pthread_t t;
    if (before) before();
    pthread_create(&t, NULL, write_data, NULL);
    if (after) after();
    pthread_join(t, NULL);
    if (joined) joined();
}
static void touch(void) { data++; }
static void before_create(void) { created(touch, NULL, NULL); }
static void after_create(void) { created(NULL, touch, NULL); }
static void after_join(void) { created(NULL, NULL, touch); }

/* --- mutexes and their like --- */
CODE(with_mutex, pthread_mutex_lock(&mutex); data++; pthread_mutex_unlock(&mutex))
CODE(with_other_mutex, pthread_mutex_lock(&other_mutex); data++; pthread_mutex_unlock(&other_mutex))
CODE(with_trylock, if (!pthread_mutex_trylock(&mutex)) { data++; pthread_mutex_unlock(&mutex); })
CODE(after_mutex, pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); data++)
CODE(after_failed_trylock, if (pthread_mutex_trylock(&mutex)) data++; else pthread_mutex_unlock(&mutex))
CODE(with_spinlock, pthread_spin_lock(&spinlock); data++; pthread_spin_unlock(&spinlock))
CODE(after_spinlock, pthread_spin_lock(&spinlock); pthread_spin_unlock(&spinlock); data++)
CODE(with_wrlock, pthread_rwlock_wrlock(&rwlock); data++; pthread_rwlock_unlock(&rwlock))
CODE(read_with_rdlock, pthread_rwlock_rdlock(&rwlock); more = data; pthread_rwlock_unlock(&rwlock))
CODE(write_with_rdlock, pthread_rwlock_rdlock(&rwlock); data++; pthread_rwlock_unlock(&rwlock))
CODE(rdlock_then_flag, data = 1; pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock); set(&flag, 1, RELAXED))
CODE(flag_then_rdlock, await(&flag, 1, RELAXED); pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock); data++)
CODE(flag_then_wrlock, await(&flag, 1, RELAXED); pthread_rwlock_wrlock(&rwlock); pthread_rwlock_unlock(&rwlock); data++)

/* --- condition variables: the mutex orders, the signal does not --- */
CODE(signal_ready, pthread_mutex_lock(&mutex); data = more = 1; pthread_mutex_unlock(&mutex);
     pthread_cond_signal(&cond))
CODE(wait_ready, pthread_mutex_lock(&mutex); while (!more) pthread_cond_wait(&cond, &mutex);
     pthread_mutex_unlock(&mutex); data++)
CODE(signal_only, for (int waits = 0; !waits; pthread_mutex_unlock(&mutex)) {
         pthread_mutex_lock(&mutex);
         waits = more;
     }
     data = 1; pthread_cond_signal(&cond))
CODE(wait_only, pthread_mutex_lock(&mutex); more = 1; pthread_cond_wait(&cond, &mutex); pthread_mutex_unlock(&mutex);
     data++)

/* --- things done once: who did it comes before who finds it done, but not the other way round --- */
static void set_data(void) { data = 1; }
static void nothing(void) { }
CODE(once_data, pthread_once(&once, set_data); more = data)
CODE(once_data_seen, pthread_once(&once, set_data); if (data != 1) abort())
CODE(once_then_flag, data = 1; pthread_once(&once, nothing); set(&flag, 1, RELAXED))
CODE(flag_then_once, await(&flag, 1, RELAXED); pthread_once(&once, nothing); data++)

/* --- semaphores and barriers --- */
CODE(post, data = 1; sem_post(&semaphore))
CODE(post_too_early, sem_post(&semaphore); data = 1)
CODE(take, sem_wait(&semaphore); data++)
CODE(take_if_free, if (!sem_trywait(&semaphore)) data++)
CODE(look_at_value, int n; do sem_getvalue(&semaphore, &n); while (!n); data++)
CODE(write_then_meet, data = 1; pthread_barrier_wait(&barrier))
CODE(meet_then_read, pthread_barrier_wait(&barrier); data++)
CODE(meet_and_write, pthread_barrier_wait(&barrier); data++; pthread_barrier_wait(&barrier))

static void run(void *(*const code[3])(void *))
{
    pthread_t t[3];
    pthread_spin_init(&spinlock, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    if (code[0] == once_then_flag) pthread_once(&once, nothing);
    job = calloc(1, sizeof *job);
    for (int i = 0; i < 3; i++)
        if (code[i]) pthread_create(&t[i], NULL, code[i], NULL);
    for (int i = 0; i < 3; i++)
        if (code[i]) pthread_join(t[i], NULL);
}

/* HEDDLE_ALONE: a thread sanitizer does not know fences, and sees some races only by luck. */
enum judge { SANITIZER, HEDDLE_ALONE };
#define GOOD "VERIFIED"
#define RACE "ERROR race"
static const struct {
    const char *name;
    void *(*code[3])(void *);
    void (*direct)(void);
    const char *verdict;
    enum judge judge;
} tests[] = {
    {"release_acquire", {write_release, read_acquire}, NULL, GOOD, SANITIZER},
    {"seq_cst", {write_seq_cst, read_seq_cst}, NULL, GOOD, SANITIZER},
    {"release_seq_cst", {write_release, read_seq_cst}, NULL, GOOD, SANITIZER},
    {"release_acquire_if", {write_release, read_without_waiting}, NULL, GOOD, SANITIZER},
    {"relaxed_acquire", {write_relaxed, read_acquire}, NULL, RACE, SANITIZER},
    {"release_relaxed", {write_release, read_relaxed}, NULL, RACE, SANITIZER},
    {"relaxed_relaxed", {write_relaxed, read_relaxed}, NULL, RACE, SANITIZER},
    {"release_too_early", {write_too_late, read_acquire}, NULL, RACE, SANITIZER},
    {"store_before_free", {finish_release, await_and_free}, NULL, GOOD, SANITIZER},
    {"exchange_before_free", {finish_exchange, await_and_free}, NULL, GOOD, SANITIZER},
    {"store_before_overwriting", {finish_release, await_and_overwrite}, NULL, GOOD, SANITIZER},
    {"relaxed_store_and_free", {finish_relaxed, await_and_free}, NULL, RACE, HEDDLE_ALONE},
    {"store_after_fence_and_free", {finish_fence, await_and_free}, NULL, RACE, HEDDLE_ALONE},
    {"sequence_by_other_thread", {write_release, exchange_relaxed, read_two_acquire}, NULL, GOOD, SANITIZER},
    {"sequence_by_own_thread", {write_and_add, read_two_acquire}, NULL, GOOD, SANITIZER},
    {"sequence_read_relaxed", {write_release, exchange_relaxed, read_two_relaxed}, NULL, RACE, SANITIZER},
    {"sequence_ended_by_other_thread", {write_release, store_relaxed, read_two_acquire}, NULL, RACE, SANITIZER},
    {"sequence_ended_by_own_thread", {write_twice, read_two_acquire}, NULL, RACE, HEDDLE_ALONE},
    {"sequence_begun_anew", {write_release, store_release, read_two_acquire}, NULL, RACE, SANITIZER},
    {"sequence_handed_over", {write_release, store_acq_rel, read_two_acquire}, NULL, GOOD, SANITIZER},
    {"updates_release_both", {add_release_data, add_release_more, read_both}, NULL, GOOD, SANITIZER},
    {"updates_release_one", {add_release_data, add_relaxed_more, read_both}, NULL, RACE, HEDDLE_ALONE},
    {"failed_exchange_acquires", {write_release, fail_acquire}, NULL, GOOD, SANITIZER},
    {"failed_exchange_relaxed", {write_release, fail_relaxed}, NULL, RACE, HEDDLE_ALONE},
    {"fence_fence", {fence_write, fence_read}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_fence_seq_cst", {fence_write_seq_cst, fence_read_seq_cst}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_acq_rel", {fence_write_acq_rel, fence_read}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_acquire_load", {fence_write, read_acquire}, NULL, GOOD, HEDDLE_ALONE},
    {"store_release_fence", {write_release, fence_read}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_update", {fence_write_add, fence_read}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_sequence", {fence_write, exchange_relaxed, fence_read_two}, NULL, GOOD, HEDDLE_ALONE},
    {"fence_sequence_ended", {fence_write, store_relaxed, fence_read_two}, NULL, RACE, HEDDLE_ALONE},
    {"fence_of_the_wrong_kind", {fence_acquire_write, fence_read}, NULL, RACE, HEDDLE_ALONE},
    {"fence_read_of_the_wrong_kind", {fence_write, fence_release_read}, NULL, RACE, HEDDLE_ALONE},
    {"fence_too_early", {fence_too_early, fence_read}, NULL, RACE, HEDDLE_ALONE},
    {"fence_too_late", {fence_too_late, fence_read}, NULL, RACE, HEDDLE_ALONE},
    {"fence_read_too_early", {fence_write, fence_read_too_early}, NULL, RACE, HEDDLE_ALONE},
    {"fence_on_one_side", {fence_write, read_relaxed}, NULL, RACE, HEDDLE_ALONE},
    {"fence_on_the_other_side", {write_relaxed, fence_read}, NULL, RACE, HEDDLE_ALONE},
    {"fences_alone", {only_a_fence, fence_between}, NULL, RACE, HEDDLE_ALONE},
    {"atomic_writes_unordered", {first_relaxed, take_relaxed, read_plainly}, NULL, RACE, HEDDLE_ALONE},
    {"atomic_writes_half_ordered", {first_relaxed, take_acquire, read_plainly}, NULL, RACE, HEDDLE_ALONE},
    {"atomic_writes_ordered", {first_release, take_acquire, read_plainly}, NULL, GOOD, SANITIZER},
    {"string_functions", {clear, copy_text}, NULL, RACE, HEDDLE_ALONE},
    {"string_functions_locked", {clear_locked, copy_text_locked}, NULL, GOOD, SANITIZER},
    {"before_create", {NULL}, before_create, GOOD, SANITIZER},
    {"after_join", {NULL}, after_join, GOOD, SANITIZER},
    {"after_create", {NULL}, after_create, RACE, HEDDLE_ALONE},
    {"mutex", {with_mutex, with_mutex}, NULL, GOOD, SANITIZER},
    {"mutex_trylock", {with_mutex, with_trylock}, NULL, GOOD, SANITIZER},
    {"mutex_other", {with_mutex, with_other_mutex}, NULL, RACE, HEDDLE_ALONE},
    {"mutex_too_short", {with_mutex, after_mutex}, NULL, RACE, HEDDLE_ALONE},
    {"mutex_failed_trylock", {with_mutex, after_failed_trylock}, NULL, RACE, HEDDLE_ALONE},
    {"spinlock", {with_spinlock, with_spinlock}, NULL, GOOD, SANITIZER},
    {"spinlock_too_short", {with_spinlock, after_spinlock}, NULL, RACE, HEDDLE_ALONE},
    {"rwlock_writers", {with_wrlock, with_wrlock}, NULL, GOOD, SANITIZER},
    {"rwlock_reader", {with_wrlock, read_with_rdlock}, NULL, GOOD, SANITIZER},
    {"rwlock_writing_readers", {write_with_rdlock, write_with_rdlock}, NULL, RACE, HEDDLE_ALONE},
    {"rwlock_reader_then_writer", {rdlock_then_flag, flag_then_wrlock}, NULL, GOOD, SANITIZER},
    {"rwlock_reader_then_reader", {rdlock_then_flag, flag_then_rdlock}, NULL, RACE, HEDDLE_ALONE},
    {"cond", {signal_ready, wait_ready}, NULL, GOOD, SANITIZER},
    {"cond_signal_alone", {signal_only, wait_only}, NULL, RACE, HEDDLE_ALONE},
    {"once", {once_data_seen, once_data_seen}, NULL, GOOD, SANITIZER},
    {"once_and_a_write", {once_data, once_data}, NULL, RACE, HEDDLE_ALONE},
    {"once_found_done", {once_then_flag, flag_then_once}, NULL, RACE, HEDDLE_ALONE},
    {"semaphore", {post, take}, NULL, GOOD, SANITIZER},
    {"semaphore_try", {post, take_if_free}, NULL, GOOD, SANITIZER},
    {"semaphore_too_early", {post_too_early, take}, NULL, RACE, HEDDLE_ALONE},
    {"semaphore_value", {post, look_at_value}, NULL, RACE, HEDDLE_ALONE},
    {"barrier", {write_then_meet, meet_then_read}, NULL, GOOD, SANITIZER},
    {"barrier_too_late", {meet_then_read, meet_then_read}, NULL, RACE, HEDDLE_ALONE},
    {"barrier_next_round", {meet_and_write, meet_and_write}, NULL, RACE, HEDDLE_ALONE},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (argc < 2) printf("%s\t%s\t%d\n", tests[i].name, tests[i].verdict, tests[i].judge == SANITIZER);
        else if (!strcmp(argv[1], tests[i].name)) {
            if (tests[i].direct) tests[i].direct();
            else run(tests[i].code);
            return 0;
        }
    }
    return argc < 2 ? 0 : 99;
}
