/* The same error without the steps that it does not need, and with fewer preemptions.
 *
 * Steps are left out after Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input" (2002): all steps
 * of a process, then parts of the schedule, each half as long as those before. Preemptions are removed after Jalbert
 * and Sen, "A trace simplification technique for effective debugging of concurrent programs" (2010): a run of steps of
 * one process that ends in a preemption moves to where the process goes on, or the process goes on at once; and where
 * it never goes on, the run moves behind others, which may take away what it could go on with. Before that all is tried
 * at once: from the preemption on every process goes on with its own steps for as long as it can.
 *
 * Each attempt makes the planned steps one after the other. A step is made if its process can make the same statements
 * where its turn comes, and is left out otherwise; so whatever depended on what was left out goes, too. The attempt is
 * kept if it ends in an error and is no worse. */
#include "search/cycles_int.h"
#include "search/vicinity_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS_TRIED = 400000, STEPS_PER_LOOK = 256 };

/* preempts: the process before could have gone on. */
struct event { uint64_t moves; uint8_t pid, last; bool preempts; };
typedef VEC(struct event) events;

struct dropping {
    struct model *m;
    const struct search_options *o;
    events kept;            /* what leads to the error, */
    long kept_preemptions;
    events planned;         /* the present attempt */
    events tried;           /* of these, what was possible, */
    struct schedule way;    /* as a schedule, */
    long preemptions;       /* and its preemptions */
    uint64_t steps;
    bool over;
};

static uint64_t moves_of(const struct successor *s)
{
    uint64_t hash = s->move_count;
    for (uint32_t i = 0; i < s->move_count; i++) {
        uint32_t move[] = {s->moves[i].transition, s->moves[i].pid};
        hash = hash_bytes(move, sizeof move, hash);
    }
    return hash;
}

struct search_for { struct event wanted; uint32_t index; bool found; };

static bool is_wanted(void *ctx, const struct successor *s)
{
    struct search_for *f = ctx;
    f->found = s->pid == f->wanted.pid && moves_of(s) == f->wanted.moves;
    if (!f->found) f->index++;
    return !f->found;
}

static bool is_over(struct dropping *d)
{
    if (d->steps++ % STEPS_PER_LOOK == 0)
        d->over |= limits_reached(d->o->limits) || (d->o->enough && d->o->enough(d->o->enough_ctx));
    d->over |= d->m->cut || d->steps >= MOST_STEPS_TRIED;
    return d->over;
}

static bool count_one(void *ctx, const struct successor *s)
{
    (void)s;
    return *(bool *)ctx = false; /* one is enough */
}

/* Nothing can move, and that is an error. */
static bool is_bad_end(struct model *m, const struct search_options *o, const struct replay *r)
{
    uint32_t size;
    bool ends = true;
    const uint8_t *state = replay_state(r, &size);
    if (!size || o->no_deadlock) return false;
    m->ops->successors(m, state, size, MODEL_ALL, false, count_one, &ends);
    return ends && !m->cut && !m->ops->valid_end(m, state);
}

bool schedule_fails(struct model *m, const struct search_options *o, const struct schedule *s)
{
    struct replay *r = replay_new(m);
    const struct successor *t = NULL;
    size_t i = 0;
    for (; i < s->choices.len && (t = replay_step(r, s->choices.at[i])); i++) continue;
    bool fails = i == s->choices.len && !m->cut && (s->deadlock ? is_bad_end(m, o, r) : t && t->fault);
    replay_free(r);
    return fails;
}

/* Makes the step if it is possible; true if it fails. */
static bool make(struct dropping *d, struct replay *r, struct event e)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    struct search_for f = {.wanted = e};
    if (!size) return false;
    d->m->ops->successors(d->m, state, size, MODEL_ALL, false, is_wanted, &f);
    if (!f.found) return false;
    int last = d->tried.len ? vec_last(&d->tried).last : MODEL_NOBODY;
    e.preempts = e.pid != last && replay_leaving_preempts(r, last);
    const struct successor *t = replay_step(r, f.index);
    if (!t) return false;
    e.last = (uint8_t)t->last;
    d->preemptions += e.preempts;
    vec_push(&d->tried, e);
    vec_push(&d->way.choices, f.index);
    return t->fault;
}

static struct replay *begin_attempt(struct dropping *d)
{
    vec_clear(&d->tried);
    vec_clear(&d->way.choices);
    d->preemptions = 0;
    return replay_new(d->m);
}

/* Did the attempt lead to an error? fails: its last step does. */
static bool end_attempt(struct dropping *d, struct replay *r, bool fails)
{
    d->way.deadlock = !fails;
    if (!fails && !d->over) fails = is_bad_end(d->m, d->o, r);
    replay_free(r);
    return fails && !d->over;
}

/* Makes the planned steps: do they lead to an error? */
static bool fails_as_planned(struct dropping *d)
{
    struct replay *r = begin_attempt(d);
    bool fails = false;
    for (size_t i = 0; i < d->planned.len && !fails && !is_over(d); i++) fails = make(d, r, d->planned.at[i]);
    return end_attempt(d, r, fails);
}

