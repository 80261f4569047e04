/* Small programs and small automata as bit masks, up to renaming, and the search of their product: a model of what
 * src/search/cycles.c does, fast enough for millions of pairs. test_por_all.c also runs the real search on a sample and
 * compares verdicts and numbers of nodes.
 *
 * A program has states 0 .. n-1 (0 is the first) and operations, partial functions on states; a state has a letter. An
 * automaton has states 0 .. n-1 (0 is the first) and for each letter a set of targets. A node of the product is bit
 * q * 4 + s of a mask. */
#ifndef HEDDLE_SMALL_POR_H
#define HEDDLE_SMALL_POR_H

#include "search/search.h"

#include <stdlib.h>
#include <string.h>

#ifndef SMALL_STATES
#define SMALL_STATES 4 /* of a program, at most; 5 is possible, without what is packed into one word (`moves`) */
#endif
enum { MOST_Q = SMALL_STATES, MOST_OPS = 3, MOST_S = 4, MOST_LETTERS = 3, NONE = 15, NODES = MOST_Q * 4 };

struct small_program {
    int states, ops;
    uint8_t to[MOST_OPS][MOST_Q];  /* NONE: not enabled, and everywhere where there is no such operation */
    uint8_t label[MOST_Q];
    uint8_t first[MOST_Q];         /* operations that alone satisfy C1 there */
    uint8_t ample[MOST_Q];         /* the invisible ones of them */
    uint8_t place[MOST_Q];         /* of the states in an order: an ample step leads up in it */
};
struct small_automaton { int states, letters; uint8_t to[MOST_S][MOST_LETTERS]; uint8_t accepting; };

/* ---- programs ---- */

static inline unsigned enabled_ops(const struct small_program *p, int q)
{
    unsigned en = 0;
    for (int o = 0; o < p->ops; o++)
        if (p->to[o][q] != NONE) en |= 1u << o;
    return en;
}

/* Definition 10 of the paper. */
static inline bool ops_commute(const struct small_program *p, int a, int b)
{
    for (int q = 0; q < p->states; q++) {
        if (p->to[a][q] == NONE || p->to[b][q] == NONE) continue;
        int ab = p->to[b][p->to[a][q]], ba = p->to[a][p->to[b][q]];
        if (ab == NONE || ab != ba) return false;
    }
    return true;
}

/* C1: whatever is enabled on a path from q without operations of the set commutes with all of them. */
static inline bool set_may_go_first(const struct small_program *p, unsigned set, int q)
{
    unsigned seen = 1u << q, todo = seen;
    while (todo) {
        int at = __builtin_ctz(todo);
        todo &= todo - 1;
        for (unsigned others = enabled_ops(p, at) & ~set; others; others &= others - 1) {
            int o = __builtin_ctz(others);
            for (unsigned m = set; m; m &= m - 1)
                if (!ops_commute(p, o, __builtin_ctz(m))) return false;
            unsigned next = 1u << p->to[o][at];
            todo |= next & ~seen;
            seen |= next;
        }
    }
    return true;
}

/* What a model does about cycles is a set of steps without a cycle (src/model/model.h). Every such set is contained in the
 * steps that lead up in some order of the states. */
enum { ORDERS = 24, REVERSED = ORDERS - 1 };

static inline void set_order(struct small_program *p, int order)
{
    uint8_t left[MOST_Q];
    for (int q = 0; q < MOST_Q; q++) left[q] = (uint8_t)q;
    for (int q = 0; q < MOST_Q; q++) {
        int at = order % (MOST_Q - q);
        order /= MOST_Q - q;
        p->place[q] = left[at];
        memmove(left + at, left + at + 1, (size_t)(MOST_Q - 1 - at));
    }
}

static inline bool leads_up(const struct small_program *p, int op, int q)
{
    return p->to[op][q] != NONE && p->place[p->to[op][q]] > p->place[q];
}

/* True if in some state a single operation may stand for several. */
static inline bool find_first(struct small_program *p)
{
    bool any = false;
    for (int q = 0; q < p->states; q++) {
        unsigned en = enabled_ops(p, q);
        p->first[q] = 0;
        for (int o = 0; o < p->ops; o++)
            if (en >> o & 1 && set_may_go_first(p, 1u << o, q)) p->first[q] |= (uint8_t)(1u << o);
        any |= p->first[q] && (en & (en - 1));
    }
    return any;
}

