/* The product as a checkpoint has it. Between two shares of a round there is nothing but the nodes with what is known
 * of their automata, those of the round that were not expanded, and those that were found for the next round and level.
 * What is left when cycles are looked for is what there was before. */
#include "search/sweep_int.h"

#include "base/archive.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

void sweep_put_head(void *sweep, struct archive *a)
{
    const struct sweep *s = sweep;
    archive_put_word(a, s->words);
    archive_put_word(a, (uint64_t)s->ranks);
    archive_put_word(a, s->checkpoints.serial);
}

static void put_counts(const struct sweep *s, struct archive *a)
{
    uint64_t nodes = 0, transitions = 0, left = 0, ends = 0, later = 0;
    double seconds = seconds_now() - s->run->started;
    for (int i = 0; i < s->count; i++) {
        const struct sweeper *w = &s->sweepers[i];
        nodes += w->nodes;
        transitions += w->counts.transitions;
        left |= w->counts.faults_left;
        ends |= w->ends;
        later |= w->ends_later;
    }
    archive_put(a, (uint64_t[]){nodes, transitions, left, ends, later, s->costly_end, s->mid_round, s->checked_at,
                                (uint64_t)s->level, (uint64_t)s->run->res->bound, s->run->res->depth},
                11 * sizeof(uint64_t));
    archive_put(a, &seconds, sizeof seconds);
}

static void put_keys(const struct keys *k, struct archive *a)
{
    archive_put_word(a, k->len);
    archive_put(a, k->at, k->len * sizeof *k->at);
}

void sweep_put(void *sweep, struct archive *a)
{
    struct sweep *s = sweep;
    for (int i = s->count - 1; i >= 0; i--) checkpoint_put_model(s->run->m, s->sweepers[i].c.run.m, a);
    put_counts(s, a);
    codebook_save(s->book, a);
    if (s->tree) tree_save(s->tree, a);
    for (int i = 0; i < PARTS; i++) lines_save(&s->parts[i].lines, a);
    archive_put_word(a, (uint64_t)s->count);
    for (int i = 0; i < s->count; i++) {
        put_keys(&s->round[i], a);
        put_keys(&s->sweepers[i].found, a);
        put_keys(&s->sweepers[i].later, a);
    }
}

/* ---- reading ---- */

bool sweep_get_head(struct archive *a, struct sweep_head *h)
{
    h->words = (uint32_t)archive_get_below(a, 1 << 20);
    h->processes = (uint32_t)archive_get_below(a, CLUSTER_MOST + 1);
    h->serial = archive_get_word(a);
    return !archive_is_bad(a) && h->words && !(h->words & (h->words - 1)) && h->processes;
}

/* One share: what a process had. */
struct share {
    struct sweep *s;
    struct codebook *book;
    struct tree *tree;
    struct tree_reader reader;
    struct part parts[PARTS];
    bool own; /* its counts are those of this process */
};

/* Returns how many nodes there should be. */
static uint64_t get_counts(struct share *x, struct archive *a)
{
    struct sweep *s = x->s;
    struct sweeper *w = &s->sweepers[0];
    uint64_t n[11];
    double seconds;
    archive_get(a, n, sizeof n);
    archive_get(a, &seconds, sizeof seconds);
    if (x->own) w->counts.transitions += n[1];
    w->counts.faults_left |= n[2];
    w->ends |= n[3];
    w->ends_later |= n[4];
    s->costly_end |= n[5];
    s->mid_round = n[6];
    s->checked_at = n[7];
    s->level = (int64_t)n[8];
    s->run->res->bound = (int64_t)n[9];
    s->run->res->depth = n[10];
    s->run->started = MIN(s->run->started, seconds_now() - seconds);
    return n[0];
}

/* The key that the node has here; NO_KEY: it belongs to another process, or there is no memory. */
static state_key key_here(struct share *x, state_key key)
{
    struct sweep *s = x->s;
    struct sweeper *w = &s->sweepers[0];
    uint64_t one_word = key_unmix(key);
    const uint64_t *code = x->tree ? tree_read(&x->reader, key) : &one_word;
    if (s->cluster && code_owner(code, s->words, false, s->ranks) != s->rank) return NO_KEY;
    if (!x->tree) return key;
    tree_ask(&w->batch, &w->reader, code);
    tree_answer(&w->batch);
    state_key here = w->batch.requests[0].key;
    w->batch.len = 0;
    if (here == NO_KEY) stop(s, STOP_MEMORY);
    return here;
}

static void take_node(struct share *x, state_key key, const uint8_t *mark)
{
    struct sweep *s = x->s;
    struct place p;
    state_key here = key_here(x, key);
    if (here == NO_KEY) return;
    struct lines *t = &s->parts[here >> PART_BITS].lines;
    bool known = t->count && lines_find(t, here & PART_MASK, &p);
    assert(!known); /* no node is in two shares */
    if (!lines_add(t, here & PART_MASK, &s->run->budget, &p)) stop(s, STOP_MEMORY);
    else memcpy(place_mark(t, p), mark, sizeof(uint32_t));
    s->sweepers[0].nodes++;
}

