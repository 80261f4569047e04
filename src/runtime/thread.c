/* pthread_create, join, detach, exit, self, equal, names and attributes that need no control. */
#include "runtime/internal.h"

#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DONOR_STACK = 256 << 10, COLOURS = 16, COLOUR = 1344 };

enum { WAIT = 128, WAKE = 129 }; /* futexes of this process */

/* From the moment it says that it is ready its stack may be write-protected: it must not use it any more, not even to
 * wake up who waits for it. */
static __attribute__((noreturn)) void sleep_for_ever(uint32_t *ready)
{
#if defined __x86_64__
    __asm__ volatile("movl $1, (%0)\n movq %0, %%rdi\n movl %2, %%esi\n movl $1, %%edx\n movl %3, %%eax\n syscall\n"
                     "1: movl %1, %%eax\n xorl %%edi, %%edi\n xorl %%esi, %%esi\n xorl %%edx, %%edx\n"
                     " xorl %%r10d, %%r10d\n xorl %%r8d, %%r8d\n syscall\n jmp 1b" ::"b"(ready),
                     "i"(SYS_ppoll), "i"(WAKE), "i"(SYS_futex)
                     : "memory");
#else
    register uint32_t *kept __asm__("x19") = ready;
    __asm__ volatile("mov w9, #1\n str w9, [%0]\n mov x0, %0\n mov x1, %2\n mov x2, #1\n mov x8, %3\n svc #0\n"
                     "1: mov x8, %1\n mov x0, #0\n mov x1, #0\n mov x2, #0\n mov x3, #0\n"
                     " mov x4, #0\n svc #0\n b 1b" ::"r"(kept),
                     "i"(SYS_ppoll), "i"(WAKE), "i"(SYS_futex)
                     : "memory");
#endif
    __builtin_unreachable();
}

static void *donor_main(void *argument)
{
    struct donor *d = argument;
    d->tls = rt_get_tls();
    d->low = __builtin_frame_address(0);
    sleep_for_ever(&d->ready);
}

static void donor_start(struct donor *d)
{
    typedef int create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    uint64_t all = ~0ull, old;
    pthread_t ignored;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    /* Not one of the runtime's own mappings: the thread's variables are in it and are put back like all memory. */
    long stack = rt_syscall(SYS_mmap, 0, DONOR_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_setstack(&attr, (void *)stack, DONOR_STACK);
    d->high = (char *)stack + DONOR_STACK;
    rt_syscall(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, (long)&all, (long)&old, 8, 0, 0);
    if (((create *)rt_real("pthread_create"))(&ignored, &attr, donor_main, d)) rt_die("cannot prepare a thread");
    rt_syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, (long)&old, 0, 8, 0, 0);
    pthread_attr_destroy(&attr);
}

static uintptr_t donor_tls(struct donor *d)
{
    while (!__atomic_load_n(&d->ready, __ATOMIC_SEQ_CST)) rt_syscall(SYS_futex, (long)&d->ready, WAIT, 0, 0, 0, 0);
    return d->tls;
}

/* Nested functions of gcc whose address is taken put code on the stack, and the program asks for that in its headers.
 */
bool rt_wants_executable_stack(void)
{
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    for (unsigned long i = getauxval(AT_PHNUM); header && i-- > 0; header++)
        if (header->p_type == PT_GNU_STACK) return header->p_flags & PF_X;
    return false;
}

static void prepare_stack(struct thread *t)
{
    size_t size = STACK_SIZE;
    t->stack_low = rt_map((char *)STACKS_BASE + size * (size_t)t->id, size, MAP_STACK | MAP_FIXED_NOREPLACE);
    t->stack_high =
        t->stack_low + size - (size_t)(t->id % COLOURS) * COLOUR; /* or all stacks share their cache lines */
    int rights = PROT_READ | PROT_WRITE | PROT_EXEC;
    if (rt_wants_executable_stack()) rt_syscall(SYS_mprotect, (long)t->stack_low, (long)size, rights, 0, 0, 0);
    rt_syscall(SYS_mprotect, (long)t->stack_low, 16 * PAGE, PROT_NONE, 0, 0, 0);
}

