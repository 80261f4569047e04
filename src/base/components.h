/* Strongly connected components of a graph that callbacks describe. */
#ifndef HEDDLE_COMPONENTS_H
#define HEDDLE_COMPONENTS_H

struct graph { int count; void *ctx; int (*degree)(void *ctx, int node); int (*target)(void *ctx, int node, int i); };
/* component[i] for every node, numbered in reverse topological order; returns how many there are. A component of one
 * node without an edge to itself counts too. */
int graph_components(const struct graph *g, int *component);

#endif
