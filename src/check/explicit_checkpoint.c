/* Leaving a search of a Promela model for later, and going on with it. */
#include "check/explicit_check_int.h"

#include "base/archive.h"

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
    str_printf(&s, "%s search %d store %d bound %lld depth %lld reduce %d ends %d all %d", hash ? hash : "",
               c->search.kind, c->search.store, (long long)c->search.bound, (long long)c->search.depth,
               c->search.reduce, !c->search.no_deadlock, c->search.all_errors);
    free(hash);
    return s.at;
}

static void write_preface(void *ctx, struct archive *a)
{
    const struct explicit_check *c = ctx;
    command_save(c->job, a);
    char *identity = search_identity(c);
    archive_put_text(a, identity);
    free(identity);
    archive_put_word(a, c->search.bit_field);
    archive_put_word(a, c->result->bounds.len);
    archive_put(a, c->result->bounds.at, c->result->bounds.len * sizeof *c->result->bounds.at);
}

/* Levels that were completed are printed again: the whole looks as if it had never been left. NULL, or what is wrong.
 */
static const char *read_preface(struct explicit_check *c, struct archive *a)
{
    char *then = archive_get_text(a), *now = search_identity(c);
    bool same = !strcmp(then, now), same_model = !strncmp(then, now, strcspn(now, " ") + 1);
    free(then);
    free(now);
    if (!same_model) return "the model has changed since the checkpoint was written";
    if (!same) return "the checkpoint is of a search with other options";
    c->search.bit_field = archive_get_word(a);
    uint64_t levels = archive_get_word(a);
    for (uint64_t i = 0; i < levels && !archive_is_bad(a); i++) {
        struct level l;
        archive_get(a, &l, sizeof l);
        struct search_level done = {l.bound, l.states, l.transitions, l.seconds};
        if (!archive_is_bad(a)) explicit_level_done(c, &done);
    }
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

/* Nobody will go on from a search that has come to its end. */
void explicit_end_checkpoints(struct explicit_check *c)
{
    if (!c->search.checkpoints) return;
    bool ended = c->found.stop == STOP_COMPLETE || c->found.stop == STOP_BOUND || c->found.stop == STOP_ERROR;
    bool there = access(c->checkpoints.path, R_OK) == 0;
    if (ended) unlink(c->checkpoints.path);
    else if (there && !c->found.bad_checkpoint)
        fprintf(stderr, "heddle: to go on: heddle check --resume %s\n", c->o->checkpoint);
    c->search.checkpoints = NULL;
    free((char *)c->checkpoints.path);
}