/* Heddle starts the program again with room for more. */
static __attribute__((noreturn)) void too_many(void)
{
    if (!rt.shared) rt_attach(); /* before main */
    if (SET_WORDS * 64 == RT_MAX_THREADS && rt.exploring && rt.active && !rt.shared->config.most_threads)
        rt_too_crowded();
    if (!rt.shared || SET_WORDS * 64 == RT_MAX_THREADS) rt_die("the program has more than 1,024 threads");
    rt.shared->status = RT_MORE_THREADS;
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

/* Threads that constructors start have a handle at once, and begin when main would: to the program they are slow. */
static int create_early(pthread_t *out, const struct thread_start *start)
{
    if (rt.early_count + 1 == MAX_THREADS) too_many();
    struct early_thread *e = &rt.early[++rt.early_count]; /* the number that the thread will have */
    e->start = *start;
    donor_start(&e->donor);
    *out = (pthread_t)donor_tls(&e->donor);
    return 0;
}

void rt_wait_before_main(void)
{
    if (rt.early_count) rt_die("what runs before main() waits for a thread: not supported");
}

static int detach_early(pthread_t p)
{
    for (int i = 1; i <= rt.early_count; i++)
        if (rt.early[i].donor.tls == (uintptr_t)p) return rt.early[i].start.detached = true, 0;
    return ESRCH;
}

void rt_start_early(void)
{
    if (rt.early_count) rt_unexplored(RT_EARLY_THREADS);
    for (int i = 1; i <= rt.early_count; i++) {
        pthread_t same;
        rt_create(&same, &rt.early[i].start);
        assert(same == (pthread_t)rt.early[i].donor.tls);
    }
}

/* All are started before the first is waited for: that costs one wait and not one for each. */
static void prepare_slots(int from, int to)
{
    struct donor donors[MAX_THREADS] = {0};
    for (int i = from; i < to; i++) {
        prepare_stack(&rt.threads[i]);
        if (i > rt.early_count) donor_start(&donors[i]);
    }
    for (int i = from; i < to; i++) {
        struct donor *d = i > rt.early_count ? &donors[i] : &rt.early[i].donor;
        struct thread *t = &rt.threads[i];
        t->tls = i ? donor_tls(d) : rt_get_tls();
        t->tls_low = d->low;
        t->tls_high = d->high;
    }
    rt.thread_limit = to;
}

void rt_threads_init(int count)
{
    assert(!rt.threads && count > 0 && count <= MAX_THREADS);
    rt.threads = rt_map(NULL, sizeof *rt.threads * MAX_THREADS, 0);
    rt.numbering = rt_map(NULL, sizeof *rt.numbering, MAP_SHARED);
    rt.numbering->next = 1;
    for (uint32_t i = 0; rt.shared && i < rt.shared->numbered; i++)
        rt.numbering->of[rt.shared->numbers[i].creator % MAX_THREADS][rt.shared->numbers[i].nth % MAX_THREADS] =
            rt.numbering->next++;
    for (int i = 0; i < MAX_THREADS; i++) rt.threads[i].id = i;
    rt_locals_init();
    prepare_slots(0, count);
}

enum { CHUNK = 256, CLEAN_CHUNKS = 2, RUNTIME_FRAMES = 1024 }; /* bytes, but for the second */

/* Stacks are cleared down to where they were never used, so that even reading an uninitialised variable gives the same
 * in every execution. Below the deepest frame that was seen the runtime's own frames come, and perhaps a library's:
 * the clearing ends where nothing was left behind. */
static void clear_stack(struct thread *t)
{
    typedef uint64_t vector __attribute__((vector_size(32), may_alias));
    char *low = t->stack_low + 17 * PAGE,
         *p = (char *)(((uintptr_t)t->deepest - RUNTIME_FRAMES) & ~(uintptr_t)(CHUNK - 1));
    if (p < low) p = low;
    assert(p <= t->stack_high && low < t->stack_high);
    memset(p, 0, (size_t)(t->stack_high - p));
    for (int clean = 0; clean < CLEAN_CHUNKS && p > low + CHUNK;) {
        p -= CHUNK;
        vector *v = (vector *)(void *)p, any = v[0];
        for (size_t i = 1; i < CHUNK / sizeof *v; i++) any |= v[i];
        bool dirty = any[0] | any[1] | any[2] | any[3];
        for (size_t i = 0; dirty && i < CHUNK / sizeof *v; i++) v[i] = (vector){0};
        clean = dirty ? 0 : clean + 1;
    }
}

void rt_threads_reset(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.created) {
        struct thread *t = &rt.threads[id];
        assert(t->live && t->stack_high);
        clear_stack(t);
        t->live = t->detached_children = false;
        t->taken = t->spare = t->spurious_count = 0;
    }
    rt.live = rt.created = SET_NONE;
}

