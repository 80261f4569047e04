/* Which program variables are neighbours in the BDD order: FORCE (Aloul, Markov, Sakallah 2003), that is, every
 * statement pulls the variables that it relates together, again and again, and the total span decides. */
#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>

struct point { double at; int item; };

static int by_place(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->item - y->item;
}

static double center(const int_list *group, const int *place)
{
    double sum = 0;
    for (size_t i = 0; i < group->len; i++) sum += place[group->at[i]];
    return sum / (double)group->len;
}

static double total_span(const int_list *groups, size_t count, const int *place)
{
    double span = 0;
    for (size_t g = 0; g < count; g++) {
        assert(groups[g].len);
        int low = place[groups[g].at[0]], high = low;
        for (size_t i = 1; i < groups[g].len; i++) {
            low = MIN(low, place[groups[g].at[i]]);
            high = MAX(high, place[groups[g].at[i]]);
        }
        span += high - low;
    }
    return span;
}

static void pull(const int_list *groups, size_t count, int *place, int items, struct point *points, int *degree)
{
    for (int i = 0; i < items; i++) points[i] = (struct point){0, i}, degree[i] = 0;
    for (size_t g = 0; g < count; g++) {
        double c = center(&groups[g], place);
        for (size_t i = 0; i < groups[g].len; i++) points[groups[g].at[i]].at += c, degree[groups[g].at[i]]++;
    }
    for (int i = 0; i < items; i++) points[i].at = degree[i] ? points[i].at / degree[i] : place[i];
    qsort(points, (size_t)items, sizeof *points, by_place);
    for (int i = 0; i < items; i++) place[points[i].item] = i;
}

/* order[i]: the item at place i. Groups must not be empty. */
void force_order(const int_list *groups, size_t count, int items, int *order)
{
    int *place = xcalloc((size_t)items + 1, sizeof *place), *degree = xcalloc((size_t)items + 1, sizeof *degree);
    struct point *points = xcalloc((size_t)items + 1, sizeof *points);
    for (int i = 0; i < items; i++) place[i] = order[i] = i;
    double best = total_span(groups, count, place);
    for (int round = 0; round < 50; round++) {
        pull(groups, count, place, items, points, degree);
        double span = total_span(groups, count, place);
        if (span >= best) continue;
        best = span;
        for (int i = 0; i < items; i++) order[place[i]] = i;
    }
    free(place);
    free(degree);
    free(points);
}
