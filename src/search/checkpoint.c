/* A search that is left, and gone on with by another process. It comes to rest between two states: what is left of the
 * round, what it has found for the next one, the errors so far, and everything known, are all that there is. Counts,
 * verdict and counterexample do not depend on when that was. */
#include "search/levels_int.h"

#include "base/archive.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

enum { SHARE_OF_WRITING = 20 }; /* at least so many times as long is searched as is written */
#define PATIENCE 0.25           /* seconds for a step of the model to come to its end after a limit was reached */

/* ---- when ---- */

static uint64_t microseconds_now(void) { return (uint64_t)(seconds_now() * 1e6); }

static bool is_met(enum limit l) { return l == LIMIT_TIME || l == LIMIT_INTERRUPT; }

static void meet_limit(struct levels *l)
{
    uint64_t none = 0;
    __atomic_compare_exchange_n(&l->limit_met, &none, microseconds_now(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool checkpoint_is_due(struct levels *l)
{
    const struct search_checkpoints *c = l->run->opt->checkpoints;
    bool met = is_met(limits_reached(l->run->opt->limits));
    if (met) meet_limit(l);
    bool due = met || seconds_now() - l->saved_at >= MAX(c->interval, SHARE_OF_WRITING * l->saving_seconds);
    if (due) __atomic_store_n(&l->pausing, true, __ATOMIC_RELAXED);
    return due;
}

bool checkpoint_cuts_step(void *levels)
{
    struct levels *l = levels;
    enum limit reached = limits_reached_memory(l->run->opt->limits);
    if (reached == LIMIT_MEMORY) stop(l, STOP_MEMORY);
    if (!is_met(reached)) return stopped(l);
    meet_limit(l);
    uint64_t met = __atomic_load_n(&l->limit_met, __ATOMIC_RELAXED);
    if (microseconds_now() - met > (uint64_t)(PATIENCE * 1e6))
        stop(l, reached == LIMIT_TIME ? STOP_TIME : STOP_INTERRUPTED);
    return stopped(l);
}

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

static void put_all(struct levels *l, struct archive *a)
{
    archive_put_word(a, l->words - l->carries);
    archive_put_word(a, l->width);
    for (int i = l->count - 1; i >= 0; i--) l->workers[i].m->ops->save(l->workers[i].m, i ? NULL : a);
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

void checkpoint_write(struct levels *l)
{
    const struct search_checkpoints *c = l->run->opt->checkpoints;
    double began = seconds_now();
    struct archive *a = archive_create(c->path);
    if (a) {
        c->preface(c->ctx, a);
        put_all(l, a);
    }
    if (a && stopped(l)) archive_close(a); /* it is not whole */
    else if (!a || archive_commit(a)) c->failed(c->ctx, errno);
    l->saved_at = seconds_now();
    l->saving_seconds = l->saved_at - began;
    enum limit reached = limits_reached(l->run->opt->limits);
    if (is_met(reached)) stop(l, reached == LIMIT_TIME ? STOP_TIME : STOP_INTERRUPTED);
}

/* ---- reading ---- */

bool checkpoint_widths(struct archive *a, uint32_t *words, uint32_t *width, uint32_t widths)
{
    *words = (uint32_t)archive_get_below(a, 1 << 20);
    *width = (uint32_t)archive_get_below(a, widths);
    return !archive_is_bad(a) && *words && !(*words & (*words - 1));
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

void checkpoint_load(struct levels *l, struct archive *a)
{
    if (get_all(l, a)) return;
    l->run->res->bad_checkpoint = !l->run->budget.refused;
    stop(l, STOP_MEMORY);
}