/* As clear_stack() would find it. */
char *rt_lowest_used(const struct thread *t)
{
    const uint64_t *low = (const uint64_t *)(void *)(t->stack_low + 17 * PAGE),
                   *p = (const uint64_t *)(((uintptr_t)t->deepest - RUNTIME_FRAMES) & ~(uintptr_t)(CHUNK - 1));
    if (p < low) return (char *)low;
    for (int clean = 0; clean < CLEAN_CHUNKS && p > low + CHUNK / sizeof *p;) {
        uint64_t any = 0;
        p -= CHUNK / sizeof *p;
        for (size_t i = 0; i < CHUNK / sizeof *p; i++) any |= p[i];
        clean = any ? 0 : clean + 1;
    }
    return (char *)p;
}

/* Stacks are clear when a state is put back. */
static void move_stack(struct rt_bag *b, const struct thread *t)
{
    char *low = b->saving ? rt_lowest_used(t) : NULL;
    rt_bag_move(b, &low, sizeof low);
    rt_bag_move(b, low, (size_t)(t->stack_high - low));
}

/* All that lies between what is moved as a whole is moved by name. */
#define BEHIND(member) (offsetof(struct thread, member) + sizeof((struct thread *)0)->member)
_Static_assert(offsetof(struct thread, call_count) == BEHIND(calls) &&
                   offsetof(struct thread, held) - BEHIND(call_count) < 8 &&
                   offsetof(struct thread, held_count) == BEHIND(held) &&
                   offsetof(struct thread, written) - BEHIND(held_count) < 8 &&
                   offsetof(struct thread, quiet) == BEHIND(written) &&
                   offsetof(struct thread, quiet_count) == BEHIND(quiet) &&
                   offsetof(struct thread, uses_keys) == BEHIND(keys),
               "move_thread() knows all members");

/* What is in use of it; most is room for calls, locks and keys. Keys are zeros where none is used. */
static void move_thread(struct rt_bag *b, struct thread *t)
{
    size_t after = offsetof(struct thread, quiet_count), keys = offsetof(struct thread, keys),
           rest = offsetof(struct thread, uses_keys);
    bool had_keys = t->uses_keys;
    rt_bag_move(b, t, offsetof(struct thread, calls));
    rt_bag_move(b, &t->call_count, sizeof t->call_count);
    rt_bag_move(b, t->calls, sizeof t->calls[0] * t->call_count);
    rt_bag_move(b, &t->held_count, sizeof t->held_count);
    rt_bag_move(b, t->held, sizeof t->held[0] * t->held_count);
    rt_bag_move(b, (char *)t + after, keys - after);
    rt_bag_move(b, t->quiet, t->look ? sizeof t->quiet : sizeof t->quiet[0] * t->quiet_count);
    rt_bag_move(b, t->written, sizeof t->written[0] * t->written_count);
    rt_bag_move(b, (char *)t + rest, sizeof *t - rest);
    if (t->uses_keys) rt_bag_move(b, t->keys, sizeof t->keys);
    else if (had_keys) memset(t->keys, 0, sizeof t->keys);
    move_stack(b, t);
}

