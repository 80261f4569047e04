/* Where every loop of a system is cut, so that reduction needs no look at the search.
 *
 * The danger of partial order reduction is that a cycle of states is closed in each of which one process went first, so
 * that the others never have their turn. Call such a cycle bad. In *sticky* control states a process never goes first;
 * there are enough of them if no bad cycle remains. On a cycle
 *  - every process that moves comes back to its control state, by a cycle of its control graph. (One that dies and is
 *    created anew does not; but then `run` is on the cycle, and that is never in an ample set);
 *  - what is taken from a channel is put into it as well, and the other way round;
 *  - a variable that only grows in some of the steps is set back by others of the same process (counters.c);
 * and on a bad cycle there is neither a step from a sticky state nor a rendezvous, which is never in an ample set. So
 * we begin with all steps and take away those that cannot be on a bad cycle because of what is left, until nothing
 * changes. If something is left, some control state of it becomes sticky: one that costs least, which is one whose
 * steps would depend on others anyway, then one with many ways through it; and so on until nothing is left.
 *
 * This is decided for the processes that there are and the channels that they hold from their start: neither changes
 * on a bad cycle. Nothing in it depends on the order of a search. In a ring of processes that pass messages on, it is
 * enough that one of them is sticky. Where there are very many steps, each proctype is taken by itself.
 * Kurshan, Levin, Minea, Peled, Yenigun, "Static partial order reduction" (1998) cut the control graphs alone. */
#include "model/loops_int.h"

#include <assert.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 14 }; /* of a system; with more, every proctype is cut by itself */

/* How much reduction is lost where a process never goes first, from nothing to much. */
enum { COST_NONE, COST_VARIABLES, COST_CHANNELS, COST_CHOICE, COST_QUEUE, COST_LOCAL };

/* ---- the cut of one system ---- */

struct player {
    const struct loops *l;
    int pid;
    bool *left;      /* [hop]: may be on a bad cycle */
    int *component;  /* [state], -1: on no cycle */
    bool *sticky;    /* [state] */
};

struct system {
    const struct moment *t; /* NULL: one player, nothing is known of the others */
    struct player *players;
    int count;
    bool *sent, *received;  /* [channel]: by a step that is left; 0: somebody uses one that is not known */
};

/* Strongly connected components (Tarjan), with a stack of our own: a proctype can have thousands of states in a row. */
struct visit { int state; size_t next; };
struct components { struct player *p; int *number, *low, numbers; VEC(struct visit) path; VEC(int) open; };

static void enter(struct components *t, int c)
{
    t->number[c] = t->low[c] = ++t->numbers;
    vec_push(&t->path, ((struct visit){c, t->p->l->begin[c]}));
    vec_push(&t->open, c);
}

static bool has_loop(const struct player *p, int c)
{
    for (size_t h = p->l->begin[c]; h < p->l->begin[c + 1]; h++)
        if (p->left[h] && p->l->hops[h].to == c) return true;
    return false;
}

static void leave(struct components *t, int c)
{
    assert(vec_last(&t->path).state == c && t->low[c] <= t->number[c]);
    t->path.len--;
    if (t->path.len) {
        int below = vec_last(&t->path).state;
        t->low[below] = MIN(t->low[below], t->low[c]);
    }
    if (t->low[c] != t->number[c]) return;
    bool cyclic = vec_last(&t->open) != c || has_loop(t->p, c);
    for (int member = 0; member != c;) {
        member = vec_pop(&t->open);
        t->number[member] = t->p->l->count + 1; /* closed: above all numbers */
        t->p->component[member] = cyclic ? c : -1;
    }
}

static void visit_all(struct components *t, int start)
{
    const struct loops *l = t->p->l;
    enter(t, start);
    while (t->path.len) {
        struct visit *v = &vec_last(&t->path);
        int c = v->state;
        if (v->next == l->begin[c + 1]) {
            leave(t, c);
            continue;
        }
        size_t h = v->next++;
        int to = l->hops[h].to;
        if (!t->p->left[h]) continue;
        if (!t->number[to]) enter(t, to);
        else t->low[c] = MIN(t->low[c], t->number[to]);
    }
}

static void find_components(struct player *p)
{
    struct components t = {.p = p};
    t.number = xcalloc((size_t)p->l->count, sizeof *t.number);
    t.low = xcalloc((size_t)p->l->count, sizeof *t.low);
    for (int c = 1; c < p->l->count; c++)
        if (!t.number[c]) visit_all(&t, c);
    assert(!t.open.len && t.numbers == p->l->count - 1); /* every state is in one component */
    vec_release(&t.path);
    vec_release(&t.open);
    free(t.number);
    free(t.low);
}

