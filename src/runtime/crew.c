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
 * that was killed. With `far` members parts also go to programs elsewhere, which `serve`: heddle carries them
 * (runtime.h), and sees to it that those programs know as much. A part that fails is answered with the failing
 * schedule, which the leader runs once more. */
#include "runtime/internal.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { MOST_STARTS = 1000 };

struct member { int pid; struct rt_shared *shared; };

struct crew { struct member members[RT_MAX_PROCESSES + 1]; };

static struct crew *crew(void) { return rt.crew.shared; }
static const struct depot *table(void) { return &rt.crew.depot; }

static void wake(uint32_t *bell) { rt_syscall(SYS_futex, (long)bell, FUTEX_WAKE, INT_MAX, 0, 0, 0); }
static uint32_t changes(void) { return __atomic_load_n(depot_bell(table()), __ATOMIC_SEQ_CST); }

/* Until something changes after `seen` was read, or for some milliseconds. */
static void wait_for_change(uint32_t seen)
{
    struct timespec most = {0, 20 * 1000 * 1000};
    rt_syscall(SYS_futex, (long)depot_bell(table()), FUTEX_WAIT, seen, (long)&most, 0, 0);
}

/* ---- giving parts away, and asking for answers ---- */

static void cancel(void *context, uint32_t number)
{
    (void)context;
    depot_withdraw(table(), number);
}

/* All that an execution may find out about the program for those that follow. */
static uint64_t knowledge(void)
{
    const struct rt_shared *s = rt.shared;
    return (uint64_t)s->hot_count + s->note_count + s->weak_count + s->site_count + s->weak_seen + s->weak_truncated +
           s->spurious_skipped + s->spurious_limited + s->spurious_offered +
           (uint64_t)__builtin_popcount(s->unexplored) + s->stores_order + s->writes_partly + s->mixed_count +
           s->rounds_overlap + s->waiting_count + s->call_site_count + (uint64_t)s->relearn +
           (uint64_t)rt.numbering->next;
}

static void publish_knowledge(void)
{
    if (rt.crew.published == knowledge()) return;
    rt.crew.published = knowledge();
    __atomic_add_fetch(&rt.shared->knows, 1, __ATOMIC_SEQ_CST);
}

