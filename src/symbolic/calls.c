/* A call and everything up to its return, as one move.
 *
 * Joint states have a frame per level of calls, and a turn steps through them. Where procedures call each other more
 * than once, that is one step for every chain of calls, twice as many with each level. So what a procedure does from
 * its entry to its returns is kept beside them, as a relation of the states (shared variables, parameters) in which it
 * was entered and those in which it leaves; a call leads to where it is entered and, by that relation, to where the
 * caller goes on. Coming back step by step then adds nothing, and the number of steps is that of levels, not of chains.
 * The relation is explored for states in which there was a call, callees first. Whoever looks for the way back to an
 * error does without: it has to go through the steps. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_CHAINS = 64 }; /* fewer are stepped through: that costs less than to explore what is called apart */

/* ---- where it is worth while ---- */

/* Ways to be called, by procedure: callers come before callees in the order of levels. */
static double most_chains(const struct bp_program *p, const struct joint_thread *t)
{
    double *chains = xcalloc(p->procs.len + 1, sizeof *chains), most = 1;
    chains[t->root] = 1;
    for (int level = 0; level < t->level_count; level++)
        for (size_t i = 0; i < p->edges.len; i++) {
            const struct bp_edge *e = &p->edges.at[i];
            int caller = p->nodes.at[e->from].proc;
            if (e->kind != EDGE_CALL || t->level[caller] != level || t->level[e->callee] == level) continue;
            chains[e->callee] += chains[caller];
            most = MAX(most, chains[e->callee]);
        }
    free(chains);
    return most;
}

/* Procedures that end in the same turn without recursion: callees have higher levels. */
static void find_whole(const struct bp_program *p, struct joint_thread *t)
{
    for (size_t i = 0; i < p->procs.len; i++)
        t->procs[i].whole = t->level[i] >= 0 && !t->levels[t->level[i]].recursive;
    for (int level = t->level_count - 1; level >= 0; level--)
        for (size_t i = 0; i < p->edges.len; i++) {
            const struct bp_edge *e = &p->edges.at[i];
            int caller = p->nodes.at[e->from].proc;
            if (e->kind == EDGE_CALL && t->level[caller] == level) t->procs[caller].whole &= t->procs[e->callee].whole;
        }
}

/* ---- relations ---- */

static void prepare(struct joint *j, struct joint_thread *t, int proc, const int *start_of)
{
    const struct bp_program *p = j->p;
    const struct frame_level *l = &t->levels[t->level[proc]];
    struct proc_facts *f = &t->procs[proc];
    int_list from = {0}, to = {0}, now = {0}, next = {0};
    BDD same = bddtrue;
    for (size_t i = 0; i < p->shared.len; i++) {
        vec_push(&now, j->now[p->shared.at[i]]), vec_push(&next, j->next[p->shared.at[i]]);
        same = b_and(&j->b, same, b_same(&j->b, bdd_ithvar(now.at[i]), bdd_ithvar(start_of[now.at[i]])));
    }
    for (int i = 0; i < l->width; i++) vec_push(&now, l->slots[i].now), vec_push(&next, l->slots[i].next);
    for (size_t i = 0; i < p->procs.at[proc].params.len; i++) {
        int var = p->procs.at[proc].params.at[i], v = t->e.now[var];
        if (boolprog_is_live(p, &j->live, p->procs.at[proc].entry, var))
            same = b_and(&j->b, same, b_same(&j->b, bdd_ithvar(v), bdd_ithvar(start_of[v])));
    }
    for (size_t i = 0; i < now.len; i++) {
        vec_push(&from, start_of[now.at[i]]), vec_push(&to, now.at[i]);
        vec_push(&from, now.at[i]), vec_push(&to, next.at[i]);
    }
    f->same = bdd_addref(same);
    f->frame = bdd_addref(b_cube(&j->b, now.at, now.len));
    f->to_exit = b_pair(&j->b, from.at, to.at, from.len);
    f->to_now = b_pair(&j->b, next.at, now.at, now.len);
    vec_clear(&from);
    bool *kept = xcalloc((size_t)j->var_count + 1, sizeof *kept);
    for (size_t i = 0; i < now.len; i++) kept[now.at[i]] = true;
    for (int v = 0; v < j->var_count; v++)
        if (!kept[v]) vec_push(&from, v);
    f->others = bdd_addref(b_cube(&j->b, from.at, from.len));
    free(kept);
    vec_release(&from), vec_release(&to), vec_release(&now), vec_release(&next);
}

static bool is_whole_call(const struct joint *j, const struct joint_thread *t, const struct move *m)
{
    return m->edge >= 0 && j->p->edges.at[m->edge].kind == EDGE_CALL && t->procs[j->p->edges.at[m->edge].callee].whole;
}