static bool drop(struct player *p, size_t h)
{
    assert(h < p->l->hop_count && p->left[h]);
    p->left[h] = false;
    return true;
}

static bool drop_off_cycles(struct player *p)
{
    bool changed = false;
    find_components(p);
    for (size_t h = 0; h < p->l->hop_count; h++) {
        int from = p->component[p->l->hops[h].from], to = p->component[p->l->hops[h].to];
        if (p->left[h] && (from < 0 || from != to)) changed |= drop(p, h);
    }
    return changed;
}

static bool drop_counting(struct player *p)
{
    bool changed = false;
    uint64_t spoiled = 0;
    for (size_t h = 0; h < p->l->hop_count; h++)
        if (p->left[h]) spoiled |= p->l->hops[h].spoils;
    for (size_t h = 0; h < p->l->hop_count; h++)
        if (p->left[h] && p->l->hops[h].counts & ~spoiled) changed |= drop(p, h);
    return changed;
}

static void note_uses(struct system *x, const struct player *p, const struct channel_use *u)
{
    struct channel_ref r = channel_resolve(x->t, &u->ref, p->pid);
    int channels = (int)x->t->shape->channel_count;
    for (int q = r.number; q < r.number + MAX(r.count, 1); q++) {
        int at = r.count && q >= 1 && q <= channels ? q : 0;
        if (u->ops & OP_SENDS) x->sent[at] = true;
        if (u->ops & OP_RECEIVES) x->received[at] = true;
    }
}

static void note_traffic(struct system *x)
{
    size_t channels = x->t->shape->channel_count + 1;
    memset(x->sent, 0, channels * sizeof *x->sent);
    memset(x->received, 0, channels * sizeof *x->received);
    for (int i = 0; i < x->count; i++)
        for (size_t h = 0; h < x->players[i].l->hop_count; h++)
            for (size_t k = 0; x->players[i].left[h] && k < x->players[i].l->hops[h].may_count; k++)
                note_uses(x, &x->players[i], &x->players[i].l->hops[h].may[k]);
}

/* The channel that the step surely uses, 0 if that is not known. */
static int first_channel(const struct system *x, const struct player *p, const struct hop *h)
{
    if (!h->first.ops) return 0;
    struct channel_ref r = channel_resolve(x->t, &h->first.ref, p->pid);
    return r.count == 1 && r.number >= 1 && r.number <= (int)x->t->shape->channel_count ? r.number : 0;
}

static bool drop_unbalanced(struct system *x)
{
    bool changed = false;
    note_traffic(x);
    for (int i = 0; i < x->count; i++) {
        struct player *p = &x->players[i];
        for (size_t h = 0; h < p->l->hop_count; h++) {
            int q = p->left[h] ? first_channel(x, p, &p->l->hops[h]) : 0;
            const bool *other = p->l->hops[h].first.ops == OP_SENDS ? x->received : x->sent;
            if (q && !other[q] && !other[0]) changed |= drop(p, h);
        }
    }
    return changed;
}

static void drop_all(struct system *x)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < x->count; i++)
            while ((int)drop_off_cycles(&x->players[i]) | (int)drop_counting(&x->players[i])) changed = true;
        if (x->t) changed |= drop_unbalanced(x);
    }
}

/* The number of ways through each state, by steps that are left. */
static int64_t *count_ways(const struct player *p)
{
    int64_t *in = xcalloc((size_t)p->l->count, sizeof *in), *out = xcalloc((size_t)p->l->count, sizeof *out);
    for (size_t h = 0; h < p->l->hop_count; h++)
        if (p->left[h]) out[p->l->hops[h].from]++, in[p->l->hops[h].to]++;
    for (int c = 1; c < p->l->count; c++) out[c] *= in[c];
    free(in);
    return out;
}

struct choice { struct player *player; int state; int64_t ways; };

static void choose_in(struct player *p, struct choice *best)
{
    int64_t *ways = count_ways(p);
    for (int c = 1; c < p->l->count; c++) {
        if (!ways[c]) continue;
        int cost = p->l->cost[c], lowest = best->player ? best->player->l->cost[best->state] : INT_MAX;
        if (cost < lowest || (cost == lowest && ways[c] > best->ways)) *best = (struct choice){p, c, ways[c]};
    }
    free(ways);
}

/* One more sticky state; false if nothing is left to cut. */
static bool cut_one(struct system *x)
{
    struct choice best = {0};
    for (int i = 0; i < x->count; i++) choose_in(&x->players[i], &best);
    if (!best.player) return false;
    const struct loops *l = best.player->l;
    assert(!best.player->sticky[best.state]); /* or it would have no steps left */
    best.player->sticky[best.state] = true;
    for (size_t h = l->begin[best.state]; h < l->begin[best.state + 1]; h++) best.player->left[h] = false;
    return true;
}

