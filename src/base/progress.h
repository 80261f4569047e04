/* One line on a terminal that says how far a long run is; nothing when stderr is not a terminal. */
#ifndef HEDDLE_PROGRESS_H
#define HEDDLE_PROGRESS_H

#include "base/base.h"

struct progress { bool enabled, shown; double next, started; };

void progress_start(struct progress *p, bool wanted);
bool progress_due(struct progress *p); /* cheap enough for once per few thousand steps */
void progress_show(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);
void progress_clear(struct progress *p); /* before printing anything else */

#endif
