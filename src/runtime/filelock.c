/* Locks that belong to an open file: flock() and the F_OFD commands of fcntl(). Threads can keep each other out by
 * them, so they are objects of the runtime and the kernel knows nothing of them. Copies of a descriptor are one open
 * file and share its locks, which end when the last copy is closed.
 *
 * To the strategies all locks of a file are one word of memory. Releasing a lock happens before acquiring a lock that
 * conflicts with it, and before nothing else: each released range has its own clock.
 *
 * Process locks (lockf, F_SETLK) do not exclude threads of the same process: see uncontrolled.h. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_LOCKED = 64, MAX_RANGES = 256 };

/* Of a file, inclusive. */
struct range_lock { uint32_t owner; bool is_flock, exclusive; long from, last; };

struct locked_file {
    struct word word;
    uint64_t device, inode;
    uint32_t held_count, past_count;
    struct range_lock held[MAX_RANGES];
    struct range_lock past[MAX_RANGES]; /* given back; the address of each is that of its clock */
};

struct file_locks {
    uint32_t last_id, count;
    uint32_t ids[MAX_FILES];    /* of the open file behind a descriptor; 0: it has none yet */
    struct locked_file *files[MAX_LOCKED];
};

static bool controls(void) { return rt.active && rt.shared; }

static struct file_locks *locks(void)
{
    struct descriptors *all = rt_descriptors();
    if (!all->locks) all->locks = rt_file_memory(sizeof *all->locks);
    return all->locks;
}

/* ---- open files ---- */

static uint32_t id_of(int fd)
{
    struct file_locks *l = locks();
    if (!l->ids[fd]) l->ids[fd] = ++l->last_id;
    return l->ids[fd];
}

void rt_locks_copied(int fd, int copy)
{
    if (!controls() || fd < 0 || copy < 0 || fd >= MAX_FILES || copy >= MAX_FILES || fd == copy) return;
    locks()->ids[copy] = id_of(fd);
}

static struct locked_file *file_of(int fd)
{
    struct file_locks *l = locks();
    struct stat s;
    if (fd < 0 || rt_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0)) return errno = EBADF, NULL;
    if (fd >= MAX_FILES) rt_die("the program has more than 1024 descriptors");
    for (uint32_t i = 0; i < l->count; i++)
        if (l->files[i]->device == s.st_dev && l->files[i]->inode == s.st_ino) return l->files[i];
    if (l->count == MAX_LOCKED) rt_die("the program locks more than 64 files");
    struct locked_file *f = rt_file_memory(sizeof *f);
    f->device = s.st_dev;
    f->inode = s.st_ino;
    return l->files[l->count++] = f;
}

/* ---- ranges ---- */

static bool overlap(const struct range_lock *a, const struct range_lock *b)
{
    return a->is_flock == b->is_flock && a->from <= b->last && b->from <= a->last;
}

static bool exclude(const struct range_lock *a, const struct range_lock *b)
{
    return overlap(a, b) && (a->exclusive || b->exclusive);
}

static const struct range_lock *in_the_way(const struct locked_file *f, const struct range_lock *new)
{
    for (uint32_t i = 0; i < f->held_count; i++)
        if (f->held[i].owner != new->owner && exclude(&f->held[i], new)) return &f->held[i];
    return NULL;
}

static void add(struct locked_file *f, struct range_lock r)
{
    if (r.from > r.last) return;
    if (f->held_count == MAX_RANGES) rt_die("the program holds more than 256 locks on one file");
    f->held[f->held_count++] = r;
}

static void release_clock(struct locked_file *f, const struct range_lock *r)
{
    uint32_t i = 0;
    while (i < f->past_count && (!overlap(&f->past[i], r) || f->past[i].from != r->from ||
                                 f->past[i].last != r->last || f->past[i].exclusive != r->exclusive)) i++;
    if (i == MAX_RANGES) rt_die("the program unlocks more than 256 different ranges of one file");
    if (i == f->past_count) f->past[f->past_count++] = *r;
    rt_release((uint64_t)&f->past[i]);
}

static void acquire_clocks(struct locked_file *f, const struct range_lock *r)
{
    for (uint32_t i = 0; i < f->past_count; i++)
        if (exclude(&f->past[i], r)) rt_acquire((uint64_t)&f->past[i]);
}

/* The open file releases the range. The parts of its locks outside the range stay. */
static void give_back(struct locked_file *f, const struct range_lock *r)
{
    for (uint32_t i = f->held_count; i-- > 0;) {
        struct range_lock old = f->held[i];
        if (old.owner != r->owner || !overlap(&old, r)) continue;
        f->held[i] = f->held[--f->held_count];
        release_clock(f, &old);
        struct range_lock below = old, above = old;
        below.last = r->from - 1;
        above.from = r->last + 1;
        if (old.from < r->from) add(f, below);
        if (old.last > r->last) add(f, above);
        rt_word_changed(&f->word);
    }
}

static void take(struct locked_file *f, const struct range_lock *r)
{
    give_back(f, r);
    acquire_clocks(f, r);
    add(f, *r);
    rt_word_changed(&f->word);
}

