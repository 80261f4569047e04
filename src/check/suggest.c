/* --suggest-orders: which memory orders have to be stronger, or could be weaker. Nothing is reasoned about: every
 * change is tried by a check like the one that was asked for, with these orders in the place of the program's.
 *
 * A place is a line of the program and what it does there; all code that was made from it gets the same order. If the
 * check fails, one stronger order is tried after the other, then pairs, the weakest first; if there is no such pair,
 * all places are made seq_cst, and then each as weak as the check allows. If the check passes, each place is made as
 * weak as it allows, one after the other, and stays so. */
#include "check/native_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 64, MOST_PAIRS = 2000, MOST_NAMES = 3 };

struct place {
    const char *file;
    int line;
    enum rt_site_kind kind;
    int order, given;
    uint64_t address[MOST_NAMES]; /* of what it accesses, as far as it was seen */
    int addresses;
};

struct suggester {
    struct check *check;
    struct rt_site sites[RT_MAX_SITES];
    uint32_t site_count;
    int place_of[RT_MAX_SITES]; /* -1: none of the program's own */
    struct place places[MOST_PLACES];
    int place_count;
    uint64_t tried;
    bool cut_short;
};

/* The orders that make sense, weaker ones first; ended by -1. */
static const int *orders_of(enum rt_site_kind kind)
{
    static const int loads[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_SEQ_CST, -1},
                     stores[] = {__ATOMIC_RELAXED, __ATOMIC_RELEASE, __ATOMIC_SEQ_CST, -1},
                     both[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL,
                               __ATOMIC_SEQ_CST, -1};
    return kind == RT_SITE_LOAD || kind == RT_SITE_FAILURE ? loads : kind == RT_SITE_STORE ? stores : both;
}

static bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
static bool releases(int order) { return order >= __ATOMIC_RELEASE; }

/* Everything that `weak` does, and more. */
static bool is_stronger(int strong, int weak)
{
    if (strong == weak || (weak == __ATOMIC_CONSUME && strong == __ATOMIC_ACQUIRE)) return false;
    return (acquires(strong) || !acquires(weak)) && (releases(strong) || !releases(weak)) &&
           (strong == __ATOMIC_SEQ_CST || weak != __ATOMIC_SEQ_CST);
}

static int find_place(struct suggester *s, const struct place *p)
{
    for (int i = 0; i < s->place_count; i++) {
        const struct place *q = &s->places[i];
        if (q->line == p->line && q->kind == p->kind && q->order == p->order && !strcmp(q->file, p->file)) return i;
    }
    if (s->place_count == MOST_PLACES) return -1;
    s->places[s->place_count] = *p;
    return s->place_count++;
}

static void add_address(struct place *p, uint64_t address)
{
    for (int i = 0; i < p->addresses; i++)
        if (p->address[i] == address) return;
    if (address && p->addresses < MOST_NAMES) p->address[p->addresses++] = address;
}

/* Sites that an exploration met and those before it did not belong to places, too. */
static void learn_sites(struct suggester *s, const struct rt_shared *from)
{
    for (uint32_t i = s->site_count; i < from->site_count; i++) {
        struct source_place at;
        s->sites[i] = from->sites[i];
        s->place_of[i] = -1;
        if (!native_site_place(&s->sites[i], s->check->symbols, &at)) continue;
        struct place p = {.file = at.file, .line = at.line, .kind = s->sites[i].kind,
                          .order = s->sites[i].order, .given = s->sites[i].order};
        s->place_of[i] = find_place(s, &p);
        if (s->place_of[i] >= 0) add_address(&s->places[s->place_of[i]], s->sites[i].address);
    }
    s->site_count = MAX(s->site_count, from->site_count);
}

static void give_orders(struct suggester *s)
{
    for (uint32_t i = 0; i < s->site_count; i++) {
        const struct place *p = s->place_of[i] >= 0 ? &s->places[s->place_of[i]] : NULL;
        s->sites[i].has_given = p && p->given != p->order;
        s->sites[i].given = p ? (uint8_t)p->given : 0;
    }
}

