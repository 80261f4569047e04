/* Partial order reduction for safety.
 *
 * In a state in which the next steps of some process are independent of everything that the others can do before
 * (model.h), those steps alone are explored: of all such processes that have a step, those of the highest pid. What is
 * left out is still possible afterwards. It cannot be left out for ever, since no cycle has only reduced states: the
 * model says of some state of each cycle that nobody is independent there (src/model/sticky.c). All deadlocks and all
 * failing assertions remain; the number of preemptions need not. Which states are visited depends on the state alone
 * and not on what was seen before: every order of search, and any number of workers, visits the same ones.
 *
 * In the ordered search a step taken from an ample set is free, and so is the switch after it: it could have been made
 * at any other time. So the level of a state is a lower bound of its preemptions, as in Fig. 5 of Holzmann and Florian;
 * there the rule is used only below the bound, here at every level. If there is no error at level c, then there is none
 * with c preemptions; an error found at level c is recounted on its schedule.
 *
 * For that, the ample step must not make anything dearer that comes between its early place and its late one. It can: a
 * message that is sent early lets its receiver go on where it was blocked, and to leave it then is a preemption that
 * the late send did not need (test/bcs/models/early-send.pml; Fig. 5 has nothing against it). So a switch away from a
 * process that can go on is free as well where that may be thanks to another one's ample step. */
#include "search/search_int.h"

int reduction_candidate(const struct run *r, const uint8_t *state, int below)
{
    if (!r->opt->reduce || !r->m->ops->independent) return -1;
    while (--below >= 0)
        if (r->m->ops->independent(r->m, state, below)) return below;
    return -1;
}

bool reduction_frees_switch(bool reduced, struct model *m, const uint8_t *state, int pid)
{
    return reduced && m->ops->may_depend && pid < m->ops->process_count(m, state) && m->ops->may_depend(m, state, pid);
}