/* The same for a labelling; operations that are visible somewhere do not count. */
static inline bool find_ample(struct small_program *p)
{
    unsigned visible = 0;
    bool any = false;
    for (int o = 0; o < p->ops; o++)
        for (int q = 0; q < p->states; q++)
            if (p->to[o][q] != NONE && p->label[q] != p->label[p->to[o][q]]) visible |= 1u << o;
    for (int q = 0; q < p->states; q++) {
        unsigned en = enabled_ops(p, q);
        p->ample[q] = p->first[q] & (uint8_t)~visible;
        any |= p->ample[q] && (en & (en - 1));
    }
    return any;
}

static inline bool all_reachable(const struct small_program *p)
{
    unsigned seen = 1, todo = 1;
    while (todo) {
        int q = __builtin_ctz(todo);
        todo &= todo - 1;
        for (int o = 0; o < p->ops; o++)
            if (p->to[o][q] != NONE) {
                unsigned next = 1u << p->to[o][q];
                todo |= next & ~seen;
                seen |= next;
            }
    }
    return seen == (1u << p->states) - 1;
}

/* The permutations of 0 .. 4 that leave 0 where it is; those of the first two, three or four numbers come first. */
static const uint8_t renamings[24][5] = {
    {0, 1, 2, 3, 4}, {0, 2, 1, 3, 4}, {0, 1, 3, 2, 4}, {0, 2, 3, 1, 4}, {0, 3, 1, 2, 4}, {0, 3, 2, 1, 4}, {0,
    1, 2, 4, 3}, {0, 1, 3, 4, 2}, {0, 1, 4, 2, 3}, {0, 1, 4, 3, 2}, {0, 2, 1, 4, 3}, {0, 2, 3, 4, 1}, {0, 2,
    4, 1, 3}, {0, 2, 4, 3, 1}, {0, 3, 1, 4, 2}, {0, 3, 2, 4, 1}, {0, 3, 4, 1, 2}, {0, 3, 4, 2, 1}, {0, 4, 1,
    2, 3}, {0, 4, 1, 3, 2}, {0, 4, 2, 1, 3}, {0, 4, 2, 3, 1}, {0, 4, 3, 1, 2}, {0, 4, 3, 2, 1}};
static inline int renaming_count(int n) { return n < 3 ? 1 : n == 3 ? 2 : n == 4 ? 6 : 24; }

static inline uint64_t sorted3(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) { uint64_t t = a; a = b; b = t; }
    if (b > c) { uint64_t t = b; b = c; c = t; }
    if (a > b) { uint64_t t = a; a = b; b = t; }
    return a << 40 | b << 20 | c;
}

/* Operations as numbers, in ascending order, after renaming the states. */
static inline uint64_t program_code(const struct small_program *p, const uint8_t *name)
{
    uint64_t code[MOST_OPS] = {0, 0, 0};
    for (int o = 0; o < p->ops; o++)
        for (int q = 0; q < p->states; q++) {
            int to = p->to[o][q] == NONE ? NONE : name[p->to[o][q]];
            code[o] |= (uint64_t)to << 4 * name[q];
        }
    return sorted3(code[0], code[1], code[2]);
}

static inline unsigned label_code(const struct small_program *p, const uint8_t *name)
{
    unsigned code = 0;
    for (int q = 0; q < p->states; q++) code |= (unsigned)p->label[q] << 2 * name[q];
    return code;
}

/* Of all programs that differ only in the names of states and operations one is chosen. `same` gets the renamings that
 * leave its operations as they are, as a mask: of the labellings that these carry into each other one is chosen too. */
static inline bool is_chosen_program(const struct small_program *p, unsigned *same)
{
    uint64_t own = program_code(p, renamings[0]);
    *same = 0;
    for (int i = 1; i < renaming_count(p->states); i++) {
        uint64_t other = program_code(p, renamings[i]);
        if (other < own) return false;
        if (other == own) *same |= 1u << i;
    }
    return true;
}

static inline bool is_chosen_labelling(const struct small_program *p, unsigned same)
{
    unsigned own = label_code(p, renamings[0]);
    for (; same; same &= same - 1)
        if (label_code(p, renamings[__builtin_ctz(same)]) < own) return false;
    return true;
}

/* ---- automata ---- */

