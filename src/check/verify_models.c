/* --verify for Promela: the model is loaded once more in its plain form (no merging of statements, no reset of dead
 * variables, the automata as they come from the formulas), and each question of the check is answered again. */
#include "check/explicit_int.h"
#include "check/verify_int.h"

#include <assert.h>
#include <stdlib.h>

/* How far the naive method has to go to confirm or refute what the check says. */
static int64_t levels_that_matter(const struct answer *check)
{
    if (check->states) return ANY_NUMBER;
    int64_t most = MAX(check->error_at, check->none_within);
    return MAX(most, (int64_t)check->levels.len - 1);
}

struct asking {
    const struct verify_models *v;
    struct model *m;
    struct properties *properties;
    struct limits limits;
    struct progress progress;
};

/* questions: this one and those that come after it; each gets an equal share of the time. */
static void ask(struct asking *k, const struct question *q, size_t questions, struct result *r)
{
    struct limits share = limits_within(&k->limits, limits_left(&k->limits) / (double)questions);
    const struct prepared *x = q->property >= 0 ? k->properties->list.at[q->property] : NULL;
    struct naive_job job = {.m = k->m,
                            .p = x ? &x->p : NULL,
                            .wanted = q->on_the_way ? ERRORS_ON_THE_WAY : ERRORS_OF_PROPERTY,
                            .no_deadlock = k->v->no_deadlock,
                            .counts = !x || k->v->bounded,
                            .goes_on = !x && k->v->all_errors,
                            .most = levels_that_matter(&q->check),
                            .limits = &share,
                            .progress = &k->progress};
    struct answer naive = NO_ANSWER;
    uint64_t looked_at = 0;
    char room[64], count[32];
    struct str explored = {0};
    enum limit stopped = answer_is_empty(&q->check) ? LIMIT_NONE : naive_explore(&job, &naive, &looked_at);
    progress_clear(&k->progress);
    str_printf(&explored, "%s state%s", with_commas(count, looked_at), looked_at == 1 ? "" : "s");
    r->verification.states += looked_at;
    verify_settle(r, q, &naive, str_get(&explored), verify_stopped(stopped, &k->limits, room));
    str_release(&explored);
    answer_release(&naive);
}

void verify_models(const struct verify_models *v, struct result *r)
{
    struct promela_flags plain = *v->flags;
    struct properties properties = {0};
    struct asking k = {.v = v, .properties = &properties, .limits = verify_limits(v->limits)};
    double started = seconds_now();
    plain.exact = plain.no_por = true;
    plain.por = -1;
    r->verification.method = "breadth-first search of the plain model";
    if (!verify_has_time(r, &k.limits)) return;
    progress_start(&k.progress, v->talks);
    k.m = promela_load_again(v->path, &plain, &k.limits, &properties);
    if (!k.m) verify_note(r, 0, VERIFY_UNFINISHED, false, "the model cannot be loaded a second time");
    for (size_t i = 0; i < v->count && k.m; i++) {
        assert(v->questions[i].property < (int)properties.list.len);
        ask(&k, &v->questions[i], v->count - i, r);
    }
    r->verification.seconds = seconds_now() - started;
    properties_release(&properties);
    if (k.m) k.m->ops->free(k.m);
}