static bool has_already(const struct locked_file *f, const struct range_lock *r)
{
    for (uint32_t i = 0; i < f->held_count; i++) {
        const struct range_lock *h = &f->held[i];
        if (h->owner == r->owner && overlap(h, r) && h->exclusive == r->exclusive && h->from <= r->from &&
            h->last >= r->last) return true;
    }
    return false;
}

/* flock() gives back the old lock before it waits for one of the other kind; fcntl() keeps it. */
static int lock(struct locked_file *f, struct range_lock r, bool waits, uintptr_t pc, const char *label)
{
    for (;;) {
        if (!waits) rt_attempt(pc);
        rt_file_step(&f->word, true, pc, label);
        if (r.is_flock && !has_already(f, &r)) give_back(f, &r);
        if (!in_the_way(f, &r)) return take(f, &r), rt.self->failures = 0, 0;
        if (!waits) return rt_try_again(), errno = EWOULDBLOCK, -1;
        if (!rt_file_wait(&f->word, f->word.version, f->word.by_all, pc, label)) return errno = EINTR, -1;
    }
}

static int unlock(struct locked_file *f, struct range_lock r, uintptr_t pc, const char *label)
{
    rt_file_step(&f->word, true, pc, label);
    give_back(f, &r);
    return 0;
}

/* Before the descriptor is closed. */
void rt_locks_close(int fd, uintptr_t pc, const char *label)
{
    struct file_locks *l = controls() && fd >= 0 && fd < MAX_FILES ? rt_descriptors()->locks : NULL;
    uint32_t id = l ? l->ids[fd] : 0;
    if (!id) return;
    l->ids[fd] = 0;
    for (int i = 0; i < MAX_FILES; i++)
        if (l->ids[i] == id) return;
    for (uint32_t i = 0; i < l->count; i++)
        for (int is_flock = 0; is_flock < 2; is_flock++) {
            struct range_lock all = {.owner = id, .is_flock = is_flock, .last = LONG_MAX};
            bool holds = false;
            for (uint32_t k = 0; k < l->files[i]->held_count; k++)
                holds |= l->files[i]->held[k].owner == id && overlap(&l->files[i]->held[k], &all);
            if (holds) unlock(l->files[i], all, pc, label);
        }
}

/* ---- calls of the program ---- */

/* Another thread may close the descriptor before the call takes hold of it. The first call for a descriptor or a file
 * gives it a number, so the order of calls is visible here. */
static void begin(uintptr_t pc, const char *label)
{
    if (!rt_is_alone()) rt_file_all(pc, label);
}

EXPORT int flock(int fd, int operation)
{
    if (!controls()) return REAL(flock)(fd, operation);
    begin(CALLER, "flock");
    struct locked_file *f = file_of(fd);
    int what = operation & ~LOCK_NB;
    if (!f) return -1;
    if (what != LOCK_SH && what != LOCK_EX && what != LOCK_UN) return errno = EINVAL, -1;
    struct range_lock r = {.owner = id_of(fd), .is_flock = true, .exclusive = what == LOCK_EX, .last = LONG_MAX};
    if (what == LOCK_UN) return unlock(f, r, CALLER, "flock");
    return lock(f, r, !(operation & LOCK_NB), CALLER, "flock");
}

/* A length of 0 reaches up to the end, wherever that will be. */
static bool range_of(int fd, const struct flock *l, struct range_lock *r)
{
    struct stat s;
    long base = 0;
    if (l->l_whence == SEEK_CUR) base = rt_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    else if (l->l_whence == SEEK_END && !rt_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0)) base = s.st_size;
    else if (l->l_whence != SEEK_SET) return false;
    r->from = base + l->l_start;
    r->last = l->l_len ? r->from + l->l_len - 1 : LONG_MAX;
    if (l->l_len < 0) r->last = r->from - 1, r->from += l->l_len;
    return r->from >= 0 && r->last >= 0 && !l->l_pid;
}

static int ask(struct locked_file *f, struct range_lock r, struct flock *l, uintptr_t pc)
{
    rt_file_step(&f->word, false, pc, "fcntl");
    const struct range_lock *other = in_the_way(f, &r);
    l->l_type = F_UNLCK;
    if (!other) return 0;
    *l = (struct flock){.l_type = other->exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = other->from,
                        .l_len = other->last == LONG_MAX ? 0 : other->last - other->from + 1, .l_pid = -1};
    return 0;
}

int rt_locks_control(int fd, int command, struct flock *l, uintptr_t pc)
{
    begin(pc, "fcntl");
    struct locked_file *f = file_of(fd);
    struct range_lock r = {.exclusive = l->l_type == F_WRLCK};
    if (!f) return -1;
    long mode = rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_ACCMODE;
    if (!range_of(fd, l, &r)) return errno = EINVAL, -1;
    r.owner = id_of(fd);
    if (command == F_OFD_GETLK) return ask(f, r, l, pc);
    if (l->l_type == F_UNLCK) return unlock(f, r, pc, "fcntl");
    if (mode == (r.exclusive ? O_RDONLY : O_WRONLY)) return errno = EBADF, -1;
    return lock(f, r, command == F_OFD_SETLKW, pc, "fcntl");
}
