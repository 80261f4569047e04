/* Readers that lock twice come to a standstill with a lock that prefers writers, if one comes in between; with one that
 * does not, or only says so (glibc's PREFER_WRITER_NP), they do not.
 * expect with -- nonrecursive: ERROR deadlock: no thread can go on
 * expect with --explore=optimal -- nonrecursive: ERROR deadlock: no thread can go on
 * expect with -- static: ERROR deadlock: no thread can go on
 * expect with -- nonrecursive once: VERIFIED no error in any schedule$
 * expect with --verify -- nonrecursive once: VERIFIED no error in any schedule$
 * expect with --verify -- nonrecursive try: VERIFIED no error in any schedule$
 * expect with -- writer: VERIFIED no error in any schedule$
 * expect with -- reader: VERIFIED no error in any schedule$
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_rwlock_t made, *lock = &made, set_up = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static int times = 2, tries, shared;

static void *reads(void *a)
{
    int held = 0;
    for (int i = 0; i < times; i++) held += !(i && tries ? pthread_rwlock_tryrdlock : pthread_rwlock_rdlock)(lock);
    assert(shared != 1);
    while (held--) pthread_rwlock_unlock(lock);
    return a;
}

int main(int argc, char **argv)
{
    pthread_rwlockattr_t attr;
    pthread_t t;
    int kind = !strcmp(argv[1], "writer")   ? PTHREAD_RWLOCK_PREFER_WRITER_NP
               : !strcmp(argv[1], "reader") ? PTHREAD_RWLOCK_PREFER_READER_NP
                                            : PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
    if (argc > 2) times = strcmp(argv[2], "once") ? 2 : 1, tries = !strcmp(argv[2], "try");
    if (!strcmp(argv[1], "static")) lock = &set_up;
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, kind);
    if (lock == &made) pthread_rwlock_init(lock, &attr);
    pthread_create(&t, NULL, reads, NULL);
    pthread_rwlock_wrlock(lock);
    shared = 1;
    shared = 2;
    pthread_rwlock_unlock(lock);
    pthread_join(t, NULL);
}
