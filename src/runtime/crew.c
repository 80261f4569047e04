/* -j N: the tree of schedules is divided among processes (schedule/parts.c).
 *
 * The process that was started leads: it alone decides what was found, as if nobody helped. When an exploration goes on
 * for a while it makes copies of itself, which know what it knows, and while one of them is idle it writes down parts
 * of its tree for them. A copy divides its part further when others are idle, and while it waits for the answer of
 * another copy it takes up another part itself. The leader runs only while fewer than N copies do.
 *
 * An answer counts only if the part could be explored with what the leader knows: a copy that meets something new (a
 * scheduling point, a call outside control, a thread that was never seen) or is about to change something outside of
 * the program (files, processes) gives up and ends. Then the leader explores that part itself, as it does after a copy
 * that was killed. A part that fails is answered with the failing schedule, which the leader runs once more. */
#include "runtime/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { SLOTS = 64, MOST_STARTS = 1000 };
#define ROOM (64ul << 20) /* of a part, and of its answer */

enum slot_state { SLOT_FREE, SLOT_WRITING, SLOT_POSTED, SLOT_TAKEN, SLOT_DONE, SLOT_GIVEN_UP, SLOT_CANCELLED };
/* Giver and taker are members; 0: the leader, who takes nothing. */
struct holding { enum slot_state state; int giver, taker; };
struct slot {
    uint32_t holding; /* packed: whose it is must not be read beside what it is, or cleaning up hits somebody else's */
    size_t part_size, answer_size, failed_steps; /* failed_steps: the schedule is after the answer */
    uint64_t executions, blocked, steps; /* so far */
};

struct member { int pid; bool is_idle; struct rt_shared *shared; };

struct crew {
    uint32_t changes;  /* a futex: something to look at */
    struct slot slots[SLOTS];
    struct member members[RT_MAX_PROCESSES + 1];
    char *memory;      /* two times ROOM for each slot */
};

static struct crew *crew(void) { return rt.crew.shared; }
static char *part_of(uint32_t slot) { return crew()->memory + ROOM * 2 * slot; }
static char *answer_of(uint32_t slot) { return part_of(slot) + ROOM; }

