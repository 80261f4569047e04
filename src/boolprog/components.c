/* Strongly connected components (Tarjan 1972), without recursion: a graph can be a chain as long as the source. */
#include "boolprog/parse_int.h"

#include <assert.h>
#include <stdlib.h>

struct tarjan { const int_list *next; int *index, *low, *component, count, components; int_list stack, path, at; };

static void enter(struct tarjan *t, int n)
{
    t->index[n] = t->low[n] = ++t->count;
    vec_push(&t->stack, n);
    vec_push(&t->path, n);
    vec_push(&t->at, 0);
}

static void leave(struct tarjan *t, int n)
{
    (void)vec_pop(&t->path), (void)vec_pop(&t->at);
    if (t->path.len) t->low[vec_last(&t->path)] = MIN(t->low[vec_last(&t->path)], t->low[n]);
    if (t->low[n] != t->index[n]) return;
    int member;
    do {
        member = vec_pop(&t->stack);
        t->component[member] = t->components;
    } while (member != n);
    t->components++;
}

static void walk(struct tarjan *t, int root)
{
    enter(t, root);
    while (t->path.len) {
        int n = vec_last(&t->path), i = vec_last(&t->at)++;
        if (i >= (int)t->next[n].len) {
            leave(t, n);
            continue;
        }
        int to = t->next[n].at[i];
        if (!t->index[to]) enter(t, to);
        else if (t->component[to] < 0) t->low[n] = MIN(t->low[n], t->index[to]);
    }
}

int *bp_components(const int_list *next, size_t n)
{
    struct tarjan t = {.next = next};
    t.index = xcalloc(n + 1, sizeof(int)), t.low = xcalloc(n + 1, sizeof(int));
    t.component = xcalloc(n + 1, sizeof(int));
    for (size_t i = 0; i < n; i++) t.component[i] = -1;
    for (size_t i = 0; i < n; i++)
        if (!t.index[i]) walk(&t, (int)i);
    assert(!t.stack.len && t.count == (int)n);
    free(t.index), free(t.low);
    vec_release(&t.stack), vec_release(&t.path), vec_release(&t.at);
    return t.component;
}
