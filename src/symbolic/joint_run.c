/* The run to an error in joint states: turns backwards, and in every turn its layers backwards.
 *
 * Only the states before each turn were kept. A turn on the way is taken once more, with the new states of every step
 * and where they came from; a state is then followed back to one that the turn began with, and that one to the first
 * turn that led to it. */
#include "symbolic/script_int.h"
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct point { int thread, place; uint8_t *value; /* by BDD variable */ };

struct retrace {
    struct joint *j;
    struct script script; /* items backwards */
    struct point at;
    signed char *wanted;  /* by BDD variable: a value, -1: any */
};

static bool holds(BDD x, const uint8_t *value)
{
    while (x != bddtrue && x != bddfalse) x = value[bdd_var(x)] ? bdd_high(x) : bdd_low(x);
    return x == bddtrue;
}

static void pick(BDD x, uint8_t *value)
{
    assert(x != bddfalse);
    for (; x != bddtrue; x = value[bdd_var(x)] ? bdd_high(x) : bdd_low(x)) value[bdd_var(x)] = bdd_low(x) == bddfalse;
}

/* From the deepest variable up: each one is a node on top of what is there. */
static BDD wanted_values(struct retrace *w)
{
    BDD x = bddtrue;
    for (int level = w->j->var_count - 1; level >= 0; level--) {
        int v = bdd_level2var(level);
        if (w->wanted[v] >= 0) x = b_and(&w->j->b, w->wanted[v] ? bdd_ithvar(v) : bdd_nithvar(v), x);
    }
    return x;
}

/* Who is one step of this move before the present point. */
static BDD before_move(struct retrace *w, const struct joint_thread *t, const struct move *m)
{
    const uint8_t *value = w->at.value;
    for (int v = 0; v < w->j->var_count; v++) w->wanted[v] = (signed char)value[v];
    for (size_t i = 0; i < t->pc.len; i++) w->wanted[t->pc.at[i]] = -1;
    for (int i = 0; i < w->j->choice_count; i++) w->wanted[w->j->choice[i]] = -1;
    for (size_t i = 0; i < m->dropped.len; i++) w->wanted[m->dropped.at[i]] = -1;
    for (size_t i = 0; i < m->added.len; i++) w->wanted[m->added.at[i]] = -1;
    for (size_t i = 0; i < m->names.len; i++) w->wanted[m->names.at[i]] = -1;
    for (size_t i = 0; i < m->renamed.len; i++) w->wanted[m->renamed.at[i]] = (signed char)value[m->names.at[i]];
    return b_and(&w->j->b, m->rel, wanted_values(w));
}

static uint8_t *values_of(const struct retrace *w, const struct joint_thread *t)
{
    size_t n = w->j->p->vars.len;
    uint8_t *v = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) v[i] = w->at.value[t->e.now[i]];
    return v;
}

static void emit(struct retrace *w, const struct joint_thread *t, const struct move *m)
{
    uint8_t *after = values_of(w, t);
    if (m->edge < 0) w->script.locals[t->number] = after;
    else vec_push(&w->script.items, ((struct script_item){t->number, m->edge, after}));
}

static bool step_back(struct retrace *w, const struct joint_thread *t, size_t *layer)
{
    struct joint *j = w->j;
    const struct joint_layer *l = &j->layers.at[*layer];
    for (size_t i = 0; i < l->reasons; i++) {
        struct reason why = j->reasons.at[l->first_reason + i];
        const struct move *m = &t->moves.at[why.move];
        size_t mark = b_mark(&j->b);
        BDD x = b_and(&j->b, j->layers.at[why.layer].facts, before_move(w, t, m));
        if (x != bddfalse && holds(m->add, w->at.value)) {
            emit(w, t, m);
            pick(x, w->at.value);
            w->at.place = m->from;
            assert((size_t)why.layer < *layer);
            *layer = (size_t)why.layer;
            b_release(&j->b, mark);
            return true;
        }
        b_release(&j->b, mark);
    }
    return false;
}

/* The first layer that has the present point. */
static size_t find_layer(const struct retrace *w)
{
    const struct joint *j = w->j;
    for (size_t i = 0; i < j->layers.len; i++)
        if (j->layers.at[i].place == w->at.place && holds(j->layers.at[i].facts, w->at.value)) return i;
    BUG("a state that no turn leads to");
}

