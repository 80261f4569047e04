/* Small random concurrent Boolean programs: shared variables, procedures with parameters and results, recursion, atomic
 * sections, loops, nondeterminism, all three ways to make threads. Same seed, same program. */
#ifndef RANDOM_BP_H
#define RANDOM_BP_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct random_bp {
    uint64_t state;
    struct str out;
    int shared, helpers, locals, params, depth, labels;
    bool recursion, spawns, in_atomic, plain;
    bool fueled, in_helper; /* fueled: recursion goes three calls deep, and the call graph does not show it */
};

static inline unsigned rnd(struct random_bp *g, unsigned n)
{
    g->state = g->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(g->state >> 33) % n;
}

static void gen_var(struct random_bp *g, bool write)
{
    unsigned locals = (unsigned)(g->locals + g->params), all = (unsigned)g->shared + locals, v = rnd(g, all);
    (void)write;
    if (v < (unsigned)g->shared) str_printf(&g->out, "g%u", v);
    else if (v < (unsigned)g->shared + (unsigned)g->params) str_printf(&g->out, "p%u", v - (unsigned)g->shared);
    else str_printf(&g->out, "l%u", v - (unsigned)g->shared - (unsigned)g->params);
}

static void gen_expr(struct random_bp *g, int depth)
{
    static const char *const ops[] = {"&", "|", "^", "=", "!=", "=>"};
    switch (depth <= 0 ? rnd(g, 6) : rnd(g, 10)) {
    case 0: str_add(&g->out, "*"); break;
    case 1: str_add(&g->out, rnd(g, 2) ? "T" : "0"); break;
    case 6: str_add(&g->out, "!("); gen_expr(g, depth - 1); str_add(&g->out, ")"); break;
    case 7:
        str_add(&g->out, "("); gen_expr(g, depth - 1); str_add(&g->out, " ? "); gen_expr(g, depth - 1);
        str_add(&g->out, " : "); gen_expr(g, depth - 1); str_add(&g->out, ")");
        break;
    case 8: case 9:
        str_add(&g->out, "(");
        gen_expr(g, depth - 1);
        str_printf(&g->out, " %s ", ops[rnd(g, 6)]);
        gen_expr(g, depth - 1);
        str_add(&g->out, ")");
        break;
    default: gen_var(g, false);
    }
}

static void gen_block(struct random_bp *g, int budget);

static void gen_call(struct random_bp *g, int self)
{
    int most = g->recursion ? g->helpers : self; /* without recursion: helpers before this one only */
    if (most <= 0) {
        str_add(&g->out, "skip;\n");
        return;
    }
    unsigned f = rnd(g, (unsigned)most);
    bool result = f % 2 == 1 && rnd(g, 2) && !g->plain;
    if (g->fueled && g->in_helper) str_add(&g->out, "if (d0) ");
    if (result) gen_var(g, true), str_add(&g->out, " := ");
    str_printf(&g->out, "f%u(", f);
    gen_expr(g, 1);
    if (g->fueled) str_add(&g->out, g->in_helper ? ", d1, F" : ", T, T");
    str_add(&g->out, ");\n");
    if (g->fueled && g->in_helper) str_add(&g->out, "fi\n");
}

static void gen_statement(struct random_bp *g, int self, int budget)
{
    switch (rnd(g, budget > 1 ? 13 : 8)) {
    case 0: str_add(&g->out, "assume("); gen_expr(g, 1); str_add(&g->out, ");\n"); break;
    case 1: str_add(&g->out, "assert("); gen_expr(g, 2); str_add(&g->out, ");\n"); break;
    case 2: case 3: gen_call(g, self); break;
    case 8:
        str_add(&g->out, "if ("); gen_expr(g, 1); str_add(&g->out, ")\n"); gen_block(g, budget / 2);
        if (rnd(g, 2)) str_add(&g->out, "else\n"), gen_block(g, budget / 2);
        str_add(&g->out, "fi\n");
        break;
    case 9:
        str_add(&g->out, "while ("); gen_expr(g, 1); str_add(&g->out, ") do\n"); gen_block(g, budget / 2);
        str_add(&g->out, "od;\n");
        break;
    case 10: case 11:
        if (g->in_atomic || g->plain) { str_add(&g->out, "skip;\n"); break; }
        str_add(&g->out, rnd(g, 2) ? "atomic begin\n" : "atomic_begin;\n");
        if (g->out.at[g->out.len - 2] == ';') {
            g->in_atomic = true; gen_block(g, budget / 2); g->in_atomic = false;
            str_add(&g->out, "atomic_end;\n");
        } else {
            g->in_atomic = true; gen_block(g, budget / 2); g->in_atomic = false;
            str_add(&g->out, "end\n");
        }
        break;
    case 12: {
        int l = g->labels++;
        str_printf(&g->out, "goto A%d, B%d;\nA%d: ", l, l, l);
        gen_block(g, budget / 2);
        str_printf(&g->out, "B%d: skip;\n", l);
        break;
    }
    case 4:
        gen_var(g, true); str_add(&g->out, " := "); gen_expr(g, 1); str_add(&g->out, " constrain (");
        gen_expr(g, 0); str_printf(&g->out, " | 'g%u);\n", rnd(g, (unsigned)g->shared));
        break;
    default: gen_var(g, true); str_add(&g->out, " := "); gen_expr(g, 2); str_add(&g->out, ";\n");
    }
}

