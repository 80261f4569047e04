/* The states around a path. Internal to src/search. */
#ifndef HEDDLE_VICINITY_INT_H
#define HEDDLE_VICINITY_INT_H

#include "search/search_int.h"

/* The states of the path, which come first, and those around it: at most so many, in o->budget bytes (0: 64 MB). NULL:
 * the path is too long for that, or a limit was reached. */
struct vicinity;
struct vicinity *vicinity_new(struct model *m, const struct search_options *o, size_t states,
                              const struct schedule *path);
void vicinity_free(struct vicinity *v);
bool vicinity_has(const struct vicinity *v, const uint8_t *state, uint32_t size);

enum { USUAL_MEMORY = 64 << 20 }; /* where no budget is given */

struct vicinity_size { size_t states, arcs, nodes; };

/* A schedule to an error with fewer preemptions, or with as many and fewer steps, in the states around this one that
 * all processes lead to, or those that move in it: at most `states` of them, in o->budget bytes. False: there is none,
 * or a limit was reached. o->enough may cut it short. */
enum vicinity_of { OF_ALL, OF_THOSE_THAT_MOVE };
bool schedule_shorten(struct model *m, const struct search_options *o, enum vicinity_of whom, size_t states,
                      const struct schedule *from, struct schedule *to);

/* A schedule to an error with some of these steps, in the same order. False: none of them can be left out, or there was
 * no time to find out. */
bool schedule_drop_steps(struct model *m, const struct search_options *o, const struct schedule *from,
                         struct schedule *to);

/* The same with these steps in another order, and perhaps without some: it has fewer preemptions, or as many and fewer
 * steps. */
bool schedule_avoid_preemptions(struct model *m, const struct search_options *o, const struct schedule *from,
                                struct schedule *to);

/* Of a violation: the same without all steps of some processes, or without those before the cycle, if what remains is
 * one, too. */
bool violation_drop_processes(struct model *m, const struct property *p, const struct search_options *o,
                              const struct schedule *from, struct schedule *to);
/* Of a violation: another way to the same cycle or end, no longer and with fewer preemptions, in the states around it
 * that the processes of the present way lead to. Whether it violates the property, too, is not known. */
bool schedule_reorder_stem(struct model *m, const struct search_options *o, size_t states, const struct schedule *from,
                           struct schedule *to);

/* Does this schedule end in an error? */
bool schedule_fails(struct model *m, const struct search_options *o, const struct schedule *s);
/* Of a path of many steps, in o->budget bytes: a shorter one to the same error. */
bool schedule_take_shortcuts(struct model *m, const struct search_options *o, const struct schedule *from,
                             struct schedule *to);

#endif
