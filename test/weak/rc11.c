/* RC11, from the definitions of Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential consistency in C/C++11"
 * (2017), with the release sequences of C++20: a write and the read-modify-writes that continue it, whichever thread
 * they are of; later writes of the same thread do not belong to it any more.
 *
 *     rs       = [W >= rlx] ; (rf ; rmw)*
 *     sw       = [>= rel] ; ([F] ; po)? ; rs ; rf ; [R >= rlx] ; (po ; [F])? ; [>= acq]
 *     hb       = (po u sw)+
 *     rb       = rf^-1 ; mo
 *     eco      = (rf u mo u rb)+
 *     scb      = po u (po != loc ; hb ; po != loc) u (hb = loc) u mo u rb
 *     psc_base = ([SC] u [F SC] ; hb?) ; scb ; ([SC] u hb? ; [F SC])
 *     psc_F    = [F SC] ; (hb u hb ; eco ; hb) ; [F SC]
 *
 * Coherence: hb ; eco? is irreflexive. Atomicity: rmw has nothing in common with rb ; mo. SC: psc_base u psc_F is
 * acyclic. That po u rf is acyclic holds for every struct graph, since its events are numbered so.
 *
 * A read-modify-write is a read and a write, joined by rmw, as in the paper. Each of the two has the part of the memory
 * order that concerns it. Consume is acquire. A relaxed fence does nothing. Initial writes are plain and before
 * everything. A relation is a row of bits for each event. */
#include <stddef.h>
#include <string.h>

#include "litmus.h"

typedef uint64_t events;

struct relation {
    int n;
    events row[MAX_EVENTS];
};

static void clear(struct relation *r, int n)
{
    r->n = n;
    memset(r->row, 0, (size_t)n * sizeof r->row[0]);
}

static void unite(struct relation *r, const struct relation *s)
{
    for (int i = 0; i < r->n; i++)
        r->row[i] |= s->row[i];
}

static struct relation compose(const struct relation *r, const struct relation *s)
{
    struct relation out;
    clear(&out, r->n);
    for (int i = 0; i < r->n; i++)
        for (events left = r->row[i]; left; left &= left - 1)
            out.row[i] |= s->row[__builtin_ctzll(left)];
    return out;
}

/* [from] ; r ; [to] */
static struct relation between(events from, const struct relation *r, events to)
{
    struct relation out;
    clear(&out, r->n);
    for (int i = 0; i < r->n; i++)
        if (from >> i & 1)
            out.row[i] = r->row[i] & to;
    return out;
}

static struct relation identity(int n, events on)
{
    struct relation out;
    clear(&out, n);
    for (int i = 0; i < n; i++)
        out.row[i] = on & (events)1 << i;
    return out;
}

static struct relation or_same(struct relation r)
{
    for (int i = 0; i < r.n; i++)
        r.row[i] |= (events)1 << i;
    return r;
}

static void close_transitively(struct relation *r)
{
    for (int k = 0; k < r->n; k++)
        for (int i = 0; i < r->n; i++)
            if (r->row[i] >> k & 1)
                r->row[i] |= r->row[k];
}

static bool is_irreflexive(const struct relation *r)
{
    for (int i = 0; i < r->n; i++)
        if (r->row[i] >> i & 1)
            return false;
    return true;
}

static bool is_acyclic(struct relation r)
{
    close_transitively(&r);
    return is_irreflexive(&r);
}

/* What the axioms speak of. */
struct relations {
    int n;
    events reads, writes, fences, atomic, releases, acquires, sc;
    events at[MAX_PLACES];
    struct relation po, rf, mo, rb, rmw, hb, eco;
};

static bool releases(enum order o)
{
    return o >= ORDER_REL;
}

static bool acquires(enum order o)
{
    return o == ORDER_CON || o == ORDER_ACQ || o >= ORDER_AR;
}

/* Which sets an event belongs to. The order of a read-modify-write is cut in two: its read does not release, its write
 * does not acquire. */
static void classify(struct relations *k, const struct event *e, int i)
{
    events me = (events)1 << i;
    *(e->kind == EVENT_READ ? &k->reads : e->kind == EVENT_WRITE ? &k->writes : &k->fences) |= me;
    if (e->order != ORDER_NA)
        k->atomic |= me;
    if (releases(e->order) && e->kind != EVENT_READ)
        k->releases |= me;
    if (acquires(e->order) && e->kind != EVENT_WRITE)
        k->acquires |= me;
    if (e->order == ORDER_SC)
        k->sc |= me;
    if (e->place >= 0)
        k->at[e->place] |= me;
}

static void relate_threads(struct relations *k, const struct graph *g)
{
    for (int i = 0; i < g->events; i++) {
        const struct event *a = &g->event[i];
        for (int j = i + 1; j < g->events; j++)
            if (g->event[j].thread >= 0 && (a->thread < 0 || a->thread == g->event[j].thread))
                k->po.row[i] |= (events)1 << j;
        if (a->kind == EVENT_READ)
            k->rf.row[a->from] |= (events)1 << i;
        if (a->kind == EVENT_READ && a->is_exclusive)
            k->rmw.row[i] = (events)1 << (i + 1);
    }
}

