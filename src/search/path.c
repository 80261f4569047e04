/* From references to a schedule: the states on the way to an error are found again by running the model. */
#include "search/search_int.h"

#include <assert.h>

void path_of_parents(const struct run *r, state_ref last, path_nodes *out)
{
    for (state_ref at = last; at; at = store_parent(&r->store, at)) vec_push(out, ((struct path_node){at, -1, -1}));
    assert(out->len);
    for (size_t i = 0, j = out->len - 1; i < j; i++, j--) {
        struct path_node swapped = out->at[i];
        out->at[i] = out->at[j];
        out->at[j] = swapped;
    }
}

struct node_seek {
    const struct run *run;
    const struct path_node *node;    /* the state looked for, or */
    struct pid_step step;            /* this step of this process */
    uint32_t index, nth;
    bool found;
};

static bool enters_node(const struct node_seek *k, const struct successor *s)
{
    if (!s->state || !store_is(&k->run->store, k->node->ref, s->state, s->size)) return false;
    return k->node->pid < 0 || (k->node->pid == s->pid && k->node->last == s->last);
}

static bool on_successor(void *ctx, const struct successor *s)
{
    struct node_seek *k = ctx;
    k->found = k->node ? enters_node(k, s) : s->pid == k->step.pid && k->nth++ == k->step.nth;
    if (!k->found) k->index++;
    return !k->found;
}

/* Takes the step that `k` looks for and adds it to the schedule. */
static bool follow(struct model *m, struct replay *replay, struct node_seek *k, struct schedule *out)
{
    uint32_t size;
    const uint8_t *state = replay_state(replay, &size);
    m->ops->successors(m, state, size, MODEL_ALL, false, on_successor, k);
    if (!k->found) return false;
    vec_push(&out->choices, k->index);
    return replay_step(replay, k->index);
}

bool path_schedule(struct run *r, const path_nodes *path, const struct error_site *site, struct schedule *out)
{
    assert(path->len > 0);
    struct replay *replay = replay_new(r->m);
    bool ok = true;
    for (size_t i = 1; ok && i < path->len; i++)
        ok = follow(r->m, replay, &(struct node_seek){.run = r, .node = &path->at[i]}, out);
    if (ok && site->pid >= 0) ok = follow(r->m, replay, &(struct node_seek){.step = {site->pid, site->nth}}, out);
    out->deadlock = site->pid < 0;
    replay_free(replay);
    assert(!ok || out->choices.len == path->len - 1 + (site->pid >= 0));
    return ok;
}

bool steps_schedule(struct model *m, const pid_steps *steps, struct schedule *out)
{
    struct replay *replay = replay_new(m);
    bool ok = true;
    for (size_t i = 0; ok && i < steps->len; i++)
        ok = follow(m, replay, &(struct node_seek){.step = steps->at[i]}, out);
    replay_free(replay);
    assert(!ok || out->choices.len == steps->len);
    return ok;
}

long schedule_preemptions(struct model *m, const struct schedule *s)
{
    struct replay *replay = replay_new(m);
    long count = 0;
    int last = MODEL_NOBODY;
    for (size_t i = 0; i < s->choices.len; i++) {
        bool could_go_on = last != MODEL_NOBODY && replay_process_enabled(replay, last);
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