static inline bool is_trim(const struct small_automaton *a)
{
    unsigned reach[MOST_S], from_first, n = (unsigned)a->states;
    for (unsigned s = 0; s < n; s++) {
        reach[s] = 0;
        for (int l = 0; l < a->letters; l++) reach[s] |= a->to[s][l];
    }
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = 0; i < n; i++)
            if (reach[i] >> k & 1) reach[i] |= reach[k];
    from_first = reach[0] | 1;
    if (from_first != (1u << n) - 1) return false;
    unsigned good = 0;
    for (unsigned s = 0; s < n; s++)
        if (a->accepting >> s & 1 && reach[s] >> s & 1) good |= 1u << s;
    for (unsigned s = 0; s < n; s++)
        if (!((reach[s] | 1u << s) & good)) return false;
    return true;
}

static const uint8_t letter_renamings[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

static inline uint64_t automaton_code(const struct small_automaton *a, const uint8_t *name, const uint8_t *letter_name)
{
    uint64_t code = 0;
    for (int s = 0; s < a->states; s++) {
        if (a->accepting >> s & 1) code |= UINT64_C(1) << (60 + name[s]);
        for (int l = 0; l < a->letters; l++)
            for (int t = 0; t < a->states; t++)
                if (a->to[s][l] >> t & 1) code |= UINT64_C(1) << (name[s] * 12 + letter_name[l] * 4 + name[t]);
    }
    return code;
}

static inline bool is_chosen_automaton(const struct small_automaton *a)
{
    uint64_t own = automaton_code(a, renamings[0], letter_renamings[0]);
    int letter_ways = a->letters == 1 ? 1 : a->letters == 2 ? 2 : 6;
    for (int l = 0; l < letter_ways; l++)
        for (int i = 0; i < renaming_count(a->states); i++)
            if (automaton_code(a, renamings[i], letter_renamings[l]) < own) return false;
    return true;
}

/* follows[u]: the states that can follow every step of u with a state that simulates its target; by letters, while
 * src/ltl/closed.c works with cubes. */
static inline void find_followers(const struct small_automaton *a, uint8_t *follows)
{
    uint8_t simulates[MOST_S];
    for (int u = 0; u < a->states; u++) simulates[u] = a->accepting >> u & 1 ? a->accepting : (uint8_t)((1u << a->states) - 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int u = 0; u < a->states; u++) {
            follows[u] = 0;
            for (int t = 0; t < a->states; t++) {
                bool good = true;
                for (int l = 0; l < a->letters; l++)
                    for (unsigned m = a->to[u][l]; m; m &= m - 1) good &= (a->to[t][l] & simulates[__builtin_ctz(m)]) != 0;
                if (good) follows[u] |= (uint8_t)(1u << t);
            }
            if (simulates[u] & ~follows[u]) simulates[u] &= follows[u], changed = true;
        }
    }
}

static inline bool is_closed(const struct small_automaton *a)
{
    uint8_t follows[MOST_S];
    find_followers(a, follows);
    for (int s = 0; s < a->states; s++)
        for (int l = 0; l < a->letters; l++) {
            unsigned next = a->to[s][l];
            for (unsigned m = next; m; m &= m - 1) {
                int u = __builtin_ctz(m);
                bool stretched = false;
                for (unsigned v = next; v && !stretched; v &= v - 1) {
                    unsigned ends = a->to[__builtin_ctz(v)][l] & follows[u];
                    bool free_choice = !(a->accepting >> u & 1) || a->accepting >> __builtin_ctz(v) & 1;
                    stretched = free_choice ? ends : ends & a->accepting;
                }
                if (!stretched) return false;
                for (unsigned w = a->to[u][l]; w; w &= w - 1) {
                    int end = __builtin_ctz(w);
                    bool accepts = (a->accepting >> u | a->accepting >> end) & 1;
                    if (!(next & follows[end] & (accepts ? a->accepting : 15))) return false;
                }
            }
        }
    return true;
}

/* ---- the product ---- */

#if SMALL_STATES > 4
typedef uint32_t nodes;
#else
typedef uint16_t nodes;
#endif

static inline nodes node_bit(int q, int s) { return (nodes)(1u << (q * 4 + s)); }

/* Nodes that the steps of the operations `ops` lead to from state q of the program when the automaton goes to `targets`. */
static inline nodes targets_of(const struct small_program *p, int q, unsigned ops, unsigned targets)
{
    nodes to = 0;
    if (!enabled_ops(p, q)) return (nodes)(targets << q * 4); /* it has come to its end: the state repeats for ever */
    for (; ops; ops &= ops - 1) {
        int next = p->to[__builtin_ctz(ops)][q];
        if (next != NONE) to |= (nodes)(targets << next * 4);
    }
    return to;
}

static inline nodes accepting_nodes(uint8_t accepting) { return (nodes)(accepting * 0x11111u); }