static void relate_writes(struct relations *k, const struct graph *g)
{
    for (int p = 0; p < MAX_PLACES; p++) {
        events later = 0;
        for (int i = g->writes[p] - 1; i >= 0; i--) {
            k->mo.row[g->mo[p][i]] = later;
            later |= (events)1 << g->mo[p][i];
        }
    }
    for (int i = 0; i < g->events; i++)
        if (g->event[i].kind == EVENT_READ)
            k->rb.row[i] = k->mo.row[g->event[i].from];
}

static struct relation synchronises(const struct relations *k)
{
    struct relation rs = compose(&k->rf, &k->rmw);
    close_transitively(&rs);
    rs = or_same(rs);
    events heads = k->writes & k->atomic;
    rs = between(heads, &rs, k->writes);
    struct relation start = between(k->releases & k->fences, &k->po, heads), own = identity(k->n, k->releases & heads);
    unite(&start, &own);
    events read = k->reads & k->atomic;
    struct relation end = between(read, &k->po, k->acquires & k->fences), owned = identity(k->n, k->acquires & read);
    unite(&end, &owned);
    struct relation sw = compose(&start, &rs);
    sw = compose(&sw, &k->rf);
    return compose(&sw, &end);
}

static void relate(struct relations *k, const struct graph *g)
{
    int n = g->events;
    memset(k, 0, offsetof(struct relations, po));
    k->n = n;
    struct relation *all[] = {&k->po, &k->rf, &k->mo, &k->rb, &k->rmw};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clear(all[i], n);
    for (int i = 0; i < n; i++)
        classify(k, &g->event[i], i);
    relate_threads(k, g);
    relate_writes(k, g);
    k->hb = synchronises(k);
    unite(&k->hb, &k->po);
    close_transitively(&k->hb);
    k->eco = k->rf;
    unite(&k->eco, &k->mo);
    unite(&k->eco, &k->rb);
    close_transitively(&k->eco);
}

static bool is_coherent(const struct relations *k)
{
    struct relation path = compose(&k->hb, &k->eco);
    return is_irreflexive(&k->hb) && is_irreflexive(&path);
}

static bool is_atomic(const struct relations *k)
{
    struct relation apart = compose(&k->rb, &k->mo);
    for (int i = 0; i < k->n; i++)
        if (apart.row[i] & k->rmw.row[i])
            return false;
    return true;
}

/* The events at the same place as event i; none for a fence. */
static events same_place(const struct relations *k, int i)
{
    for (int p = 0; p < MAX_PLACES; p++)
        if (k->at[p] >> i & 1)
            return k->at[p];
    return 0;
}

static struct relation sc_before(const struct relations *k)
{
    struct relation apart = k->po, near = k->hb, out = k->po;
    for (int i = 0; i < k->n; i++) {
        events same = same_place(k, i);
        apart.row[i] &= ~same;
        near.row[i] &= same;
    }
    struct relation far = compose(&apart, &k->hb);
    far = compose(&far, &apart);
    unite(&out, &far);
    unite(&out, &near);
    unite(&out, &k->mo);
    unite(&out, &k->rb);
    return out;
}

static bool is_sc_ordered(const struct relations *k)
{
    if (!k->sc)
        return true;
    events fences = k->sc & k->fences, all = ~(events)0;
    struct relation maybe_hb = or_same(k->hb), any = identity(k->n, k->sc);
    struct relation first = between(fences, &maybe_hb, all), last = between(all, &maybe_hb, fences);
    unite(&first, &any);
    unite(&last, &any);
    struct relation scb = sc_before(k), psc = compose(&first, &scb);
    psc = compose(&psc, &last);
    struct relation over = compose(&k->hb, &k->eco);
    over = compose(&over, &k->hb);
    unite(&over, &k->hb);
    over = between(fences, &over, fences);
    unite(&psc, &over);
    return is_acyclic(psc);
}

void (*rc11_watcher)(const struct graph *g, const uint64_t *happens_before, bool allowed);

bool rc11_is_consistent(const struct graph *g)
{
    struct relations k;
    relate(&k, g);
    if (!is_coherent(&k) || !is_atomic(&k))
        return false;
    bool allowed = is_sc_ordered(&k);
    if (rc11_watcher)
        rc11_watcher(g, k.hb.row, allowed);
    return allowed;
}

bool rc11_has_race(const struct graph *g)
{
    struct relations k;
    relate(&k, g);
    for (int i = 0; i < k.n; i++)
        for (int j = i + 1; j < k.n; j++) {
            events both = (events)1 << i | (events)1 << j;
            bool conflict = same_place(&k, i) >> j & 1 && k.writes & both && (k.atomic & both) != both;
            if (conflict && !(k.hb.row[i] >> j & 1) && !(k.hb.row[j] >> i & 1))
                return true;
        }
    return false;
}
