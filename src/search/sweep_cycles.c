/* Cycles among all nodes of the product, without an order of visits (One Way Catch Them Young; Fisler, Fraer, Kamhi,
 * Vardi and Yang, TACAS 2001; for explicit states Cerna and Pelanek, SPIN 2003): from the set of all nodes whatever
 * cannot be reached from an accepting node of the set is taken out, then, again and again, nodes without a predecessor
 * in the set, until nothing more goes. What remains has an accepting cycle: a component of it that no other one leads
 * to has predecessors inside of it alone, and an accepting node, for its nodes are reached from one. With fairness the
 * same is done for each process in turn, with the nodes in which it cannot move and those that its steps lead to
 * instead of the accepting ones; the same component then has something for each of them.
 *
 * A cycle stays in one component of the automaton, so only nodes whose automaton is in one with an accepting state
 * belong to the set at all. */
#include "search/sweep_int.h"

#include <assert.h>
#include <stdlib.h>

/* ---- passes over the table ---- */

/* Calls fn(w, t, p, key) for every node of a part; fn may change its mark. */
typedef void each_fn(struct sweeper *w, struct lines *t, struct place p, state_key key);
struct each { struct sweep *s; each_fn *fn; };

static void each_in_part(void *ctx, int worker, uint32_t part)
{
    struct each *x = ctx;
    struct lines *t = &x->s->parts[part].lines;
    struct sweeper *w = &x->s->sweepers[worker];
    struct place p;
    coder_refresh(&w->coder);
    for (bool there = t->count && lines_from(t, 0, &p); there && !stopped(x->s); p.slot++, there = lines_here(t, &p)) {
        sweeper_look(w);
        x->fn(w, t, p, place_key(t, p) | (state_key)part << PART_BITS);
    }
}

/* Returns what all of them counted. Steps that fn takes are delivered later, when nobody is in the table. */
static uint64_t each_node(struct sweep *s, each_fn *fn)
{
    struct each x = {s, fn};
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++) s->sweepers[i].set = 0;
    crew_run(s->nodes < FEW ? s->alone : s->crew, PARTS, each_in_part, NULL, &x);
    for (int i = 0; i < s->count; i++) all += s->sweepers[i].set;
    return sweep_sum(s, all);
}

static void put_in_set(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p) & KIND_MASK;
    bool in = kind_of_mark(m) & RECURS;
    (void)key;
    set_mark(t, p, in ? m | IN_SET : m);
    w->set += in;
}

static void forget_reached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    (void)w, (void)key;
    set_mark(t, p, mark_of(t, p) & (KIND_MASK | IN_SET));
}

static void begin_at(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    set_mark(t, p, mark_of(t, p) | REACHED);
    sweep_list(w->s, &w->found, key);
}

static void begin_at_accepting(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    if (m & IN_SET && kind_of_mark(m) & ACCEPTS) begin_at(w, t, p, key);
}

static void list_set(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & IN_SET) sweep_list(w->s, &w->found, key);
}

static void list_reached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & REACHED) sweep_list(w->s, &w->found, key);
}

static void drop_unreached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    (void)key;
    if (!(m & IN_SET) || m & REACHED) return;
    set_mark(t, p, m & KIND_MASK);
    w->set++;
}

static void drop_without_predecessor(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    if (!(m & IN_SET) || m & COUNT_MASK) return;
    set_mark(t, p, m & KIND_MASK);
    w->set++;
    sweep_list(w->s, &w->found, key);
}

/* ---- cycles ---- */

/* Where the process cannot move, and where its steps lead to. */
static void do_duty(struct sweeper *w, state_key key)
{
    int duty = w->s->duty;
    sweeper_follow_steps(w, duty);
    bool rests = !stopped(w->s) && w->c.here.fair[duty / 64] >> duty % 64 & 1;
    if (rests) sweeper_deliver(w, key, false);
}

