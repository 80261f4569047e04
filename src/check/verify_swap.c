/* --verify=swap for real programs: pairs of adjacent steps that the independence relation lets commute are done in both
 * orders, in random schedules (schedule/swap.c), and the states are compared (runtime/swap.c). The program is searched
 * for nothing: its errors are the check's, and an execution that fails is only one more that ends. */
#include "check/native_int.h"
#include "check/verify_int.h"

#include <assert.h>
#include <stdlib.h>

enum { PAIRS = 2000 }; /* executions, without --executions: each tries a pair at most */

static struct rt_config swap_config(const struct check *c)
{
    struct rt_config config = check_config(c);
    config.strategy = SCHED_SWAP;
    config.isolate = RT_ISOLATE_RESET;
    config.bound = config.fair_bound = -1;
    config.rising = config.endless = config.locals = config.digest = config.leaks = false;
    config.processes = 1;
    config.audit = RT_AUDIT_OFF;
    if (!c->options->executions) config.max_executions = PAIRS;
    return config;
}

/* ---- words ---- */

static void add_step(struct str *out, const struct native_run *run, struct symbols *s, size_t step)
{
    struct source_place p;
    const struct rt_shared *shared = run->shared;
    if (step >= shared->event_count) {
        str_add(out, "a step that is not known");
        return;
    }
    const struct rt_event *e = &shared->events[step];
    char *name = e->object ? native_object_name(run, s, e->object) : NULL;
    bool of_thread = e->kind == SCHED_CREATE || e->kind == SCHED_JOIN;
    str_printf(out, "T%d %s", e->thread, e->label[0] ? e->label : sched_kind_name(e->kind));
    if (name && !of_thread) str_printf(out, " %s", name);
    if (native_place_of(shared, s, e, &p)) str_printf(out, " (%s:%d)", path_basename(p.file), p.line);
    free(name);
}

static void add_state(struct str *out, const struct rt_swap *d, const struct native_run *run, struct symbols *s)
{
    static const char *const where[] = {
        [RT_SWAP_FACT] = "what is known", [RT_SWAP_MEMORY] = "memory", [RT_SWAP_HEAP] = "heap",
        [RT_SWAP_STACK] = "stack", [RT_SWAP_LOCALS] = "thread-local variables", [RT_SWAP_KEYS] = "keys",
        [RT_SWAP_REGISTERS] = "registers", [RT_SWAP_FILES] = "descriptors", [RT_SWAP_HANDLERS] = "exit handlers"};
    bool named = d->where == RT_SWAP_MEMORY || d->where == RT_SWAP_HEAP || d->where == RT_SWAP_STACK;
    char *name = named ? native_object_name(run, s, d->address) : NULL;
    str_add(out, where[d->where]);
    if (d->thread >= 0) str_printf(out, " of T%d", d->thread);
    if (d->name[0]) str_printf(out, " (%s)", d->name);
    if (name) str_printf(out, ", %s", name);
    str_printf(out, ": %#llx or %#llx", (unsigned long long)d->was, (unsigned long long)d->now);
    free(name);
}

static void add_difference(struct str *out, const struct rt_swap *d, const struct native_run *run, struct symbols *s)
{
    static const char *const words[] = {
        [SWAP_DISABLED] = "in the other order it is not possible to do the step of",
        [SWAP_PENDING] = "in the other order there is another operation of",
        [SWAP_OUTCOME] = "in the other order there is another outcome of the step of",
        [SWAP_FOOTPRINT] = "in the other order something else is touched by the step of",
        [SWAP_LIVE] = "only one order leaves alive",
        [SWAP_ENABLED] = "only one order leaves enabled",
        [SWAP_NEXT] = "the order decides about the next operation of",
        [SWAP_ENDED] = "in the other order the execution ends before the step of",
        [SWAP_PROMISE] = "the outcome is not what the model of the objects predicts of"};
    if (d->what.kind == SWAP_STATE) {
        str_add(out, "the order shows in ");
        add_state(out, d, run, s);
        return;
    }
    str_printf(out, "%s T%d", words[d->what.kind], d->what.thread);
    const struct sched_op *a = &d->what.first, *b = &d->what.second;
    if (a->kind && a->kind != b->kind)
        str_printf(out, ": %s or %s", sched_kind_name(a->kind), sched_kind_name(b->kind));
}

/* Both steps, as a recorded run shows them, and what differs. */
static void describe(struct check *c, const struct native_run *run, struct str *out)
{
    const struct rt_swap *d = &run->shared->swap;
    struct native_run recorded;
    assert(d->what.depth > 0);
    check_record(c, run->shared, SIZE_MAX, &recorded);
    bool one = d->what.kind == SWAP_PROMISE;
    str_add(out, one ? "step " : "two steps do not commute that the reductions take for independent: ");
    if (!one) {
        add_step(out, &recorded, c->symbols, d->what.depth - 2);
        str_add(out, " and ");
    }
    add_step(out, &recorded, c->symbols, d->what.depth - 1);
    str_add(out, "; ");
    add_difference(out, d, &recorded, c->symbols);
    native_run_release(&recorded);
}

/* ---- the outcome ---- */

static const char *what_stopped(const struct native_run *run, const struct limits *l, char room[64])
{
    const struct rt_shared *s = run->shared;
    if (s->diverged) return "the program does not repeat itself";
    if (s->status == RT_UNABLE) return "the program cannot be explored";
    if (run->stopped) return verify_stopped(run->stopped, l, room);
    return s->status == RT_LIMIT ? verify_stopped(LIMIT_TIME, l, room) : NULL;
}

static void settle(struct check *c, struct result *r, const struct native_run *run, const struct limits *limits)
{
    const struct rt_shared *s = run->shared;
    char room[64], count[64];
    struct str words = {0};
    bool differs = s->stats.stop == SCHED_STOP_DIFFERS;
    const char *stopped = what_stopped(run, limits, room);
    r->verification.states = s->stats.swaps;
    if (differs) describe(c, run, &words);
    else str_printf(&words, "%s pairs of independent steps commute", with_commas(count, s->stats.swaps));
    if (!differs && s->swap.unseen)
        str_printf(&words, ", of which %s left too large a state to be compared", with_commas(count, s->swap.unseen));
    if (!differs && stopped) str_printf(&words, "; %s", stopped);
    verify_note(r, 0, differs ? VERIFY_DISAGREES : stopped ? VERIFY_UNFINISHED : VERIFY_AGREES, false, str_get(&words));
    str_release(&words);
}

void verify_swaps(struct check *c, struct result *r)
{
    struct limits limits = verify_limits(c->limits);
    struct native_run run = {0};
    r->verification.method = "independent steps in both orders";
    if (!verify_has_time(r, &limits)) return;
    double started = seconds_now();
    assert(r->coverage.parts.len);
    check_explore(c, swap_config(c), &limits, &run);
    settle(c, r, &run, &limits);
    r->verification.seconds = seconds_now() - started;
    native_run_release(&run);
}