void rt_threads_move(struct rt_bag *b)
{
    int id;
    FOR_EACH_THREAD(id, rt.created) move_thread(b, &rt.threads[id]);
}

static void announce(int id)
{
    if (!rt.shared) return;
    assert(id < MAX_THREADS && rt.shared->announced_count < MAX_THREADS);
    rt.shared->announced[rt.shared->announced_count++] = (uint64_t)id;
}

/* What a thread joined it may give out again: all that has the number is then in order, as if one thread had done it.
 * Which it takes depends on what it did itself, or who had its number before. The first few are new, so that what uses
 * a thread after its end is found. */
static int spare_number(struct thread *creator)
{
    enum { NEW_AT_FIRST = 8 };
    int id = creator->spare;
    if (!id || creator->taken < NEW_AT_FIRST) return 0;
    assert(rt.threads[id].finished && rt.threads[id].joined);
    creator->spare = rt.threads[id].next_spare;
    rt_need_plain_strategy();
    return id;
}

static void keep_spare(struct thread *joiner, struct thread *ended)
{
    ended->next_spare = 0;
    if (joiner->spare) rt.threads[joiner->spare_last].next_spare = ended->id;
    else joiner->spare = ended->id;
    joiner->spare_last = ended->id;
}

/* Who has created so many threads, some of them detached, looks for one that has ended before he takes a new number,
 * and goes on as if he had joined it. That is more order than there is, which is reported. */
enum { NEW_IF_DETACHED = 32 };

static void collect_detached(struct thread *creator, uintptr_t pc)
{
    int id;
    if (creator->spare || creator->taken < NEW_IF_DETACHED || !creator->detached_children) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, "detached threads");
    FOR_EACH_THREAD(id, rt.created & ~rt.live) {
        struct thread *t = &rt.threads[id];
        if (!t->finished || !t->detached || t->joined) continue;
        rt_note("pthread_create", "detached threads that have ended are taken for joined when there are many", pc);
        t->joined = true;
        rt_clock_join(t);
        keep_spare(creator, t);
        return;
    }
}

/* Whether the creator has detached children must be known from his own steps, or by one that depends on every other. */
static void note_detached(struct thread *t, uintptr_t pc)
{
    struct thread *creator = t->creator >= 0 ? &rt.threads[t->creator] : NULL;
    if (!creator || (creator != rt.self && t->nth < NEW_IF_DETACHED)) return;
    if (creator != rt.self) rt_point_labelled(OP(GLOBAL), NULL, pc, "detach");
    creator->detached_children = true;
}

static void need_number(const struct thread *creator, uintptr_t pc)
{
    int nth = creator->taken;
    if (nth < MAX_THREADS && rt.numbering->of[creator->id][nth]) return;
    rt_room_ends(nth < MAX_THREADS ? rt.numbering->next : MAX_THREADS, pc);
    if (nth >= MAX_THREADS || rt.numbering->next >= MAX_THREADS) too_many();
}

static int number_of_child(struct thread *creator, uintptr_t pc)
{
    int spare = spare_number(creator);
    if (!spare) need_number(creator, pc);
    creator->children++;
    if (spare) return spare;
    int nth = creator->taken++;
    int *number = &rt.numbering->of[creator->id][nth];
    if (!*number) {
        *number = rt.numbering->next++;
        if (rt.shared) {
            rt.shared->numbers[*number - 1] = (struct rt_number){(uint16_t)creator->id, (uint16_t)nth};
            rt.shared->numbered = (uint32_t)*number;
        }
    }
    assert(*number > 0 && *number < rt.numbering->next && *number != creator->id);
    announce(*number);
    return *number;
}

