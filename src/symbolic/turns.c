/* A whole turn as one relation.
 *
 * What a thread does in its turn depends on the shared variables and on its own position and frames, and changes
 * nothing else. So it is explored on those alone, from every combination of them that occurs in the joint states:
 * facts relate the start of the turn and now. Where the turn can end, that is a relation, and one product with it
 * takes the turn of all joint states at once. Facts stay from turn to turn; only new combinations are explored.
 * Shared variables that the thread has nothing to do with are no part of its facts. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>

/* ---- what a thread has to do with ---- */

/* Shared variables for the facts of a thread: all of them where points are wanted, and where frames are covered, since
 * those remember in which shared state they were entered. */
static void shared_of_facts(struct joint *j, struct joint_thread *t, int_list *now, int_list *start)
{
    bool *touched = xcalloc(j->p->vars.len + 1, sizeof *touched), all = j->q.want_points || t->covered.len;
    stacks_touched(j, t, touched);
    for (size_t i = 0; i < j->p->shared.len; i++) {
        if (!all && !touched[j->p->shared.at[i]]) {
            t->partial = true;
            continue;
        }
        vec_push(now, j->now[j->p->shared.at[i]]), vec_push(start, j->start[j->p->shared.at[i]]);
    }
    free(touched);
}

static BDD all_but(struct joint *j, const int_list *vars)
{
    bool *mine = xcalloc((size_t)j->var_count + 1, sizeof *mine);
    int_list others = {0};
    for (size_t i = 0; i < vars->len; i++) mine[vars->at[i]] = true;
    for (int v = 0; v < j->var_count; v++)
        if (!mine[v]) vec_push(&others, v);
    BDD cube = b_cube(&j->b, others.at, others.len);
    vec_release(&others);
    free(mine);
    return cube;
}

static void make_cubes(struct joint *j, struct joint_thread *t, const int_list *now)
{
    int_list seen = {0};
    b_set(&t->own_cube, b_cube(&j->b, now->at, now->len));
    b_set(&t->others, all_but(j, now));
    if (!t->partial) return;
    for (size_t i = 0; i < t->own.len; i++) vec_push(&seen, t->own.at[i]);
    b_set(&t->frames, b_cube(&j->b, seen.at, seen.len));
    for (size_t i = 0; i < j->p->shared.len; i++) vec_push(&seen, j->now[j->p->shared.at[i]]);
    b_set(&t->strangers, all_but(j, &seen));
    vec_release(&seen);
}

/* ---- turns ---- */

static int deepest_first(const void *x, const void *y) { return *(const int *)y - *(const int *)x; }

void turns_init(struct joint *j, struct joint_thread *t)
{
    int_list now = {0}, start = {0}, from = {0}, to = {0};
    size_t mark = b_mark(&j->b);
    shared_of_facts(j, t, &now, &start);
    for (size_t i = 0; i < t->own.len; i++) vec_push(&now, t->own.at[i]), vec_push(&start, t->own_start.at[i]);
    make_cubes(j, t, &now);
    t->start_to_now = b_pair(&j->b, start.at, now.at, now.len);
    for (size_t i = 0; i < now.len; i++) {
        vec_push(&from, now.at[i]), vec_push(&to, start.at[i]);
        vec_push(&from, start.at[i]), vec_push(&to, now.at[i]);
    }
    t->exchange = b_pair(&j->b, from.at, to.at, from.len);
    int *start_of = xcalloc((size_t)j->var_count + 1, sizeof *start_of);
    for (size_t i = 0; i < now.len; i++) start_of[now.at[i]] = start.at[i];
    if (now.len) qsort(now.at, now.len, sizeof *now.at, deepest_first);
    BDD same = bddtrue;
    for (size_t i = 0; i < now.len; i++)
        same = b_and(&j->b, b_same(&j->b, bdd_ithvar(now.at[i]), bdd_ithvar(start_of[now.at[i]])), same);
    b_set(&t->same, same);
    free(start_of);
    vec_release(&now), vec_release(&start), vec_release(&from), vec_release(&to);
    b_release(&j->b, mark);
}

static void explore(struct joint *j, struct joint_thread *t, BDD starts)
{
    BDD facts = b_and(&j->b, starts, t->same);
    for (size_t i = 0; i < t->nodes.len; i++) {
        BDD x = b_product(&j->b, facts, t->at[i], t->pc_cube);
        if (x != bddfalse) joint_cell_add(j, t, (int)i, x);
    }
    joint_saturate(j, t);
}

static void find_whole_turn(struct joint *j, struct joint_thread *t)
{
    BDD all = bddfalse;
    for (size_t i = 0; i < t->nodes.len; i++) {
        BDD x = b_and(&j->b, t->cells[i].all, t->rests[i]);
        if (x != bddfalse) all = b_or(&j->b, all, b_and(&j->b, x, t->at[i]));
    }
    b_set(&t->whole_turn, b_rename(&j->b, all, t->exchange));
}

/* Shared states on the way, where facts know only some of the variables. */
static void note_passed(struct joint *j, struct joint_thread *t, BDD fresh)
{
    if (!t->partial || fresh == bddfalse) return;
    BDD before = b_exist(&j->b, fresh, t->strangers), way = b_rename(&j->b, t->passed, t->exchange);
    BDD after = b_rename(&j->b, b_product(&j->b, before, way, t->own_cube), t->start_to_now);
    b_set(&j->reached, b_or(&j->b, j->reached, after));
}

/* What the turn is taken of: all that is new, and of the rest whatever makes it simple. With recursion everything: a
 * frame that is covered now may be where an earlier turn could have returned to. */
static BDD turn_of(const struct joint *j, const struct joint_thread *t, BDD fresh)
{
    return t->covered.len || bdd_nodecount(j->states) < bdd_nodecount(fresh) ? j->states : fresh;
}

void turns_take(struct joint *j, struct joint_thread *t)
{
    size_t mark = b_mark(&j->b);
    BDD fresh = b_diff(&j->b, j->states, t->closed);
    BDD starts = b_diff(&j->b, b_exist(&j->b, fresh, t->others), t->explored);
    if (starts != bddfalse) {
        t->cells = t->facts;
        b_set(&t->explored, b_or(&j->b, t->explored, starts));
        explore(j, t, starts);
        find_whole_turn(j, t);
        t->cells = t->states;
    }
    note_passed(j, t, fresh);
    BDD after = b_product(&j->b, turn_of(j, t, fresh), t->whole_turn, t->own_cube);
    b_set(&j->states, b_or(&j->b, j->states, b_rename(&j->b, after, t->start_to_now)));
    b_set(&t->closed, j->states);
    b_release(&j->b, mark);
}
