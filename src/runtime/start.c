/* From the program's start to the loop over executions. Constructors run once, before; main runs once per execution on
 * a stack of its own, as thread 0. */
#include "runtime/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { PUBLISH_STEPS = 5000 };
#define POOL_SIZE (64ul << 30)
#define POOL_USABLE (POOL_SIZE / 4) /* pieces are rounded up to powers of two, and freed ones are not put together */

struct runtime rt;
unsigned heddle_step_number;
int heddle_step_thread;

void rt_die(const char *message)
{
    if (!rt.shared) rt_attach(); /* before main */
    if (rt.shared) {
        rt_print(rt.shared->finding.message, sizeof rt.shared->finding.message, "%s", message);
        rt.shared->status = RT_UNABLE;
    } else {
        rt_say("heddle: ");
        rt_say(message);
        rt_say("\n");
    }
    rt_syscall(SYS_exit_group, 3, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static void run_main(void)
{
    rt_start_early();
    rt_start_clients();
    rt_exit(rt.main(rt.argc, rt.argv, rt.envp), "main() returns %d", 0);
}

void rt_end_execution(enum sched_end end)
{
    void *ignored;
    assert(rt.active && rt.root_sp);
    rt.end = end;
    rt_audit_execution_over();
    rt.active = false;
    rt_set_tls(rt.root_tls);
    rt_switch(&ignored, rt.root_sp);
    __builtin_unreachable();
}

static void begin_with_main(void)
{
    if (rt.shared) rt.shared->announced_count = 0;
    rt.time = 1700000000ull * 1000000000ull;
    rt.random = 0x9e3779b97f4a7c15ull;
    struct thread *t = rt_thread_new(0, -1);
    t->sp = rt_make_context(t->stack_high, run_main);
    if (rt.has_early_keys) memcpy(t->keys, rt.early_keys, sizeof t->keys);
    t->uses_keys = rt.has_early_keys;
    t->clock.at[0] = 1;
    t->started = true;
    rt.self = t;
    if (rt.shared) rt.shared->step_count = 0;
    rt.step_hash = 0;
}

static void begin_execution(void)
{
    assert(!set_any(rt.live | rt.created) && !rt.active); /* the last one left nothing */
    rt.generation++;
    if (rt.audit) memset(rt.own_calls, 0, sizeof rt.own_calls);
    rt.end = SCHED_END_NORMAL;
    rt.step_pending = false;
    rt.found.kind = RT_NONE;
    rt.exiting = rt.in_finding = rt.skipped_order = false;
    if (rt_from_checkpoint()) rt_checkpoint_begin();
    else begin_with_main();
    rt.view.live = rt.view.enabled = SET_NONE;
    if (!rt.shared) return;
    rt.shared->current = 0;
    rt_cycle_begin();
    rt_weak_begin();
}

/* False: the strategy does not want it. */
static bool begin_and_run(void)
{
    begin_execution();
    if (rt_from_checkpoint() && !rt_checkpoint_tell()) return false;
    rt.active = true;
    rt_waypoints_begin();
    rt_switch(&rt.root_sp, rt.self->sp);
    return true;
}

/* What was explored relied on what commutes, which does not hold (schedule.h): everything anew. */
void rt_learn_partial_writes(void)
{
    if (!rt.exploring || !rt.sched || rt.shared->writes_partly || !sched_writes_partly(rt.sched)) return;
    rt.shared->writes_partly = rt.shared->relearn = true;
}

/* The same of barriers. */
void rt_learn_overlap(void)
{
    if (!rt.exploring || !rt.sched || rt.shared->rounds_overlap || !sched_rounds_overlap(rt.sched)) return;
    rt.shared->rounds_overlap = rt.shared->relearn = true;
}

static void run_execution(void)
{
    rt.tail.on = false;
    if (!rt_waypoint_go_on() && !begin_and_run()) return;
    assert(!rt.active);
    if (rt.branch.unwound || rt_tail_ended()) return;
    if (!rt.sched) return;
    bool in_step = rt.step_pending;
    bool is_whole = !rt.swap.all || rt.found.kind == RT_NONE; /* else its outcome is not known */
    if (in_step && is_whole) sched_executed(rt.sched, &rt.outcome);
    rt.step_pending = false;
    if (rt.end != SCHED_END_NORMAL && !(rt.end == SCHED_END_ASSUMED && in_step)) return;
    assert(rt.found.kind == RT_NONE);
    rt.view.live = rt.live; /* the strategy looks at what the others were about to do */
    rt.view.enabled = SET_NONE;
    sched_pick(rt.sched, &rt.view);
}

void rt_run_execution(void)
{
    run_execution();
    rt_learn_partial_writes();
    rt_learn_overlap();
}

/* A program with races, if they are no errors, may do something else in an equivalent execution. In weak memory the
 * graph that is hashed does not say what a compare-exchange finds. */
static bool can_know(const struct sched_config *config)
{
    const struct rt_config *c = &rt.shared->config;
    return c->mode == RT_EXPLORE && config->strategy == SCHED_BPOR && config->rising && c->races != RT_RACES_IGNORE &&
           !config->weak;
}

/* An eighth of the memory is for what is known. */
static void share_memory_with_known(struct sched_config *config)
{
    const size_t share = config->memory / 8, most = 256ul << 20;
    if (!can_know(config)) return;
    if (!rt.known) rt.known = sched_known_new(config, share < most ? share : most);
    config->known = rt.known;
    if (config->known) config->memory -= share;
}

/* Strategies that reduce gain from knowing what stores write. Published variants do without it. Local states are
 * counted by what happened before them, in which all stores are writes. */
static bool tells_stores(const struct sched_config *config)
{
    if (config->locals) return false;
    switch (config->strategy) {
    case SCHED_BPOR: case SCHED_DPOR: case SCHED_OPTIMAL: case SCHED_CBPOR: case SCHED_SWAP:
        return rt.exploring && !config->weak && !(rt.shared->stores_order | rt.shared->writes_partly);
    default:
        return false;
    }
}

static struct sched_config config_for_sched(const void *part, size_t part_size)
{
    const struct rt_config *c = &rt.shared->config;
    struct sched_config config = {.strategy = c->strategy,
                                  .bound = c->bound,
                                  .rising = c->rising,
                                  .fair_bound = c->fair_bound,
                                  .spurious = c->spurious,
                                  .max_steps = c->max_steps,
                                  .max_start = c->max_start,
                                  .max_executions = c->max_executions,
                                  .seed = c->seed,
                                  .memory = c->memory && c->memory < POOL_USABLE ? c->memory : POOL_USABLE,
                                  .locals = c->locals,
                                  .crew = rt_crew(),
                                  .states = rt.swap.all ? rt_swap_states() : (struct sched_states){0},
                                  .part = part,
                                  .part_size = part_size,
                                  .weak = rt.weak.wanted && (rt.recording || rt.shared->weak_seen),
                                  .memory_pool = {rt_pool_alloc, rt_pool_free, NULL}};
    if (c->mode == RT_RECORD) {
        config.strategy = SCHED_REPLAY;
        config.schedule = rt.shared->first_steps;
        config.schedule_len = c->schedule_len;
        config.graphs = c->simplify != RT_AS_IT_IS;
    }
    share_memory_with_known(&config);
    return config;
}

static struct sched *sched_made(const struct sched_config *config)
{
    struct sched *s = sched_new(config);
    if (!s) rt_die("no memory for the strategy");
    rt_waypoints_forget(); /* another one may have been in the same place */
    return s;
}

/* Of the whole tree, or of a part. */
struct sched *rt_sched_new(const void *part, size_t part_size)
{
    struct sched_config config = config_for_sched(part, part_size);
    rt.follows_words = sched_asks_of_cuts(config.strategy);
    rt.tells_stores = tells_stores(&config);
    rt.follows_schedule = rt.shared->config.mode == RT_RECORD;
    return sched_made(&config);
}

struct sched *rt_sched_unbounded(enum sched_strategy strategy, size_t memory)
{
    struct sched_config config = config_for_sched(NULL, 0);
    config.strategy = strategy;
    config.crew = (struct sched_crew){0};
    config.rising = false;
    config.bound = -1;
    if (memory && memory < config.memory) config.memory = memory;
    return sched_made(&config);
}

/* What is known of whole executions does not hold for those that are cut off. */
struct sched *rt_sched_near(size_t thread_steps, size_t memory)
{
    struct sched_config config = config_for_sched(NULL, 0);
    config.crew = (struct sched_crew){0};
    config.known = NULL;
    config.thread_steps = thread_steps;
    if (memory && memory < config.memory) config.memory = memory;
    return sched_made(&config);
}

static bool already_known(void)
{
    struct rt_shared *s = rt.shared;
    for (uint64_t i = 0; i < s->findings && i < RT_MAX_NOTES; i++)
        if (s->more[i].finding.kind == rt.found.kind && s->more[i].finding.site == rt.found.site) return true;
    return false;
}

static void keep_failing_execution(void)
{
    struct rt_shared *s = rt.shared;
    assert(s->step_count <= RT_MAX_STEPS && s->announced_count <= MAX_THREADS && s->hot_in_use <= s->hot_count);
    s->finding = rt.found;
    struct sched_surprises surprises = sched_surprises(rt.sched);
    s->preemptions = surprises.preemptions;
    s->surprises = surprises.preemptions + surprises.stale_reads + surprises.early_writes + surprises.spurious;
    s->first_step_count = s->step_count;
    memcpy(s->first_steps, s->steps, sizeof s->steps[0] * s->step_count);
    s->first_announced_count = s->announced_count;
    memcpy(s->first_announced, s->announced, sizeof s->announced);
    s->first_hot_count = s->hot_in_use;
    s->provisional = false;
}

/* The finding of an execution that learnt new scheduling points is kept until one is made with all of them. */
static bool replaces_provisional(void)
{
    const struct rt_shared *s = rt.shared;
    bool same = s->finding.kind == rt.found.kind && s->finding.site == rt.found.site;
    return s->provisional && (same || !s->config.all_errors);
}

static void keep_finding(void)
{
    struct rt_shared *s = rt.shared;
    if (rt.found.kind == RT_NONE || rt.swap.all) return; /* swapping looks for something else */
    if (rt.unbounded.is_turn || rt.near.is_turn) {
        if (!s->findings && !s->unbounded_failed) keep_failing_execution();
        s->unbounded_failed = true;
        return;
    }
    assert(rt.found.here.thread >= 0 && rt.found.here.thread < MAX_THREADS && rt.found.message[0]);
    if (s->findings == 0 || replaces_provisional()) keep_failing_execution();
    if (!already_known()) rt_keep_failure(s, &rt.found, sched_preemptions(rt.sched));
}

void rt_count_killed(int signal)
{
    if (rt.crew.member) rt_crew_give_up();
    rt.found = (struct rt_finding){.kind = RT_CRASH, .here = {.thread = rt.shared->current}};
    rt_print(rt.found.message, sizeof rt.found.message, "the process is killed by signal %d", signal);
    keep_finding();
    sched_finish(rt.sched, SCHED_END_FAILURE);
    rt.found.kind = RT_NONE;
}

/* In a process of its own. */
static void run_and_end(void)
{
    rt_branch_begin();
    rt_run_execution();
    if (!rt.branch.unwound) {
        rt_digest();
        rt_audit_keep_schedule();
        keep_finding();
        sched_finish(rt.sched, rt.end);
        rt_branch_end(false);
    }
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* One execution in a process of its own, or several that begin alike; what survives it is in shared memory. */
static void run_forked(void)
{
    rt_checkpoint_fork();
    long pid = rt_syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0); /* arm64 has no fork */
    if (pid < 0) rt_die("fork() failed");
    if (pid == 0) {
        rt_syscall(SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 9, 0, 0, 0, 0);
        run_and_end();
    }
    int status = 0;
    rt_syscall(SYS_wait4, pid, (long)&status, 0, 0, 0, 0);
    rt_undo_files();
    if (rt.shared->status != RT_RUNNING) rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    if (WIFSIGNALED(status)) rt_count_killed(WTERMSIG(status));
    else if (WEXITSTATUS(status)) rt_die("an execution in its own process ended by itself");
    rt.generation++;
}

void rt_run_in_place(void)
{
    rt_run_execution();
    if (rt.branch.unwound) {
        rt_reset();
        return;
    }
    if (rt.shared->diverged_pc == 0 && sched_stats(rt.sched)->stop == SCHED_STOP_DIVERGED) {
        struct sched_divergence d = sched_divergence(rt.sched);
        if (d.thread >= 0 && d.thread < rt.thread_limit) rt.shared->diverged_pc = rt.threads[d.thread].op_pc;
    }
    rt_digest();
    rt_audit_keep_schedule();
    keep_finding();
    sched_finish(rt.sched, rt.end);
    rt_branch_end(false);
    rt_reset();
}

void rt_publish(void)
{
    struct rt_shared *s = rt.shared;
    s->stats = *sched_stats(rt_bounded());
    if (!s->findings && s->stats.stop == SCHED_STOP_NOT_YET) rt_crew_count(&s->stats);
    s->executions = s->stats.executions + s->stats.blocked;
    rt_unbounded_publish();
    if (s->stats.stop == SCHED_STOP_DIFFERS) rt_swap_found();
    if (!rt_has_diverged()) return;
    s->diverged = true;
    s->stats.stop = SCHED_STOP_DIVERGED;
    s->divergence = sched_divergence(rt.sched);
}

bool rt_is_looking(void)
{
    const struct rt_shared *s = rt.shared;
    bool looks_on = !s->findings || s->provisional || s->config.all_errors;
    const uint64_t most_cut = s->config.most_cut;
    bool is_hopeless = most_cut && sched_stats(rt.sched)->ends[SCHED_END_CUTOFF] >= most_cut;
    return !s->stop && !s->diverged && looks_on && !is_hopeless && !rt_near_decides();
}

bool rt_wants_more(void)
{
    bool has_failed = rt.unbounded.is_turn && rt.shared->unbounded_failed;
    return rt_is_looking() && !has_failed && sched_start(rt.sched);
}

/* New scheduling points were learnt: what was covered, was covered without them. */
static void start_anew(void)
{
    assert(rt.shared->hot_count <= RT_MAX_HOT);
    rt.shared->relearn = false;
    rt.shared->relearnt++;
    rt.shared->provisional = rt.shared->findings > 0;
    rt_crew_end(); /* they know less */
    rt_unbounded_forget();
    rt_near_forget();
    rt.shared->spurious_skipped = rt.shared->spurious_limited = rt.shared->spurious_offered = false;
    rt_hot_init(); /* a forked execution learnt them in its own memory */
    rt.first.steps = 0;
    sched_free(rt.sched);
    sched_known_free(rt.known);
    rt.known = NULL;
    rt_crew_init(); /* in weak memory strategies are others, which may divide their tree where these do not */
    rt.sched = rt_sched_new(NULL, 0);
    rt.levels = 0;
}

/* An error that was found will be found once more: the strategy covers everything. */
static bool finds_again(void)
{
    return !sched_samples(rt.shared->config.strategy) && !rt.shared->config.max_executions;
}

static void note_level(void)
{
    int levels = sched_stats(rt_bounded())->levels;
    assert(levels <= SCHED_MAX_BOUND + 1);
    if (levels < rt.levels) rt.levels = 0; /* it began again, without what it had known */
    if (levels == rt.levels) return;
    double now = rt_now() - rt.began;
    for (int i = rt.levels; i > 0 && i < levels; i++) rt.shared->level_seconds[i - 1] = now;
    rt.levels = levels;
}

static bool knows_no_yields(enum sched_strategy s) { return s == SCHED_DPOR || s == SCHED_DPOR_PLAIN; }

static struct sched *sched_for_schedule(const struct sched_step *steps, size_t count, size_t max_steps,
                                        size_t max_start, bool loose)
{
    const struct rt_config *c = &rt.shared->config;
    struct sched_config config = {.strategy = SCHED_REPLAY,
                                  .bound = -1,
                                  .fair_bound = knows_no_yields(c->strategy) ? -1 : c->fair_bound,
                                  .max_steps = max_steps,
                                  .max_start = max_start,
                                  .weak = rt.weak.wanted && rt.shared->weak_seen,
                                  .schedule = steps,
                                  .schedule_len = count,
                                  .loose = loose,
                                  .memory_pool = {rt_pool_alloc, rt_pool_free, NULL}};
    struct sched *s = sched_new(&config);
    if (!s) rt_die("no memory for the strategy");
    sched_start(s);
    return s;
}

static void follow(struct sched *how, void (*run)(void))
{
    struct sched *own = rt.sched;
    assert(!rt.follows_schedule);
    rt.sched = how;
    rt.follows_schedule = true;
    run();
    sched_free(rt.sched);
    rt.sched = own;
    rt.follows_schedule = false;
}

void rt_follow(const struct sched_step *steps, size_t count, void (*run)(void))
{
    assert(count);
    follow(sched_for_schedule(steps, count, count, 0, false), run);
}

void rt_follow_loosely(const struct sched_step *steps, size_t count, void (*run)(void))
{
    const struct rt_config *c = &rt.shared->config;
    follow(sched_for_schedule(steps, count, c->max_steps, c->max_start, true), run);
}

/* The first schedule once more, at the very end. If it does something else now, then the program does not repeat itself
 * in a way that the repeated prefixes did not show. */
static void repeat_first(void)
{
    struct rt_shared *s = rt.shared;
    struct sched *kept = rt.sched;
    if (rt.swap.all || !rt.first.steps || rt.first.steps > RT_MAX_STEPS) return; /* swapping repeats schedules itself */
    size_t max_steps = rt.first.waits ? rt.first.steps : s->config.max_steps;
    size_t max_start = rt.first.waits ? 0 : s->config.max_start;
    rt.sched = sched_for_schedule(s->first_steps, rt.first.steps, max_steps, max_start, false);
    rt.tail.off = true;
    rt_run_execution();
    rt.tail.off = false;
    s->diverged = rt.step_hash != rt.first.hash || s->step_count != rt.first.steps;
    rt.sched = kept;
}

static void keep_first(void)
{
    if (rt.swap.all) return;
    rt_near_note_first();
    rt.first.waits = rt.end == SCHED_END_ASSUMED; /* some thread could have gone on */
    rt.first.hash = rt.tail.on ? rt.tail.hash : rt.step_hash;
    rt.first.steps = rt.tail.on ? rt.tail.from : rt.shared->step_count;
    if (rt.first.steps <= RT_MAX_STEPS)
        memcpy(rt.shared->first_steps, rt.shared->steps, sizeof rt.shared->steps[0] * rt.first.steps);
}

/* The search near the start goes on alone if it has to. What it learns about scheduling points is for all searches. */
static bool learns_near_start(void)
{
    rt_near_finish();
    if (!rt.shared->relearn || rt.shared->findings || !rt_is_looking()) return false;
    start_anew();
    return true;
}

static void explore(void)
{
    struct rt_shared *s = rt.shared;
    bool forked = s->config.isolate == RT_ISOLATE_FORK;
    uint64_t published = 0;
    if (!forked) rt_snapshot();
    rt_checkpoint_init();
    s->status = RT_RUNNING;
    rt_crew_init();
    rt_waypoints_init();
    if (s->config.strategy == SCHED_SWAP) rt_swap_init();
    if (!rt_crew_divides()) rt_branch_init();
    rt.sched = rt_sched_new(NULL, 0);
    rt.began = rt_now();
    do {
        while (rt_unbounded_another()) {
            if (sched_is_known(rt.sched, NULL)) s->heartbeat++, rt_learn_partial_writes();
            else if (forked) run_forked();
            else rt_branch_begin(), rt_run_in_place();
            if (!rt.first.steps && !s->findings) keep_first();
            if (!forked) rt_rounds_go_on();
            if (s->relearn) rt_audit_forget();
            rt_audit_go_on(forked ? run_forked : rt_run_in_place);
            if (!forked) rt_near_go_on();
            note_level();
            s->executions++;
            if (s->heartbeat - published > PUBLISH_STEPS || forked) rt_publish(), published = s->heartbeat;
            if (sched_stats(rt.sched)->stop == SCHED_STOP_KIND) rt_need_plain_strategy();
            if (s->relearn && (!s->findings || finds_again())) start_anew();
            rt_crew_turn();
        }
    } while (learns_near_start());
    rt_unbounded_last_words();
    rt_publish();
    if (s->stats.levels) s->level_seconds[s->stats.levels - 1] = rt_now() - rt.began;
    rt_crew_end();
    if (!s->findings && !s->unbounded_failed && !s->stop && !s->diverged && !forked) repeat_first();
    s->status = s->findings ? RT_FOUND : s->stop ? RT_LIMIT : RT_FINISHED;
}

/* Explores what others give away. One execution first, to keep the start of the program: it shows nothing new, or this
 * is another program than the one whose search is to be divided. */
static void serve(void)
{
    struct rt_shared *s = rt.shared;
    rt_snapshot();
    rt_checkpoint_init();
    s->status = RT_RUNNING;
    rt_crew_init();
    rt_waypoints_init();
    rt.sched = rt_sched_new(NULL, 0);
    uint32_t hot = s->hot_count, numbered = s->numbered, notes = s->note_count;
    if (rt_wants_more()) rt_run_in_place();
    bool learnt = s->hot_count != hot || s->numbered != numbered || s->note_count != notes || s->relearn;
    bool is_other = learnt || s->diverged;
    if (!is_other && !s->findings) rt_crew_serve();
    s->status = is_other ? RT_UNABLE : RT_FINISHED;
}

static void record_one(void)
{
    struct rt_shared *s = rt.shared;
    if (!s->config.stop_at_end) rt_snapshot(); /* memory is looked at and laid out as in the exploration */
    s->status = RT_RUNNING;
    rt.sched = rt_sched_new(NULL, 0);
    sched_start(rt.sched);
    rt_run_execution();
    if (rt.end == SCHED_END_NORMAL || rt.found.kind == RT_NONE) rt_record_ends();
    keep_finding();
    sched_finish(rt.sched, rt.end);
    rt_publish();
    s->status = s->findings ? RT_FOUND : RT_FINISHED;
    if (s->findings && s->config.simplify) rt_simplify();
}

static void root(void)
{
    if (rt.shared) {
        if (rt.shared->config.serves) serve();
        else if (rt.shared->config.shortens) rt_shorten();
        else if (rt.shared->config.scouts && rt.shared->config.mode == RT_EXPLORE) rt_scout();
        else if (rt.shared->config.mode == RT_EXPLORE) explore();
        else record_one();
        rt_undo_files();
        rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    }
    rt_run_execution(); /* by itself: ends the process */
    rt_syscall(SYS_exit_group, rt.exit_status, 0, 0, 0, 0, 0);
}

/* For the strategies; another one in the place of the last if MAP_FIXED. */
void rt_pool_begin(int extra_flags)
{
    rt.pool = rt_map(rt.pool, POOL_SIZE, MAP_SHARED | extra_flags);
    *rt.pool = (struct pool){.used = 4096, .size = POOL_SIZE};
}

void rt_attach(void)
{
    const char *fd = getenv("HEDDLE_FD");
    if (!fd) return;
    rt.shared_fd = atoi(fd);
    unsetenv("HEDDLE_FD");
    long p = rt_syscall(SYS_mmap, 0, sizeof *rt.shared, PROT_READ | PROT_WRITE, MAP_SHARED, rt.shared_fd, 0);
    if (p < 0 && p > -4096) rt_die("cannot map the memory shared with heddle");
    rt.shared = (struct rt_shared *)p;
    rt_own_mapping((char *)p, sizeof *rt.shared);
    if (rt.shared->magic != RT_MAGIC || rt.shared->size != sizeof *rt.shared) {
        rt.shared->is_other = true;
        rt_syscall(SYS_exit_group, 3, 0, 0, 0, 0, 0);
    }
    rt.exploring = rt.shared->config.mode == RT_EXPLORE;
    rt.recording = rt.shared->config.mode == RT_RECORD;
    if (rt.recording) { /* a debugger may start the program more than once */
        rt.shared->findings = rt.shared->event_count = rt.shared->frame_count = rt.shared->announced_count =
            rt.shared->step_count = 0;
        rt.shared->home_count = rt.shared->numbered = 0;
        rt.shared->diverged = false;
    }
    rt.learn_shared = rt.exploring && rt.shared->config.points == RT_POINTS_ALL;
    rt.check_plain = rt.shared->config.races != RT_RACES_IGNORE || rt.shared->config.points == RT_POINTS_ALL;
    rt.volatile_is_atomic = rt.shared->config.volatile_is_atomic;
    rt.weak.wanted = rt.shared->config.weak_memory;
    rt.has_sites = rt.shared->config.sites;
    rt_pool_begin(0);
    assert(rt.exploring != rt.recording);
    rt_hot_init();
    rt_undo_init();
}

static int controlled_main(int argc, char **argv, char **envp)
{
    enum { ROOT_STACK = 1 << 20 };
    rt.argc = argc;
    rt.argv = argv;
    rt_attach();
    rt_digest_init();
    rt.envp = envp;
#if defined __x86_64__
    rt.has_fsgsbase = getauxval(AT_HWCAP2) & 2;
#endif
    rt_heap_init();
    rt_race_init();
    if (rt.weak.wanted) rt_weak_init();
    rt.root_tls = rt_get_tls();
    rt_threads_init(rt.shared ? rt.shared->config.threads : 1);
    if (rt.shared) rt.parent = (int)rt_syscall(SYS_getppid, 0, 0, 0, 0, 0, 0);
    if (rt.shared) rt_streams_init();
    if (rt.shared) rt_note_libraries();
    if (rt.shared) rt_crash_init();
    if (rt.shared) rt_cxx_init();
    if (rt.shared) rt_audit_init();
    if (rt.shared) rt_foreign_init();
    rt.decision_stack = (char *)rt_map(NULL, DECISION_STACK, 0) + DECISION_STACK;
    rt_syscall(SYS_mprotect, (long)rt.decision_stack - DECISION_STACK, 4 * PAGE, PROT_NONE, 0, 0, 0);
    void *ignored;
    rt_switch(&ignored, rt_make_context((char *)rt_map(NULL, ROOT_STACK, 0) + ROOT_STACK, root));
    __builtin_unreachable();
}

typedef int start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
                       void *);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end);

EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    rt.main = main;
    if (rt.alone)
        return ((start_main *)rt_real("__libc_start_main"))(main, argc, argv, init, fini, rtld_fini, stack_end);
    return ((start_main *)rt_real("__libc_start_main"))(controlled_main, argc, argv, init, fini, rtld_fini, stack_end);
}