static void need_slot(int id)
{
    if (id < rt.thread_limit) return;
    if (rt.shared && rt.exploring && id < MAX_THREADS) {
        rt.shared->status = RT_MORE_THREADS;
        rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    }
    prepare_slots(rt.thread_limit, id + 1);
}

/* Its stack and its thread-local variables are those of a new thread. */
static void renew(struct thread *t)
{
    clear_stack(t);
    memcpy(t->tls_low, t->tls_copy, (size_t)(t->tls_high - t->tls_low));
    rt_forget_range((uintptr_t)t->tls_low, (size_t)(t->tls_high - t->tls_low));
    rt_forget_range(t->deepest, (size_t)((uintptr_t)t->stack_high - t->deepest));
}

static void keep_tls(struct thread *t)
{
    size_t size = (size_t)(t->tls_high - t->tls_low);
    if (!t->id || t->tls_copy) return;
    t->tls_copy = rt_map(NULL, (size + PAGE - 1) & ~(PAGE - 1), 0);
    memcpy(t->tls_copy, t->tls_low, size);
}

struct thread *rt_thread_new(int id, int creator)
{
    need_slot(id);
    struct thread *t = &rt.threads[id];
    if (set_has(rt.created, id)) renew(t);
    else keep_tls(t);
    assert(t->id == id && id < rt.thread_limit && t->stack_high && !set_has(rt.live, id));
    size_t from = offsetof(struct thread, start), clocks = offsetof(struct thread, clock);
    memset((char *)t + from, 0, clocks - from);
    rt_clock_clear(&t->clock);
    rt_clock_clear(&t->acquired);
    rt_clock_clear(&t->fence);
    t->call_count = t->held_count = t->quiet_count = t->clock_reads = 0;
    if (t->uses_keys) memset(t->keys, 0, sizeof t->keys);
    t->uses_keys = false;
    t->cleanups = NULL;
    t->tls_destructors = NULL;
    t->finished = t->ended = t->detached = t->joined = t->started = false;
    t->spurious_key = 0;
    t->live = true;
    t->deepest = (uintptr_t)t->stack_high;
    t->creator = creator;
    t->has_room = creator < 0;
    rt.live |= set_of(id);
    rt.created |= set_of(id);
    if (creator < 0) announce(id);
    return t;
}

static void thread_main(void)
{
    struct thread *self = rt.self;
    assert(self->start && !self->started);
    rt_weak_other();
    rt_thread_end(self->start(self->argument));
}

struct thread *rt_thread_of(pthread_t p)
{
    for (int i = 0; i < rt.thread_limit && i < rt.numbering->next; i++)
        if (rt.threads[i].live && rt.threads[i].tls == (uintptr_t)p) return &rt.threads[i];
    return NULL;
}

/* Before the new thread begins, as the C library does it: what that thread reads there is the handle. */
static void tell_handle(pthread_t *out, int id, const struct thread_start *start)
{
    need_slot(id);
    if (start->is_called) rt_call_writes(out, sizeof *out, start->pc);
    *out = (pthread_t)rt.threads[id].tls;
}

/* The lowest frame that the stack has room for. */
static uintptr_t floor_of(const struct thread *t, const struct thread_start *start)
{
    if (start->stack_low) return (uintptr_t)start->stack_low + RUNTIME_NEEDS;
    return (uintptr_t)(start->stack_size ? t->stack_high - start->stack_size : t->stack_low);
}

int rt_create(pthread_t *out, const struct thread_start *start)
{
    if (!rt.active) return create_early(out, start);
    struct thread *self = rt.self;
    rt_checkpoint();
    rt_room_wait(start->pc);
    collect_detached(self, start->pc);
    int id = number_of_child(self, start->pc);
    tell_handle(out, id, start);
    rt_point(OP(CREATE, .object = (uint64_t)id), NULL, start->pc);
    rt_effect();
    if (rt.shared) rt.shared->concurrent = true;
    struct thread *t = rt_thread_new(id, self->id);
    rt_room_check();
    rt_room_enter(t);
    t->start = start->function;
    t->argument = start->argument;
    t->detached = start->detached;
    t->nth = self->taken;
    self->detached_children |= start->detached;
    t->mask = self->mask;
    t->given_low = start->stack_low;
    t->given_high = start->stack_high;
    t->floor = floor_of(t, start);
    t->sp = rt_make_context(t->given_high ? t->given_high : t->stack_high, thread_main);
    rt_clock_fork(t);
    rt_run_new(t);
    return 0;
}

