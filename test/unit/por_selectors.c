/* Fig. 5 of Siegel, "What's wrong with on-the-fly partial order reduction" (CAV 2019): is there a program and an
 * ample selector with C0, C1, C2 and C3' on which the reduced product has no accepting cycle while the full one has?
 * The paper asks Alloy; here all programs of a size are enumerated, and for each all selectors.
 *
 * A selector gives each product state (q, s) a set of operations; V0 looks it up at (q, s') after the automaton
 * moved, V1 at (q, s). Two things keep the number of selectors small and lose none that matters. What it says of
 * states that are not reached in the reduced product changes nothing, so it is asked only where it is needed (and is
 * all operations elsewhere). And with a smaller set there are fewer steps, hence fewer cycles, accepting or
 * forbidden: of the proper sets only the smallest are tried, beside the full one. For the same reason a choice is
 * given up as soon as what is decided has an accepting cycle, or one without a full state.
 *
 * The test takes all programs up to 3 states and 3 operations, and one in many with 4. HEDDLE_SELECTORS=N takes one
 * in N of those with 4 states and 3 operations (1: all), for B5 one in 50 N, and all normal forms up to 4 states.
 * The paper's scope goes to 5 states for three of its rows. `por_selectors five [N]` takes all such programs with 2
 * operations, and those with 3 for one in N of the pairs of operations that commute (1, the default: all, which takes
 * twenty minutes; `make por-long`). */
#define SMALL_STATES 5
#include "small_all.h"

#include <setjmp.h>
#include <stdio.h>

#include <cmocka.h>

enum version { V0, V1 };

/* ---- ample sets of a program ---- */

enum { MOST_SETS = 8 };
struct sets { uint8_t set[MOST_Q][MOST_SETS]; int count[MOST_Q]; }; /* smallest proper sets with C1, and with C2 */

static unsigned visible_ops(const struct small_program *p)
{
    unsigned visible = 0;
    for (int o = 0; o < p->ops; o++)
        for (int q = 0; q < p->states; q++)
            if (p->to[o][q] != NONE && p->label[q] != p->label[p->to[o][q]]) visible |= 1u << o;
    return visible;
}

/* Sets are tried in ascending order, so the subsets of one come before it. */
static bool find_sets(const struct small_program *p, unsigned forbidden, struct sets *x)
{
    bool any = false;
    *x = (struct sets){0};
    for (int q = 0; q < p->states; q++) {
        unsigned en = enabled_ops(p, q);
        for (unsigned set = 1; set < en; set++) {
            bool smallest = true;
            for (int i = 0; i < x->count[q]; i++) smallest &= (x->set[q][i] & set) != x->set[q][i];
            if ((set & ~en) || (set & forbidden) || !smallest || !set_may_go_first(p, set, q)) continue;
            x->set[q][x->count[q]++] = (uint8_t)set;
        }
        any |= x->count[q] > 0;
    }
    return any;
}

static bool may_reduce(struct small_program *p)
{
    struct sets x;
    return find_sets(p, 0, &x);
}

static bool may_reduce_labelled(struct small_program *p)
{
    struct sets x;
    return find_sets(p, visible_ops(p), &x);
}

/* ---- looking for a selector that loses the error ---- */

struct hunt {
    const struct small_program *p;
    const struct small_automaton *a;
    enum version version;
    struct sets sets;
    uint8_t chosen[NODES]; /* by node; 0: not decided yet */
    unsigned long selectors;
};

static nodes steps_of(const struct small_program *p, int q, unsigned ops, unsigned targets)
{
    return enabled_ops(p, q) ? targets_of(p, q, ops, targets) : 0; /* an execution that ends is none */
}

static bool has_cycle(const nodes *edge, nodes reached)
{
    for (;;) { /* takes away what leads nowhere, until nothing changes */
        nodes left = reached;
        for (unsigned m = reached; m; m &= m - 1)
            if (!(edge[__builtin_ctz(m)] & reached)) left &= (nodes)~(1u << __builtin_ctz(m));
        if (left == reached) return reached;
        reached = left;
    }
}

