/* Fig. 5 of Holzmann and Florian, "Model checking with bounded context switching", on all small systems: an ample
 * set gives way only if all of its steps lead to the stack (src/search/bcs.c; the paper: if some do, Sec. 3.3). Two
 * processes, one with two operations, the other with one, over up to 3 states, and one in many of those with 4;
 * every state is an error or not. Whenever an error can be reached with at most c preemptions, the search with bound
 * c must find one. The search here is written down once more, on bit masks; test_levels.c has the real one on random
 * systems. */
#include "small_por.h"

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

enum { MOST_BOUND = 2, OPS = 3 };
static const unsigned ops_of[2] = {3, 4}; /* by process */
static int process_of(int op) { return op == 2; }

/* ---- the truth: fewest preemptions to an error, over (state, last process) ---- */

static int fewest_preemptions(const struct small_program *p)
{
    int best = 99, cost[MOST_Q][2];
    for (int q = 0; q < MOST_Q; q++) cost[q][0] = cost[q][1] = 99;
    if (p->label[0]) return 0;
    for (int o = 0; o < OPS; o++)
        if (p->to[o][0] != NONE) cost[p->to[o][0]][process_of(o)] = 0;
    for (int round = 0; round < 8 * MOST_Q; round++)
        for (int q = 0; q < p->states; q++)
            for (int last = 0; last < 2; last++)
                for (int o = 0; o < OPS && cost[q][last] < 99; o++) {
                    if (p->to[o][q] == NONE) continue;
                    bool preempts = process_of(o) != last && (enabled_ops(p, q) & ops_of[last]);
                    int *to = &cost[p->to[o][q]][process_of(o)];
                    *to = MIN(*to, cost[q][last] + preempts);
                }
    for (int q = 0; q < p->states; q++)
        if (p->label[q]) best = MIN(best, MIN(cost[q][0], cost[q][1]));
    return best;
}

/* ---- the reduced search ---- */

struct bounded {
    const struct small_program *p;
    int bound, first; /* first: which process is tried first for an ample set */
    unsigned visible, stack, ample[MOST_Q];
    int count[MOST_Q];
    unsigned arrived[MOST_Q];
    bool known[MOST_Q], safe[MOST_Q], found, reduced, gave_way_to_some;
};

static unsigned targets(const struct bounded *b, int q, unsigned ops)
{
    unsigned to = 0;
    for (; ops; ops &= ops - 1) to |= 1u << b->p->to[__builtin_ctz(ops)][q];
    return to;
}

static bool is_worth_it(struct bounded *b, int q, int n, int process, bool safe)
{
    if (!b->known[q] || n < b->count[q]) {
        b->known[q] = true, b->count[q] = n, b->arrived[q] = 1u << process, b->safe[q] = safe;
        return true;
    }
    if (n > b->count[q] || b->safe[q] || (!safe && b->arrived[q] >> process & 1)) return false;
    b->arrived[q] |= 1u << process;
    b->safe[q] |= safe;
    return true;
}

static void search(struct bounded *b, int q, int n, int last, bool safe);

static void go_on(struct bounded *b, int q, unsigned ops, int n, bool safe)
{
    for (; ops; ops &= ops - 1) {
        int o = __builtin_ctz(ops), to = b->p->to[o][q];
        if (n <= b->bound && is_worth_it(b, to, n, process_of(o), safe)) search(b, to, n, process_of(o), safe);
    }
}