/* The nodes to which `edge` leads from those of `from`, in one step or more. */
static inline nodes nodes_after(const nodes *edge, nodes from)
{
    nodes after = 0;
    for (nodes todo = from; todo;) {
        nodes fresh = edge[__builtin_ctz(todo)] & (nodes)~after;
        after |= fresh;
        todo = (nodes)((todo & (todo - 1)) | fresh);
    }
    return after;
}

static inline bool has_accepting_cycle(const nodes *edge, nodes reached, uint8_t accepting)
{
    for (nodes left = accepting_nodes(accepting) & reached; left; left &= (nodes)(left - 1)) {
        nodes own = left & (nodes)-left;
        if (nodes_after(edge, own) & own) return true;
    }
    return false;
}

#if SMALL_STATES == 4
/* Which states of the program are next, where the automaton has no say: 16 bits for each state q, of which bit 4t is set if a
 * step leads from q to t. Times the automaton's targets these are nodes. */
typedef uint64_t moves;

static inline moves moves_of(const struct small_program *p, const uint8_t *ops)
{
    moves m = 0;
    for (int q = 0; q < p->states; q++) m |= (moves)targets_of(p, q, ops[q], 1) << 16 * q;
    return m;
}

static inline bool moves_error(const struct small_program *p, moves m, const struct small_automaton *a, int *visited)
{
    nodes edge[16], reached = 1, todo = 1;
    while (todo) {
        int at = __builtin_ctz(todo), q = at / 4;
        edge[at] = (nodes)((nodes)(m >> 16 * q) * a->to[at % 4][p->label[q]]);
        nodes fresh = edge[at] & (nodes)~reached;
        todo = (nodes)((todo & (todo - 1)) | fresh);
        reached |= fresh;
    }
    if (visited) *visited = __builtin_popcount(reached);
    return has_accepting_cycle(edge, reached, a->accepting);
}

static inline bool full_error(const struct small_program *p, const struct small_automaton *a)
{
    static const uint8_t all[MOST_Q] = {7, 7, 7, 7};
    return moves_error(p, moves_of(p, all), a, NULL);
}
#endif

struct small_search { const struct small_program *p; const struct small_automaton *a; enum reduction how; nodes edge[NODES], reached, path; };

/* The operation that stands for all in state q when the automaton goes to `targets`, or -1: the highest that leads up; as
 * published, in V0 and V1, the highest whose steps do not lead to the search path. */
static inline int choose_ample(const struct small_search *x, int q, unsigned targets)
{
    for (int o = x->p->ops - 1; o >= 0; o--) {
        bool may = x->how == REDUCTION_SI ? leads_up(x->p, o, q) : !(targets_of(x->p, q, 1u << o, targets) & x->path);
        if (x->p->ample[q] >> o & 1 && may) return o;
    }
    return -1;
}

static void small_visit(struct small_search *x, int at)
{
    int q = at / 4;
    unsigned targets = x->a->to[at % 4][x->p->label[q]], ops[MOST_S];
    nodes own = (nodes)(1u << at);
    x->reached |= own;
    x->path |= own;
    x->edge[at] = 0;
    int chosen = (x->how == REDUCTION_SI || x->how == REDUCTION_V1) && targets ? choose_ample(x, q, targets) : -1;
    for (unsigned m = targets; m; m &= m - 1) {
        int s = __builtin_ctz(m);
        if (x->how == REDUCTION_V0) chosen = choose_ample(x, q, 1u << s);
        ops[s] = chosen >= 0 ? 1u << chosen : 7;
        x->edge[at] |= targets_of(x->p, q, ops[s], 1u << s);
    }
    /* in the order of the search: by targets of the automaton, then by operations */
    for (unsigned m = targets; m; m &= m - 1) {
        int s = __builtin_ctz(m);
        bool ends = !enabled_ops(x->p, q);
        for (int o = 0; o < (ends ? 1 : x->p->ops); o++) {
            nodes to = targets_of(x->p, q, ops[s] & 1u << o, 1u << s);
            if (to & ~x->reached) small_visit(x, __builtin_ctz(to));
        }
    }
    x->path &= (nodes)~own;
}

static inline bool reduced_error(const struct small_program *p, const struct small_automaton *a, enum reduction how, int *visited)
{
    struct small_search x = {.p = p, .a = a, .how = how};
    small_visit(&x, 0);
    if (visited) *visited = __builtin_popcount(x.reached);
    return has_accepting_cycle(x.edge, x.reached, a->accepting);
}

#endif
