/* A whole turn as one relation.
 *
 * What a thread does in its turn depends on the shared variables and on its own position and frames, and changes
 * nothing else. So it is explored on those alone, from every combination of them that occurs in the joint states:
 * facts relate the start of the turn and now. Where the turn can end, that is a relation, and one product with it
 * takes the turn of all joint states at once. Facts stay from turn to turn; only new combinations are explored. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>

static void make_cubes(struct joint *j, struct joint_thread *t, const int_list *now)
{
    bool *mine = xcalloc((size_t)j->var_count + 1, sizeof *mine);
    int_list others = {0};
    for (size_t i = 0; i < now->len; i++) mine[now->at[i]] = true;
    for (int v = 0; v < j->var_count; v++)
        if (!mine[v]) vec_push(&others, v);
    b_set(&t->own_cube, b_cube(&j->b, now->at, now->len));
    b_set(&t->others, b_cube(&j->b, others.at, others.len));
    vec_release(&others);
    free(mine);
}

static int deepest_first(const void *x, const void *y) { return *(const int *)y - *(const int *)x; }

void turns_init(struct joint *j, struct joint_thread *t)
{
    int_list now = {0}, start = {0}, from = {0}, to = {0};
    size_t mark = b_mark(&j->b);
    for (size_t i = 0; i < j->shared_now.len; i++)
        vec_push(&now, j->shared_now.at[i]), vec_push(&start, j->shared_start.at[i]);
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

/* With recursion a frame that is covered now may be where an earlier turn could have returned to. */
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
    BDD after = b_product(&j->b, t->covered.len ? j->states : fresh, t->whole_turn, t->own_cube);
    b_set(&j->states, b_or(&j->b, j->states, b_rename(&j->b, after, t->start_to_now)));
    b_set(&t->closed, j->states);
    b_release(&j->b, mark);
}