/* A thread uses the stack that the program gave it until its last step. */
static bool runs_on(const struct thread *t, const char *low, const char *high)
{
    return t->given_high && t->given_low < high && t->given_high > low;
}

/* Of threads that were joined the program knows that they do not run any more. */
static bool may_run_on(const struct thread *t, const char *low, const char *high)
{
    return !t->reaped && runs_on(t, low, high);
}

void rt_refuse_stack(const void *low, size_t size, uintptr_t pc)
{
    const char *high = (const char *)low + size;
    bool may_run = false;
    int id;
    FOR_EACH_THREAD(id, rt.created) may_run |= may_run_on(&rt.threads[id], low, high);
    if (likely(!may_run)) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, "give back a stack");
    FOR_EACH_THREAD(id, rt.created) {
        if (!may_run_on(&rt.threads[id], low, high) || rt_has_ended(&rt.threads[id])) continue;
        rt_find(RT_MISUSE, pc, "giving back the stack of a thread that runs");
        rt_finding_end();
    }
}

/* The library keeps the end of the stack, which is NULL if none was given. Two threads on one stack are misuse. */
static void take_stack(struct thread_start *start, const pthread_attr_t *attr)
{
    void *low = NULL;
    size_t size = 0;
    int id;
    pthread_attr_getstack(attr, &low, &size);
    char *high = (char *)((uintptr_t)low + size);
    if (!high) return;
    FOR_EACH_THREAD(id, rt.live) {
        if (!runs_on(&rt.threads[id], low, high)) continue;
        rt_find(RT_MISUSE, start->pc, "the stack given to a new thread is that of a thread that runs");
        rt_finding_end();
    }
    start->stack_low = low;
    start->stack_high = high;
}

EXPORT int pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *argument)
{
    enum { ROOM = STACK_SIZE / 2 }; /* of ours, beside the frames of the runtime */
    int detached = PTHREAD_CREATE_JOINABLE;
    size_t size = 0;
    struct thread_start s = {.function = start, .argument = argument, .pc = CALLER};
    rt_call_reads(attr, sizeof *attr, CALLER);
    if (attr) pthread_attr_getdetachstate(attr, &detached), take_stack(&s, attr);
    if (attr && !s.stack_high) pthread_attr_getstacksize(attr, &size);
    if (size < ROOM) s.stack_size = size;
    s.detached = detached == PTHREAD_CREATE_DETACHED;
    s.is_called = true;
    return rt_create(out, &s);
}

/* Whoever tries to join a thread sees whether it has ended: in programs that do, that is a step of its own before the
 * last one. Where it is learnt like a place in the program, it is known wherever those are. */
static bool ends_are_seen(void) { return rt_is_hot((uintptr_t)rt_thread_end); }

bool rt_has_ended(const struct thread *t)
{
    rt_learn_point((uintptr_t)rt_thread_end);
    return ends_are_seen() ? t->ended : t->finished;
}

static void show_end(struct thread *self)
{
    rt_point_labelled(OP(WRITE, .object = (uint64_t)&self->ended, .count = sizeof self->ended), NULL, 0, "end");
    self->ended = true;
    rt_effect();
}

void rt_thread_end(void *result)
{
    struct thread *self = rt.self;
    self->result = result;
    self->exiting = true;
    rt_file_call_over();
    rt_once_give_up();
    rt_run_tls_destructors(self);
    rt_run_key_destructors(self);
    rt_give_robust_mutexes();
    rt_thread_memory_ends();
    if (ends_are_seen()) show_end(self);
    rt_room_leave();
    rt_point(OP(EXIT), NULL, 0);
    assert(!self->finished && rt.self == self);
    rt_weak_other();
    self->finished = true;
    rt.live &= ~set_of(self->id);
    rt.view.next[self->id] = OP(NONE);
    if (!set_any(rt.live)) rt_execution_over(0, "", 0); /* main had ended by pthread_exit() */
    rt_switch_away();
}

