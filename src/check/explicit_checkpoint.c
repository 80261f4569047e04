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

static void put_numbers(const struct search_result *r, struct archive *a)
{
    archive_put(a, (uint64_t[]){r->stop, r->depth_cut, (uint64_t)r->bound, r->states, r->pairs, r->transitions,
                                r->depth, r->state_bytes, r->code_bytes, r->recent[0], r->recent[1], r->level_states,
                                r->memory, r->memory_elsewhere, r->traffic.processes, r->traffic.messages,
                                r->traffic.items, r->traffic.bytes, r->lossless, r->searches, r->spilled,
                                (uint64_t)r->spill_error, r->faults_left},
                23 * sizeof(uint64_t));
    archive_put(a, (double[]){r->omission, r->share, r->seconds, r->traffic.idle}, 4 * sizeof(double));
}

/* A search that has come to its end without an error: whatever else a result may have, it is not read from a file. */
static void get_numbers(struct search_result *r, struct archive *a)
{
    uint64_t n[23];
    double d[4];
    archive_get(a, n, sizeof n);
    archive_get(a, d, sizeof d);
    *r = (struct search_result){.stop = n[0] == STOP_BOUND ? STOP_BOUND : STOP_COMPLETE, .depth_cut = n[1],
                                .bound = (int64_t)n[2], .states = n[3], .pairs = n[4], .transitions = n[5],
                                .depth = n[6], .state_bytes = MIN(n[7], (uint64_t)MODEL_MOST_STATE),
                                .code_bytes = n[8], .recent = {n[9], n[10]}, .level_states = n[11], .memory = n[12],
                                .memory_elsewhere = n[13], .traffic = {n[14], n[15], n[16], n[17], d[3]},
                                .lossless = n[18], .searches = n[19], .spilled = n[20], .spill_error = (int)n[21],
                                .faults_left = n[22], .omission = d[0], .share = d[1], .seconds = d[2],
                                .error_level = -1};
}

static void put_finished(const struct finished *f, struct archive *a)
{
    put_numbers(&f->found, a);
    archive_put_word(a, f->levels);
    archive_put_word(a, f->met_inside);
    archive_put_text(a, f->premise ? f->premise : "");
    archive_put_word(a, f->reached.len);
    archive_put(a, f->reached.at, f->reached.len);
}

/* False: the transitions that were reached are not those of this model. */
static bool get_finished(const struct explicit_check *c, struct finished *f, struct archive *a)
{
    struct model *m = c->m;
    size_t all = m->ops->reached ? m->ops->reached(m, NULL, 0) : 0;
    get_numbers(&f->found, a);
    f->levels = archive_get_word(a);
    f->met_inside = archive_get_word(a);
    f->premise = archive_get_text(a);
    if (!*f->premise) free_null((void **)&f->premise);
    if (archive_get_word(a) != all || archive_is_bad(a)) return false;
    vec_reserve(&f->reached, all + 1);
    f->reached.len = all;
    archive_get(a, f->reached.at, all);
    return !archive_is_bad(a);
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
    for (size_t i = 0; i < c->result->bounds.len; i++) {
        const struct level *l = &c->result->bounds.at[i];
        archive_put(a, (uint64_t[]){(uint64_t)l->bound, l->states, l->transitions}, 3 * sizeof(uint64_t));
        archive_put(a, &l->seconds, sizeof l->seconds);
    }
    archive_put_word(a, c->finished.len);
    for (size_t i = 0; i < c->finished.len; i++) put_finished(&c->finished.at[i], a);
    archive_put_word(a, has_search);
}

static void write_preface(void *ctx, struct archive *a) { put_preface(ctx, a, true); }

static void get_levels(struct explicit_check *c, struct archive *a)
{
    uint64_t levels = archive_get_word(a);
    for (uint64_t i = 0; i < levels && !archive_is_bad(a); i++) {
        uint64_t n[3];
        double seconds;
        archive_get(a, n, sizeof n);
        archive_get(a, &seconds, sizeof seconds);
        vec_push(&c->before, ((struct level){.bound = (int64_t)n[0], .states = n[1], .transitions = n[2],
                                             .seconds = seconds}));
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
        if (!get_finished(c, &vec_last(&c->finished), a)) return "the checkpoint is damaged";
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

static void tell_how_to_go_on(const struct explicit_check *c)
{
    const char *const *words = (const char *const *)c->job->argv + 1;
    char *refused = command_distrusts(words, (size_t)c->job->argc - 1, c->o->checkpoint, NULL);
    fprintf(stderr, "heddle: to go on: heddle check --resume %s%s\n", c->o->checkpoint, refused ? " --trust" : "");
    free(refused);
}

/* Nobody will go on from a check that has come to its end, once its verdict is out. */
static void end_checkpoints(struct explicit_check *c, bool ended)
{
    bool there = access(c->checkpoints.path, R_OK) == 0;
    if (!ended && there && !c->found.bad_checkpoint)
        tell_how_to_go_on(c);
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
