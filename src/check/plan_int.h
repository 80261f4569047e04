/* What a check would need on other numbers of processes, from what a piece of it took: the arithmetic behind --plan.
 * doc/cluster.md says where it comes from and how well it did. Internal to src/check. */
#ifndef HEDDLE_PLAN_H
#define HEDDLE_PLAN_H

#include "base/base.h"

/* Seconds from one process to another; bytes per second that a process can send while it receives as many. */
struct network { double latency, bandwidth; };
#define NETWORK_DEFAULT ((struct network){.latency = 2e-6, .bandwidth = 1.25e9})
/* "latency=2us,bandwidth=10GB": NULL, or what is wrong. */
const char *network_parse(const char *text, struct network *n);

struct work { double states, arrivals, rounds, seconds, bytes; }; /* of one process; bytes: of states and tables */
struct process { double threads, item, fixed; }; /* item: bytes of an arrival; fixed: of what every process has */
struct needs { double seconds, memory, messages, traffic; }; /* the last three of each process */
struct needs needs_of(const struct work *w, const struct process *p, struct network net, double ranks);
struct work work_grown(const struct work *w, double states); /* the same with more states */

/* All states, if a breadth-first search had found so many after each round. */
enum { LEAST_ROUNDS = 9 }; /* 2 * RECENT_ROUNDS + 1 */
struct guess { bool known; double growth, least, most; };
struct guess guess_states(const double *found, size_t rounds);

#endif