static int gen_self; /* helper being generated; calls without recursion go to earlier ones */

static void gen_block(struct random_bp *g, int budget)
{
    int n = 1 + (int)rnd(g, (unsigned)MAX(1, budget));
    for (int i = 0; i < n; i++) gen_statement(g, gen_self, budget - 1);
}

static void gen_proc(struct random_bp *g, const char *head, int params, int locals, int budget, const char *last)
{
    g->params = params, g->locals = locals, g->labels = 0;
    str_printf(&g->out, "%s begin\n", head);
    for (int i = 0; i < locals; i++) str_printf(&g->out, "decl l%d%s;\n", i, rnd(g, 2) ? " := 0" : "");
    gen_block(g, budget);
    str_printf(&g->out, "%send\n", last);
}

/* plain: threads are there from the start, no atomic sections, no results; few shared states. */
static char *random_bp_kind(uint64_t seed, int size, bool plain, bool fueled)
{
    struct random_bp g = {.state = seed * 2654435761u + 12345, .plain = plain};
    rnd(&g, 2), rnd(&g, 2);
    g.shared = 1 + (int)rnd(&g, plain ? 2 : 3);
    g.helpers = (int)rnd(&g, 4);
    g.recursion = rnd(&g, 3) == 0;
    g.fueled = fueled && g.recursion;
    g.spawns = rnd(&g, 4) == 0 && !plain;
    for (int i = 0; i < g.shared; i++) str_printf(&g.out, "decl g%d%s;\n", i, rnd(&g, 4) ? " := 0" : "");
    for (int i = 0; i < g.helpers; i++) {
        char head[64];
        snprintf(head, sizeof head, "%s f%d(p0%s)", i % 2 && !plain ? "bool" : "void", i, g.fueled ? ", d0, d1" : "");
        gen_self = i;
        g.in_helper = true;
        gen_proc(&g, head, 1, (int)rnd(&g, 2), size / 2, "");
    }
    gen_self = g.helpers;
    g.in_helper = false;
    int threads = 2 + (int)rnd(&g, 2);
    for (int i = 0; i < threads; i++) {
        char head[64];
        bool param = g.spawns && i % 2;
        snprintf(head, sizeof head, g.spawns ? "void w%d(%s)" : "void thread%d(%s)", i, param ? "p0" : "");
        gen_proc(&g, head, param, (int)rnd(&g, 2), size, "");
    }
    if (g.spawns) {
        str_add(&g.out, "void main() begin\ndecl l0;\n");
        g.params = 0, g.locals = 1;
        for (int i = 0; i < threads; i++) {
            gen_statement(&g, 0, 0);
            if (i % 3 == 2) str_add(&g.out, "ASYNC_1: ");
            else str_add(&g.out, "start_thread ");
            str_printf(&g.out, "w%d(%s);\n", i, i % 2 ? "l0" : "");
        }
        str_add(&g.out, "end\n");
    } else if (rnd(&g, 3) == 0 && !plain) {
        str_add(&g.out, "void init() begin\n");
        g.params = g.locals = 0;
        gen_block(&g, 2);
        str_add(&g.out, "end\n");
    }
    return g.out.at;
}

/* The first thread once more, behind all others: two threads are alike. Takes the text and gives another. */
static inline char *random_bp_with_twin(char *text)
{
    const char *first = strstr(text, "void thread0("), *second = strstr(text, "void thread1(");
    if (!first || !second) return text;
    struct str s = {0};
    str_add(&s, text);
    str_add(&s, "void thread9(");
    first += sizeof "void thread0(" - 1;
    str_addn(&s, first, (size_t)(second - first));
    free(text);
    return s.at;
}