static void take_nodes(struct share *x)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        const struct lines *t = &x->parts[i].lines;
        struct place p;
        for (bool there = t->count && lines_from(t, 0, &p); there && !stopped(x->s);
             p.slot++, there = lines_here(t, &p))
            take_node(x, place_key(t, p) | (state_key)i << PART_BITS, place_mark(t, p));
    }
}

/* A key in a list has the kind of its node with it. */
static void take_key(struct share *x, struct keys *to, state_key with_kind, bool same)
{
    state_key kind = with_kind & ~KEY_MASK, here = same ? with_kind & KEY_MASK : key_here(x, with_kind & KEY_MASK);
    if (here != NO_KEY) sweep_list(x->s, to, here | kind);
}

static void take_keys(struct share *x, struct keys *to, struct archive *a, bool same)
{
    uint64_t n = archive_get_word(a);
    for (uint64_t i = 0; i < n && !archive_is_bad(a) && !stopped(x->s); i++) take_key(x, to, archive_get_word(a), same);
}

/* A round that was not begun is found. */
static bool take_lists(struct share *x, struct archive *a, bool same)
{
    struct sweep *s = x->s;
    uint64_t threads = archive_get_word(a);
    for (uint64_t i = 0; i < threads && !archive_is_bad(a) && !stopped(s); i++) {
        take_keys(x, s->mid_round ? &s->round[0] : &s->sweepers[0].found, a, same);
        take_keys(x, &s->sweepers[0].found, a, same);
        take_keys(x, &s->sweepers[0].later, a, same);
    }
    return !archive_is_bad(a) && !stopped(s);
}

static bool get_tables(struct sweep *s, struct codebook *book, struct tree *tree, struct part *parts, struct archive *a)
{
    if (!codebook_load(book, a) || (tree && !tree_load(tree, a))) return false;
    for (int i = 0; i < PARTS; i++)
        if (!lines_load(&parts[i].lines, a, &s->run->budget)) return false;
    return true;
}

static bool get_begin(struct share *x, struct archive *a, uint64_t *nodes)
{
    struct model *m = x->s->sweepers[0].c.run.m;
    if (!m->ops->load(m, a)) return false;
    *nodes = get_counts(x, a);
    return true;
}

/* By as many processes as it was. */
static bool get_own(struct sweep *s, struct archive *a)
{
    struct share x = {.s = s, .own = true};
    uint64_t nodes;
    if (!get_begin(&x, a, &nodes) || !get_tables(s, s->book, s->tree, s->parts, a)) return false;
    s->sweepers[0].nodes = nodes;
    return take_lists(&x, a, true);
}

static bool take_all(struct share *x, struct archive *a, bool first)
{
    struct sweep *s = x->s;
    struct run *r = s->run;
    uint64_t nodes;
    if (!get_begin(x, a, &nodes)) return false;
    if (!first) x->book = codebook_new(&r->budget, s->words, false);
    if (s->tree && !(x->tree = tree_new(&r->budget, s->words))) return false;
    if (!get_tables(s, first ? s->book : x->book, x->tree, x->parts, a)) return false;
    if (x->tree) tree_reader_init(&x->reader, x->tree);
    take_nodes(x);
    return take_lists(x, a, false);
}

static bool take_share(struct sweep *s, struct archive *a, bool first, bool own)
{
    struct share x = {.s = s, .own = own};
    for (int i = 0; i < PARTS; i++) lines_init(&x.parts[i].lines, PART_BITS, sizeof(uint32_t), 0);
    bool taken = take_all(&x, a, first);
    if (x.tree) tree_reader_release(&x.reader);
    tree_free(x.tree);
    codebook_free(x.book);
    for (int i = 0; i < PARTS; i++) lines_release(&x.parts[i].lines, &s->run->budget);
    return taken;
}

static struct archive *share_of(const struct sweep *s, struct archive *whole, const struct sweep_head *h, int rank)
{
    return h->processes > 1 ? checkpoint_open_share(&s->checkpoints, h->serial, rank) : whole;
}

static bool get_share(struct sweep *s, struct archive *whole, const struct sweep_head *h, int rank, bool same)
{
    struct archive *a = share_of(s, whole, h, rank);
    bool good = a && (same ? get_own(s, a) : take_share(s, a, !rank, rank % s->ranks == s->rank));
    if (a && a != whole) archive_close(a);
    return good;
}

void sweep_get(struct sweep *s, struct archive *a, struct sweep_head h)
{
    bool same = (int)h.processes == s->ranks, good = true;
    s->checkpoints.serial = h.serial;
    if (same) good = get_share(s, a, &h, s->rank, true);
    for (int i = 0; i < (int)h.processes && good && !same; i++) good = get_share(s, a, &h, i, false);
    if (good) return;
    s->run->res->bad_checkpoint = !s->run->budget.refused;
    stop(s, STOP_MEMORY);
}
