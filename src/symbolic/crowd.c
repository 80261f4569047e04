/* Threads that nobody can tell apart, counted.
 *
 * Of such a crowd one thread, whoever it is, is there with its position and frames; of the others it is only known how
 * many are in which state (Pnueli, Xu, Zuck: Liveness with (0,1,infinity)-counter abstraction). Two things happen to a
 * crowd: the one that is seen takes its turn, or it goes back into the crowd and another comes out. A counter that
 * cannot count all of them stops at its highest value, which then means that or more, and whoever leaves may leave as
 * many behind or one fewer. So a set that is closed under both contains what every schedule can lead to, for any choice
 * of the thread that is seen: it can be too large, but nothing is missing. How large the crowd is hardly matters then.
 *
 * Those that have ended are not counted, since they do nothing. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_LOCALS = 64 }; /* states of a thread that are counted */

/* A state of a thread of the crowd, and how one more or one fewer is in it. */
struct crowd_local { BDD own, more, less; bddPair *next_to_now; BDD counter; };

struct crowd {
    struct joint_thread *t;
    int others;             /* threads beside the one that is seen */
    int first;              /* BDD variable; per state so many bits now, each with its next value beside it */
    BDD not_own, own;       /* cubes */
    VEC(struct crowd_local) locals;
    BDD mixed, pools;       /* joint states that went back into the crowd, and that with nobody to be seen */
};

/* ---- counters ---- */

static int highest(const struct joint *j) { return (1 << j->q.counter_bits) - 1; }

static int now_bit(const struct joint *j, const struct crowd *c, int local, int bit)
{
    return c->first + 2 * (local * j->q.counter_bits + bit);
}

static BDD counter_is(struct joint *j, const struct crowd *c, int local, int value, bool next)
{
    BDD x = bddtrue;
    for (int i = j->q.counter_bits - 1; i >= 0; i--) {
        int v = now_bit(j, c, local, i) + next;
        x = b_and(&j->b, x, value >> i & 1 ? bdd_ithvar(v) : bdd_nithvar(v));
    }
    return x;
}

static BDD counter_goes(struct joint *j, const struct crowd *c, int local, int from, int to)
{
    return b_and(&j->b, counter_is(j, c, local, from, false), counter_is(j, c, local, to, true));
}

static BDD counts_more(struct joint *j, const struct crowd *c, int local)
{
    int top = highest(j);
    BDD x = top <= c->others ? counter_goes(j, c, local, top, top) : bddfalse;
    for (int i = 0; i < top; i++) x = b_or(&j->b, x, counter_goes(j, c, local, i, i + 1));
    return x;
}

static BDD counts_less(struct joint *j, const struct crowd *c, int local)
{
    int top = highest(j);
    BDD x = top <= c->others ? counter_goes(j, c, local, top, top) : bddfalse;
    for (int i = 0; i < top; i++) x = b_or(&j->b, x, counter_goes(j, c, local, i + 1, i));
    return x;
}

bool crowds_count_all(const struct joint *j)
{
    bool all = true;
    for (int i = 0; i < j->crowd_count; i++) all &= highest(j) > j->crowds[i].others;
    return all;
}

/* ---- states of a thread ---- */

static void add_local(struct joint *j, struct crowd *c, BDD own)
{
    struct crowd_local x = {.own = bdd_addref(own)};
    int_list now = {0}, next = {0};
    int number = (int)c->locals.len;
    if (number == MOST_LOCALS) b_leave(&j->b, CUT_VARIABLES);
    for (int i = 0; i < j->q.counter_bits; i++) {
        vec_push(&now, now_bit(j, c, number, i));
        vec_push(&next, now_bit(j, c, number, i) + 1);
    }
    x.more = bdd_addref(counts_more(j, c, number)), x.less = bdd_addref(counts_less(j, c, number));
    x.counter = bdd_addref(b_cube(&j->b, now.at, now.len));
    x.next_to_now = b_pair(&j->b, next.at, now.at, now.len);
    vec_push(&c->locals, x);
    vec_release(&now), vec_release(&next);
}

static int number_at(const int_list *bits, const uint8_t *value)
{
    int number = 0;
    for (size_t i = 0; i < bits->len; i++) number |= value[bits->at[i]] << i;
    return number;
}

static void list_live(const struct joint *j, const struct joint_thread *t, int proc, int node,
                      const struct bp_edge *call, int_list *out)
{
    const int_list *locals = &j->p->procs.at[proc].locals;
    for (size_t i = 0; i < locals->len; i++) {
        bool result = false;
        for (size_t k = 0; call && k < call->results.len; k++) result |= call->results.at[k] == locals->at[i];
        if (!result && boolprog_is_live(j->p, &j->live, node, locals->at[i])) vec_push(out, t->e.now[locals->at[i]]);
    }
}

/* The BDD variables that mean something for a thread at this place, with these calls below it. */
static void list_active(const struct joint *j, const struct joint_thread *t, int place, const uint8_t *value,
                        int_list *out)
{
    int node = t->nodes.at[place];
    const struct bp_edge *call = NULL;
    for (size_t i = 0; i < t->pc.len; i++) vec_push(out, t->pc.at[i]);
    while (node >= 0) {
        int proc = j->p->nodes.at[node].proc;
        const struct frame_level *l = &t->levels[t->level[proc]];
        list_live(j, t, proc, node, call, out);
        for (size_t i = 0; i < l->code.len; i++) vec_push(out, l->code.at[i]);
        int code = t->codes[proc].at[number_at(&l->code, value)];
        assert(code != RETURNS_INSIDE); /* no recursion */
        call = code >= 0 ? &j->p->edges.at[code] : NULL;
        node = call ? call->to : -1;
    }
}