/* partial: steps from where the set is a proper one */
struct space { nodes edge[NODES], partial[NODES], reached; int open; };

static void add_steps(const struct hunt *h, struct space *x, int at, int key, unsigned targets)
{
    int q = at / 4;
    if (!h->chosen[key]) x->open = x->open < 0 ? key : x->open;
    nodes to = h->chosen[key] ? steps_of(h->p, q, h->chosen[key], targets) : 0;
    x->edge[at] |= to;
    if (h->chosen[key] != enabled_ops(h->p, q)) x->partial[at] |= to;
}

/* The reduced product as far as it is decided; `open` is a node that is asked for and has no set yet, or -1. */
static struct space reduced_space(const struct hunt *h)
{
    struct space x = {.reached = 1, .open = -1};
    for (nodes todo = 1; todo;) {
        int at = __builtin_ctz(todo), q = at / 4;
        unsigned targets = h->a->to[at % 4][h->p->label[q]];
        todo &= (nodes)(todo - 1);
        x.edge[at] = x.partial[at] = 0;
        if (enabled_ops(h->p, q) && targets) {
            if (h->version == V1) add_steps(h, &x, at, at, targets);
            else
                for (unsigned m = targets; m; m &= m - 1) add_steps(h, &x, at, q * 4 + __builtin_ctz(m), m & -m);
        }
        todo |= x.edge[at] & (nodes)~x.reached;
        x.reached |= x.edge[at];
    }
    return x;
}

static bool loses_error(struct hunt *h)
{
    struct space x = reduced_space(h);
    if (has_cycle(x.partial, x.reached)) return false; /* C3' */
    if (has_accepting_cycle(x.edge, x.reached, h->a->accepting)) return false;
    if (x.open < 0) {
        h->selectors++;
        return true;
    }
    int q = x.open / 4;
    for (int i = 0; i <= h->sets.count[q]; i++) {
        h->chosen[x.open] = i < h->sets.count[q] ? h->sets.set[q][i] : (uint8_t)enabled_ops(h->p, q);
        if (loses_error(h)) return true;
        h->selectors++;
    }
    h->chosen[x.open] = 0;
    return false;
}

static bool full_has_error(const struct small_program *p, const struct small_automaton *a)
{
    nodes edge[NODES], reached = 1, todo = 1;
    while (todo) {
        int at = __builtin_ctz(todo), q = at / 4;
        todo &= (nodes)(todo - 1);
        edge[at] = steps_of(p, q, 7, a->to[at % 4][p->label[q]]);
        todo |= edge[at] & (nodes)~reached;
        reached |= edge[at];
    }
    return has_accepting_cycle(edge, reached, a->accepting);
}

/* ---- the rows of Fig. 5 ---- */

struct row { automata automata; enum version version; unsigned long programs, pairs, errors, tried, lost; };

static void ask_one(void *ctx, const struct small_program *p)
{
    struct row *r = ctx;
    struct hunt h = {.p = p, .version = r->version};
    int letters = 0;
    for (int q = 0; q < p->states; q++) letters = MAX(letters, p->label[q] + 1);
    find_sets(p, visible_ops(p), &h.sets);
    r->programs++;
    for (size_t i = 0; i < r->automata.len; i++) {
        h.a = &r->automata.at[i];
        if (h.a->letters < letters) continue;
        r->pairs++;
        if (!full_has_error(p, h.a)) continue;
        r->errors++;
        memset(h.chosen, 0, sizeof h.chosen);
        h.selectors = 0;
        r->lost += loses_error(&h);
        r->tried += h.selectors;
    }
}

