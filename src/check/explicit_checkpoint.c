/* Leaving a search of a Promela model for later, and going on with it. */
#include "check/explicit_check_int.h"

#include "base/archive.h"
#include "cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What must be the same for a search to go on; the model itself looks after its own. */
static char *search_identity(const struct explicit_check *c)
{
    struct str s = {0};
    char *hash = hash_file(c->job->files[0]);
    str_printf(&s, "%s search %d store %d bound %lld depth %lld reduce %d ends %d all %d fair %d", hash ? hash : "",
               c->search.kind, c->search.store, (long long)c->search.bound, (long long)c->search.depth,
               c->search.reduce, !c->search.no_deadlock, c->search.all_errors, c->o->flags.fair);
    for (size_t i = 0; i < c->properties.list.len; i++) {
        const struct property *p = &c->properties.list.at[i]->p;
        str_printf(&s, " %s: %s", p->name, p->text ? p->text : "");
    }
    free(hash);
    return s.at;
}

/* ---- searches that have come to their end ---- */

static void put_finished(const struct finished *f, struct archive *a)
{
    archive_put(a, &f->found, sizeof f->found);
    archive_put_word(a, f->levels);
    archive_put_word(a, f->met_inside);
    archive_put_text(a, f->premise ? f->premise : "");
    archive_put_word(a, f->reached.len);
    archive_put(a, f->reached.at, f->reached.len);
}

static void get_finished(struct finished *f, struct archive *a)
{
    archive_get(a, &f->found, sizeof f->found);
    memset(&f->found.error, 0, sizeof f->found.error); /* there was none */
    f->levels = archive_get_word(a);
    f->met_inside = archive_get_word(a);
    f->premise = archive_get_text(a);
    if (!*f->premise) free_null((void **)&f->premise);
    f->reached.len = archive_get_below(a, 1 << 28);
    vec_reserve(&f->reached, f->reached.len + 1);
    archive_get(a, f->reached.at, f->reached.len);
}

static void note_reached(const struct explicit_check *c, struct finished *f)
{
    struct model *m = c->m;
    size_t n = m->ops->reached ? m->ops->reached(m, NULL, 0) : 0;
    vec_reserve(&f->reached, n + 1);
    f->reached.len = n;
    if (n) m->ops->reached(m, f->reached.at, n);
}

/* ---- what comes before the search ---- */

static void put_preface(const struct explicit_check *c, struct archive *a, bool has_search)
{
    command_save(c->job, a);
    char *identity = search_identity(c);
    archive_put_text(a, identity);
    free(identity);
    archive_put_word(a, c->search.bit_field);
    archive_put_word(a, c->result->bounds.len);
    archive_put(a, c->result->bounds.at, c->result->bounds.len * sizeof *c->result->bounds.at);
    archive_put_word(a, c->finished.len);
    for (size_t i = 0; i < c->finished.len; i++) put_finished(&c->finished.at[i], a);
    archive_put_word(a, has_search);
}

static void write_preface(void *ctx, struct archive *a) { put_preface(ctx, a, true); }

static void get_levels(struct explicit_check *c, struct archive *a)
{
    uint64_t levels = archive_get_word(a);
    for (uint64_t i = 0; i < levels && !archive_is_bad(a); i++) {
        struct level l;
        archive_get(a, &l, sizeof l);
        vec_push(&c->before, l);
    }
}

/* NULL, or what is wrong. */
static const char *read_preface(struct explicit_check *c, struct archive *a)
{
    char *then = archive_get_text(a), *now = search_identity(c);
    bool same = !strcmp(then, now), same_model = !strncmp(then, now, strcspn(now, " ") + 1);
    free(then);
    free(now);
    if (!same_model) return "the model has changed since the checkpoint was written";
    if (!same) return "the checkpoint is of a search with other options";
    c->search.bit_field = archive_get_word(a);
    get_levels(c, a);
    uint64_t finished = archive_get_word(a);
    for (uint64_t i = 0; i < finished && !archive_is_bad(a); i++) {
        vec_push(&c->finished, (struct finished){0});
        get_finished(&vec_last(&c->finished), a);
    }
    if (!archive_get_word(a)) c->checkpoints.resume = NULL; /* the next one was not begun */
    return archive_is_bad(a) ? "the checkpoint is damaged" : NULL;
}

static void checkpoint_lost(void *ctx, int error)
{
    struct explicit_check *c = ctx;
    progress_clear(&c->progress);
    if (!c->checkpoint_failed)
        fprintf(stderr, "heddle: warning: %s: %s; there is no checkpoint\n", c->checkpoints.path, strerror(error));
    c->checkpoint_failed = true;
}

