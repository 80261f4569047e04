/* Arrivals that one thread has seen lately. Internal to src/search.
 *
 * Most steps lead to a state that another step has just led to: two processes that have nothing to do with each other
 * come to the same state in either order. What is found here needs no lookup in tables that are far away. Whole states
 * are compared, so nothing is ever taken for something else. */
#ifndef HEDDLE_RECENT_H
#define HEDDLE_RECENT_H

#include "search/store_int.h"

struct recent { uint8_t *slots; size_t stride, mask; };
void recent_release(struct recent *r);
/* Has `last` arrived in this state lately? From now on it has. */
bool recent_seen(struct recent *r, const uint8_t *state, uint32_t size, int last);

#endif