void calls_init(struct joint *j, struct joint_thread *t)
{
    const struct bp_program *p = j->p;
    if (most_chains(p, t) < MOST_CHAINS) return;
    t->procs = xcalloc(p->procs.len + 1, sizeof *t->procs);
    t->inside = xcalloc(t->nodes.len, sizeof *t->inside);
    t->exits = xcalloc(t->nodes.len, sizeof *t->exits);
    find_whole(p, t);
    int *start_of = xcalloc((size_t)j->var_count + 1, sizeof *start_of);
    for (size_t i = 0; i < p->shared.len; i++) start_of[j->now[p->shared.at[i]]] = j->start[p->shared.at[i]];
    for (size_t i = 0; i < t->own.len; i++) start_of[t->own.at[i]] = t->own_start.at[i];
    size_t mark = b_mark(&j->b);
    for (size_t i = 0; i < p->procs.len; i++)
        if (t->procs[i].whole) prepare(j, t, (int)i, start_of);
    for (size_t i = 0; i < t->moves.len; i++)
        if (is_whole_call(j, t, &t->moves.at[i])) t->remembered[t->place[p->edges.at[t->moves.at[i].edge].to]] = true;
    b_release(&j->b, mark);
    free(start_of);
}

/* ---- inside a procedure ---- */

static void add_inside(struct joint *j, const struct joint_thread *t, int place, BDD x)
{
    struct fact_cell *c = &t->inside[place];
    BDD fresh = b_diff(&j->b, x, c->all);
    b_set(&c->all, b_or(&j->b, c->all, fresh));
    b_set(&c->fresh, b_or(&j->b, c->fresh, fresh));
}

static void process_inside(struct joint *j, struct joint_thread *t, int place, const struct proc_facts *f)
{
    size_t mark = b_mark(&j->b);
    BDD fresh = b_keep(&j->b, t->inside[place].fresh);
    b_set(&t->inside[place].fresh, bddfalse);
    bool returns = false;
    for (size_t i = 0; i < t->moves_from[place].len; i++) {
        const struct move *m = &t->moves.at[t->moves_from[place].at[i]];
        enum bp_kind kind = j->p->edges.at[m->edge].kind;
        returns |= kind == EDGE_RETURN;
        if (kind == EDGE_STEP) add_inside(j, t, m->to, joint_image(j, t, m, fresh));
        else if (kind == EDGE_CALL) add_inside(j, t, calls_to(j, t, m), calls_image(j, t, m, fresh));
    }
    if (returns) b_set(&t->exits[place], b_rename(&j->b, t->inside[place].all, f->to_exit));
    b_release(&j->b, mark);
}

/* Its own places only: what it calls has been explored when a call comes back. */
static void explore(struct joint *j, struct joint_thread *t, int proc, BDD entries)
{
    struct proc_facts *f = &t->procs[proc];
    b_set(&f->entered, b_or(&j->b, f->entered, entries));
    add_inside(j, t, t->place[j->p->procs.at[proc].entry], b_and(&j->b, entries, f->same));
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < t->nodes.len; i++) {
            if (t->inside[i].fresh == bddfalse || j->p->nodes.at[t->nodes.at[i]].proc != proc) continue;
            changed = true;
            process_inside(j, t, (int)i, f);
        }
    }
}

int calls_to(const struct joint *j, const struct joint_thread *t, const struct move *call)
{
    return t->place[j->p->edges.at[call->edge].to];
}

BDD calls_image(struct joint *j, struct joint_thread *t, const struct move *call, BDD states)
{
    int proc = j->p->edges.at[call->edge].callee;
    struct proc_facts *f = &t->procs[proc];
    BDD inside = joint_image(j, t, call, states), after = bddfalse;
    if (inside == bddfalse) return inside;
    BDD entries = b_diff(&j->b, b_exist(&j->b, inside, f->others), f->entered);
    if (entries != bddfalse) explore(j, t, proc, entries);
    for (size_t i = 0; i < t->moves.len; i++) {
        const struct move *m = &t->moves.at[i];
        if (m->returns_to != call->edge || t->exits[m->from] == bddfalse) continue;
        BDD x = b_rename(&j->b, b_product(&j->b, inside, t->exits[m->from], f->frame), f->to_now);
        after = b_or(&j->b, after, joint_image(j, t, m, x));
    }
    return after;
}

bool calls_is_whole(const struct joint *j, const struct joint_thread *t, const struct move *m)
{
    return t->procs && !j->keep_layers && is_whole_call(j, t, m);
}