/* A thread that counts up and down, so that it matters how many others are where. */
static inline void gen_counting(struct random_bp *g, int statements)
{
    static const char *const words[] = {"n := n + 1;\n", "n := n - 1;\n", "assume(n < 3);\n", "assume(n = 1);\n",
                                        "assert(n != 3);\n", "assert(n < 2);\n", "g0 := !g0;\n", "assume(g0);\n",
                                        "assume(n = 2); g0 := T;\n", "atomic begin assume(n = 0); n := 1; end\n"};
    str_add(&g->out, "void threadXX() begin\n");
    for (int i = 0; i < statements; i++) str_add(&g->out, words[rnd(g, ARRAY_LEN(words))]);
    str_add(&g->out, "end\n");
}

/* One that differs a little: it must not be taken for one of the others. */
static inline void gen_stranger(struct random_bp *g, char *text)
{
    static const char *const changes[][2] = {
        {"n + 1", "n - 1"}, {"n - 1", "n + 1"}, {"g0", "g1"}, {"g1", "g0"}, {"assume(n", "assert(n"}, {"< 3", "< 2"},
        {"assert(", "assume("}, {"T", "0"}, {":= 0", ":= 1"}, {"= 1", "= 2"}, {"A0", "A7"}, {" & ", " | "}};
    const char *const *change = changes[rnd(g, ARRAY_LEN(changes))];
    if (g->shared < 2 && change[1][0] == 'g') return;
    for (char *at = text; (at = strstr(at, change[0])); at++) memcpy(at, change[1], strlen(change[1]));
}

/* So many threads that are alike, none of which calls itself, among threads of another kind. */
static inline char *random_bp_crowd(uint64_t seed, int size, int count)
{
    struct random_bp g = {.state = seed * 2654435761u + 98765};
    rnd(&g, 2), rnd(&g, 2);
    g.shared = 1 + (int)rnd(&g, 3);
    g.helpers = (int)rnd(&g, 2);
    str_add(&g.out, "decl int(2) n := 0;\n");
    for (int i = 0; i < g.shared; i++) str_printf(&g.out, "decl g%d%s;\n", i, rnd(&g, 4) ? " := 0" : "");
    gen_self = 0;
    for (int i = 0; i < g.helpers; i++) gen_proc(&g, "void f0(p0)", 1, (int)rnd(&g, 2), size, "");
    gen_self = g.helpers;
    bool pairs = rnd(&g, 2);
    for (int kind = 0; kind < 2; kind++) {
        size_t from = g.out.len;
        if (rnd(&g, 3)) gen_counting(&g, 2 + size);
        else gen_proc(&g, "void threadXX()", 0, (int)rnd(&g, 2), size, "");
        char *text = xstrdup(g.out.at + from);
        g.out.len = from, g.out.at[from] = 0;
        for (int i = 0; i < (kind ? 1 + pairs : count); i++) {
            text[11] = (char)('a' + kind), text[12] = (char)('0' + i);
            if (!kind && i == count - 1) gen_stranger(&g, text + 16);
            str_add(&g.out, text);
        }
        free(text);
    }
    return g.out.at;
}

/* Procedures that call the one before twice, seven deep; two threads, and little else, so that a search ends. */
static inline char *random_bp_nested(uint64_t seed)
{
    struct random_bp g = {.state = seed * 2654435761u + 54321, .shared = 2, .plain = true};
    str_add(&g.out, "decl g0 := 0; decl g1 := 0;\nbool f0(p0) begin\n");
    g.params = 1;
    str_printf(&g.out, "g%d := ", (int)rnd(&g, 2)), gen_expr(&g, 1), str_add(&g.out, ";\nreturn "), gen_expr(&g, 1);
    str_add(&g.out, ";\nend\n");
    for (int i = 1; i < 7; i++) {
        str_printf(&g.out, "bool f%d(p0) begin\n", i);
        for (int k = 0; k < 2; k++)
            str_printf(&g.out, "p0 := f%d(", i - 1), gen_var(&g, false), str_add(&g.out, ");\n");
        str_add(&g.out, "return "), gen_var(&g, false), str_add(&g.out, ";\nend\n");
    }
    g.params = 0;
    str_add(&g.out, "void thread0() begin\ng0 := f6("), gen_var(&g, false), str_add(&g.out, ");\nassert(");
    gen_expr(&g, 2);
    str_add(&g.out, ");\nend\nvoid thread1() begin\n");
    gen_statement(&g, 0, 0);
    str_add(&g.out, "end\n");
    return g.out.at;
}

static inline char *random_bp(uint64_t seed, int size) { return random_bp_kind(seed, size, false, false); }

#endif
