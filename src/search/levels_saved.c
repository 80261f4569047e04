/* An ordered or breadth-first search as a checkpoint has it. It comes to rest between two states: what is left of the
 * round, what it has found for the next one, the errors so far, and everything known, are all that there is. */
#include "search/levels_int.h"

#include "base/archive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put_chunk(const struct levels *l, const struct chunk *c, struct archive *a)
{
    uint32_t count = c->len - c->next;
    archive_put_word(a, count);
    archive_put(a, c->items + c->next, count * sizeof *c->items);
    if (l->carries)
        archive_put(a, c->codes + (size_t)c->next * l->words, (size_t)count * l->words * sizeof *c->codes);
}

/* Those that were spilled are read one by one. */
static void put_chunks(struct levels *l, struct chunk *const *chunks, size_t n, struct archive *a)
{
    struct chunk *buffer = NULL;
    for (size_t i = 0; i < n && !stopped(l); i++) {
        if (chunks[i]->spilled && !buffer && !(buffer = chunk_new(l))) return;
        if (chunks[i]->spilled && !chunk_read(l, chunks[i], buffer)) break;
        put_chunk(l, chunks[i]->spilled ? buffer : chunks[i], a);
    }
    if (buffer) chunk_free(l, buffer);
}

static void put_error(const struct worker *w, struct archive *a)
{
    archive_put_word(a, w->errors);
    archive_put_word(a, w->has_error);
    archive_put(a, &w->site, sizeof w->site);
    archive_put_word(a, w->site_state.len);
    archive_put(a, w->site_state.at, w->site_state.len);
}

static void put_counts(const struct levels *l, struct archive *a)
{
    const struct search_result *r = l->run->res;
    uint64_t states = 0, transitions = 0;
    for (int i = 0; i < l->count; i++) {
        states += l->workers[i].states;
        transitions += l->workers[i].transitions;
    }
    double seconds = seconds_now() - l->run->started;
    archive_put(a, (uint64_t[]){states, transitions, l->level_states, l->rounds, (uint64_t)l->level, l->left,
                                l->between, (uint64_t)r->bound, r->depth, r->depth_cut, r->errors,
                                (uint64_t)r->error_level},
                12 * sizeof(uint64_t));
    archive_put(a, &seconds, sizeof seconds);
    archive_put(a, &l->run->site, sizeof l->run->site);
}

void levels_put_head(void *levels, struct archive *a)
{
    const struct levels *l = levels;
    archive_put_word(a, l->words - l->carries);
    archive_put_word(a, l->width);
    archive_put_word(a, (uint64_t)l->ranks);
    archive_put_word(a, l->checkpoints.serial);
}

void levels_put(void *levels, struct archive *a)
{
    struct levels *l = levels;
    for (int i = l->count - 1; i >= 0; i--) checkpoint_put_model(l->workers[0].m, l->workers[i].m, a);
    put_counts(l, a);
    put_error(&l->workers[0], a);
    codebook_save(l->book, a);
    if (l->tree) tree_save(l->tree, a);
    known_save(l->known, a);
    size_t found = 0;
    for (int i = 0; i < l->count; i++) found += l->workers[i].found.len;
    archive_put_word(a, l->round.len);
    archive_put_word(a, found);
    put_chunks(l, l->round.at, l->round.len, a);
    for (int i = 0; i < l->count; i++) put_chunks(l, l->workers[i].found.at, l->workers[i].found.len, a);
}

/* ---- reading ---- */

bool levels_get_head(struct archive *a, struct levels_head *h)
{
    h->words = (uint32_t)archive_get_below(a, 1 << 20);
    h->width = (uint32_t)archive_get_below(a, WIDTHS);
    h->processes = (uint32_t)archive_get_below(a, CLUSTER_MOST + 1);
    h->serial = archive_get_word(a);
    return !archive_is_bad(a) && h->words && !(h->words & (h->words - 1)) && h->processes;
}