/* How many programs of the size: all, or one in so many of the larger ones. */
static unsigned long share(int states, int ops, unsigned long largest)
{
    const char *given = getenv("HEDDLE_SELECTORS");
    if (states < 4 || ops < 3) return 1;
    return given ? strtoul(given, NULL, 10) * (largest > 1000 ? 50 : 1) : largest;
}

static void judge(const struct row *r, const char *name, bool unsound)
{
    print_message("           V%d %s: %lu programs, %lu pairs, %lu with errors, %lu choices tried, lost on %lu\n",
                  r->version, name, r->programs, r->pairs, r->errors, r->tried, r->lost);
    assert_true(r->errors > 0);
    assert_int_equal(r->lost > 0, unsound);
}

static void ask(struct row *r, const char *name, unsigned long largest, bool unsound)
{
    int letters = r->automata.at[r->automata.len - 1].letters;
    for (int states = 1; states <= 4; states++)
        for (int ops = 2; ops <= MOST_OPS; ops++) {
            struct programs x = {states, ops, letters, share(states, ops, largest), 0, may_reduce, may_reduce_labelled};
            for_programs(&x, ask_one, r);
        }
    judge(r, name, unsound);
}

static const struct small_automaton published[] = {
    {2, 2, {{3, 0}, {0, 2}}, 2},                           /* B1 */
    {4, 2, {{6, 0}, {4, 0}, {2, 8}, {0, 8}}, 8},           /* B2 */
    {2, 2, {{3, 1}, {2, 0}}, 2},                           /* B3 */
    {4, 2, {{10, 4}, {2, 4}, {10, 4}, {8, 0}}, 8},         /* B4 */
};

static void rows_of_named_automata(void **state)
{
    (void)state;
    static const bool unsound[][2] = {{true, false}, {true, true}, {false, false}, {false, false}};
    for (int b = 0; b < 4; b++)
        for (int v = V0; v <= V1; v++) {
            struct row r = {.version = (enum version)v};
            char name[8];
            vec_push(&r.automata, published[b]);
            snprintf(name, sizeof name, "B%d", b + 1);
            ask(&r, name, 499, unsound[b][v]);
            vec_release(&r.automata);
        }
}

/* B5: all automata in normal form up to 4 states and 6 steps over 3 letters, as the paper has them; and all up to 4
 * states. */
static int step_count(const struct small_automaton *a)
{
    int n = 0;
    for (int s = 0; s < a->states; s++)
        for (int l = 0; l < a->letters; l++) n += __builtin_popcount(a->to[s][l]);
    return n;
}

static void row_of_all_normal_forms(void **state)
{
    (void)state;
    for (int v = V0; v <= V1; v++) {
        struct row r = {.version = (enum version)v};
        automata all = {0};
        for (int states = 2; states <= 4; states++) add_normal(&all, states, 3);
        for (size_t i = 0; i < all.len; i++)
            if (getenv("HEDDLE_SELECTORS") || step_count(&all.at[i]) <= 6) vec_push(&r.automata, all.at[i]);
        ask(&r, "B5", 9973, false);
        vec_release(&r.automata);
        vec_release(&all);
    }
}

/* ---- five states ---- */

/* Where a set may stand for all, an operation of it and one outside of it are enabled and commute. So it is enough to
 * add each third operation to each such pair, of which there are few; pairs that differ only in the names of states
 * count once. A program with several such pairs comes several times. */
static bool is_pair(const struct small_program *p)
{
    bool together = false;
    for (int q = 0; q < p->states; q++) together |= p->to[0][q] != NONE && p->to[1][q] != NONE;
    return together && ops_commute(p, 0, 1);
}

static void add_third(struct small_program *p, int kinds, program_fn *fn, void *ctx)
{
    static const struct programs x = {.letters = 2, .may_reduce_labelled = may_reduce_labelled};
    p->ops = 3;
    for (int i = 0; i < kinds; i++) {
        set_operation(p, 2, i);
        if (all_reachable(p) && may_reduce(p)) with_labels(&x, p, 0, fn, ctx);
    }
    memset(p->to[2], NONE, sizeof p->to[2]);
    p->ops = 2;
}

