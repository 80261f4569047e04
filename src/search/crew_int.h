/* Threads that do the parts of one piece of work side by side. Internal to src/search. */
#ifndef HEDDLE_CREW_H
#define HEDDLE_CREW_H

#include "base/base.h"

struct crew;
/* Worker 0 is whoever calls crew_run(); the others are started when they are first needed. */
struct crew *crew_new(int workers);
void crew_free(struct crew *p);
void crew_look_often(struct crew *p); /* `idle` is called every millisecond: the others may wait for what it does */
/* Calls part(ctx, worker, i) for every i below `parts`, in ascending order if there is one worker, and returns when all
 * are done. `idle` is called now and then while worker 0 waits for the others; may be NULL. */
typedef void crew_part(void *ctx, int worker, uint32_t part);
void crew_run(struct crew *p, uint32_t parts, crew_part *part, void (*idle)(void *ctx), void *ctx);

#endif