static void forget_layers(struct joint *j)
{
    for (size_t i = 0; i < j->layers.len; i++) bdd_delref(j->layers.at[i].facts);
    vec_clear(&j->layers), vec_clear(&j->reasons);
    for (size_t i = 0; i < j->p->nodes.len + 2; i++) vec_clear(&j->waiting[i]);
}

static void turn_again(struct retrace *w, const struct turn *turn)
{
    struct joint *j = w->j;
    struct joint_thread *t = &j->threads[turn->thread];
    forget_layers(j);
    b_set(&j->states, turn->before);
    b_set(&t->closed, bddfalse);
    j->hit.thread = -1;
    j->keep_layers = true;
    joint_turn(j, turn->thread);
    j->keep_layers = false;
    for (size_t i = 0; i < t->nodes.len; i++) b_set(&t->cells[i].all, bddfalse), b_set(&t->cells[i].fresh, bddfalse);
}

static void set_position(struct retrace *w, const struct joint_thread *t)
{
    for (size_t i = 0; i < t->pc.len; i++) w->at.value[t->pc.at[i]] = t->position[w->at.place] >> i & 1;
}

static int place_of(const struct retrace *w, const struct joint_thread *t)
{
    int number = 0, place = 0;
    for (size_t i = 0; i < t->pc.len; i++) number |= w->at.value[t->pc.at[i]] << i;
    while (place < (int)t->nodes.len && t->position[place] != number) place++;
    assert(place < (int)t->nodes.len);
    return place;
}

/* Back to a state that the turn began with. */
static void walk_turn(struct retrace *w, const struct turn *turn, size_t layer)
{
    struct joint *j = w->j;
    const struct joint_thread *t = &j->threads[turn->thread];
    for (;;) {
        b_ask(&j->b);
        if (t->position[w->at.place] >= 0) {
            set_position(w, t);
            if (holds(turn->before, w->at.value)) return;
        }
        if (!step_back(w, t, &layer)) BUG("a joint state without a reason: thread %d", turn->thread);
    }
}

static size_t first_turn_to(const struct retrace *w, size_t before)
{
    size_t i = before;
    while (i > 0 && holds(w->j->turns.at[i - 1].before, w->at.value)) i--;
    return i;
}

/* The point of the error, in the last turn. */
static size_t start_at_error(struct retrace *w, const struct joint_hit *hit)
{
    struct joint *j = w->j;
    const struct joint_thread *t = &j->threads[hit->thread];
    turn_again(w, &vec_last(&j->turns));
    if (j->hit.thread < 0) BUG("an error of round %d is gone", hit->round);
    const struct joint_layer *l = &vec_last(&j->layers);
    BDD bad = bddtrue;
    for (size_t i = 0; i < t->errors.len; i++)
        if (t->errors.at[i].place == j->hit.place && t->errors.at[i].edge == j->hit.edge) bad = t->errors.at[i].bad;
    w->at = (struct point){hit->thread, l->place, xcalloc((size_t)j->var_count + 1, 1)};
    pick(b_and(&j->b, l->facts, bad), w->at.value);
    w->script.error_thread = hit->thread;
    w->script.error_edge = j->hit.edge;
    w->script.error_node = t->nodes.at[l->place];
    return j->layers.len - 1;
}

static void set_first_state(struct retrace *w)
{
    const struct bp_program *p = w->j->p;
    for (size_t i = 0; i < p->shared.len; i++) w->script.first[i] = w->at.value[w->j->now[p->shared.at[i]]];
}

void joint_build_run(struct joint *j)
{
    size_t mark = b_mark(&j->b), turn = j->turns.len - 1;
    struct joint_hit hit = j->hit;
    struct retrace w = {.j = j, .wanted = xcalloc((size_t)j->var_count + 1, 1)};
    w.script.first = xcalloc(j->p->shared.len + 1, 1);
    w.script.locals = xcalloc(j->p->threads.len + 1, sizeof *w.script.locals);
    size_t layer = start_at_error(&w, &hit);
    for (;;) {
        walk_turn(&w, &j->turns.at[turn], layer);
        turn = first_turn_to(&w, turn);
        if (!turn) break;
        turn--;
        turn_again(&w, &j->turns.at[turn]);
        w.at.place = place_of(&w, &j->threads[j->turns.at[turn].thread]);
        layer = find_layer(&w);
    }
    set_first_state(&w);
    script_reverse(&w.script);
    script_play(&j->b, j->p, &j->live, &w.script, &j->r->run);
    j->r->has_run = true;
    j->hit = hit;
    script_release(j->p, &w.script);
    free(w.at.value), free(w.wanted);
    b_release(&j->b, mark);
}
