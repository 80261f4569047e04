/* The frame around every strategy: repeats prefixes and notices programs that do not repeat themselves, keeps the log,
 * the ledger of bounds and the statistics. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

static const struct strategy *const strategies[SCHED_STRATEGY_COUNT] = {
    [SCHED_DFS] = &strategy_dfs,         [SCHED_ICB] = &strategy_icb,       [SCHED_RANDOM] = &strategy_random,
    [SCHED_PCT] = &strategy_pct,         [SCHED_REPLAY] = &strategy_replay, [SCHED_DPOR] = &strategy_dpor,
    [SCHED_SWAP] = &strategy_swap,
    [SCHED_OPTIMAL] = &strategy_optimal, [SCHED_BPOR] = &strategy_bpor,     [SCHED_CBPOR] = &strategy_cbpor,
    [SCHED_CBPOR1] = &strategy_cbpor1,   [SCHED_DPOR_PLAIN] = &strategy_dpor_plain,
    [SCHED_BPOR_PLAIN] = &strategy_bpor_plain, [SCHED_POS] = &strategy_pos,
    [SCHED_DELAY] = &strategy_delay,     [SCHED_SURW] = &strategy_surw,     [SCHED_RFF] = &strategy_rff,
    [SCHED_DELAY_PLAIN] = &strategy_delay_plain, [SCHED_RARE] = &strategy_rare, [SCHED_ESTIMATE] = &strategy_estimate,
};

static const struct strategy *strategy_of(enum sched_strategy strategy, bool weak)
{
    if (weak && strategy == SCHED_OPTIMAL)
        return &strategy_graphs;
    if (weak && strategy == SCHED_CBPOR)
        return &strategy_cbgraphs;
    return strategies[strategy];
}

bool needs_hashes(const struct sched *s)
{
    return s->config.graphs || s->config.locals || s->strategy->graph == CLOCKS_AND_HASHES;
}

/* Published variants do without it, and so do strategies that run every schedule. */
static bool takes_rounds(const struct sched_config *config)
{
    switch (config->strategy) {
    case SCHED_DPOR: case SCHED_BPOR: case SCHED_SWAP: case SCHED_REPLAY: case SCHED_ESTIMATE:
        return true;
    case SCHED_OPTIMAL: case SCHED_CBPOR:
        return !config->weak; /* in weak memory they have a relation of their own */
    default:
        return false;
    }
}