/* NULL, or why there can be none. */
const char *explicit_plan_checkpoints(struct explicit_check *c)
{
    const struct explicit_options *o = c->o;
    if (!o->checkpoint && !c->job->resume) return NULL;
    if (!c->m->is_portable) return "--checkpoint does not work with embedded C, which may keep addresses";
    if (!o->checkpoint) return "the checkpoint does not know where it is: resume it with --checkpoint DIR";
    if (mkdir(o->checkpoint, 0777) && errno != EEXIST) {
        fprintf(stderr, "heddle: error: %s: %s\n", o->checkpoint, strerror(errno));
        return "there is no place for a checkpoint";
    }
    c->checkpoints = (struct search_checkpoints){.path = checkpoint_path(o->checkpoint),
                                                 .interval = o->checkpoint_every > 0 ? o->checkpoint_every : 120,
                                                 .resume = c->job->resume, .preface = write_preface,
                                                 .failed = checkpoint_lost, .ctx = c};
    c->search.checkpoints = &c->checkpoints;
    return c->job->resume ? read_preface(c, c->job->resume) : NULL;
}

/* Nobody will go on from a check that has come to its end, once its verdict is out. */
static void end_checkpoints(struct explicit_check *c, bool ended)
{
    bool there = access(c->checkpoints.path, R_OK) == 0;
    if (!ended && there && !c->found.bad_checkpoint)
        fprintf(stderr, "heddle: to go on: heddle check --resume %s\n", c->o->checkpoint);
    c->search.checkpoints = NULL;
    if (ended && !cluster_is_other()) c->result->spent_checkpoint = (char *)c->checkpoints.path;
    else free((char *)c->checkpoints.path);
}

void result_is_out(struct result *r)
{
    if (!r->spent_checkpoint || fflush(stdout)) return;
    unlink(r->spent_checkpoint);
    checkpoint_forget(r->spent_checkpoint, 0);
}

/* Between two searches: who goes on begins with the next one. */
static void write_between(struct explicit_check *c)
{
    struct archive *a = archive_create(c->checkpoints.path);
    if (a) put_preface(c, a, false);
    if (!a || archive_commit(a)) checkpoint_lost(c, errno);
    else checkpoint_forget(c->checkpoints.path, 0);
}

/* Levels that were completed are printed again: the whole looks as if it had never been left. */
static void print_levels_before(struct explicit_check *c, size_t count)
{
    for (size_t i = c->result->bounds.len; i < MIN(count, c->before.len); i++) {
        const struct level *l = &c->before.at[i];
        explicit_level_done(c, &(struct search_level){l->bound, l->states, l->transitions, l->seconds});
    }
}

const struct finished *explicit_recall(struct explicit_check *c)
{
    const struct finished *f = c->searches < c->finished.len ? &c->finished.at[c->searches] : NULL;
    c->searches++;
    print_levels_before(c, f ? f->levels : c->before.len);
    if (!f) return NULL;
    c->found = f->found;
    c->m->max_state = MAX(c->m->max_state, (uint32_t)f->found.state_bytes);
    c->m->met_inside |= f->met_inside;
    if (f->reached.len) c->m->ops->add_reached(c->m, f->reached.at, f->reached.len);
    return f;
}

static void keep_finished(struct explicit_check *c, const char *premise)
{
    struct finished f = {.found = c->found, .levels = c->result->bounds.len, .met_inside = c->m->met_inside,
                         .premise = premise ? xstrdup(premise) : NULL};
    note_reached(c, &f);
    vec_push(&c->finished, f);
    c->checkpoints.resume = NULL;
    write_between(c);
}

void explicit_remember(struct explicit_check *c, const char *premise, bool last)
{
    bool complete = c->found.stop == STOP_COMPLETE || c->found.stop == STOP_BOUND;
    if (!c->search.checkpoints) return;
    if (last || !complete || c->found.errors || c->found.bad_checkpoint)
        end_checkpoints(c, complete || c->found.stop == STOP_ERROR);
    else if (c->finished.len < c->searches) keep_finished(c, premise);
}

void explicit_checkpoints_release(struct explicit_check *c)
{
    for (size_t i = 0; i < c->finished.len; i++) {
        free(c->finished.at[i].premise);
        vec_release(&c->finished.at[i].reached);
    }
    vec_release(&c->finished);
    vec_release(&c->before);
}