/* A check with the orders as they are given now; false also if it came to no end. */
static bool passes(struct suggester *s)
{
    struct native_run run;
    bool again = true, passed = false;
    while (again && !limits_reached(s->check->limits)) {
        uint32_t known = s->site_count;
        give_orders(s);
        s->check->sites = s->sites;
        s->check->site_count = s->site_count;
        check_explore(s->check, check_config(s->check), s->check->limits, &run);
        s->tried++;
        learn_sites(s, run.shared);
        passed = run.shared->status == RT_FINISHED && !run.shared->diverged &&
                 run.shared->stats.stop == SCHED_STOP_COMPLETE && !run.shared->stats.ends[SCHED_END_CUTOFF];
        again = passed && s->site_count > known; /* what it met for the first time had the program's order */
        native_run_release(&run);
    }
    s->cut_short |= limits_reached(s->check->limits) != LIMIT_NONE;
    return passed && !s->cut_short;
}

static bool one_stronger_will_do(struct suggester *s, int from, bool rest)
{
    for (int i = from; i < s->place_count && !s->cut_short; i++) {
        struct place *p = &s->places[i];
        for (const int *o = orders_of(p->kind); *o >= 0; o++) {
            if (!is_stronger(*o, p->order)) continue;
            p->given = *o;
            if (rest ? one_stronger_will_do(s, i + 1, false) : passes(s)) return true;
        }
        p->given = p->order;
    }
    return false;
}

/* As weak as the check allows, not weaker than the lowest. */
static void weaken(struct suggester *s, struct place *p, int lowest)
{
    int kept = p->given;
    for (const int *o = orders_of(p->kind); *o >= 0 && !s->cut_short; o++) {
        if ((*o != lowest && !is_stronger(*o, lowest)) || !is_stronger(kept, *o)) continue;
        p->given = *o;
        if (passes(s)) return;
    }
    p->given = kept;
}

static bool all_seq_cst_will_do(struct suggester *s)
{
    for (int i = 0; i < s->place_count; i++) s->places[i].given = __ATOMIC_SEQ_CST;
    return passes(s);
}

static void put_back(struct suggester *s)
{
    for (int i = 0; i < s->place_count; i++) s->places[i].given = s->places[i].order;
}

static bool strengthen(struct suggester *s)
{
    if (!all_seq_cst_will_do(s)) return false;
    put_back(s);
    if (one_stronger_will_do(s, 0, false)) return true;
    put_back(s);
    if (s->place_count * s->place_count * 4 <= MOST_PAIRS && one_stronger_will_do(s, 0, true)) return true;
    for (int i = 0; i < s->place_count; i++) s->places[i].given = __ATOMIC_SEQ_CST;
    for (int i = 0; i < s->place_count; i++) weaken(s, &s->places[i], s->places[i].order);
    return !s->cut_short;
}

static void add_advice(struct suggester *s, struct result *r, const struct place *p)
{
    static const char *const what[RT_SITE_KINDS] = {"load of", "store to", "update of", "failed compare of", "fence"};
    struct str place = {0}, words = {0};
    str_printf(&place, "%s:%d", p->file, p->line);
    str_add(&words, what[p->kind]);
    for (int i = 0; i < p->addresses; i++) {
        const char *name = symbols_variable(s->check->symbols, p->address[i]);
        str_printf(&words, "%s%s", i ? ", " : " ", name ? name : "memory");
    }
    vec_push(&r->orders, ((struct order_advice){place.at, words.at, native_order_name(p->order),
                                                native_order_name(p->given)}));
}

void suggest_orders(struct check *c, struct result *r)
{
    struct suggester *s = xcalloc(1, sizeof *s);
    s->check = c;
    learn_sites(s, c->run.shared);
    bool failed = r->error != NULL, works = true;
    if (!s->place_count) {
        r->orders_note = "the program has no memory orders";
    } else if (failed) {
        works = strengthen(s);
    } else if (result_verdict(r) == VERDICT_UNKNOWN) {
        works = false;
    } else {
        for (int i = 0; i < s->place_count; i++) weaken(s, &s->places[i], __ATOMIC_RELAXED);
    }
    for (int i = 0; works && i < s->place_count; i++)
        if (s->places[i].given != s->places[i].order) add_advice(s, r, &s->places[i]);
    r->orders_tried = s->tried;
    if (s->cut_short) r->orders_note = "the search for memory orders was cut short";
    else if (!works && failed) r->orders_note = "the error is there with seq_cst everywhere";
    else if (!works) r->orders_note = "the check came to no end that others could be compared with";
    else if (!r->orders.len && !r->orders_note) r->orders_note = "no order could be weaker";
    c->sites = NULL;
    c->site_count = 0;
    free(s);
}
