/* Any number of threads: joint states of a few of them that speak for all.
 *
 * A view is what is seen of a configuration by somebody who looks at the shared variables, at all threads that are not
 * in slots, and at n threads of each group of slots (Abdulla, Haziza, Holik: All for the price of few). Joint states
 * have n + 1 slots of each group. A configuration of any size, all of whose views are views of joint states, is called
 * known. The set of joint states is closed here under one more rule: if all views of n + 1 slots are views of the set,
 * they are in the set. When neither turns nor this rule add anything, whatever a known configuration turns into is
 * known: the thread that takes the turn and any n others are n + 1 slots, hence in the set; so is what the turn makes
 * of them (threads that it starts beside them are not looked at), and with it the view of those n. Which n of the slots
 * a view is about must not matter: that is looked at once more at the end. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_CHOICES = 256 }; /* ways to leave out one slot of each group */

/* Everything that speaks of the thread, in the same order for all threads of a group. */
static void list_slot(const struct joint *j, int thread, int_list *out)
{
    const struct bp_thread *p = &j->p->threads.at[thread];
    const struct joint_thread *t = &j->threads[thread];
    vec_push(out, j->now[p->started]);
    for (size_t i = 0; i < p->args.len; i++) vec_push(out, j->now[p->args.at[i]]);
    for (size_t i = 0; i < t->pc.len; i++) vec_push(out, t->pc.at[i]);
    for (int n = 0; n < t->level_count; n++) {
        const struct frame_level *l = &t->levels[n];
        for (size_t i = 0; i < l->code.len; i++) vec_push(out, l->code.at[i]);
        for (int i = 0; i < l->width; i++) vec_push(out, l->slots[i].now);
        assert(!l->remembers);
    }
}

/* Choice number so many: one slot of each group is left out. */
static BDD view(struct joint *j, int choice)
{
    int_list vars = {0};
    for (size_t g = 0; g < j->p->slots.len; g++) {
        const struct bp_slots *s = &j->p->slots.at[g];
        list_slot(j, s->first + choice % s->count, &vars);
        choice /= s->count;
    }
    BDD x = b_exist(&j->b, j->states, b_cube(&j->b, vars.at, vars.len));
    vec_release(&vars);
    return x;
}

static int count_choices(const struct bp_program *p)
{
    int n = 1;
    for (size_t g = 0; g < p->slots.len && n <= MOST_CHOICES; g++) n *= p->slots.at[g].count;
    return n;
}

bool views_widen(struct joint *j)
{
    int choices = count_choices(j->p);
    if (!j->p->slots.len) return false;
    if (choices > MOST_CHOICES) b_leave(&j->b, CUT_VARIABLES);
    size_t mark = b_mark(&j->b);
    BDD all = bddtrue;
    for (int i = 0; i < choices; i++) all = b_and(&j->b, all, view(j, i));
    bool more = b_diff(&j->b, all, j->states) != bddfalse;
    b_set(&j->states, b_or(&j->b, j->states, all));
    b_release(&j->b, mark);
    return more;
}

/* With recursion: both have covered the same frames. */
static bool covered_alike(struct joint *j, int x, int y, bddPair *exchange)
{
    const struct joint_thread *a = &j->threads[x], *b = &j->threads[y];
    bool same = a->covered.len == b->covered.len;
    for (size_t i = 0; i < a->covered.len && same; i++)
        same = b_rename(&j->b, a->covered.at[i].frames, exchange) == b->covered.at[i].frames;
    return same;
}

/* Does the set stay the same if two slots of a group are exchanged? */
static bool may_exchange(struct joint *j, int x, int y)
{
    int_list mine = {0}, theirs = {0}, from = {0}, to = {0};
    list_slot(j, x, &mine), list_slot(j, y, &theirs);
    assert(mine.len == theirs.len);
    for (size_t i = 0; i < mine.len; i++) {
        vec_push(&from, mine.at[i]), vec_push(&to, theirs.at[i]);
        vec_push(&from, theirs.at[i]), vec_push(&to, mine.at[i]);
    }
    size_t mark = b_mark(&j->b);
    bddPair *exchange = b_pair(&j->b, from.at, to.at, from.len);
    bool same = b_rename(&j->b, j->states, exchange) == j->states && covered_alike(j, x, y, exchange);
    b_release(&j->b, mark);
    vec_release(&mine), vec_release(&theirs), vec_release(&from), vec_release(&to);
    return same;
}

bool views_agree(struct joint *j)
{
    bool agree = true;
    for (size_t g = 0; g < j->p->slots.len; g++)
        for (int i = 1; i < j->p->slots.at[g].count && agree; i++)
            agree = may_exchange(j, j->p->slots.at[g].first + i - 1, j->p->slots.at[g].first + i);
    return agree;
}
