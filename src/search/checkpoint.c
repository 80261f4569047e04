/* A search that is left, and gone on with by another process: when that is, and the files. What there is to go on from
 * is said by the search (levels_saved.c, sweep_saved.c). Counts, verdict and counterexample do not depend on when that
 * was. */
#include "search/checkpoint_int.h"
#include "search/ranks_int.h"

#include "base/archive.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHARE_OF_WRITING = 20 }; /* at least so many times as long is searched as is written */
#define PATIENCE 0.25           /* seconds for a step of the model to come to its end after a limit was reached */

static void stop(struct checkpointing *c, enum search_stop why)
{
    uint32_t not_yet = STOP_NOT_YET;
    __atomic_compare_exchange_n(c->why, &not_yet, (uint32_t)why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static bool stopped(const struct checkpointing *c)
{
    return __atomic_load_n(c->why, __ATOMIC_RELAXED) != STOP_NOT_YET;
}

/* ---- when ---- */

static uint64_t microseconds_now(void) { return (uint64_t)(seconds_now() * 1e6); }

static bool is_met(enum limit l) { return l == LIMIT_TIME || l == LIMIT_INTERRUPT; }

static void meet_limit(struct checkpointing *c)
{
    uint64_t none = 0;
    __atomic_compare_exchange_n(&c->limit_met, &none, microseconds_now(), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool checkpoint_is_due(struct checkpointing *c)
{
    bool met = is_met(limits_reached(c->run->opt->limits));
    if (met) meet_limit(c);
    double pause = MAX(c->run->opt->checkpoints->interval, SHARE_OF_WRITING * c->saving_seconds);
    bool time = seconds_now() - c->saved_at >= pause;
    bool due = met || (time && !c->rank); /* the first process decides for all */
    if (due) __atomic_store_n(&c->pausing, true, __ATOMIC_RELAXED);
    if (due && c->cluster) c->tell_pause(c->search);
    return due;
}

bool checkpoint_cuts_step(void *checkpointing)
{
    struct checkpointing *c = checkpointing;
    const struct limits *l = c->run->opt->limits;
    enum limit reached = c->run->m->between ? limits_reached(l) : limits_reached_memory(l);
    if (reached == LIMIT_MEMORY) stop(c, STOP_MEMORY);
    if (!is_met(reached)) return stopped(c);
    meet_limit(c);
    uint64_t met = __atomic_load_n(&c->limit_met, __ATOMIC_RELAXED);
    if (microseconds_now() - met > (uint64_t)(PATIENCE * 1e6))
        stop(c, reached == LIMIT_TIME ? STOP_TIME : STOP_INTERRUPTED);
    return stopped(c);
}

/* ---- files ---- */

/* Whole, or as it was: 0, or -1 with errno. */
static int write_file(struct checkpointing *c, const char *path, bool head, bool rest)
{
    const struct search_checkpoints *plan = c->run->opt->checkpoints;
    struct archive *a = archive_create(path);
    if (!a) return -1;
    if (head) {
        plan->preface(plan->ctx, a);
        c->put_head(c->search, a);
    }
    if (rest && !head) archive_put_word(a, (uint64_t)c->rank); /* a share of a job */
    if (rest) c->put(c->search, a);
    if (!stopped(c)) return archive_commit(a);
    archive_close(a); /* it is not whole */
    return 0;
}

static char *share_path(const char *path, uint64_t serial, int rank)
{
    struct str s = {0};
    str_printf(&s, "%s.%llu.%d", path, (unsigned long long)serial, rank);
    return s.at;
}

void checkpoint_forget(const char *path, uint64_t but)
{
    glob_t found;
    struct str shares = {0}, kept = {0};
    str_printf(&shares, "%s.[0-9]*.[0-9]*", path);
    str_printf(&kept, "%s.%llu.", path, (unsigned long long)but);
    if (!glob(shares.at, GLOB_NOSORT, NULL, &found)) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (strncmp(found.gl_pathv[i], kept.at, kept.len)) unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    str_release(&shares);
    str_release(&kept);
}

/* Of those who have one; nearly always they have the same. */
static int error_of_all(struct checkpointing *c, int *error)
{
    uint64_t sums[2] = {(uint64_t)*error, *error != 0};
    ranks_agree(c->cluster, sums, ARRAY_LEN(sums), c->why);
    return *error = sums[1] ? (int)(sums[0] / sums[1]) : 0;
}

/* Each process has a file of its own. When all are whole, the first one writes the one that names them, and from then
 * on it is this checkpoint that counts. */
static int write_shares(struct checkpointing *c, const char *path)
{
    c->serial++;
    char *own = share_path(path, c->serial, c->rank);
    errno = 0;
    int error = write_file(c, own, false, true) ? errno : 0;
    bool whole = !error_of_all(c, &error) && !stopped(c);
    if (!whole) unlink(own);
    if (whole && !c->rank && write_file(c, path, true, false)) error = errno;
    whole = !error_of_all(c, &error) && whole;
    if (whole && !c->rank) checkpoint_forget(path, c->serial);
    if (whole) {
        struct str words = {0};
        str_printf(&words, "the last checkpoint is %s", path);
        cluster_last_words(words.at);
        str_release(&words);
    }
    free(own);
    errno = error;
    return whole || stopped(c) || !error ? 0 : -1;
}

void checkpoint_write(struct checkpointing *c)
{
    const struct search_checkpoints *plan = c->run->opt->checkpoints;
    double began = seconds_now();
    if (c->cluster ? write_shares(c, plan->path) : write_file(c, plan->path, true, true))
        plan->failed(plan->ctx, errno);
    c->saved_at = seconds_now();
    c->saving_seconds = c->saved_at - began;
    enum limit reached = limits_reached(c->run->opt->limits);
    if (is_met(reached)) stop(c, reached == LIMIT_TIME ? STOP_TIME : STOP_INTERRUPTED);
}


void checkpoint_put_model(struct model *first, struct model *m, struct archive *a)
{
    first->max_state = MAX(first->max_state, m->max_state);
    first->met_inside |= m->met_inside;
    m->ops->save(m, m == first ? a : NULL);
}

struct archive *checkpoint_open_share(const struct checkpointing *c, uint64_t serial, int rank)
{
    char *path = share_path(c->run->opt->checkpoints->path, serial, rank), *why = NULL;
    struct archive *a = archive_open(path, &why);
    if (a && archive_get_word(a) != (uint64_t)rank) {
        archive_close(a);
        a = NULL;
    }
    free(why);
    free(path);
    return a;
}