static void player_init(struct player *p, const struct loops *l, int pid, bool *sticky)
{
    *p = (struct player){l, pid, xcalloc(l->hop_count + 1, sizeof *p->left),
                         xcalloc((size_t)l->count, sizeof *p->component), sticky};
    for (size_t h = 0; h < l->hop_count; h++) p->left[h] = l->cost[l->hops[h].from] != COST_NONE;
}

static void player_release(struct player *p)
{
    free(p->left);
    free(p->component);
}

/* ---- the cut of a state's system ---- */

/* Sticky states of all processes: those of process i begin at `at[i]`. */
struct cut {
    struct cut *next;
    const struct shape *shape;
    bool *sticky;
    u32 *at;
    u32 channel_count;
    u8 channels[]; /* what the locals hold, process by process */
};

static bool is_known_rendezvous(const struct system *x, const struct player *p, const struct hop *h)
{
    int q = first_channel(x, p, h);
    return q && !x->t->m->layout.kinds.at[x->t->shape->channel_kind[q - 1]].capacity;
}

static const struct loops *loops_of(const struct independence *d, const struct moment *t, int pid)
{
    return &d->loops[t->shape->process_type[pid]];
}

static void cut_system(const struct independence *d, const struct moment *t, struct cut *cut)
{
    size_t n = t->shape->process_count, channels = t->shape->channel_count + 1;
    struct system x = {t, xcalloc(n, sizeof *x.players), (int)n, xcalloc(channels, sizeof *x.sent),
                       xcalloc(channels, sizeof *x.received)};
    for (int i = 0; i < x.count; i++) {
        struct player *p = &x.players[i];
        player_init(p, loops_of(d, t, i), i, cut->sticky + cut->at[i]);
        for (size_t h = 0; h < p->l->hop_count; h++)
            if (is_known_rendezvous(&x, p, &p->l->hops[h])) p->left[h] = false;
    }
    do drop_all(&x);
    while (cut_one(&x));
    for (int i = 0; i < x.count; i++) assert(!memchr(x.players[i].left, true, x.players[i].l->hop_count));
    for (int i = 0; i < x.count; i++) player_release(&x.players[i]);
    free(x.players);
    free(x.sent);
    free(x.received);
}

static u32 channels_of(const struct independence *d, const struct moment *t, u8 *out)
{
    u32 n = 0;
    for (int i = 0; i < (int)t->shape->process_count; i++) {
        const struct loops *l = loops_of(d, t, i);
        for (size_t k = 0; k < l->channels.len; k++, n++)
            if (out) out[n] = t->state[t->shape->process_at[i] + placing_of(l->channels.at[k])->offset];
    }
    return n;
}

static bool is_cut_of(const struct independence *d, const struct moment *t, const struct cut *cut)
{
    u32 n = 0;
    if (cut->shape != t->shape) return false;
    for (int i = 0; i < (int)t->shape->process_count; i++) {
        const struct loops *l = loops_of(d, t, i);
        const u8 *frame = t->state + t->shape->process_at[i];
        for (size_t k = 0; k < l->channels.len; k++)
            if (cut->channels[n++] != frame[placing_of(l->channels.at[k])->offset]) return false;
    }
    return true;
}

static struct cut *cut_new(const struct independence *d, const struct moment *t)
{
    u32 n = t->shape->process_count, channels = channels_of(d, t, NULL), states = 0;
    size_t steps = 0;
    struct cut *c = xcalloc(1, sizeof *c + channels);
    c->shape = t->shape;
    c->channel_count = channels;
    channels_of(d, t, c->channels);
    c->at = xcalloc(n + 1, sizeof *c->at);
    for (u32 i = 0; i < n; i++) {
        c->at[i] = states;
        states += (u32)loops_of(d, t, (int)i)->count;
        steps += loops_of(d, t, (int)i)->hop_count;
    }
    c->sticky = xcalloc(states + 1, sizeof *c->sticky);
    if (steps <= MOST_STEPS && !(t->m->without & ANALYSIS_BALANCE)) cut_system(d, t, c);
    else
        for (u32 i = 0; i < n; i++) {
            const struct loops *l = loops_of(d, t, (int)i);
            memcpy(c->sticky + c->at[i], l->always, (size_t)l->count * sizeof *l->always);
        }
    return c;
}

/* Two that look for the same one at the same time may both make it: they are equal. */
static const struct cut *cut_of(struct independence *d, const struct moment *t)
{
    struct cut *_Atomic *slot = &d->cuts[t->shape->id % CUT_SLOTS];
    struct cut *first = atomic_load_explicit(slot, memory_order_acquire);
    for (const struct cut *c = first; c; c = c->next)
        if (is_cut_of(d, t, c)) return c;
    struct cut *c = cut_new(d, t);
    c->next = first;
    while (!atomic_compare_exchange_weak_explicit(slot, &c->next, c, memory_order_release, memory_order_relaxed)) {}
    return c;
}