static void tell(void)
{
    __atomic_add_fetch(&crew()->changes, 1, __ATOMIC_SEQ_CST);
    rt_syscall(SYS_futex, (long)&crew()->changes, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

/* Until something changes after `seen` was read, or for some milliseconds. */
static void wait_for_change(uint32_t seen)
{
    struct timespec most = {0, 20 * 1000 * 1000};
    rt_syscall(SYS_futex, (long)&crew()->changes, FUTEX_WAIT, seen, (long)&most, 0, 0);
}

static uint32_t changes(void) { return __atomic_load_n(&crew()->changes, __ATOMIC_SEQ_CST); }

enum { GIVER_AT = 8, TAKER_AT = 20, MEMBER_MASK = (1 << (TAKER_AT - GIVER_AT)) - 1 };
_Static_assert((int)RT_MAX_PROCESSES <= (int)MEMBER_MASK, "a member has twelve bits");

/* A slot that is free is nobody's. */
static uint32_t packed(struct holding h)
{
    return h.state == SLOT_FREE ? 0 : h.state | (uint32_t)h.giver << GIVER_AT | (uint32_t)h.taker << TAKER_AT;
}

static struct holding look(uint32_t slot)
{
    uint32_t h = __atomic_load_n(&crew()->slots[slot].holding, __ATOMIC_SEQ_CST);
    return (struct holding){(enum slot_state)(h & ((1 << GIVER_AT) - 1)), (int)(h >> GIVER_AT & MEMBER_MASK),
                            (int)(h >> TAKER_AT)};
}

static bool turn(uint32_t slot, struct holding from, struct holding to)
{
    uint32_t expected = packed(from);
    return __atomic_compare_exchange_n(&crew()->slots[slot].holding, &expected, packed(to), false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static bool turn_state(uint32_t slot, struct holding from, enum slot_state to)
{
    return turn(slot, from, (struct holding){to, from.giver, from.taker});
}

/* ---- giving parts away, and asking for answers ---- */

/* What a member gave away, or is writing, is not wanted any more. One who has it in hand frees it. */
static void withdraw(uint32_t slot, int giver)
{
    for (;;) {
        struct holding h = look(slot);
        if (h.state == SLOT_FREE || h.state == SLOT_CANCELLED || h.giver != giver) return;
        if (turn_state(slot, h, h.state == SLOT_TAKEN ? SLOT_CANCELLED : SLOT_FREE)) return;
    }
}

static void cancel(void *context, uint32_t slot)
{
    (void)context;
    withdraw(slot, rt.crew.member);
}

/* What a member has in hand will have no answer. */
static void drop(uint32_t slot, int taker)
{
    for (;;) {
        struct holding h = look(slot);
        if ((h.state != SLOT_TAKEN && h.state != SLOT_CANCELLED) || h.taker != taker) return;
        if (turn_state(slot, h, h.state == SLOT_TAKEN ? SLOT_GIVEN_UP : SLOT_FREE)) return;
    }
}

static uint32_t free_slot(void)
{
    for (uint32_t i = 0; i < SLOTS; i++)
        if (turn(i, (struct holding){0}, (struct holding){SLOT_WRITING, rt.crew.member, 0})) return i;
    return SLOTS;
}

/* Members that wait for work, without those for which there is some. */
static int idle(void)
{
    int n = 0;
    for (int i = 1; i <= rt.crew.wanted; i++)
        n += crew()->members[i].pid && __atomic_load_n(&crew()->members[i].is_idle, __ATOMIC_RELAXED);
    for (uint32_t i = 0; n > 0 && i < SLOTS; i++) n -= look(i).state == SLOT_POSTED;
    return n;
}

static void give_parts(void)
{
    while (idle() > 0) {
        uint32_t i = free_slot();
        if (i == SLOTS) return;
        struct slot *s = &crew()->slots[i];
        s->part_size = sched_give(rt.sched, i, part_of(i), ROOM);
        turn_state(i, look(i), s->part_size ? SLOT_POSTED : SLOT_FREE);
        if (!s->part_size) return;
        tell();
    }
}

static bool leads(void) { return rt.crew.member == 0; }

static void reap(void);
static bool work_once(void);

/* The leader's heart beats as long as somebody's does. */
static void pass_on_heartbeats(void)
{
    uint64_t sum = 0;
    for (int i = 1; i <= rt.crew.wanted; i++)
        if (crew()->members[i].pid) sum += crew()->members[i].shared->heartbeat;
    if (sum != rt.crew.beats) rt.shared->heartbeat++;
    rt.crew.beats = sum;
}

static void wait_as_leader(uint32_t seen)
{
    wait_for_change(seen);
    pass_on_heartbeats();
    rt_publish();
    reap();
}

static void set_idle(bool is_idle)
{
    __atomic_store_n(&crew()->members[rt.crew.member].is_idle, is_idle, __ATOMIC_SEQ_CST);
}

/* Takes up another part in the meantime, if there is one; `seen` is older than what the caller waits for. */
static void wait_as_member(uint32_t seen)
{
    if (work_once()) return;
    if (crew()->members[rt.crew.member].is_idle) return wait_for_change(seen);
    set_idle(true);
    tell();
}

static struct sched_step *failed_schedule(uint32_t slot)
{
    return (struct sched_step *)(answer_of(slot) + ((crew()->slots[slot].answer_size + 7) & ~7ul));
}

/* A schedule failed elsewhere. The leader runs it: what is reported is what it saw itself. A member passes it on. */
static void take_failure(uint32_t slot)
{
    size_t steps = crew()->slots[slot].failed_steps;
    if (!leads()) {
        memcpy(rt.shared->steps, failed_schedule(slot), steps * sizeof rt.shared->steps[0]);
        rt.shared->step_count = (uint32_t)steps;
        rt.crew.was_told_failure = true;
        return;
    }
    struct sched *own = rt.sched;
    rt.sched = rt_sched_for_schedule(failed_schedule(slot), steps);
    rt_run_in_place();
    sched_free(rt.sched);
    rt.sched = own;
    if (!rt.shared->findings) rt.shared->diverged = true;
}

static const void *answer(void *context, uint32_t slot, size_t *size)
{
    (void)context;
    if (rt.crew.read) cancel(NULL, rt.crew.read - 1); /* the last answer is not needed any more */
    rt.crew.read = 0;
    for (;;) {
        uint32_t seen = changes();
        enum slot_state state = look(slot).state;
        if (state == SLOT_DONE) break;
        if (state != SLOT_TAKEN || (leads() && rt.shared->stop)) return NULL;
        if (leads()) wait_as_leader(seen);
        else wait_as_member(seen);
    }
    set_idle(false);
    rt.crew.read = slot + 1;
    if (crew()->slots[slot].failed_steps) take_failure(slot);
    *size = crew()->slots[slot].answer_size;
    return answer_of(slot);
}

struct sched_crew rt_crew(void)
{
    return rt.crew.wanted > 1 ? (struct sched_crew){answer, cancel, NULL} : (struct sched_crew){0};
}

/* ---- a member ---- */

/* All that an execution may find out about the program for those that follow. */
static uint64_t knowledge(void)
{
    const struct rt_shared *s = rt.shared;
    return (uint64_t)s->hot_count + s->note_count + s->weak_count + s->site_count + s->weak_seen + s->weak_truncated +
           s->mixed_count + (uint64_t)s->relearn + (uint64_t)rt.numbering->next;
}

static void clean_up_after(int member)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        withdraw(i, member);
        drop(i, member);
    }
}

void rt_crew_give_up(void)
{
    clean_up_after(rt.crew.member);
    tell();
    rt_branch_give_up();
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static void note_progress(uint32_t slot)
{
    const struct sched_stats *stats = sched_stats(rt.sched);
    struct slot *s = &crew()->slots[slot];
    s->executions = stats->executions;
    s->blocked = stats->blocked;
    s->steps = stats->steps;
}

static bool next_of_part(void)
{
    bool more;
    return rt_branch_started(&more) ? more : sched_start(rt.sched);
}

/* Runs until the part is explored, is not wanted any more, or fails. */
static bool explore_part(uint32_t slot, uint64_t known)
{
    while (look(slot).state == SLOT_TAKEN && next_of_part()) {
        if (sched_is_known(rt.sched, NULL)) {
            rt.shared->heartbeat++;
            note_progress(slot);
            give_parts();
            continue;
        }
        rt_branch_begin();
        rt_run_execution();
        if (knowledge() != known) rt_crew_give_up();
        bool failed = rt.branch.unwound ? rt_branch_failed() : rt.found.kind != RT_NONE;
        if (!rt.branch.unwound) {
            sched_finish(rt.sched, rt.end);
            note_progress(slot);
            rt_branch_end(failed);
        }
        uint32_t steps = rt.shared->step_count;
        rt_reset();
        if (failed && (rt.shared->config.all_errors || steps > RT_MAX_STEPS)) rt_crew_give_up();
        if (failed) return true;
        give_parts();
    }
    bool failed = rt.crew.was_told_failure;
    rt.crew.was_told_failure = false;
    return failed;
}

static void explore_slot(uint32_t slot)
{
    struct slot *s = &crew()->slots[slot];
    struct sched *outer = rt.sched;
    uint32_t outer_slot = rt.crew.exploring;
    rt.crew.exploring = slot;
    rt.sched = rt_sched_new(part_of(slot), s->part_size);
    bool failed = explore_part(slot, knowledge());
    s->failed_steps = failed ? rt.shared->step_count : 0;
    s->answer_size = sched_answer(rt.sched, failed, answer_of(slot), ROOM);
    size_t size = s->failed_steps * sizeof(struct sched_step);
    bool fits = s->answer_size && s->answer_size + 8 + size <= ROOM;
    if (fits) memcpy(failed_schedule(slot), rt.shared->steps, size);
    struct holding h = look(slot);
    if (!fits || h.state != SLOT_TAKEN || !turn_state(slot, h, SLOT_DONE)) drop(slot, rt.crew.member);
    sched_free(rt.sched);
    rt.sched = outer;
    rt.crew.exploring = outer_slot;
    tell();
}

bool rt_crew_is_content(void)
{
    if (leads()) return true;
    give_parts();
    return look(rt.crew.exploring).state == SLOT_TAKEN && !sched_has_given(rt.sched);
}

static bool work_once(void)
{
    enum { DEEPEST = 32 };
    if (rt.crew.nested == DEEPEST) return false;
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct holding h = look(i);
        if (h.state != SLOT_POSTED || h.giver == rt.crew.member) continue;
        if (!turn(i, h, (struct holding){SLOT_TAKEN, h.giver, rt.crew.member})) continue;
        crew()->slots[i].executions = crew()->slots[i].blocked = crew()->slots[i].steps = 0;
        set_idle(false);
        rt.crew.nested++;
        explore_slot(i);
        rt.crew.nested--;
        return true;
    }
    return false;
}

/* What is shared with heddle, with forked executions and with the system becomes its own. */
static bool become_member(int member)
{
    struct rt_shared *own = crew()->members[member].shared;
    memcpy(own, rt.shared, offsetof(struct rt_shared, steps));
    int how = MREMAP_MAYMOVE | MREMAP_FIXED;
    if (rt_syscall(SYS_mremap, (long)own, sizeof *own, sizeof *own, how, (long)rt.shared, 0) < 0) return false;
    rt.crew.member = member;
    set_idle(false);
    rt.pid = rt.crew.leader_pid;
    struct numbering *numbering = rt_map(NULL, sizeof *numbering, 0);
    *numbering = *rt.numbering;
    rt.numbering = numbering;
    rt_pool_begin(MAP_FIXED);
    rt.sched = NULL;
    rt.known = NULL;
    rt_branch_init();
    return rt_own_offsets();
}

static void be_member(int member)
{
    rt_syscall(SYS_prctl, PR_SET_PDEATHSIG, 9, 0, 0, 0, 0);
    if (rt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) == rt.crew.leader_pid && become_member(member))
        for (;;) wait_as_member(changes());
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* ---- the leader ---- */

static void start(int member)
{
    struct member *m = &crew()->members[member];
    if (rt.crew.starts++ >= MOST_STARTS) return;
    if (!m->shared) m->shared = rt_map(NULL, sizeof *m->shared, MAP_SHARED);
    else rt_syscall(SYS_madvise, (long)m->shared, sizeof *m->shared, MADV_REMOVE, 0, 0, 0);
    long pid = rt_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (pid == 0) be_member(member);
    if (pid > 0) rt.shared->processes[member - 1] = m->pid = (int)pid;
}

static void forget(int member)
{
    clean_up_after(member);
    rt.shared->processes[member - 1] = crew()->members[member].pid = 0;
}

static void reap(void)
{
    for (int i = 1; i <= rt.crew.wanted; i++) {
        int pid = crew()->members[i].pid, status;
        if (pid && rt_syscall(SYS_wait4, pid, (long)&status, WNOHANG, 0, 0, 0) == pid) {
            forget(i);
            tell();
        }
    }
}

/* Parts that are being explored, or whose turn has not come: they count as long as nothing was found. */
void rt_crew_count(struct sched_stats *stats)
{
    struct sched_level *level = &stats->level[stats->levels ? stats->levels - 1 : 0];
    for (uint32_t i = 0; crew() && leads() && i < SLOTS; i++) {
        const struct slot *s = &crew()->slots[i];
        enum slot_state state = look(i).state;
        if (state != SLOT_TAKEN && (state != SLOT_DONE || rt.crew.read == i + 1)) continue;
        stats->executions += s->executions;
        stats->blocked += s->blocked;
        stats->steps += s->steps;
        level->executions += s->executions;
        level->blocked += s->blocked;
        level->steps += s->steps;
    }
}

/* A limit was reached: what failed in a part whose turn has not come is an error all the same. */
void rt_crew_last_words(void)
{
    for (uint32_t i = 0; crew() && leads() && !rt.shared->findings && i < SLOTS; i++)
        if (look(i).state == SLOT_DONE && crew()->slots[i].failed_steps && rt.crew.read != i + 1) take_failure(i);
}

void rt_crew_end(void)
{
    if (!crew() || !leads()) return;
    for (int i = 1; i <= rt.crew.wanted; i++) {
        int pid = crew()->members[i].pid, status;
        if (!pid) continue;
        rt_syscall(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
        rt_syscall(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
        forget(i);
    }
}

void rt_crew_outside(void)
{
    if (!crew()) return;
    if (!leads()) rt_crew_give_up();
    rt_crew_end();
    rt.crew.wanted = 1;
}

static void make_crew(void)
{
    rt.crew.shared = rt_map(NULL, sizeof *rt.crew.shared, MAP_SHARED);
    crew()->memory = rt_map(NULL, ROOM * 2 * SLOTS, MAP_SHARED);
    rt.crew.leader_pid = (int)rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

/* Those that are missing are started when the exploration is long enough for it to pay. */
static void start_missing(void)
{
    const double patience = 0.05;
    double now = rt_now();
    if (now < rt.crew.again_at) return;
    if (!rt.crew.again_at) {
        rt.crew.again_at = now + patience;
        return;
    }
    rt.crew.again_at = now + patience;
    if (!crew()) make_crew();
    reap();
    for (int i = 1; i <= rt.crew.wanted; i++)
        if (!crew()->members[i].pid) start(i);
}

static bool all_work(void)
{
    int n = 0;
    for (int i = 1; i <= rt.crew.wanted; i++) n += crew()->members[i].pid && !crew()->members[i].is_idle;
    return n == rt.crew.wanted;
}

void rt_crew_turn(void)
{
    enum { OFTEN = 1000 };
    if (rt.crew.wanted < 2) return;
    if (rt.shared->heartbeat - rt.crew.looked > OFTEN) {
        rt.crew.looked = rt.shared->heartbeat;
        start_missing();
    }
    if (!crew()) return;
    give_parts();
    for (uint32_t seen = changes(); !rt.shared->stop && all_work(); seen = changes()) {
        wait_as_leader(seen);
        give_parts();
    }
}

void rt_crew_init(void)
{
    const struct rt_config *c = &rt.shared->config;
    bool divides = sched_divides(c->strategy) && c->isolate != RT_ISOLATE_FORK && !c->locals && !c->max_executions;
    rt.crew.wanted = divides ? c->processes : 1;
}