/* What was tried is kept. */
static void keep(struct dropping *d, struct schedule *to)
{
    events kept = d->tried;
    assert(kept.len <= d->kept.len);
    d->tried = d->kept;
    d->kept = kept;
    d->kept_preemptions = d->preemptions;
    schedule_release(to);
    *to = d->way;
    d->way = (struct schedule){0};
}

/* ---- fewer steps ---- */

/* Without the steps of this process (MODEL_NOBODY: of none), and without those from `from` to `to`. */
static bool fails_without(struct dropping *d, int pid, size_t from, size_t to)
{
    vec_clear(&d->planned);
    for (size_t i = 0; i < d->kept.len; i++)
        if (d->kept.at[i].pid != pid && (i < from || i >= to)) vec_push(&d->planned, d->kept.at[i]);
    return fails_as_planned(d) && d->preemptions <= d->kept_preemptions;
}

static bool drop_processes(struct dropping *d, struct schedule *to)
{
    bool any = false, there[MODEL_MOST_PROCESSES] = {0};
    for (size_t i = 0; i < d->kept.len; i++) there[d->kept.at[i].pid] = true;
    for (int pid = 0; pid < MODEL_MOST_PROCESSES && !d->over; pid++) {
        if (!there[pid] || !fails_without(d, pid, 0, 0)) continue;
        keep(d, to);
        any = true;
    }
    return any;
}

static bool drop_parts(struct dropping *d, size_t length, struct schedule *to)
{
    bool any = false;
    for (size_t from = 0; from < d->kept.len && !d->over;) {
        size_t before = d->kept.len;
        if (fails_without(d, MODEL_NOBODY, from, from + length)) keep(d, to);
        if (d->kept.len == before) from += length;
        else any = true;
    }
    return any;
}

/* ---- fewer preemptions ---- */

static bool is_better(const struct dropping *d)
{
    if (d->preemptions != d->kept_preemptions) return d->preemptions < d->kept_preemptions;
    return d->tried.len < d->kept.len;
}

/* The steps from `from` to `to` come before step `at`, which is not one of them. */
static bool is_better_moved(struct dropping *d, size_t from, size_t to, size_t at)
{
    vec_clear(&d->planned);
    for (size_t i = 0; i <= d->kept.len; i++) {
        for (size_t k = from; i == at && k < to; k++) vec_push(&d->planned, d->kept.at[k]);
        if (i < d->kept.len && (i < from || i >= to)) vec_push(&d->planned, d->kept.at[i]);
    }
    return fails_as_planned(d) && is_better(d);
}

/* The next step that is not made yet: of process pid, or else (MODEL_NOBODY) the first of a process that is not
 * blocked. */
static size_t next_step(const struct dropping *d, const bool *made, size_t from, int pid, const bool *blocked)
{
    for (size_t i = from; i < d->kept.len; i++) {
        int its = d->kept.at[i].pid;
        if (!made[i] && (pid == MODEL_NOBODY ? !blocked[its] : its == pid)) return i;
    }
    return SIZE_MAX;
}

/* From step `at` on, the process that moves goes on with its own steps as long as it can; then comes the next in the
 * present order. */
static bool fails_lazily(struct dropping *d, struct replay *r, size_t at, bool *made)
{
    bool blocked[MODEL_MOST_PROCESSES] = {0}, fails = false;
    for (size_t i = 0; i < at && !fails && !is_over(d); i++) {
        made[i] = true;
        fails = make(d, r, d->kept.at[i]);
    }
    int pid = at ? d->kept.at[at - 1].pid : MODEL_NOBODY;
    for (size_t first = at; !fails && !is_over(d);) {
        while (first < d->kept.len && made[first]) first++;
        size_t next = next_step(d, made, first, pid, blocked), count = d->tried.len;
        if (next == SIZE_MAX && pid == MODEL_NOBODY) break;
        if (next != SIZE_MAX) fails = make(d, r, d->kept.at[next]);
        if (d->tried.len > count) {
            memset(blocked, 0, sizeof blocked);
            made[next] = true;
            pid = d->kept.at[next].pid;
        } else {
            if (next != SIZE_MAX) blocked[d->kept.at[next].pid] = true;
            pid = MODEL_NOBODY;
        }
    }
    return fails;
}

static bool is_better_lazily(struct dropping *d, size_t at)
{
    bool *made = xcalloc(d->kept.len + 1, sizeof *made);
    struct replay *r = begin_attempt(d);
    bool better = end_attempt(d, r, fails_lazily(d, r, at, made)) && is_better(d);
    free(made);
    return better;
}

static size_t block_end(const struct dropping *d, size_t from)
{
    size_t to = from + 1;
    while (to < d->kept.len && d->kept.at[to].pid == d->kept.at[from].pid) to++;
    return to;
}

static size_t block_begin(const struct dropping *d, size_t to)
{
    size_t from = to - 1;
    while (from && d->kept.at[from - 1].pid == d->kept.at[to - 1].pid) from--;
    return from;
}

