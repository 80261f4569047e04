/* Partial order reduction for safety.
 *
 * In a state in which the next steps of some process are independent of everything that the others can do before
 * (model.h), those steps alone are explored: of all such processes that have a step, those of the highest pid.
 * What is left out is still possible afterwards. It cannot be left out for ever, since no cycle has only reduced
 * states: the model says of some state of each cycle that nobody is independent there (src/model/sticky.c). All
 * deadlocks and all failing assertions remain; the number of preemptions need not. Which states are visited
 * depends on the state alone and not on what was seen before: every order of search, and any number of workers,
 * visits the same ones.
 *
 * In the ordered search a step taken from an ample set is free, and so is the switch after it: it could have been
 * made at any other time. So the level of a state is a lower bound of its preemptions, as in Fig. 5 of Holzmann
 * and Florian; there the rule is used only below the bound, here at every level. If there is no error at level c,
 * then there is none with c preemptions; an error found at level c is recounted on its schedule.
 *
 * For that, the ample step must not make anything dearer that comes between its early place and its late one. It can: a
 * message that is sent early lets its receiver go on where it was blocked, and to leave it then is a preemption that
 * the late send did not need (test/bcs/models/early-send.pml; Fig. 5 has nothing against it). So a switch away from a
 * process that can go on is free as well where that may be thanks to another one's ample step.
 *
 * A state is *forced* if its ample set is one step that does not fail, or if no other step is possible in it at
 * all: there is nothing to decide, and it need not be kept. Searches follow such steps at once to where something
 * is to be decided; which states are kept depends on nothing else, either. What fails, ends or has several
 * successors is never passed by, so errors are found in states that are kept. A way of ample steps ends, since no
 * cycle has only reduced states; one of only steps may go round for ever, and stops at a state that it has seen:
 * the one where it was after the last power of two of steps (Brent), so that where it stops depends on where it
 * begins alone. Limits on the length of paths count steps, so there nothing is passed by. (Path reduction: Yorav
 * and Grumberg, "Static analysis for state-space reductions preserving temporal logics", 2004; there the paths are
 * found before the search, on the control flow.) */
#include "search/search_int.h"

#include <string.h>

int reduction_candidate(const struct run *r, const uint8_t *state, int below)
{
    if (!r->opt->reduce || !r->m->ops->independent) return -1;
    while (--below >= 0)
        if (r->m->ops->independent(r->m, state, below)) return below;
    return -1;
}

bool reduction_forces(const struct run *r)
{
    return r->opt->reduce && r->m->ops->independent && !r->opt->depth && !r->opt->shorten && r->opt->kind != SEARCH_BCS;
}

struct only_step { struct state_bytes *next; uint32_t steps; int pid; bool plain; };

static bool on_step(void *ctx, const struct successor *t)
{
    struct only_step *x = ctx;
    x->plain = ++x->steps == 1 && t->state && !t->fault;
    if (!x->plain) return false;
    x->pid = t->pid;
    vec_reserve(x->next, t->size);
    memcpy(x->next->at, t->state, t->size);
    x->next->len = t->size;
    return true;
}

static void list_steps(const struct run *r, const uint8_t *state, uint32_t size, int pid, struct only_step *x)
{
    r->m->ops->successors(r->m, state, size, pid, false, on_step, x);
}

int reduction_forced(const struct run *r, const uint8_t *state, uint32_t size, struct state_bytes *next)
{
    struct only_step x = {.next = next, .pid = -1};
    int processes = r->m->ops->process_count(r->m, state);
    for (int pid = processes; !x.steps && (pid = reduction_candidate(r, state, pid)) >= 0;)
        list_steps(r, state, size, pid, &x);
    bool ample = x.steps;
    for (int pid = processes - 1; pid >= 0 && !ample && (!x.steps || x.plain); pid--)
        list_steps(r, state, size, pid, &x);
    return x.plain && !r->m->cut ? x.pid : -1;
}

bool way_goes_on(struct way_walked *w, const uint8_t *state, size_t size)
{
    bool round = w->steps && w->anchor.len == size && !memcmp(w->anchor.at, state, size);
    if (round || w->steps == FORCED_MOST) return false;
    if (!(w->steps & (w->steps - 1))) {
        vec_reserve(&w->anchor, size);
        memcpy(w->anchor.at, state, size);
        w->anchor.len = size;
    }
    w->steps++;
    return true;
}

void reduction_follow(const struct run *r, struct state_bytes *state, struct state_bytes *scratch)
{
    struct way_walked way = {0};
    while (way_goes_on(&way, state->at, state->len) &&
           reduction_forced(r, state->at, (uint32_t)state->len, scratch) >= 0) {
        struct state_bytes behind = *state;
        *state = *scratch;
        *scratch = behind;
    }
    vec_release(&way.anchor);
}

bool reduction_frees_switch(bool reduced, struct model *m, const uint8_t *state, int pid)
{
    return reduced && m->ops->may_depend && pid < m->ops->process_count(m, state) && m->ops->may_depend(m, state, pid);
}