static void get_counts(struct levels *l, struct archive *a)
{
    struct search_result *r = l->run->res;
    uint64_t n[12];
    double seconds;
    archive_get(a, n, sizeof n);
    archive_get(a, &seconds, sizeof seconds);
    archive_get(a, &l->run->site, sizeof l->run->site);
    l->workers[0].states = n[0];
    l->workers[0].transitions = n[1];
    l->level_states = n[2];
    l->rounds = n[3];
    l->level = (int64_t)n[4];
    l->left = n[5];
    l->between = n[6];
    l->mid_round = !l->between;
    r->bound = (int64_t)n[7];
    r->depth = n[8];
    r->depth_cut = n[9];
    r->errors = n[10];
    r->error_level = (int64_t)n[11];
    l->run->started -= seconds;
}

static void get_error(struct worker *w, struct archive *a)
{
    w->errors = archive_get_word(a);
    w->has_error = archive_get_word(a);
    archive_get(a, &w->site, sizeof w->site);
    size_t size = archive_get_below(a, (uint64_t)MODEL_MOST_STATE + 1);
    vec_reserve(&w->site_state, size);
    archive_get(a, w->site_state.at, size);
    w->site_state.len = size;
}

static bool get_chunk(struct levels *l, chunk_list *to, struct archive *a)
{
    uint32_t count = (uint32_t)archive_get_below(a, CHUNK_ITEMS + 1);
    struct chunk *c = chunk_new(l);
    if (!c) return false;
    vec_push(to, c);
    archive_get(a, c->items, count * sizeof *c->items);
    if (l->carries) archive_get(a, c->codes, (size_t)count * l->words * sizeof *c->codes);
    c->len = count;
    return !archive_is_bad(a);
}

static bool get_chunks(struct levels *l, struct archive *a)
{
    uint64_t round = archive_get_word(a), found = archive_get_word(a);
    for (uint64_t i = 0; i < round; i++)
        if (!get_chunk(l, &l->round, a)) return false;
    for (uint64_t i = 0; i < found; i++)
        if (!get_chunk(l, &l->workers[0].found, a)) return false;
    return true;
}

static bool get_all(struct levels *l, struct archive *a)
{
    struct worker *w = &l->workers[0];
    if (!w->m->ops->load(w->m, a)) return false;
    get_counts(l, a);
    get_error(w, a);
    if (!codebook_load(l->book, a)) return false;
    if (l->tree && !tree_load(l->tree, a)) return false;
    known_begin_level(l->known, l->level);
    return known_load(l->known, a) && get_chunks(l, a) && !archive_is_bad(a);
}

/* ---- by another number of processes ---- */

/* What one of them had, while it is looked through for what belongs here. */
struct share {
    struct levels *l;
    struct codebook *book;
    struct tree *tree;
    struct tree_reader reader;
    struct known *known;
    bool failed; /* there was no memory for a key */
};

/* The key that a state has here, whose code is given. */
static state_key key_of_code(struct share *x, const uint64_t *code)
{
    struct worker *w = &x->l->workers[0];
    if (x->l->cluster && code_owner(code, x->l->words, false, x->l->ranks) != x->l->rank) return NO_KEY;
    if (!x->tree) return key_mix(*code);
    tree_ask(&w->batch, &w->reader, code);
    tree_answer(&w->batch);
    state_key key = w->batch.requests[0].key;
    w->batch.len = 0;
    x->failed |= key == NO_KEY;
    return key;
}

static state_key key_here(void *ctx, state_key key, const uint8_t *code)
{
    struct share *x = ctx;
    uint64_t one_word = key_unmix(key);
    (void)code; /* where a record has it, the key is a hash of it */
    if (!x->l->carries) return key_of_code(x, x->tree ? tree_read(&x->reader, key) : &one_word);
    return !x->l->cluster || code_owner(&key, 1, true, x->l->ranks) == x->l->rank ? key : NO_KEY;
}

static bool take_items(struct share *x, chunk_list *to, struct archive *a)
{
    struct levels *l = x->l;
    chunk_list one = {0};
    if (!get_chunk(l, &one, a)) return false;
    struct chunk *from = one.at[0], *c = to->len ? vec_last(to) : NULL;
    for (uint32_t i = 0; i < from->len; i++) {
        struct item item = from->items[i];
        item.key = key_here(x, item.key, NULL);
        if (item.key == NO_KEY) continue;
        if (!c || c->len == l->share) {
            if (!(c = chunk_new(l))) break;
            vec_push(to, c);
        }
        if (l->carries)
            memcpy(c->codes + (size_t)c->len * l->words, from->codes + (size_t)i * l->words,
                   l->words * sizeof *c->codes);
        c->items[c->len++] = item;
    }
    chunk_free(l, from);
    vec_release(&one);
    return !stopped(l);
}

