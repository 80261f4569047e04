/* Strongly connected components (Tarjan), without recursion: graphs may be long. */
#include "base/components.h"

#include "base/base.h"

struct visit { int node, next; };

int graph_components(const struct graph *g, int *component)
{
    int *low = xcalloc((size_t)g->count + 1, sizeof *low), *index = xcalloc((size_t)g->count + 1, sizeof *index);
    VEC(int) open = {0};
    VEC(struct visit) path = {0};
    int counter = 0, found = 0;
    for (int i = 0; i < g->count; i++) component[i] = -1;
    for (int root = 0; root < g->count; root++) {
        if (index[root]) continue;
        index[root] = low[root] = ++counter;
        vec_push(&open, root);
        vec_push(&path, ((struct visit){root, 0}));
        while (path.len) {
            struct visit *v = &vec_last(&path);
            int node = v->node;
            if (v->next < g->degree(g->ctx, node)) {
                int to = g->target(g->ctx, node, v->next++);
                if (!index[to]) {
                    index[to] = low[to] = ++counter;
                    vec_push(&open, to);
                    vec_push(&path, ((struct visit){to, 0}));
                } else if (component[to] < 0) {
                    low[node] = MIN(low[node], index[to]);
                }
                continue;
            }
            (void)vec_pop(&path);
            if (path.len) low[vec_last(&path).node] = MIN(low[vec_last(&path).node], low[node]);
            if (low[node] != index[node]) continue;
            int member;
            do component[member = vec_pop(&open)] = found;
            while (member != node);
            found++;
        }
    }
    vec_release(&open);
    vec_release(&path);
    free_null((void **)&low);
    free_null((void **)&index);
    return found;
}