bool sticky_at(struct independence *d, const struct moment *t, int pid)
{
    const struct cut *c = cut_of(d, t);
    assert_costly(is_cut_of(d, t, c) && pid >= 0 && pid < (int)t->shape->process_count);
    return c->sticky[c->at[pid] + (u32)state_pc(t->m, t->shape, t->state, pid)];
}

/* ---- what is known from the start ---- */

/* What the processes of all proctypes may do, taken together: the variables that any of them touches, and each
 * different use of a channel once. So each control state is compared with one set and not with every proctype. */
static void add_use(struct footprint *all, const struct channel_use *u)
{
    const struct channel_ref *r = &u->ref;
    for (size_t i = 0; i < all->channels.len; i++) {
        const struct channel_use *known = &all->channels.at[i];
        const struct channel_ref *k = &known->ref;
        if (!k->local == !r->local && k->number == r->number && k->count == r->count && known->ops == u->ops) return;
    }
    vec_push(&all->channels, *u);
}

static struct footprint *everybody(struct promela_model *m, const struct independence *d)
{
    struct footprint *all = footprints_new(m, 1, d->words);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        const struct footprint *theirs = &d->future[i][a->initial];
        struct footprint variables = *theirs;
        if (a->proctype->kind != PROC_PROCTYPE && a->proctype->kind != PROC_INIT) continue;
        variables.channels.len = 0;
        footprint_join(all, &variables, d->words);
        for (size_t k = 0; k < theirs->channels.len; k++) add_use(all, &theirs->channels.at[k]);
    }
    return all;
}

/* Locals may hold any channel here. */
static int channel_cost(const struct footprint *mine, const struct footprint *all)
{
    int cost = COST_LOCAL;
    for (size_t i = 0; i < mine->channels.len; i++)
        for (size_t k = 0; k < all->channels.len; k++) {
            const struct channel_use *a = &mine->channels.at[i], *b = &all->channels.at[k];
            if (!a->ref.local && !b->ref.local && !may_be_same(&a->ref, &b->ref)) continue;
            unsigned ends = (a->ops | b->ops) & ~(unsigned)OP_ONLY_LOOKS, both = a->ops & b->ops;
            bool apart = ends == (OP_SENDS | OP_RECEIVES) && !both && a->most < UNBOUNDED;
            cost = MIN(cost, !apart ? COST_CHANNELS : mine->channels.len > 1 ? COST_CHOICE : COST_QUEUE);
        }
    return cost;
}

static int cost_of(const struct independence *d, const struct footprint *mine, const struct footprint *all)
{
    if (mine->runs) return COST_NONE;
    return variables_conflict(mine, all, d->words) ? COST_VARIABLES : channel_cost(mine, all);
}

static void cut_alone(struct promela_model *m, struct loops *l)
{
    struct player p;
    struct system x = {.players = &p, .count = 1};
    player_init(&p, l, 0, l->always);
    do drop_all(&x);
    while (cut_one(&x) && !model_is_over(m));
    assert(m->over || !memchr(p.left, true, l->hop_count)); /* no bad cycle remains */
    player_release(&p);
}

void sticky_build(struct promela_model *m, struct independence *d)
{
    size_t n = m->flow.automata.len;
    struct footprint *all = everybody(m, d);
    d->loops = arena_alloc(&m->arena, n * sizeof *d->loops);
    for (size_t i = 0; i < n && !model_is_over(m); i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        struct loops *l = &d->loops[i];
        size_t states = (size_t)a->count;
        loops_build(m, a, d->next[i], l);
        l->cost = arena_alloc(&m->arena, states * sizeof *l->cost);
        l->always = arena_alloc(&m->arena, states * sizeof *l->always);
        for (int c = 1; c < a->count; c++) l->cost[c] = cost_of(d, &d->next[i][c], all);
        if (l->hop_count <= MOST_HOPS) cut_alone(m, l);
        else memset(l->always, 1, states * sizeof *l->always);
    }
    vec_release(&all->channels);
}

void sticky_release(struct promela_model *m, struct independence *d)
{
    for (size_t i = 0; d->loops && i < m->flow.automata.len; i++) vec_release(&d->loops[i].channels);
    for (size_t i = 0; i < CUT_SLOTS; i++)
        for (struct cut *c = d->cuts[i], *next; c; c = next) {
            next = c->next;
            free(c->at);
            free(c->sticky);
            free(c);
        }
}