static bool target_ended(const struct thread *t) { return rt.threads[t->op.object].finished; }

int rt_join(pthread_t p, void **result, uintptr_t pc)
{
    struct thread *target = rt_thread_of(p);
    if (!rt.active) rt_wait_before_main();
    if (!target) return ESRCH;
    if (target == rt.self) return EDEADLK;
    if (target->detached || target->joined) {
        rt_find(RT_MISUSE, pc, "pthread_join() of a thread that was already %s",
                target->joined ? "joined" : "detached");
        rt_finding_end();
    }
    rt_cancellation_point(true);
    target->joined = true;
    rt_point(OP(JOIN, .object = (uint64_t)target->id), target_ended, pc);
    rt_cancellation_point(false);
    rt_effect();
    rt_clock_join(target);
    target->reaped = true;
    keep_spare(rt.self, target);
    if (!result) return 0;
    rt_call_writes(result, sizeof *result, pc);
    *result = target->result;
    return 0;
}

EXPORT int pthread_join(pthread_t p, void **result) { return rt_join(p, result, CALLER); }

static int try_join(pthread_t p, void **result, uintptr_t pc)
{
    struct thread *target = rt_thread_of(p);
    if (!target) return ESRCH;
    rt_learn_point((uintptr_t)rt_thread_end);
    rt_attempt(pc);
    rt_point_labelled(OP(READ, .object = (uint64_t)&target->ended, .count = sizeof target->ended), NULL, pc, "tryjoin");
    if (ends_are_seen() ? !target->ended : !target->finished) return rt_try_again(), EBUSY;
    rt.self->failures = 0;
    return rt_join(p, result, pc);
}

static int timed_join(pthread_t p, void **result, const struct timespec *deadline, uintptr_t pc)
{
    if (!deadline) return rt_join(p, result, pc);
    rt_call_reads(deadline, sizeof *deadline, pc);
    int status = try_join(p, result, pc);
    return rt_until(deadline, status == EBUSY ? ETIMEDOUT : status);
}

EXPORT int pthread_tryjoin_np(pthread_t p, void **result) { return try_join(p, result, CALLER); }

EXPORT int pthread_timedjoin_np(pthread_t p, void **result, const struct timespec *deadline)
{
    return timed_join(p, result, deadline, CALLER);
}

EXPORT int pthread_clockjoin_np(pthread_t p, void **result, clockid_t clock, const struct timespec *deadline)
{
    (void)clock;
    return timed_join(p, result, deadline, CALLER);
}

EXPORT int pthread_detach(pthread_t p)
{
    if (!rt.active) return detach_early(p);
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    if (t->detached || t->joined) {
        rt_find(RT_MISUSE, CALLER, "pthread_detach() of a thread that was already %s",
                t->joined ? "joined" : "detached");
        rt_finding_end();
    }
    note_detached(t, CALLER);
    t->detached = true;
    return 0;
}

/* As in the system it is the process's number for the first thread. */
EXPORT pid_t gettid(void)
{
    return rt.active ? getpid() + rt.self->id : (pid_t)rt_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

EXPORT pthread_t pthread_self(void) { return rt.active ? (pthread_t)rt.self->tls : (pthread_t)rt_get_tls(); }
int rt_equal(pthread_t x, pthread_t y) __asm__("pthread_equal"); /* the header may define it in place */
EXPORT int rt_equal(pthread_t x, pthread_t y) { return x == y; }

int rt_thread_set_name(pthread_t p, const char *name, uintptr_t pc)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    if (strlen(name) > 15) return ERANGE;
    rt_refuse_ended(p, pc, "pthread_setname_np");
    rt_call_reads_text(name, pc);
    rt_state_use(t->name, true, pc, "pthread_setname_np");
    strcpy(t->name, name);
    return 0;
}