static int place_at(const struct joint_thread *t, int position)
{
    int place = 0;
    while (place < (int)t->nodes.len && t->position[place] != position) place++;
    assert(place < (int)t->nodes.len);
    return place;
}

/* One of the states in this set of values of the thread's own variables. */
static BDD one_local(struct joint *j, const struct joint_thread *t, BDD own)
{
    uint8_t *value = xcalloc((size_t)j->var_count + 1, 1);
    int_list active = {0};
    for (BDD x = own; x != bddtrue; x = value[bdd_var(x)] ? bdd_high(x) : bdd_low(x))
        value[bdd_var(x)] = bdd_low(x) == bddfalse;
    list_active(j, t, place_at(t, number_at(&t->pc, value)), value, &active);
    BDD x = bddtrue;
    for (size_t i = 0; i < active.len; i++)
        x = b_and(&j->b, x, value[active.at[i]] ? bdd_ithvar(active.at[i]) : bdd_nithvar(active.at[i]));
    vec_release(&active);
    free(value);
    return x;
}

static void find_locals(struct joint *j, struct crowd *c, BDD states)
{
    BDD own = b_diff(&j->b, b_exist(&j->b, states, c->not_own), c->t->at[c->t->done]);
    for (size_t i = 0; i < c->locals.len; i++) own = b_diff(&j->b, own, c->locals.at[i].own);
    while (own != bddfalse) {
        BDD x = one_local(j, c->t, own);
        add_local(j, c, x);
        own = b_diff(&j->b, own, x);
    }
}

/* ---- who is seen ---- */

static BDD go_back(struct joint *j, struct crowd *c, BDD states)
{
    BDD pools = b_product(&j->b, states, c->t->at[c->t->done], c->own);
    for (size_t i = 0; i < c->locals.len; i++) {
        const struct crowd_local *l = &c->locals.at[i];
        BDD x = b_product(&j->b, states, l->own, c->own);
        if (x == bddfalse) continue;
        x = b_rename(&j->b, b_product(&j->b, x, l->more, l->counter), l->next_to_now);
        pools = b_or(&j->b, pools, x);
    }
    return pools;
}

static BDD come_out(struct joint *j, struct crowd *c, BDD pools)
{
    BDD states = bddfalse;
    for (size_t i = 0; i < c->locals.len; i++) {
        const struct crowd_local *l = &c->locals.at[i];
        BDD x = b_product(&j->b, pools, l->less, l->counter);
        if (x != bddfalse) states = b_or(&j->b, states, b_and(&j->b, b_rename(&j->b, x, l->next_to_now), l->own));
    }
    return states;
}

static bool mix(struct joint *j, struct crowd *c)
{
    size_t mark = b_mark(&j->b);
    BDD fresh = b_diff(&j->b, j->states, c->mixed);
    if (fresh != bddfalse) {
        find_locals(j, c, fresh);
        BDD pools = b_diff(&j->b, go_back(j, c, fresh), c->pools);
        b_set(&c->pools, b_or(&j->b, c->pools, pools));
        b_set(&j->states, b_or(&j->b, j->states, come_out(j, c, pools)));
        b_set(&c->mixed, j->states);
    }
    b_release(&j->b, mark);
    return fresh != bddfalse;
}

bool crowds_mix(struct joint *j, int thread)
{
    for (int i = 0; i < j->crowd_count; i++)
        if (j->crowds[i].t->number == thread) return mix(j, &j->crowds[i]);
    return false;
}

/* ---- before ---- */

void crowds_number(struct joint *j)
{
    if (!j->q.like) return;
    j->crowds = xcalloc(j->p->threads.len + 1, sizeof *j->crowds);
    for (size_t i = 0; i < j->p->threads.len; i++) {
        if (j->q.like[i] < 2) continue;
        struct crowd c = {.t = &j->threads[i], .others = j->q.like[i] - 1, .first = j->var_count};
        for (int k = 0; k < MOST_LOCALS; k++) vec_push(&j->block_starts, j->var_count + 2 * k * j->q.counter_bits);
        j->var_count += 2 * MOST_LOCALS * j->q.counter_bits;
        j->crowds[j->crowd_count++] = c;
    }
}

static BDD all_but_own(struct joint *j, const struct crowd *c)
{
    bool *own = xcalloc((size_t)j->var_count + 1, sizeof *own);
    int_list others = {0};
    for (size_t i = 0; i < c->t->own.len; i++) own[c->t->own.at[i]] = true;
    for (int v = 0; v < j->var_count; v++)
        if (!own[v]) vec_push(&others, v);
    BDD cube = b_cube(&j->b, others.at, others.len);
    vec_release(&others);
    free(own);
    return cube;
}

/* All of them are at the start. */
BDD crowds_initial(struct joint *j)
{
    BDD x = bddtrue;
    for (int i = 0; i < j->crowd_count; i++) {
        struct crowd *c = &j->crowds[i];
        b_set(&c->own, b_cube(&j->b, c->t->own.at, c->t->own.len));
        b_set(&c->not_own, all_but_own(j, c));
        add_local(j, c, c->t->at[c->t->start]);
        for (int k = MOST_LOCALS - 1; k >= 0; k--)
            x = b_and(&j->b, counter_is(j, c, k, k ? 0 : MIN(c->others, highest(j)), false), x);
    }
    return x;
}

void crowds_release(struct joint *j)
{
    for (int i = 0; i < j->crowd_count; i++) vec_release(&j->crowds[i].locals);
    free(j->crowds);
}