static void for_pairs(int states, unsigned long every, program_fn *fn, void *ctx)
{
    struct small_program p = {.states = states, .ops = 2};
    unsigned long count = 0;
    unsigned same;
    int kinds = 1;
    for (int q = 0; q < states; q++) kinds *= states + 1;
    kinds--; /* without the operation that is never enabled */
    memset(p.to, NONE, sizeof p.to);
    for (int a = 0; a < kinds; a++) {
        set_operation(&p, 0, a);
        for (int b = a; b < kinds; b++) {
            set_operation(&p, 1, b);
            if (is_pair(&p) && is_chosen_program(&p, &same) && count++ % every == 0) add_third(&p, kinds, fn, ctx);
        }
    }
}

/* A program whatever its states are called: the smallest code. */
struct nameless { uint64_t ops, labels; };
typedef VEC(struct nameless) nameless_list;

static int by_code(const void *a, const void *b) { return memcmp(a, b, sizeof(struct nameless)); }

static void note(void *ctx, const struct small_program *p)
{
    struct nameless least = {UINT64_MAX, UINT64_MAX};
    for (int i = 0; i < renaming_count(p->states); i++) {
        struct nameless x = {program_code(p, renamings[i]), label_code(p, renamings[i])};
        if (x.ops < least.ops || (x.ops == least.ops && x.labels < least.labels)) least = x;
    }
    nameless_list *list = ctx;
    vec_push(list, least);
}

static void sort_once_each(nameless_list *list)
{
    size_t kept = 0;
    qsort(list->at, list->len, sizeof *list->at, by_code);
    for (size_t i = 0; i < list->len; i++)
        if (!kept || by_code(&list->at[kept - 1], &list->at[i])) list->at[kept++] = list->at[i];
    list->len = kept;
}

/* With three states there are few enough to compare with all of them. */
static void pairs_miss_no_program(void **state)
{
    (void)state;
    nameless_list all = {0}, by_pairs = {0};
    struct programs x = {3, 3, 2, 1, 0, may_reduce, may_reduce_labelled};
    for_programs(&x, note, &all);
    for_pairs(3, 1, note, &by_pairs);
    sort_once_each(&all);
    sort_once_each(&by_pairs);
    print_message("           %zu programs of three states, %zu by pairs\n", all.len, by_pairs.len);
    assert_int_equal(all.len, by_pairs.len);
    assert_memory_equal(all.at, by_pairs.at, all.len * sizeof *all.at);
    vec_release(&all);
    vec_release(&by_pairs);
}

static void rows_of_five_states(void **state)
{
    const unsigned long *every = *state;
    static const struct { int automaton; enum version version; } rows[] = {{0, V1}, {2, V0}, {2, V1}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int ops = 2; ops <= 3; ops++) {
            struct row r = {.version = rows[i].version};
            struct programs two = {5, 2, 2, 1, 0, may_reduce, may_reduce_labelled};
            char name[40];
            vec_push(&r.automata, published[rows[i].automaton]);
            snprintf(name, sizeof name, "B%d, 5 states, %d operations", rows[i].automaton + 1, ops);
            if (ops == 2) for_programs(&two, ask_one, &r);
            else for_pairs(5, *every, ask_one, &r);
            judge(&r, name, false);
            vec_release(&r.automata);
        }
}

int main(int argc, char **argv)
{
    unsigned long every = argc > 2 ? MAX(strtoul(argv[2], NULL, 10), 1ul) : 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_named_automata),
                                       cmocka_unit_test(row_of_all_normal_forms),
                                       cmocka_unit_test(pairs_miss_no_program)};
    const struct CMUnitTest five[] = {cmocka_unit_test_prestate(rows_of_five_states, &every)};
    if (argc > 1 && !strcmp(argv[1], "five")) return cmocka_run_group_tests(five, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