static bool take_chunks(struct share *x, struct archive *a)
{
    uint64_t round = archive_get_word(a), found = archive_get_word(a);
    for (uint64_t i = 0; i < round; i++)
        if (!take_items(x, &x->l->round, a) || stopped(x->l)) return false;
    for (uint64_t i = 0; i < found; i++)
        if (!take_items(x, &x->l->workers[0].found, a) || stopped(x->l)) return false;
    return true;
}

/* Counts and errors of one share are those of one process, whichever. */
static void take_counts(struct levels *l, struct archive *a, bool own)
{
    struct worker *w = &l->workers[0], other = {0};
    uint64_t states = w->states, transitions = w->transitions;
    double started = l->run->started;
    get_counts(l, a);
    get_error(&other, a);
    w->states = states + (own ? w->states : 0);
    w->transitions = transitions + (own ? w->transitions : 0);
    l->run->started = MIN(started, l->run->started);
    if (own) w->errors += other.errors;
    if (own && other.has_error && (!w->has_error || worker_error_is_less(&other, w))) {
        vec_release(&w->site_state);
        w->site_state = other.site_state;
        w->site = other.site;
        w->has_error = true;
    } else vec_release(&other.site_state);
}

static bool take_all(struct share *x, struct archive *a, bool first, bool own)
{
    struct levels *l = x->l;
    struct run *r = l->run;
    if (!l->workers[0].m->ops->load(l->workers[0].m, a)) return false;
    take_counts(l, a, own);
    x->book = first ? NULL : codebook_new(&r->budget, l->words - l->carries, l->carries);
    if (!codebook_load(first ? l->book : x->book, a)) return false;
    if (l->tree && (!(x->tree = tree_new(&r->budget, l->words)) || !tree_load(x->tree, a))) return false;
    if (x->tree) tree_reader_init(&x->reader, x->tree);
    known_begin_level(l->known, l->level);
    x->known = known_new(levels_known_plan(l));
    if (!x->known || !known_load(x->known, a)) return false;
    return known_take(l->known, x->known, key_here, x) && take_chunks(x, a) && !x->failed && !archive_is_bad(a);
}

static bool take_share(struct levels *l, struct archive *a, bool first, bool own)
{
    struct share x = {.l = l};
    bool taken = take_all(&x, a, first, own);
    if (x.tree) tree_reader_release(&x.reader);
    tree_free(x.tree);
    known_free(x.known);
    codebook_free(x.book);
    return taken;
}

static bool take_shares(struct levels *l, struct archive *whole, const struct levels_head *h)
{
    bool good = l->run->opt->store != STORE_BITS; /* whose states bits are of, nobody knows */
    for (uint32_t i = 0; i < h->processes && good; i++) {
        struct archive *a = h->processes > 1 ? checkpoint_open_share(&l->checkpoints, h->serial, (int)i) : whole;
        good = a && take_share(l, a, !i, (int)i % l->ranks == l->rank);
        if (a && a != whole) archive_close(a);
    }
    return good;
}

static bool load_own_share(struct levels *l, struct archive *whole, const struct levels_head *h)
{
    struct archive *a = h->processes > 1 ? checkpoint_open_share(&l->checkpoints, h->serial, l->rank) : whole;
    bool good = a && get_all(l, a);
    if (a && a != whole) archive_close(a);
    return good;
}

void levels_get(struct levels *l, struct archive *a, struct levels_head h)
{
    l->checkpoints.serial = h.serial;
    bool same = (int)h.processes == l->ranks;
    if (same ? load_own_share(l, a, &h) : take_shares(l, a, &h)) return;
    l->run->res->bad_checkpoint = !l->run->budget.refused;
    l->run->res->bits_of_others = !same && l->run->opt->store == STORE_BITS;
    stop(l, STOP_MEMORY);
}