/* The run of steps before `at` ends in a preemption. */
static bool avoid_preemption(struct dropping *d, size_t at)
{
    size_t from = block_begin(d, at), next = at;
    while (next < d->kept.len && d->kept.at[next].pid != d->kept.at[from].pid) next++;
    if (next < d->kept.len && is_better_moved(d, next, block_end(d, next), at)) return true;
    if (next < d->kept.len && is_better_moved(d, from, at, next)) return true;
    for (size_t to = block_end(d, at); to < next && !d->over; to = block_end(d, to))
        if (is_better_moved(d, from, at, to)) return true;
    return next == d->kept.len && !d->over && is_better_moved(d, from, at, next);
}

/* One preemption after the other, and from the beginning after each that could be avoided. */
static bool avoid_preemptions(struct dropping *d, bool (*avoid)(struct dropping *d, size_t at), struct schedule *to)
{
    bool any = false;
    for (size_t at = 1; at < d->kept.len && !d->over; at++) {
        if (!d->kept.at[at].preempts || !avoid(d, at)) continue;
        keep(d, to);
        any = true;
        at = 0;
    }
    return any;
}

/* ---- the schedule ---- */

static bool list_events(struct dropping *d, const struct schedule *s)
{
    struct replay *r = replay_new(d->m);
    const struct successor *t = NULL;
    size_t i = 0;
    for (; i < s->choices.len && (t = replay_step(r, s->choices.at[i])); i++)
        vec_push(&d->kept, ((struct event){moves_of(t), (uint8_t)t->pid, (uint8_t)t->last, false}));
    replay_free(r);
    return i == s->choices.len;
}

/* The steps of an error, and where its preemptions are. */
static bool list_error(struct dropping *d, const struct schedule *s)
{
    if (!list_events(d, s)) return false;
    for (size_t i = 0; i < d->kept.len; i++) vec_push(&d->planned, d->kept.at[i]);
    if (!fails_as_planned(d)) return false;
    d->kept_preemptions = d->preemptions;
    for (size_t k = 0; k < d->tried.len; k++) d->kept.at[k] = d->tried.at[k];
    d->kept.len = d->tried.len;
    return true;
}

static void release(struct dropping *d)
{
    vec_release(&d->kept);
    vec_release(&d->planned);
    vec_release(&d->tried);
    schedule_release(&d->way);
}

bool schedule_drop_steps(struct model *m, const struct search_options *o, const struct schedule *from,
                         struct schedule *to)
{
    struct dropping d = {.m = m, .o = o};
    *to = (struct schedule){0};
    bool any = list_error(&d, from) && drop_processes(&d, to);
    for (size_t length = d.kept.len / 2; length >= 1 && !d.over; length /= 2) any |= drop_parts(&d, length, to);
    release(&d);
    return any;
}

bool schedule_avoid_preemptions(struct model *m, const struct search_options *o, const struct schedule *from,
                                struct schedule *to)
{
    struct dropping d = {.m = m, .o = o};
    *to = (struct schedule){0};
    bool lists = list_error(&d, from), any = lists && avoid_preemptions(&d, is_better_lazily, to);
    if (lists) any |= avoid_preemptions(&d, avoid_preemption, to);
    release(&d);
    return any;
}

/* ---- violations ---- */

/* Without the steps of this process before step `before`, all others as they are. The cycle begins where it did. */
static bool violates_without(struct dropping *d, const struct property *p, const struct schedule *s, int pid,
                             size_t before)
{
    struct replay *r = begin_attempt(d);
    bool there = true;
    d->way.violates = s->violates, d->way.lasso = s->lasso;
    d->way.cycle_start = 0;
    for (size_t i = 0; i < d->kept.len && there && !is_over(d); i++) {
        if (s->lasso && i == s->cycle_start) d->way.cycle_start = d->tried.len;
        if (d->kept.at[i].pid == pid && i < before) continue;
        size_t made = d->tried.len;
        make(d, r, d->kept.at[i]);
        there = d->tried.len > made;
    }
    replay_free(r);
    if (s->lasso && s->cycle_start == d->kept.len) d->way.cycle_start = d->tried.len;
    return there && !d->over && schedule_violates(d->m, p, &d->way);
}

static bool takes_part(const struct dropping *d, int pid)
{
    for (size_t i = 0; i < d->kept.len; i++)
        if (d->kept.at[i].pid == pid) return true;
    return false;
}

bool violation_drop_processes(struct model *m, const struct property *p, const struct search_options *o,
                              const struct schedule *from, struct schedule *to)
{
    struct dropping d = {.m = m, .o = o};
    struct schedule now = *from; /* of which the steps are not read */
    *to = (struct schedule){0};
    bool any = false, lists = list_events(&d, from);
    for (int pid = 0; lists && pid < MODEL_MOST_PROCESSES && !d.over; pid++) {
        bool fewer = takes_part(&d, pid) && (violates_without(&d, p, &now, pid, SIZE_MAX) ||
                                             (now.lasso && violates_without(&d, p, &now, pid, now.cycle_start)));
        if (!fewer || d.tried.len == d.kept.len) continue;
        keep(&d, to);
        now = *to;
        any = true;
    }
    release(&d);
    return any;
}