static void do_duty_share(void *ctx, int worker, uint32_t part) { sweep_pass_share(ctx, worker, part, do_duty); }

static void begin_at_duty(struct sweep *s)
{
    if (s->duty == NO_PROCESS) {
        each_node(s, begin_at_accepting);
        return;
    }
    each_node(s, list_set);
    uint64_t n = sweep_next_round(s);
    s->deed = DEED_REACH_ONLY;
    if (n) sweep_share_out(s, n, sweep_all_shares(s), do_duty_share);
    for (int i = 0; i < s->count; i++) s->sweepers[i].found.len = 0;
    each_node(s, list_reached);
}

/* Takes out what cannot be reached from where the duty is done, and what has no predecessor then. Returns how many. */
static uint64_t narrow(struct sweep *s)
{
    each_node(s, forget_reached);
    begin_at_duty(s);
    s->deed = DEED_REACH;
    sweep_expand_rounds(s);
    uint64_t gone = each_node(s, drop_unreached);
    gone += each_node(s, drop_without_predecessor);
    s->deed = DEED_REMOVE;
    for (int i = 0; i < s->count; i++) s->sweepers[i].set = 0;
    sweep_expand_rounds(s);
    uint64_t removed = 0;
    for (int i = 0; i < s->count; i++) removed += s->sweepers[i].set;
    gone += sweep_sum(s, removed);
    return stopped(s) ? 0 : gone;
}

static void note_processes(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (!(mark_of(t, p) & IN_SET)) return;
    sweeper_enter(w, key);
    w->set = MAX(w->set, (uint64_t)tailed_process_count(&w->model.m, w->node));
}

static int processes_in_set(struct sweep *s)
{
    if (!s->like->p->fair) return 0;
    each_node(s, note_processes);
    uint64_t processes = 0;
    for (int i = 0; i < s->count; i++) processes = MAX(processes, s->sweepers[i].set);
    return (int)sweep_most(s, processes);
}

static bool has_cycle(struct sweep *s)
{
    uint64_t left = each_node(s, put_in_set);
    int processes = processes_in_set(s);
    for (bool narrows = true; narrows && left && !stopped(s);) {
        narrows = false;
        for (s->duty = NO_PROCESS; s->duty < processes && left && !stopped(s); s->duty++) {
            uint64_t gone = narrow(s);
            narrows |= gone > 0;
            assert(gone <= left);
            left -= gone;
        }
    }
    return left && !stopped(s);
}

/* A limit was reached while cycles were looked for: nothing of that is kept, and whoever goes on begins with it. */
static void leave_before_cycles(struct sweep *s)
{
    sweep_sum(s, 0); /* all have the same reason */
    uint32_t why = s->why;
    if (why != STOP_TIME && why != STOP_INTERRUPTED) return;
    s->why = STOP_NOT_YET; /* what is written is whole */
    checkpoint_write(&s->checkpoints);
    s->why = why;
}

void sweep_look_for_cycle(struct sweep *s)
{
    struct keys *waiting = xcalloc((size_t)s->count, sizeof *waiting);
    uint64_t *transitions = xcalloc((size_t)s->count, sizeof *transitions);
    for (int i = 0; i < s->count; i++) {
        waiting[i] = s->round[i]; /* that it has is the next round of the search for nodes */
        s->round[i] = (struct keys){0};
        transitions[i] = s->sweepers[i].counts.transitions;
    }
    s->deed = DEED_REACH; /* from here on nobody comes to rest */
    bool there = has_cycle(s);
    for (int i = 0; i < s->count; i++) {
        sweep_keys_release(s, &s->round[i]);
        s->round[i] = waiting[i];
        s->sweepers[i].counts.transitions = transitions[i];
    }
    free(waiting);
    free(transitions);
    s->deed = DEED_FIND;
    if (there) stop(s, STOP_ERROR);
    if (s->run->opt->checkpoints) leave_before_cycles(s);
    s->checked_at = s->nodes;
}
