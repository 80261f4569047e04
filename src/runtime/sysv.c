/* System V semaphores (semget, semop, semctl). The runtime keeps the sets for one execution; the kernel knows
 * nothing of them. To the strategies a set is one word of memory. Each semaphore has two clocks: what raises it happens
 * before what lowers it, and what lowers it happens before a wait for zero. SEM_UNDO takes effect when a process ends,
 * so the runtime ignores it. */
#include "runtime/descriptor_int.h"

#include <stdarg.h>
#include <sys/ipc.h>
#include <sys/sem.h>

enum { MAX_SETS = 64, MAX_SEMAPHORES = 250, MAX_OPERATIONS = 500, MAX_VALUE = 32767 };

struct semaphore_set {
    struct word word;
    key_t key;
    bool removed;
    int count;
    struct { uint16_t value, pid; char raised, lowered; } at[MAX_SEMAPHORES]; /* the addresses of the last two stand for
                                                                                 the clocks */
};

struct semaphore_sets { int count; struct semaphore_set *at[MAX_SETS]; };

static bool controls(void) { return rt.active && rt.shared; }
static int fail(int code) { return errno = code, -1; }

static struct semaphore_sets *sets(void)
{
    struct descriptors *all = rt_descriptors();
    if (!all->sets) all->sets = rt_file_memory(sizeof *all->sets);
    return all->sets;
}

static struct semaphore_set *find(int id)
{
    struct semaphore_sets *s = sets();
    return id >= 0 && id < s->count && !s->at[id]->removed ? s->at[id] : NULL;
}

static int make(key_t key, int count)
{
    struct semaphore_sets *s = sets();
    if (count <= 0 || count > MAX_SEMAPHORES) return fail(EINVAL);
    if (s->count == MAX_SETS) return fail(ENOSPC);
    struct semaphore_set *new = rt_file_memory(sizeof *new);
    new->key = key;
    new->count = count;
    s->at[s->count] = new;
    return s->count++;
}

EXPORT int semget(key_t key, int count, int flags)
{
    if (!controls()) return REAL(semget)(key, count, flags);
    struct semaphore_sets *s = sets();
    rt_file_all(CALLER, "semget");
    for (int i = 0; key != IPC_PRIVATE && i < s->count; i++) {
        if (s->at[i]->removed || s->at[i]->key != key) continue;
        if ((flags & IPC_CREAT) && (flags & IPC_EXCL)) return fail(EEXIST);
        return count > s->at[i]->count ? fail(EINVAL) : i;
    }
    return key == IPC_PRIVATE || (flags & IPC_CREAT) ? make(key, count) : fail(ENOENT);
}

/* ---- semop ---- */

static bool is_possible(const struct sembuf *o, const uint16_t *values)
{
    return o->sem_op ? values[o->sem_num] + o->sem_op >= 0 : !values[o->sem_num];
}

/* All operations or none. 0, EAGAIN: some have to wait, or the error. `*nowait`: of the one that waits. */
static int try_all(struct semaphore_set *s, const struct sembuf *list, size_t count, bool *nowait)
{
    uint16_t values[MAX_SEMAPHORES];
    for (int i = 0; i < s->count; i++) values[i] = s->at[i].value;
    for (size_t i = 0; i < count; i++) {
        *nowait = list[i].sem_flg & IPC_NOWAIT;
        if (!is_possible(&list[i], values)) return EAGAIN;
        int value = values[list[i].sem_num] + list[i].sem_op;
        if (value > MAX_VALUE) return ERANGE;
        values[list[i].sem_num] = (uint16_t)value;
    }
    for (int i = 0; i < s->count; i++) s->at[i].value = values[i];
    return 0;
}

static void order(struct semaphore_set *s, const struct sembuf *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int n = list[i].sem_num, what = list[i].sem_op;
        if (what < 0) rt_acquire((uint64_t)&s->at[n].raised);
        if (!what) rt_acquire((uint64_t)&s->at[n].lowered);
    }
    for (size_t i = 0; i < count; i++) {
        int n = list[i].sem_num, what = list[i].sem_op;
        if (what > 0) rt_release((uint64_t)&s->at[n].raised);
        if (what < 0) rt_release((uint64_t)&s->at[n].lowered);
        s->at[n].pid = (uint16_t)rt.pid;
        if (what) rt_word_changed(&s->word);
    }
}

static bool may_wait(const struct sembuf *list, size_t count)
{
    bool waits = false;
    for (size_t i = 0; i < count; i++) waits |= list[i].sem_op <= 0 && !(list[i].sem_flg & IPC_NOWAIT);
    return waits;
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000 + (uint64_t)t->tv_nsec;
}

/* With a time limit the call never blocks: if the operations have to wait it fails with EAGAIN, as if time were up.
 * A thread that is about to call may have called already when the set is removed, or not yet. */
