/* The same schedule without its last preemption: up to it, then on with the process that was preempted, and from there
 * on no process is left while it can go on. Where a process has a choice it takes the first. */
#include "search/search_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 2000 };

struct visited { size_t at; uint32_t size; int last; }; /* a state among the bytes, and who moved last */

struct continuation {
    struct replay *replay;
    struct schedule *out;
    VEC(struct visited) visited;
    VEC(uint8_t) bytes;
    int last;
};

/* The step before which the last preemption is; SIZE_MAX: there is none. */
static size_t last_preemption(struct model *m, const struct schedule *s)
{
    struct replay *replay = replay_new(m);
    size_t found = SIZE_MAX;
    int last = MODEL_NOBODY;
    for (size_t i = 0; i < s->choices.len; i++) {
        bool could_go_on = replay_leaving_preempts(replay, last);
        const struct successor *t = replay_step(replay, s->choices.at[i]);
        if (!t) break; /* a limit was reached inside of it */
        if (could_go_on && t->pid != last) found = i;
        last = t->last;
    }
    replay_free(replay);
    return m->cut ? SIZE_MAX : found;
}

/* Where the present state was seen before with the same process at work; SIZE_MAX: nowhere. Then it is noted. */
static size_t seen_before(struct continuation *c)
{
    uint32_t size;
    const uint8_t *state = replay_state(c->replay, &size);
    for (size_t i = 0; i < c->visited.len; i++) {
        const struct visited *v = &c->visited.at[i];
        if (v->size == size && v->last == c->last && !memcmp(c->bytes.at + v->at, state, size)) return i;
    }
    vec_push(&c->visited, ((struct visited){c->bytes.len, size, c->last}));
    vec_reserve(&c->bytes, c->bytes.len + size + 1);
    memcpy(c->bytes.at + c->bytes.len, state, size);
    c->bytes.len += size;
    return SIZE_MAX;
}

struct preference { int pid; uint32_t index, first; };

static bool note_first_of(void *ctx, const struct successor *t)
{
    struct preference *p = ctx;
    if (t->pid == p->pid && p->first == UINT32_MAX) p->first = p->index;
    p->index++;
    return true;
}

/* The first step of the process that moved last, or else of any; false: there is none. */
static bool go_on(struct model *m, struct continuation *c, const struct successor **taken)
{
    uint32_t size;
    const uint8_t *state = replay_state(c->replay, &size);
    struct preference p = {.pid = c->last, .first = UINT32_MAX};
    m->ops->successors(m, state, size, MODEL_ALL, false, note_first_of, &p);
    if (!p.index) return false;
    uint32_t choice = p.first == UINT32_MAX ? 0 : p.first;
    vec_push(&c->out->choices, choice);
    *taken = replay_step(c->replay, choice);
    if (*taken) c->last = (*taken)->last;
    return *taken;
}

/* To the end, into a cycle, or to a fault; false: it is too long to tell. */
static bool follow(struct model *m, struct continuation *c)
{
    size_t from = c->out->choices.len, again;
    const struct successor *t = NULL;
    while (c->out->choices.len < from + MOST_STEPS) {
        if ((again = seen_before(c)) != SIZE_MAX) {
            c->out->lasso = true;
            c->out->cycle_start = from + again;
            return true;
        }
        if (!go_on(m, c, &t)) {
            c->out->lasso = true; /* it stays there */
            c->out->cycle_start = c->out->choices.len;
            return true;
        }
        if (t->fault) return true;
    }
    return false;
}

bool schedule_without_preemption(struct model *m, const struct schedule *s, size_t *step, struct schedule *out)
{
    *out = (struct schedule){.violates = s->violates};
    *step = last_preemption(m, s);
    if (*step == SIZE_MAX) return false;
    struct continuation c = {.replay = replay_new(m), .out = out, .last = MODEL_NOBODY};
    for (size_t i = 0; i < *step && !m->cut; i++) {
        const struct successor *t = replay_step(c.replay, s->choices.at[i]);
        vec_push(&out->choices, s->choices.at[i]);
        c.last = t ? t->last : MODEL_NOBODY;
    }
    bool told = !m->cut && follow(m, &c) && !m->cut;
    replay_free(c.replay);
    vec_release(&c.visited);
    vec_release(&c.bytes);
    if (!told) schedule_release(out);
    return told;
}