/* last -1: the first state, in which all steps are free. */
static void search(struct bounded *b, int q, int n, int last, bool safe)
{
    unsigned enabled = enabled_ops(b->p, q), own = last < 0 ? 0 : enabled & ops_of[last];
    unsigned ample = last < 0 ? 0 : b->ample[q];
    b->found |= b->p->label[q];
    bool was_there = b->stack >> q & 1;
    b->stack |= 1u << q;
    bool cycle = ample && !(targets(b, q, ample) & ~b->stack);
    b->gave_way_to_some |= ample && !cycle && (targets(b, q, ample) & b->stack); /* where the paper's rule differs */
    if (ample && !cycle && n < b->bound) {
        b->reduced = true;
        go_on(b, q, ample, n, true);
    } else {
        go_on(b, q, own, n, false);
        go_on(b, q, enabled & ~own, n + !(last < 0 || !own || safe || cycle), false);
    }
    if (!was_there) b->stack &= ~(1u << q);
}

static void find_ample_sets(struct bounded *b)
{
    for (int q = 0; q < b->p->states; q++) {
        unsigned enabled = enabled_ops(b->p, q);
        b->ample[q] = 0;
        for (int i = 0; i < 2 && !b->ample[q]; i++) {
            unsigned set = enabled & ops_of[i ^ b->first];
            if (set && set != enabled && !(set & b->visible) && set_may_go_first(b->p, set, q)) b->ample[q] = set;
        }
    }
}

/* ---- all of them ---- */

struct totals { unsigned long systems, errors, reduced, differ; };

static void judge(const struct small_program *p, struct totals *t)
{
    int fewest = fewest_preemptions(p);
    unsigned visible = 0;
    for (int o = 0; o < OPS; o++)
        for (int q = 0; q < p->states; q++)
            if (p->to[o][q] != NONE && p->label[q] != p->label[p->to[o][q]]) visible |= 1u << o;
    t->systems++;
    t->errors += fewest < 99;
    for (int i = 0; i < 2 * (MOST_BOUND + 1) && fewest < 99; i++) {
        struct bounded b = {.p = p, .bound = i / 2, .first = i % 2, .visible = visible};
        find_ample_sets(&b);
        b.known[0] = true;
        search(&b, 0, 0, -1, false);
        t->reduced += b.reduced;
        t->differ += b.gave_way_to_some;
        if (fewest > b.bound || b.found) continue;
        for (int o = 0; o < OPS; o++)
            for (int q = 0; q < p->states; q++)
                fprintf(stderr, "op %d: %d -> %d (label %d)\n", o, q, p->to[o][q], p->label[q]);
        fail_msg("an error with %d preemptions is missed with bound %d", fewest, b.bound);
    }
}

static void decode(struct small_program *p, unsigned long number)
{
    for (int o = 0; o < OPS; o++)
        for (int q = 0; q < p->states; q++, number /= (unsigned)p->states + 1) {
            unsigned long to = number % ((unsigned)p->states + 1);
            p->to[o][q] = to == (unsigned)p->states ? NONE : (uint8_t)to;
        }
}

static void all_systems(int states, unsigned long every)
{
    struct totals t = {0};
    unsigned long count = 1;
    for (int i = 0; i < OPS * states; i++) count *= (unsigned)states + 1;
    for (unsigned long i = 0; i < count; i += every) {
        struct small_program p = {.states = states, .ops = OPS};
        memset(p.to, NONE, sizeof p.to);
        decode(&p, i);
        if (!all_reachable(&p)) continue;
        for (unsigned labels = 1; labels < 1u << states; labels++) {
            for (int q = 0; q < states; q++) p.label[q] = labels >> q & 1;
            judge(&p, &t);
        }
    }
    print_message("           %d states: %lu systems, %lu with errors, %lu reduced, the rules differ in %lu\n", states,
                  t.systems, t.errors, t.reduced, t.differ);
    assert_true(states < 3 || (t.reduced > 0 && t.differ > 0)); /* else the test tests nothing */
}

static void errors_within_the_bound_are_found(void **unused)
{
    (void)unused;
    const char *given = getenv("HEDDLE_BCS_SMALL"); /* one in so many of the systems with four states; 1: all */
    all_systems(2, 1);
    all_systems(3, 1);
    all_systems(4, given ? strtoul(given, NULL, 10) : 1009);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(errors_within_the_bound_are_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