static void give_parts(void)
{
    uint32_t number;
    publish_knowledge();
    while (depot_wanted(table()) > 0 && depot_open(table(), &number)) {
        size_t size = sched_give(rt_bounded(), number, depot_part_room(table(), number), DEPOT_ROOM);
        depot_post(table(), number, size);
        if (!size) return;
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
    if (!rt_unbounded_meanwhile()) wait_for_change(seen);
    pass_on_heartbeats();
    rt_publish();
    reap();
}

/* Takes up another part in the meantime, if there is one; `seen` is older than what the caller waits for. */
static void wait_as_member(uint32_t seen)
{
    if (work_once()) return;
    if (depot_is_idle(table(), rt.crew.member)) wait_for_change(seen);
    else depot_set_idle(table(), true);
}

/* A schedule failed elsewhere. The leader runs it: what is reported is what it saw itself. A member passes it on. */
static void take_failure(const struct depot_answer *a)
{
    if (!leads()) {
        memcpy(rt.shared->steps, a->failed, a->failed_steps * sizeof rt.shared->steps[0]);
        rt.shared->step_count = (uint32_t)a->failed_steps;
        rt.crew.was_told_failure = true;
        return;
    }
    rt_follow(a->failed, a->failed_steps, rt_run_in_place);
    if (!rt.shared->findings) rt.shared->diverged = true;
}

static bool wait_for_answer(uint32_t number)
{
    for (;;) {
        uint32_t seen = changes();
        enum depot_news news = depot_ask(table(), number);
        if (news == DEPOT_ANSWERED) return true;
        if (news == DEPOT_NO_ANSWER || (leads() && rt.shared->stop)) return false;
        if (leads()) wait_as_leader(seen);
        else wait_as_member(seen);
    }
}

static const void *answer(void *context, uint32_t number, size_t *size)
{
    (void)context;
    if (rt.crew.read) cancel(NULL, rt.crew.read - 1); /* the last answer is not needed any more */
    rt.crew.read = 0;
    bool answered = wait_for_answer(number);
    depot_set_idle(table(), false);
    if (!answered) return NULL;
    rt.crew.read = number + 1;
    struct depot_answer a = depot_read(table(), number);
    if (a.failed_steps) take_failure(&a);
    *size = a.size;
    return a.at;
}

struct sched_crew rt_crew(void)
{
    return rt_crew_divides() ? (struct sched_crew){answer, cancel, NULL} : (struct sched_crew){0};
}

/* ---- a member ---- */

void rt_crew_give_up(void)
{
    depot_forget(table(), rt.crew.member);
    rt_branch_give_up();
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static bool next_of_part(void)
{
    bool more;
    return rt_branch_started(&more) ? more : sched_start(rt.sched);
}

/* Runs until the part is explored, is not wanted any more, or fails. */
static bool explore_part(uint32_t number, uint64_t known)
{
    while (depot_is_wanted(table(), number) && next_of_part()) {
        if (sched_is_known(rt.sched, NULL)) {
            rt.shared->heartbeat++;
            rt_learn_partial_writes();
            if (knowledge() != known) rt_crew_give_up();
            depot_note(table(), number, sched_stats(rt.sched));
            give_parts();
            continue;
        }
        rt_branch_begin();
        rt_run_execution();
        if (knowledge() != known) rt_crew_give_up();
        bool failed = rt.branch.unwound ? rt_branch_failed() : rt.found.kind != RT_NONE;
        if (!rt.branch.unwound) {
            sched_finish(rt.sched, rt.end);
            depot_note(table(), number, sched_stats(rt.sched));
            rt_branch_end(failed);
        }
        rt_reset();
        failed |= rt_rounds_go_on();
        uint32_t steps = rt.shared->step_count;
        if (failed && (rt.shared->config.all_errors || steps > RT_MAX_STEPS)) rt_crew_give_up();
        if (failed) return true;
        give_parts();
    }
    bool failed = rt.crew.was_told_failure;
    rt.crew.was_told_failure = false;
    return failed;
}

static void explore_and_answer(uint32_t number, size_t size)
{
    struct sched *outer = rt.sched;
    uint32_t outer_part = rt.crew.exploring;
    rt.crew.exploring = number;
    rt.sched = rt_sched_new(depot_part_room(table(), number), size);
    bool failed = explore_part(number, knowledge());
    size_t answer = sched_answer(rt.sched, failed, depot_answer_room(table(), number), DEPOT_ROOM);
    depot_answer(table(), number, answer, rt.shared->steps, failed ? rt.shared->step_count : 0);
    sched_free(rt.sched);
    rt.sched = outer;
    rt.crew.exploring = outer_part;
}

bool rt_crew_is_content(void)
{
    if (leads()) return true;
    give_parts();
    return depot_is_wanted(table(), rt.crew.exploring) && !sched_has_given(rt.sched);
}

static bool work_once(void)
{
    enum { DEEPEST = 32 };
    uint32_t number;
    size_t size;
    if (rt.crew.nested == DEEPEST || !depot_take(table(), &number, &size)) return false;
    depot_set_idle(table(), false);
    rt.crew.nested++;
    explore_and_answer(number, size);
    rt.crew.nested--;
    return true;
}

/* What is shared with heddle, with forked executions and with the system becomes its own. */
static bool become_member(int member)
{
    struct rt_shared *own = crew()->members[member].shared;
    memcpy(own, rt.shared, offsetof(struct rt_shared, steps));
    int how = MREMAP_MAYMOVE | MREMAP_FIXED;
    if (rt_syscall(SYS_mremap, (long)own, sizeof *own, sizeof *own, how, (long)rt.shared, 0) < 0) return false;
    rt.crew.member = rt.crew.depot.member = member;
    rt.pid = rt.crew.leader_pid;
    struct numbering *numbering = rt_map(NULL, sizeof *numbering, 0);
    *numbering = *rt.numbering;
    rt.numbering = numbering;
    rt_pool_begin(MAP_FIXED);
    rt.sched = NULL;
    rt.known = NULL;
    rt.unbounded = (struct unbounded){0};
    rt.near = (struct near){.is_over = true};
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
    depot_forget(table(), member);
    rt.shared->processes[member - 1] = crew()->members[member].pid = 0;
}

static void reap(void)
{
    for (int i = 1; i <= rt.crew.wanted; i++) {
        int pid = crew()->members[i].pid, status;
        if (pid && rt_syscall(SYS_wait4, pid, (long)&status, WNOHANG, 0, 0, 0) == pid) forget(i);
    }
}

/* Parts that are being explored, or whose turn has not come: they count as long as nothing was found. */
void rt_crew_count(struct sched_stats *stats)
{
    if (crew() && leads()) depot_add_unfinished(table(), stats);
}

static void stop(int member)
{
    int pid = crew()->members[member].pid, status;
    if (!pid) return;
    rt_syscall(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
    rt_syscall(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
    rt.shared->processes[member - 1] = crew()->members[member].pid = 0;
}

/* A limit was reached: what failed in a part whose turn has not come is an error all the same, whoever gave it away. */
void rt_crew_last_words(void)
{
    if (!crew() || !leads()) return;
    for (int i = 1; i <= rt.crew.wanted; i++) stop(i);
    for (uint32_t i = 0; !rt.shared->findings && i < DEPOT_SLOTS; i++) {
        if (depot_ask(table(), i) != DEPOT_ANSWERED) continue;
        struct depot_answer a = depot_look(table(), i);
        if (a.failed_steps) take_failure(&a);
    }
}

void rt_crew_end(void)
{
    if (!crew() || !leads()) return;
    for (int i = 1; i <= rt.crew.wanted; i++) {
        stop(i);
        forget(i);
    }
}

/* A scout must not disturb the search beside it. */
static void stay_inside(void)
{
    if (!rt.shared) return;
    rt.shared->went_outside = true;
    if (!rt.shared->config.scouts) return;
    rt.shared->status = RT_FINISHED;
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

void rt_crew_outside(void)
{
    stay_inside();
    if (!crew()) return;
    if (!leads()) rt_crew_give_up();
    rt_crew_end();
    rt.crew.went_outside = true;
    rt.crew.wanted = 1;
    rt.crew.far = 0;
}

/* Its own, or the one behind the memory that heddle shares. */
static struct depot_table *new_table(void)
{
    const struct rt_config *c = &rt.shared->config;
    if (!c->far && !c->serves) return rt_map(NULL, depot_size(), MAP_SHARED);
    long p = rt_syscall(SYS_mmap, 0, (long)depot_size(), PROT_READ | PROT_WRITE, MAP_SHARED, rt.shared_fd,
                        (long)RT_DEPOT_AT);
    if (p < 0 && p > -4096) rt_die("cannot map the memory shared with heddle");
    rt_own_mapping((char *)p, depot_size());
    return (struct depot_table *)p;
}

static void make_crew(void)
{
    rt.crew.shared = rt_map(NULL, sizeof *rt.crew.shared, MAP_SHARED);
    rt.crew.depot = (struct depot){new_table(), 0, wake};
    rt.crew.leader_pid = (int)rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static void start_all(void)
{
    for (int i = 1; i <= rt.crew.wanted; i++)
        if (!crew()->members[i].pid) start(i);
}

/* Those that are missing are started when the exploration is long enough for it to pay. */
static void start_missing(void)
{
    const double patience = rt.crew.wanted > 1 ? 0.05 : 0;
    double now = rt_now();
    if (now < rt.crew.again_at) return;
    if (!rt.crew.again_at) {
        rt.crew.again_at = now + patience;
        return;
    }
    rt.crew.again_at = now + patience;
    if (!crew()) make_crew();
    reap();
    if (rt.crew.wanted > 1) start_all();
}

static bool all_work(void)
{
    int n = 0;
    for (int i = 1; i <= rt.crew.wanted; i++) n += crew()->members[i].pid && !depot_is_idle(table(), i);
    return rt.crew.wanted > 1 && n == rt.crew.wanted;
}

void rt_crew_turn(void)
{
    enum { OFTEN = 1000 };
    if (!rt_crew_divides()) return;
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

bool rt_crew_divides(void) { return rt.crew.wanted > 1 || rt.crew.far || rt.shared->config.serves; }

static bool any_works(void)
{
    bool any = false;
    for (int i = 1; i <= rt.crew.wanted; i++) any |= crew()->members[i].pid && !depot_is_idle(table(), i);
    return any;
}

/* Heddle brings parts and takes the answers away; all is done by copies of this process. */
void rt_crew_serve(void)
{
    make_crew();
    rt.crew.published = knowledge();
    while (!rt.shared->stop) {
        uint32_t seen = changes();
        reap();
        start_all();
        if (!any_works()) rt.shared->heartbeat++;
        pass_on_heartbeats();
        wait_for_change(seen);
    }
    rt_crew_end();
}

void rt_crew_init(void)
{
    const struct rt_config *c = &rt.shared->config;
    bool whole = c->isolate == RT_ISOLATE_FORK || c->locals || c->digest;
    bool weak = rt.weak.wanted && rt.shared->weak_seen;
    bool divides = sched_divides(c->strategy, weak, c->max_executions) && !whole && !rt.crew.went_outside;
    rt.crew.wanted = divides || c->serves ? c->processes : 1;
    rt.crew.far = divides ? c->far : 0;
    if (rt_crew_divides()) rt.branch.shared = NULL; /* copies that explore parts resume by themselves */
}
