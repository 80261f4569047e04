/* Resuming at the branch. Most executions repeat the beginning of the one before. Where that takes long, the process
 * stops on the way and a copy of it runs on to the end; if the next execution begins with the same steps, it is another
 * copy that runs on, and otherwise the process goes back and leaves it to those that stopped earlier, at last to the
 * one that begins anew. The strategy is in memory that all of them share (start.c), so it does not matter who asks it.
 *
 * Where to stop: the next executions branch where this one does, or in a step that comes shortly before that, for
 * branches are where threads meet and what takes long is between. So as far back from the branch as costs little to run
 * again; and now and then in what was not run before.
 *
 * A copy of a process costs a fraction of a millisecond, so this pays for executions of a millisecond and more. All
 * costs are measured, in processor time, and what is spent on stopping in vain is kept below a fiftieth of it: where
 * executions are short, nothing is done but to read the processor's counter twice for each.
 *
 * A process with files of its own, or mappings, does not stop: copies would share them. Nor does one that called what
 * is outside control, other processes among that. */
#include "runtime/internal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
    MOST_STOPPED = 24,
    PIECES = 16,       /* of an execution: a stop at the end of each */
    WORTH = 2,         /* an execution of so many copies' time has stops, */
    APART = 3,         /* so far from each other */
    LITTLE = 4,        /* one of so many parts of a copy's time is little */
    SHARE = 50,        /* one of so many parts of the time may be spent in vain */
    STEP_TIME = 3000,  /* nanoseconds: shorter steps are better run again than remembered in another process */
    LONG = 200000,     /* ticks of the processor's counter: longer is worth a system call that tells its time */
    FORCED_EVERY = 4,  /* --isolate=branch: steps */
    GAVE_UP = 77,
};

/* Shared by a process and its copies. All times are nanoseconds of processor time. */
struct branch {
    bool is_started, wants_more; /* sched_start() was called for what comes next, and this is what it said */
    bool failed;
    bool is_long;                /* the last execution was */
    uint64_t execution, steps;   /* how long, from its beginning */
    uint64_t copy_cost;          /* 0: not known yet */
    uint64_t copies, ran;        /* so many were made; what they took for nothing but the program */
    int64_t credit;
    uint64_t at[RT_MAX_STEPS];   /* when the last execution came to its steps, as far as the next one repeats them */
};

static uint64_t processor_time(void)
{
    struct timespec t;
    rt_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool is_forced(void) { return rt.shared->config.isolate == RT_ISOLATE_BRANCH; }

void rt_branch_init(void)
{
    enum rt_isolate how = rt.shared->config.isolate;
    bool never = how == RT_ISOLATE_MAIN || how == RT_ISOLATE_START || how == RT_ISOLATE_KEEP;
    struct branch *own = rt_map(NULL, sizeof *own, MAP_SHARED); /* in all modes: what is mapped later lies alike */
    rt.branch.shared = never ? NULL : own;
    own->is_long = true; /* until it is known */
}

/* From a state with that many steps on: where to stop for the branch, 0: nowhere. */
static size_t place_before_branch(size_t depth)
{
    const struct branch *b = rt.branch.shared;
    size_t place = sched_repeats(rt.sched);
    if (place <= depth || place >= RT_MAX_STEPS) return 0;
    uint64_t branch = b->at[place];
    if (branch < rt.branch.path + b->copy_cost) return 0;
    while (place > depth + 1 && branch - b->at[place - 1] <= b->copy_cost / LITTLE) place--;
    return place;
}

/* This process runs on from here. */
static void run_from(size_t depth)
{
    rt.branch.target = place_before_branch(depth);
    rt.branch.now = rt.branch.path;
    rt.branch.since = processor_time();
    rt.branch.ticks = rt_ticks();
}

/* A copy pays for what the strategy keeps of each step, too: where steps are short there is nothing to gain. */
static bool pays(void)
{
    const struct branch *b = rt.branch.shared;
    return b->copy_cost && b->execution > WORTH * b->copy_cost && b->execution > STEP_TIME * b->steps;
}

void rt_branch_begin(void)
{
    const struct branch *b = rt.branch.shared;
    rt.branch.unwound = rt.branch.on = false;
    if (!b) return;
    rt.branch.ticks = rt_ticks();
    rt.branch.path = 0;
    rt.branch.on = is_forced() ? rt.first.steps : pays() && rt_waypoints_refused();
    rt.branch.since = b->is_long ? processor_time() : 0;
    if (rt.branch.on) run_from(0);
}

bool rt_branch_started(bool *more)
{
    struct branch *b = rt.branch.shared;
    if (!b || !b->is_started) return false;
    b->is_started = false;
    *more = b->wants_more;
    return true;
}

static void add_credit(int64_t time)
{
    struct branch *b = rt.branch.shared;
    int64_t most = (int64_t)(b->copy_cost * 100);
    b->credit = b->credit + time < most ? b->credit + time : most;
}

static void note_cost(uint64_t cost)
{
    struct branch *b = rt.branch.shared;
    b->copy_cost = b->copy_cost ? (3 * b->copy_cost + cost) / 4 : cost;
}

static long copy_process(void)
{
    int pid = (int)rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    long copy = rt_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
    if (copy) return copy;
    rt_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0, 0);
    if (rt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0) != pid) rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    return 0;
}