int rt_thread_get_name(pthread_t p, char *out, size_t size, uintptr_t pc)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    rt_refuse_ended(p, pc, "pthread_getname_np");
    rt_state_use(t->name, false, pc, "pthread_getname_np");
    const char *name = t->name[0] ? t->name : "thread";
    if (strlen(name) >= size) return ERANGE;
    rt_call_writes(out, strlen(name) + 1, pc);
    strcpy(out, name);
    return 0;
}

EXPORT int pthread_setname_np(pthread_t p, const char *name) { return rt_thread_set_name(p, name, CALLER); }

EXPORT int pthread_getname_np(pthread_t p, char *out, size_t size)
{
    return rt_thread_get_name(p, out, size, CALLER);
}

EXPORT int pthread_getattr_np(pthread_t p, pthread_attr_t *attr)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    rt_refuse_ended(p, CALLER, "pthread_getattr_np");
    rt_call_writes(attr, sizeof *attr, CALLER);
    pthread_attr_init(attr);
    pthread_attr_setdetachstate(attr, t->detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
    if (t->floor && !t->given_high) pthread_attr_setstacksize(attr, (size_t)((uintptr_t)t->stack_high - t->floor));
    if (t->given_high) return pthread_attr_setstack(attr, t->given_low, (size_t)(t->given_high - t->given_low));
    return pthread_attr_setstack(attr, t->stack_low, (size_t)(t->stack_high - t->stack_low));
}

EXPORT int pthread_getaffinity_np(pthread_t p, size_t size, cpu_set_t *set)
{
    rt_refuse_ended(p, CALLER, "pthread_getaffinity_np");
    rt_touch(set, size);
    int status = REAL(pthread_getaffinity_np)(p, size, set);
    const struct thread *t = rt_thread_of(p);
    if (status) return status;
    rt_call_writes(set, size, CALLER);
    if (!t || !t->processors) return 0;
    memset(set, 0, size);
    memcpy(set, &t->processors, size < sizeof t->processors ? size : sizeof t->processors);
    return 0;
}

EXPORT int pthread_getschedparam(pthread_t p, int *policy, struct sched_param *out)
{
    rt_refuse_ended(p, CALLER, "pthread_getschedparam");
    rt_call_writes(policy, sizeof *policy, CALLER);
    rt_call_writes(out, sizeof *out, CALLER);
    return REAL(pthread_getschedparam)(p, policy, out);
}

EXPORT int pthread_getcpuclockid(pthread_t p, clockid_t *clock)
{
    rt_refuse_ended(p, CALLER, "pthread_getcpuclockid");
    rt_call_writes(clock, sizeof *clock, CALLER);
    return REAL(pthread_getcpuclockid)(p, clock);
}

/* Accepted, and without effect on where a thread runs: there is one core, and Heddle schedules it. */
EXPORT int pthread_setaffinity_np(pthread_t p, size_t size, const cpu_set_t *set)
{
    struct thread *t = rt_thread_of(p);
    rt_refuse_ended(p, CALLER, "pthread_setaffinity_np");
    rt_call_reads(set, size, CALLER);
    if (t) t->processors = 0, memcpy(&t->processors, set, size < sizeof t->processors ? size : sizeof t->processors);
    return 0;
}
EXPORT int pthread_setschedparam(pthread_t p, int policy, const struct sched_param *s)
{
    return rt_refuse_ended(p, CALLER, "pthread_setschedparam"), rt_call_reads(s, sizeof *s, CALLER), (void)policy, 0;
}
EXPORT int pthread_setschedprio(pthread_t p, int priority)
{
    return rt_refuse_ended(p, CALLER, "pthread_setschedprio"), (void)priority, 0;
}
EXPORT int pthread_setconcurrency(int level) { return (void)level, 0; }
