/* Running a model along given choices. Knows nothing of searches: counterexamples, simulation and trails use it, and
 * what is counted on a trace is counted from here. */
#include "search/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct replay {
    struct model *m;
    VEC(uint8_t) state, next, fault_before;
    struct successor taken;
    VEC(struct move) moves;
    struct str fault_message, output;
    uint32_t wanted, index;
    bool found;
    size_t work; /* bytes of states since it was asked whether to go on */
};

enum { WORK_PER_LOOK = 1 << 20, WORK_PER_STEP = 1 << 12 };

/* A schedule can have millions of steps, and a state millions of bytes. */
static bool is_cut(struct replay *r)
{
    struct model *m = r->m;
    r->work += WORK_PER_STEP + r->state.len;
    if (r->work >= WORK_PER_LOOK) {
        r->work = 0;
        m->between = true;
        m->cut |= m->interrupted && m->interrupted(m->interrupt_ctx);
        m->between = false;
    }
    return m->cut;
}

struct replay *replay_new(struct model *m)
{
    struct replay *r = xcalloc(1, sizeof *r);
    r->m = m;
    vec_reserve(&r->state, (size_t)m->max_state + 1);
    r->state.len = m->ops->initial(m, r->state.at);
    return r;
}

void replay_free(struct replay *r)
{
    if (!r) return;
    vec_release(&r->state);
    vec_release(&r->next);
    vec_release(&r->fault_before);
    vec_release(&r->moves);
    str_release(&r->fault_message);
    str_release(&r->output);
    free(r);
}

const uint8_t *replay_state(const struct replay *r, uint32_t *size)
{
    *size = (uint32_t)r->state.len;
    return r->state.at;
}

static void set_text(struct str *s, const char *text)
{
    s->len = 0;
    str_add(s, text ? text : "");
}

static void keep_successor(struct replay *r, const struct successor *s)
{
    r->taken = *s;
    vec_clear(&r->moves);
    for (uint32_t i = 0; i < s->move_count; i++) vec_push(&r->moves, s->moves[i]);
    set_text(&r->fault_message, s->fault_message);
    set_text(&r->output, r->m->ops->output ? r->m->ops->output(r->m) : "");
    vec_clear(&r->fault_before);
    if (s->fault && s->fault_before) {
        vec_reserve(&r->fault_before, s->fault_size);
        memcpy(r->fault_before.at, s->fault_before, s->fault_size);
        r->fault_before.len = s->fault_size;
    }
    vec_clear(&r->next);
    if (!s->state) return;
    vec_reserve(&r->next, s->size);
    memcpy(r->next.at, s->state, s->size);
    r->next.len = s->size;
}

static bool take_wanted(void *ctx, const struct successor *s)
{
    struct replay *r = ctx;
    if (r->index++ != r->wanted) return true;
    r->found = true;
    keep_successor(r, s);
    return false;
}

const struct successor *replay_step(struct replay *r, uint32_t choice)
{
    r->wanted = choice;
    r->index = 0;
    r->found = false;
    if (!r->state.len || is_cut(r)) return NULL;
    r->m->ops->successors(r->m, r->state.at, (uint32_t)r->state.len, MODEL_ALL, false, take_wanted, r);
    if (!r->found) return NULL;
    vec_clear(&r->state);
    vec_reserve(&r->state, r->next.len);
    if (r->next.len) memcpy(r->state.at, r->next.at, r->next.len);
    r->state.len = r->next.len;
    r->taken.state = r->state.len ? r->state.at : NULL;
    r->taken.fault_before = r->fault_before.len ? r->fault_before.at : NULL;
    r->taken.moves = r->moves.at;
    r->taken.fault_message = str_get(&r->fault_message);
    return &r->taken;
}

const char *replay_output(const struct replay *r) { return str_get(&r->output); }

struct process_seek { int pid; bool found, waits; };

static bool is_of_process(void *ctx, const struct successor *s)
{
    struct process_seek *k = ctx;
    k->found = s->pid == k->pid;
    k->waits = s->timeout;
    return !k->found;
}

static struct process_seek seek_process(struct replay *r, int pid)
{
    struct process_seek k = {.pid = pid};
    if (r->state.len)
        r->m->ops->successors(r->m, r->state.at, (uint32_t)r->state.len, MODEL_ALL, false, is_of_process, &k);
    return k;
}

bool replay_process_enabled(struct replay *r, int pid) { return seek_process(r, pid).found; }

bool replay_leaving_preempts(struct replay *r, int pid)
{
    if (pid == MODEL_NOBODY) return false;
    struct process_seek k = seek_process(r, pid);
    return k.found && !k.waits;
}