static void end_copy(int status)
{
    rt_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static uint64_t nanoseconds(struct timeval t) { return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u; }

/* `used`: what it and its own copies took. */
static int wait_for(long copy, uint64_t *used)
{
    int status = 0;
    struct rusage usage = {0};
    while (rt_syscall(SYS_wait4, copy, (long)&status, 0, (long)&usage, 0, 0) == -EINTR) continue;
    *used = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    return status;
}

/* Of a copy: to make it, to end it, and that each page it writes to is copied, which is a part of what it ran. */
static uint64_t cost_of(uint64_t overhead) { return overhead + overhead / 4; }

static void find_cost(void)
{
    uint64_t before = processor_time(), used = 0;
    long copy = copy_process();
    if (copy == 0) end_copy(0);
    if (copy > 0) wait_for(copy, &used);
    note_cost(cost_of(processor_time() - before + used));
}

void rt_branch_end(bool failed)
{
    struct branch *b = rt.branch.shared;
    if (!b) return;
    rt.branch.on = false;
    if (likely(!rt.branch.since)) {
        b->is_long = rt_ticks() - rt.branch.ticks > LONG;
        return;
    }
    uint64_t spent = processor_time() - rt.branch.since;
    b->execution = rt.branch.path + spent;
    b->steps = sched_depth(rt.sched);
    b->is_long = rt_ticks() - rt.branch.ticks > LONG || rt.branch.path;
    if (!b->copy_cost && b->is_long) find_cost();
    add_credit((int64_t)(spent / SHARE));
    if (rt.branch.is_copy) b->ran += spent;
    b->failed |= rt.branch.is_copy && failed;
    if (rt.branch.is_copy) end_copy(0);
}

bool rt_branch_failed(void)
{
    bool failed = rt.branch.shared->failed;
    rt.branch.shared->failed = false;
    return failed;
}

void rt_branch_give_up(void)
{
    if (rt.branch.is_copy) end_copy(GAVE_UP);
}

/* ---- a stop ---- */

struct stop {
    size_t depth;
    uint32_t step_count, announced;
    long offsets[MAX_KEPT_FILES];
};

static bool is_possible(void)
{
    bool outside = rt.shared->note_count;
    bool files = rt.used_files || rt.files.generation == rt.generation || rt_has_undo();
    return !outside && !files && !rt.maps.used && !rt.exiting && rt.branch.stopped < MOST_STOPPED;
}

/* What it took to come here. The system is asked for it now and then only. */
static uint64_t time_here(void)
{
    if (rt_ticks() - rt.branch.ticks < LONG / 4) return rt.branch.now;
    rt.branch.ticks = rt_ticks();
    return rt.branch.now = rt.branch.path + processor_time() - rt.branch.since;
}

static bool is_worth_it(size_t depth)
{
    struct branch *b = rt.branch.shared;
    if (is_forced()) return depth % FORCED_EVERY == FORCED_EVERY - 1;
    uint64_t now = time_here(), apart = b->execution / PIECES;
    if (depth < RT_MAX_STEPS) b->at[depth] = now;
    if (b->credit < (int64_t)b->copy_cost) return false;
    if (apart < APART * b->copy_cost) apart = APART * b->copy_cost;
    return (depth && depth == rt.branch.target) || now - rt.branch.path >= apart;
}

static void note_place(struct stop *p)
{
    p->depth = sched_depth(rt.sched);
    p->step_count = rt.shared->step_count;
    p->announced = rt.shared->announced_count;
    for (int i = 0; i < rt.kept_file_count; i++)
        p->offsets[i] = rt.kept_files[i].offset < 0
                            ? -1 : rt_syscall(SYS_lseek, rt.kept_files[i].fd, 0, SEEK_CUR, 0, 0, 0);
}

/* What is not in the process's own memory. */
static void go_back_to(const struct stop *p)
{
    rt.shared->step_count = p->step_count;
    rt.shared->announced_count = p->announced;
    for (int i = 0; i < rt.kept_file_count; i++)
        if (p->offsets[i] >= 0) rt_syscall(SYS_lseek, rt.kept_files[i].fd, p->offsets[i], SEEK_SET, 0, 0, 0);
    sched_resume(rt.sched, p->depth);
}

/* The copy is over: its execution is counted, or it was killed and this counts it. */
static void take_over(int status)
{
    rt_undo_files();
    if (rt.shared->status != RT_RUNNING) end_copy(0);
    if (WIFSIGNALED(status)) rt_count_killed(WTERMSIG(status));
    else if (WEXITSTATUS(status) == GAVE_UP) rt_crew_give_up();
    else if (WEXITSTATUS(status)) rt_die("a copy of the process ended by itself");
}

/* False: this one continues from here. */
static bool run_copy(void)
{
    struct branch *b = rt.branch.shared;
    uint64_t before = processor_time(), ran = b->ran, copies = ++b->copies, used;
    long copy = copy_process();
    if (copy <= 0) {
        rt.branch.is_copy |= copy == 0;
        run_from(sched_depth(rt.sched));
        return false;
    }
    rt.branch.is_waiting = true;
    int status = wait_for(copy, &used);
    rt.branch.is_waiting = false;
    uint64_t all = processor_time() - before + used;
    bool is_alone = b->copies == copies; /* it had none of its own */
    if (is_alone && all > b->ran - ran) note_cost(cost_of(all - (b->ran - ran)));
    add_credit(-(int64_t)b->copy_cost);
    take_over(status);
    return true;
}

/* What happens between two executions is up to the process that began, if it is more than to ask for the next one. */
static bool can_ask(void)
{
    const struct rt_shared *s = rt.shared;
    return !s->relearn && !rt.branch.shared->failed && sched_stats(rt.sched)->stop == SCHED_STOP_NOT_YET &&
           rt_crew_is_content();
}

/* The next execution that is to be run begins with the steps up to here. */
static bool comes_here_again(size_t depth)
{
    struct branch *b = rt.branch.shared;
    while (!b->is_started || (b->wants_more && sched_is_known(rt.sched, NULL))) {
        if (!can_ask()) return false;
        rt.shared->heartbeat++;
        if (!rt.crew.member) rt_publish();
        b->wants_more = rt_wants_more();
        b->is_started = true;
    }
    return b->wants_more && sched_repeats(rt.sched) >= depth;
}

static void unwind(void)
{
    if (rt.branch.is_copy) end_copy(0);
    rt.branch.on = false;
    rt.branch.unwound = true;
    rt_end_execution(SCHED_END_NORMAL);
}

void rt_branch_point(void)
{
    struct stop here;
    if (likely(!is_worth_it(sched_depth(rt.sched))) || !is_possible()) return;
    note_place(&here);
    if (!rt.pid) rt.pid = (int)rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0); /* a copy has another */
    rt.branch.path += processor_time() - rt.branch.since;
    rt.branch.stopped++;
    while (run_copy()) {
        if (!comes_here_again(here.depth)) unwind();
        rt.branch.shared->is_started = false;
        add_credit((int64_t)rt.branch.path);
        rt.shared->resumed++;
        go_back_to(&here);
    }
}
