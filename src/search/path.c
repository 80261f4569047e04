/* From the steps of processes to a schedule, by running the model. */
#include "search/search_int.h"

#include <assert.h>

struct step_seek { struct pid_step step; uint32_t index, nth; bool found; };

static bool on_successor(void *ctx, const struct successor *s)
{
    struct step_seek *k = ctx;
    k->found = s->pid == k->step.pid && k->nth++ == k->step.nth;
    if (!k->found) k->index++;
    return !k->found;
}

/* Takes the step and adds it to the schedule. */
static bool follow(struct model *m, struct replay *replay, struct pid_step step, struct schedule *out)
{
    uint32_t size;
    const uint8_t *state = replay_state(replay, &size);
    struct step_seek k = {.step = step};
    m->ops->successors(m, state, size, MODEL_ALL, false, on_successor, &k);
    if (!k.found) return false;
    vec_push(&out->choices, k.index);
    return replay_step(replay, k.index);
}

static bool follow_forced(const struct run *r, struct replay *replay, struct schedule *out)
{
    struct state_bytes next = {0};
    struct way_walked way = {0};
    bool ok = true;
    while (ok && reduction_forces(r)) {
        uint32_t size;
        const uint8_t *state = replay_state(replay, &size);
        int pid = way_goes_on(&way, state, size) ? reduction_forced(r, state, size, &next) : -1;
        if (pid < 0) break;
        ok = follow(r->m, replay, (struct pid_step){pid, 0}, out);
    }
    vec_release(&next);
    vec_release(&way.anchor);
    return ok;
}

static bool follow_all(struct model *m, const struct run *forcing, const pid_steps *steps, bool ends,
                       struct schedule *out)
{
    struct replay *replay = replay_new(m);
    bool ok = true;
    for (size_t i = 0; ok && i < steps->len; i++)
        ok = (!forcing || follow_forced(forcing, replay, out)) && follow(m, replay, steps->at[i], out);
    if (ok && ends && forcing) ok = follow_forced(forcing, replay, out);
    replay_free(replay);
    assert(!ok || out->choices.len >= steps->len);
    return ok;
}

bool steps_schedule(struct model *m, const pid_steps *steps, struct schedule *out)
{
    return follow_all(m, NULL, steps, false, out);
}

bool reduced_schedule(const struct run *r, const pid_steps *steps, bool ends, struct schedule *out)
{
    out->deadlock = ends;
    return follow_all(r->m, r, steps, ends, out);
}

long schedule_preemptions(struct model *m, const struct schedule *s)
{
    struct replay *replay = replay_new(m);
    long count = 0;
    int last = MODEL_NOBODY;
    for (size_t i = 0; i < s->choices.len; i++) {
        bool could_go_on = replay_leaving_preempts(replay, last);
        const struct successor *t = replay_step(replay, s->choices.at[i]);
        if (m->cut) {
            count = -1;
            break;
        }
        assert(t);
        count += could_go_on && t->pid != last;
        last = t->last;
    }
    replay_free(replay);
    return count;
}