struct sched *sched_new(const struct sched_config *config)
{
    assert((unsigned)config->strategy < SCHED_STRATEGY_COUNT && config->bound >= -1 && config->fair_bound >= -1);
    assert(config->memory_pool.alloc && config->memory_pool.release);
    assert(config->strategy != SCHED_SWAP || (config->states.keep && config->states.is_kept));
    assert(config->strategy != SCHED_REPLAY || !config->schedule_len || config->schedule);
    struct sched *s = config->memory_pool.alloc(config->memory_pool.context, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->config = *config;
    if (!known_is_on(s->config.known))
        s->config.known = NULL;
    if (!s->config.max_steps)
        s->config.max_steps = 100000;
    s->pool.config = &s->config;
    assert(!config->weak || !sched_is_for_interleavings(config->strategy));
    s->strategy = strategy_of(config->strategy, config->weak);
    if (s->strategy->graph || config->graphs || config->locals) {
        s->hb = pool_alloc(&s->pool, sizeof *s->hb);
        hb_init(s->hb, &s->pool);
        s->hb->most_spurious = config->spurious;
        s->hb->asks_memory = !config->weak;
        s->hb->rounds_commute = takes_rounds(config);
        s->hb->follows_words = sched_asks_of_cuts(config->strategy);
        s->hb->hashing = needs_hashes(s) || s->config.known;
    }
    return s;
}

void sched_free(struct sched *s)
{
    if (!s)
        return;
    parts_cancel(s);
    pool_release(&s->pool);
    struct sched_config config = s->config;
    config.memory_pool.release(config.memory_pool.context, s, sizeof *s);
}

static struct sched_level *level_now(struct sched *s)
{
    return &s->stats.level[s->stats.levels - 1];
}

static void tree_begin(struct sched *s)
{
    parts_cancel(s);
    s->pruned = false;
    s->prefix = 0;
    s->log.len = 0;
    s->stats.estimate = s->stats.doubt = 0;
    s->halves = (struct halves){0};
    s->estimate_at = 0;
    s->seen_initial = false;
    s->strategy->begin(s);
}

static void level_begin(struct sched *s, int bound)
{
    assert(s->stats.levels <= SCHED_MAX_BOUND);
    assert(!s->stats.levels || bound > level_now(s)->bound); /* the ledger rises */
    s->stats.level[s->stats.levels++] = (struct sched_level){.bound = bound};
    s->bound = bound;
    tree_begin(s);
}

/* Something that is no step writes to memory that compare-exchanges look at: whether they would fail in states that
 * were not run cannot be told. What was found out so far relied on it. */
static void forget_words(struct sched *s)
{
    hb_truncate(s->hb, 0);
    s->hb->lost_words = s->hb->follows_words = s->hb->asks_memory = false;
    s->own = NULL; /* what it holds is given back with the pool */
    tree_begin(s);
}

/* The level is exhausted: note it, and go on with the next bound if that can bring anything. */
static bool level_end(struct sched *s)
{
    level_now(s)->done = !s->stats.ends[SCHED_END_CUTOFF]; /* what was cut off was not explored to its end */
    s->stats.estimate = (double)(level_now(s)->executions + level_now(s)->blocked);
    s->stats.doubt = 1;
    level_now(s)->pruned = s->pruned;
    assert(!s->given.len || s->told_to_stop);
    bool rising = s->config.rising || s->strategy->rises;
    int last = s->config.bound >= 0 && s->config.bound < SCHED_MAX_BOUND ? s->config.bound : SCHED_MAX_BOUND - 1;
    if (rising && s->pruned && s->bound < last && !s->config.part) {
        level_begin(s, s->bound + 1);
        return true;
    }
    s->stats.stop = SCHED_STOP_COMPLETE;
    s->stats.complete = !s->pruned && !s->stats.ends[SCHED_END_CUTOFF] && !s->stats.ends[SCHED_END_FAILURE];
    return false;
}

static bool limits_reached(struct sched *s)
{
    if (s->stats.stop == SCHED_STOP_NOT_YET && s->config.max_executions && !s->config.part &&
        s->stats.executions + s->stats.blocked >= s->config.max_executions)
        s->stats.stop = SCHED_STOP_EXECUTIONS;
    if (s->stats.stop == SCHED_STOP_NOT_YET && !pool_has_room(&s->pool, 0))
        s->stats.stop = SCHED_STOP_MEMORY;
    return s->stats.stop != SCHED_STOP_NOT_YET;
}

/* How far off the estimate may be, as a factor. It moved by some factor when the number of runs doubled last, or the
 * time before; until all is done that number doubles some times more, and each of them may move it as much. */
static double doubt(struct sched *s, uint64_t runs)
{
    const struct halves *h = &s->halves;
    double last = h->at[1] > 0 ? s->stats.estimate / h->at[1] : 1, before = h->at[0] > 0 ? h->at[1] / h->at[0] : 1;
    last = last < 1 ? 1 / last : last;
    before = before < 1 ? 1 / before : before;
    double factor = 1.02, moves = last > before ? last : before;
    for (double done = (double)runs; factor < 1000; done *= 2) {
        factor *= moves;
        if (done >= s->stats.estimate)
            break;
    }
    return factor;
}

/* What the estimate was when half as many runs were done, and a quarter, about. */
static void note_half(struct halves *h, uint64_t runs, double estimate)
{
    if (runs < 2 * h->runs)
        return;
    *h = (struct halves){runs, {h->at[1], h->at[2], estimate}};
}

/* Of all runs of the level, from the share of the tree that is done (weighted backtrack estimation: each run counts by
 * the branches passed on the way to it, as far as they are known). Going through the tree each time would take long.
 * As new branches come to light the number moves; what is told moves an eighth of the way. */
static void estimate(struct sched *s)
{
    enum { OFTEN = 64, SMOOTH = 8 };
    uint64_t runs = level_now(s)->executions + level_now(s)->blocked;
    if (!s->strategy->share || (runs > OFTEN && runs < s->estimate_at))
        return;
    double share = s->strategy->share(s), fresh = share > 0 ? (double)runs / share : 0;
    s->estimate_at = runs + OFTEN;
    if (fresh <= 0 || s->stats.estimate <= 0)
        s->stats.estimate = fresh;
    else
        s->stats.estimate += (fresh - s->stats.estimate) / SMOOTH;
    if (s->stats.estimate < (double)runs)
        s->stats.estimate = (double)runs;
    s->stats.doubt = s->halves.at[0] > 0 ? doubt(s, runs) : 0;
    note_half(&s->halves, runs, s->stats.estimate);
}

/* Steps of executions that were followed and not run are run for the first time now, perhaps at other addresses. */
static void repeat_what_was_run(struct sched *s)
{
    if (s->repeats >= s->prefix)
        return;
    s->prefix = s->log.len = s->repeats;
    hb_truncate(s->hb, s->prefix);
}

/* What was concluded without running the program may be wrong. Of a part whoever gave it away searches again. */
static void begin_without_known(struct sched *s)
{
    s->config.known = NULL;
    s->known_wrong = false;
    if (s->config.part) {
        s->stats.stop = SCHED_STOP_DIVERGED;
        return;
    }
    s->stats = (struct sched_stats){0};
    level_begin(s, s->config.rising ? 0 : s->config.bound);
}

bool sched_start(struct sched *s)
{
    bool more = true;
    if (limits_reached(s))
        return false;
    if (s->known_wrong || known_is_doubted(s->config.known)) {
        begin_without_known(s);
    } else if (!s->started) {
        s->started = true;
        bool rising = s->config.rising || s->strategy->rises;
        if (!s->config.part)
            level_begin(s, rising ? 0 : s->config.bound);
        else if (!part_begin(s))
            s->stats.stop = SCHED_STOP_DIVERGED;
    } else if (s->hb && s->hb->lost_words) {
        forget_words(s);
    } else if (!s->strategy->next(s)) {
        if (s->hb && s->hb->lost_words)
            forget_words(s);
        else if (s->told_to_stop)
            more = false;
        else
            more = level_end(s);
    } else {
        estimate(s);
    }
    assert(s->prefix <= s->log.len);
    s->log.len = s->prefix;
    if (s->hb)
        hb_truncate(s->hb, s->prefix);
    s->depth = 0;
    s->alone = s->alone < s->prefix ? s->alone : s->prefix;
    s->arrived = s->script = s->prefix;
    s->repeats = s->is_known && s->repeats < s->prefix ? s->repeats : s->prefix;
    memset(s->yields, 0, sizeof s->yields);
    if (s->config.thread_steps)
        memset(s->taken, 0, sizeof s->taken);
    more = more && !s->told_to_stop && !limits_reached(s); /* others may have done what was left */
    if (more)
        known_follow(s);
    if (more && !s->is_known)
        repeat_what_was_run(s);
    return more;
}

static struct sched_pick diverged(struct sched *s, const struct sched_view *view)
{
    const struct step *was = &s->log.at[s->depth];
    s->divergence = (struct sched_divergence){
        .step = s->depth, .thread = was->thread, .expected = was->op, .found = view->next[was->thread]};
    s->stats.stop = SCHED_STOP_DIVERGED;
    s->in_step = false;
    return pick_nothing(SCHED_PICK_STOP);
}

static struct sched_pick repeat(struct sched *s, const struct sched_view *view)
{
    const struct step *was = &s->log.at[s->depth];
    const struct sched_op *now = &view->next[was->thread];
    if (!set_equal(view->enabled, was->enabled) || now->kind != was->op.kind || now->object != was->op.object ||
        now->object2 != was->op.object2)
        return diverged(s, view);
    return (struct sched_pick){was->thread, was->choice, was->preemption, SCHED_PICK_STEP};
}

/* The thread that just ran and has nothing left but to end does so at once: ending only enables others, and going on
 * with the running thread is never dearer (doc/schedule.md). */
static bool must_exit(const struct sched *s, const struct sched_view *view)
{
    int last = sched_last(s);
    return last >= 0 && set_has(view->enabled, last) && view->next[last].kind == SCHED_EXIT;
}

/* Between `prefix` and `script` the steps were followed with what is known; they are run for the first time now. */
static bool is_as_followed(const struct sched *s, const struct sched_view *view)
{
    const struct step *was = &s->log.at[s->depth];
    return set_equal(view->enabled, was->enabled) && view->next[was->thread].kind == was->op.kind &&
           view->next[was->thread].flags == was->op.flags;
}

static struct sched_pick known_otherwise(struct sched *s)
{
    s->known_wrong = true;
    return pick_nothing(SCHED_PICK_REDUNDANT);
}

/* A schedule that was given may ask for anything. */
static bool is_possible(const struct sched_view *view, const struct sched_pick *pick)
{
    return pick->thread < SCHED_MAX_THREADS && set_has(view->enabled, pick->thread) &&
           op_has_choice(&view->next[pick->thread], pick->choice);
}

static size_t block_of(const struct sched *s, int thread)
{
    return sched_last(s) == thread ? s->log.at[s->depth - 1].block : s->depth;
}

/* The execution at hand is of no use: it is not the one that was expected. */
static bool is_stopped(const struct sched *s)
{
    return s->stats.stop == SCHED_STOP_DIVERGED || s->stats.stop == SCHED_STOP_DIFFERS;
}

struct sched_pick sched_pick(struct sched *s, const struct sched_view *view)
{
    assert(s->started && !set_any(view->enabled & ~view->live));
    if (is_stopped(s) || s->known_wrong)
        return pick_nothing(SCHED_PICK_STOP);
    s->alone += s->depth == s->alone && set_equal(view->live, set_lowest(view->live));
    assert(!s->in_step); /* the step before was reported */
    s->in_step = true;   /* unless nothing is picked */
    s->enabled = may_go_on(s, view);
    if (s->depth < s->prefix)
        return repeat(s, view);
    s->in_step = false;
    if (s->hb && s->hb->lost_words)
        return pick_nothing(SCHED_PICK_REDUNDANT);
    if (s->hb && set_any(view->live))
        hb_expect_threads(s->hb, set_end(view->live));
    if (!known_arrived(s, view))
        return known_otherwise(s);
    bool is_given = s->config.part && s->depth <= s->floor; /* whoever gave the part away has been there */
    if (s->strategy->arrived && !is_given && (s->depth > s->arrived || !s->seen_initial))
        s->strategy->arrived(s, view);
    s->seen_initial = true;
    if (!set_any(view->enabled))
        return pick_nothing(SCHED_PICK_NONE_ENABLED);
    if (sched_is_cut(s) || s->all_held)
        return pick_nothing(SCHED_PICK_STOP);
    assert(s->depth == s->log.len);
    bool scripted = s->depth < s->script && !s->following;
    if (scripted && !is_as_followed(s, view))
        return known_otherwise(s);
    sched_set allowed = fair_allowed(s, s->enabled);
    struct sched_pick pick;
    s->stats.unfair |= !set_equal(allowed, s->enabled);
    s->has_predicted = false;
    if (s->depth < s->floor)
        pick = pick_step(s->schedule.at[s->depth].thread, s->schedule.at[s->depth].choice);
    else if (scripted)
        pick = pick_step(s->log.at[s->depth].thread, s->log.at[s->depth].choice);
    else
        pick = s->strategy->ends_may_wait || !must_exit(s, view) ? s->strategy->pick(s, view)
                                                                 : pick_step(sched_last(s), 0);
    if (pick.thread < 0)
        return pick;
    if (!is_possible(view, &pick)) {
        bool known = pick.thread < SCHED_MAX_THREADS;
        s->stats.stop = SCHED_STOP_DIVERGED;
        s->divergence = (struct sched_divergence){.step = s->depth, .thread = pick.thread};
        if (known)
            s->divergence.found = view->next[pick.thread];
        return pick_nothing(SCHED_PICK_STOP);
    }
    pick.preemption = is_preemption(s, allowed, pick.thread);
    s->in_step = true;
    stack_reserve(&s->pool, &s->log, s->depth + 1);
    s->log.at[s->depth] = (struct step){
        .op = view->next[pick.thread], .thread = pick.thread, .choice = pick.choice, .enabled = view->enabled,
        .allowed = allowed, .block = (uint32_t)block_of(s, pick.thread),
        .surprises = surprises_so_far(s) + pick.preemption + choice_cost(&view->next[pick.thread], pick.choice),
        .preemption = pick.preemption};
    return pick;
}

static bool same_outcome(const struct sched_outcome *a, const struct sched_outcome *b)
{
    return a->failed == b->failed && set_equal(a->woken, b->woken);
}

/* The outcome is the one that the kind of operation promises. A compare-exchange or a store that turns out otherwise
 * looked at memory that changed unseen. */
static bool as_promised(struct hb *h, struct event *e, const struct sched_op *op, const struct sched_outcome *outcome)
{
    if (e->kind == SCHED_CAS && !h->asks_memory)
        return !set_any(outcome->woken);
    if (h->asks_memory && op_asks_memory(op) && !e->access[0].write && outcome->changed) {
        h->lost_words = h->follows_words;
        return h->follows_words && !set_any(outcome->woken);
    }
    if (e->kind == SCHED_CAS && h->follows_words && e->failed != outcome->failed) {
        h->lost_words = true;
        return !set_any(outcome->woken);
    }
    return e->failed == outcome->failed && set_equal(e->woken, outcome->woken);
}

/* The program does not repeat itself, or the model of the objects is wrong, for which one strategy looks. */
static void break_promise(struct sched *s, const struct step *step)
{
    s->divergence = (struct sched_divergence){s->depth - 1, step->thread, step->op, step->op};
    s->stats.stop = s->strategy == &strategy_swap ? SCHED_STOP_DIFFERS : SCHED_STOP_DIVERGED;
    if (s->strategy == &strategy_swap)
        swap_note_broken_promise(s, step);
}

void sched_executed(struct sched *s, const struct sched_outcome *outcome)
{
    struct step *step = &s->log.at[s->depth];
    assert(s->in_step || s->stats.stop == SCHED_STOP_DIVERGED);
    s->in_step = false;
    if (step->op.kind == SCHED_YIELD) {
        s->yields[step->thread]++;
        s->has_yielded = true;
    }
    if (s->config.thread_steps && s->depth >= s->alone)
        s->taken[step->thread]++;
    if (s->depth++ < s->prefix) {
        if (!same_outcome(&step->outcome, outcome) && s->stats.stop == SCHED_STOP_NOT_YET) {
            s->divergence = (struct sched_divergence){s->depth - 1, step->thread, step->op, step->op};
            s->stats.stop = SCHED_STOP_DIVERGED;
        }
        return;
    }
    step->outcome = *outcome;
    s->log.len = s->depth;
    if (s->hb) {
        struct event *e = &s->predicted;
        bool enabled = s->has_predicted || hb_predict(s->hb, NULL, step->thread, &step->op, step->choice, e);
        if (!enabled || !as_promised(s->hb, e, &step->op, outcome))
            break_promise(s, step);
        if (is_stopped(s))
            return;
        e->changed = outcome->changed;
        s->hb->lost_words |= !hb_note_words(s->hb, e, outcome);
        hb_append(s->hb, e);
        known_step(s, outcome->changed);
        if (s->config.locals)
            locals_note(s);
    }
}

/* A step that failed half way counts as executed with the outcome that it would have had. */
static void complete_step(struct sched *s)
{
    const struct step *step = &s->log.at[s->depth];
    struct sched_outcome outcome = {0};
    if (s->depth < s->prefix) {
        outcome = step->outcome;
    } else if (s->hb) {
        if (!s->has_predicted)
            hb_predict(s->hb, NULL, step->thread, &step->op, step->choice, &s->predicted);
        outcome.failed = s->predicted.failed;
        outcome.changed = s->predicted.changed;
        outcome.woken = s->predicted.woken;
    }
    sched_executed(s, &outcome);
}

void sched_finish(struct sched *s, enum sched_end end)
{
    struct sched_level *level = level_now(s);
    assert((unsigned)end < SCHED_END_COUNT);
    if (s->in_step && s->stats.stop != SCHED_STOP_DIVERGED)
        complete_step(s);
    if (s->stats.stop == SCHED_STOP_DIVERGED || s->known_wrong)
        return;
    assert(s->depth <= s->config.max_start + s->config.max_steps && s->depth >= s->prefix);
    s->end = end;
    known_end(s, end);
    level->ends[end]++;
    s->stats.ends[end]++;
    if (end == SCHED_END_ABANDONED) {
        level->blocked++;
        s->stats.blocked++;
    } else {
        level->executions++;
        s->stats.executions++;
    }
    uint64_t ended = 0;
    for (int i = 0; i < SCHED_END_COUNT; i++)
        ended += s->stats.ends[i];
    assert(ended == s->stats.executions + s->stats.blocked && level->executions <= s->stats.executions);
    level->steps += s->depth;
    assert(!s->config.locals || level->locals <= s->stats.locals); /* what was counted stays counted */
    level->locals = s->stats.locals;
    s->stats.steps += s->depth;
    if (s->depth > s->stats.max_depth)
        s->stats.max_depth = s->depth;
    s->stats.memory = s->pool.used + sizeof *s + known_memory(s->config.known);
}

const struct sched_stats *sched_stats(const struct sched *s)
{
    return &s->stats;
}

void sched_move_to(struct sched *s, size_t depth)
{
    memset(s->yields, 0, sizeof s->yields);
    for (size_t i = 0; i < depth && s->has_yielded; i++)
        s->yields[s->log.at[i].thread] += s->log.at[i].op.kind == SCHED_YIELD;
    s->depth = depth;
    if (!s->config.thread_steps)
        return;
    memset(s->taken, 0, sizeof s->taken);
    for (size_t i = s->alone; i < depth; i++)
        s->taken[s->log.at[i].thread]++;
}

size_t sched_repeats(const struct sched *s)
{
    return s->repeats;
}

size_t sched_depth(const struct sched *s)
{
    return s->depth;
}

size_t sched_counted_steps(const struct sched *s)
{
    size_t start = s->alone ? s->alone - 1 : 0; /* the last step of one thread alone makes the second */
    if (start > s->config.max_start)
        start = s->config.max_start;
    return s->depth > start ? s->depth - start : 0;
}

bool sched_is_cut(const struct sched *s)
{
    return sched_counted_steps(s) >= s->config.max_steps;
}

void sched_resume(struct sched *s, size_t depth)
{
    assert(depth <= s->repeats && !s->in_step && !s->is_known);
    sched_move_to(s, depth);
}

bool sched_is_known(const struct sched *s, enum sched_end *end)
{
    if (s->is_known && end)
        *end = s->end;
    return s->is_known;
}

void view_copy(struct sched_view *to, const struct sched_view *from)
{
    int t;
    to->live = from->live;
    to->ending = from->ending;
    to->enabled = from->enabled;
    FOR_EACH_THREAD(t, from->live)
        to->next[t] = from->next[t];
}

size_t sched_schedule(const struct sched *s, const struct sched_step **steps)
{
    struct sched *own = (struct sched *)s; /* the copy for the caller is no part of the search's state */
    stack_reserve(&own->pool, &own->schedule, s->depth);
    for (size_t i = 0; i < s->depth; i++)
        own->schedule.at[i] = (struct sched_step){s->log.at[i].thread, s->log.at[i].choice};
    *steps = own->schedule.at;
    return s->depth;
}

struct sched_surprises sched_surprises(const struct sched *s)
{
    struct sched_surprises sum = {0};
    for (size_t i = 0; i < s->depth; i++) {
        const struct step *step = &s->log.at[i];
        int cost = choice_cost(&step->op, step->choice);
        sum.preemptions += step->preemption;
        *(step->op.kind == SCHED_WRITE    ? &sum.early_writes
          : step->op.kind == SCHED_CHOOSE ? &sum.spurious
                                          : &sum.stale_reads) += cost;
    }
    return sum;
}

int sched_preemptions(const struct sched *s)
{
    return sched_surprises(s).preemptions;
}

sched_set sched_could_go_on(const struct sched *s)
{
    return s->only_ends ? SET_NONE : s->enabled;
}

bool sched_is_livelock(const struct sched_view *view)
{
    int t;
    FOR_EACH_THREAD(t, view->live)
        if (view->next[t].flags & SCHED_SPIN)
            return true;
    return false;
}

struct sched_divergence sched_divergence(const struct sched *s)
{
    return s->divergence;
}

struct sched_hash sched_graph(const struct sched *s)
{
    return s->hb ? s->hb->hash : (struct sched_hash){0, 0};
}

const char *sched_kind_name(enum sched_kind kind)
{
    static const char *const names[] = {
#define KIND_NAME(name, text) text,
        SCHED_KINDS(KIND_NAME)
#undef KIND_NAME
    };
    return names[kind];
}

bool sched_asks_of_cuts(enum sched_strategy s)
{
    return s == SCHED_OPTIMAL || s == SCHED_CBPOR || s == SCHED_CBPOR1;
}

bool sched_is_for_interleavings(enum sched_strategy s)
{
    return s == SCHED_CBPOR1 || s == SCHED_DPOR_PLAIN || s == SCHED_BPOR_PLAIN;
}

bool sched_counts_delays(enum sched_strategy s)
{
    return s == SCHED_DELAY || s == SCHED_DELAY_PLAIN;
}

bool sched_samples(enum sched_strategy strategy)
{
    return strategies[strategy]->samples;
}

bool sched_writes_partly(const struct sched *s)
{
    return s->hb && s->hb->writes_partly;
}

bool sched_rounds_overlap(const struct sched *s)
{
    return s->hb && s->hb->rounds_overlap;
}

bool sched_has_given(const struct sched *s)
{
    return s->given.len > 0;
}

bool sched_divides(enum sched_strategy strategy, bool weak, bool limited)
{
    const struct part_rules *parts = strategy_of(strategy, weak)->parts;
    return parts && (!limited || parts->counts_executions);
}

const char *sched_strategy_name(enum sched_strategy strategy)
{
    return strategies[strategy]->name;
}