static int operate(int id, const struct sembuf *list, size_t count, const struct timespec *limit, uintptr_t pc)
{
    struct semaphore_set *s = find(id);
    if (!s || !count) return fail(EINVAL);
    if (count > MAX_OPERATIONS) return fail(E2BIG);
    rt_call_reads(list, count * sizeof *list, pc);
    for (size_t i = 0; i < count; i++)
        if (list[i].sem_num >= s->count) return fail(EFBIG);
    for (;;) {
        bool nowait = false;
        if (limit || !may_wait(list, count)) rt_attempt(pc);
        rt_file_step(&s->word, true, pc, "semop");
        if (s->removed) return fail(rt_point(OP(CHOOSE, .count = 2), NULL, pc) ? EINVAL : EIDRM);
        int status = try_all(s, list, count, &nowait);
        if (!status) return order(s, list, count), rt.self->failures = 0, 0;
        if (status == EAGAIN && limit && !nowait) rt.time += nanoseconds(limit);
        if (status != EAGAIN || nowait || limit) return rt_try_again(), fail(status);
        if (!rt_file_wait(&s->word, s->word.version, s->word.by_all, pc, "semop")) return fail(EINTR);
    }
}

EXPORT int semop(int id, struct sembuf *list, size_t count)
{
    return controls() ? operate(id, list, count, NULL, CALLER) : REAL(semop)(id, list, count);
}

int semtimedop(int id, struct sembuf *list, size_t count, const struct timespec *limit);
EXPORT int semtimedop(int id, struct sembuf *list, size_t count, const struct timespec *limit)
{
    if (!controls()) return REAL(semtimedop)(id, list, count, limit);
    if (limit) rt_call_reads(limit, sizeof *limit, CALLER);
    return operate(id, list, count, limit, CALLER);
}

/* ---- semctl ---- */

static int set_value(struct semaphore_set *s, int n, int value)
{
    if (value < 0 || value > MAX_VALUE) return fail(ERANGE);
    s->at[n].value = (uint16_t)value;
    rt_release((uint64_t)&s->at[n].raised);
    rt_release((uint64_t)&s->at[n].lowered);
    rt_word_changed(&s->word);
    return 0;
}

static int set_all(struct semaphore_set *s, const unsigned short *values, uintptr_t pc)
{
    rt_call_reads(values, (size_t)s->count * sizeof *values, pc);
    for (int i = 0; i < s->count; i++)
        if (values[i] > MAX_VALUE) return fail(ERANGE);
    for (int i = 0; i < s->count; i++) set_value(s, i, values[i]);
    return 0;
}

static int get_all(const struct semaphore_set *s, unsigned short *values, uintptr_t pc)
{
    rt_call_writes(values, (size_t)s->count * sizeof *values, pc);
    for (int i = 0; i < s->count; i++) values[i] = s->at[i].value;
    return 0;
}

static int describe(const struct semaphore_set *s, struct semid_ds *to, uintptr_t pc)
{
    rt_call_writes(to, sizeof *to, pc);
    memset(to, 0, sizeof *to);
    to->sem_nsems = (unsigned long)s->count;
    return 0;
}

/* How many threads wait is not known: reported, and 0. */
static int control(struct semaphore_set *s, int n, int command, uintptr_t argument, uintptr_t pc)
{
    bool is_one = command == GETVAL || command == SETVAL || command == GETPID;
    if (is_one && (n < 0 || n >= s->count)) return fail(EINVAL);
    bool looks = command == GETVAL || command == GETALL || command == GETPID;
    if (looks) rt_attempt(pc); /* a loop may wait for it to change */
    rt_file_step(&s->word, !looks, pc, "semctl");
    if (looks) rt_try_again();
    switch (command) {
    case GETVAL: return s->at[n].value;
    case GETPID: return s->at[n].pid;
    case SETVAL: return set_value(s, n, (int)argument);
    case GETALL: return get_all(s, (unsigned short *)argument, pc);
    case SETALL: return set_all(s, (const unsigned short *)argument, pc);
    case IPC_RMID: return s->removed = true, rt_word_changed(&s->word), 0;
    case IPC_STAT: return describe(s, (struct semid_ds *)argument, pc);
    case IPC_SET: return 0;
    case GETNCNT: case GETZCNT: return rt_note("semctl", "waiting threads are not counted; returns 0", pc), 0;
    default: return fail(EINVAL);
    }
}

EXPORT int semctl(int id, int n, int command, ...)
{
    va_list ap;
    va_start(ap, command);
    uintptr_t argument = va_arg(ap, uintptr_t);
    va_end(ap);
    if (!controls()) return REAL(semctl)(id, n, command, argument);
    struct semaphore_set *s = find(id);
    return s ? control(s, n, command, argument, CALLER) : fail(EINVAL);
}
