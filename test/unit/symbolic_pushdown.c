/* Pushdown systems: post*, pre*, the BDD engine and the explicit interpreter must agree; also on systems that are made
 * from random Boolean programs, one symbol per (node, locals). */
#include "random_bp.h"
#include "symbolic/symbolic.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const target_label[] = {"TARGET", NULL};
static const char *const no_labels[] = {NULL};

static struct pds *parse(const char *text)
{
    struct diags d = {0};
    struct pds *s = pds_parse("random.pds", text, &d);
    if (!s) {
        diags_file_text(&d, diags_file(&d, "random.pds"), text);
        diags_print(&d, stderr);
        fail_msg("does not parse:\n%s", text);
    }
    diags_release(&d);
    return s;
}

static char *random_pds(uint64_t seed)
{
    struct random_bp g = {.state = seed * 88172645463325252u + 99};
    rnd(&g, 2), rnd(&g, 2);
    unsigned states = 2 + rnd(&g, 2), symbols = 2 + rnd(&g, 2), threads = 1 + rnd(&g, 3);
    str_add(&g.out, "init p0\n");
    for (unsigned t = 0; t < threads; t++) {
        str_printf(&g.out, "thread t%u\n stack a%u%s\n", t, rnd(&g, symbols), rnd(&g, 3) ? "" : " a0");
        for (unsigned i = 0, n = 2 + rnd(&g, 5); i < n; i++) {
            str_printf(&g.out, " p%u a%u -> p%u", rnd(&g, states), rnd(&g, symbols), rnd(&g, states));
            for (unsigned w = rnd(&g, 3); w > 0; w--) str_printf(&g.out, " a%u", rnd(&g, symbols));
            str_addc(&g.out, '\n');
        }
    }
    str_printf(&g.out, "target p%u", rnd(&g, states));
    if (rnd(&g, 2)) str_printf(&g.out, " t%u a%u", rnd(&g, threads), rnd(&g, symbols));
    str_addc(&g.out, '\n');
    return g.out.at;
}

static int symbolic_error_round(const struct bp_program *p, int rounds, bool eager)
{
    struct symbolic_options o = {.rounds = rounds, .no_proof = true, .eager = eager};
    struct symbolic_result s;
    symbolic_check(p, &o, target_label, false, (struct symbolic_ledger){0}, &s);
    int round = s.verdict == SYMBOLIC_ERROR ? s.error_round : 0;
    symbolic_result_release(&s);
    return round;
}

/* Shared states of a program (as numbers) within so many rounds, found with BDDs. */
static void symbolic_shared(const struct bp_program *p, int rounds, bool *reached, size_t n)
{
    struct symbolic_options o = {.rounds = rounds, .no_proof = true};
    struct symbolic_result s;
    symbolic_check(p, &o, NULL, true, (struct symbolic_ledger){0}, &s);
    for (size_t i = 0; i < s.points.len; i++) {
        size_t number = 0;
        for (size_t b = 0; b < p->shared.len; b++) number |= (size_t)s.points.at[i].shared[b] << b;
        assert_true(number < n);
        reached[number] = true;
    }
    symbolic_result_release(&s);
}

static void check_one(const char *text)
{
    struct pds *s = parse(text);
    struct bp_program *p = pds_to_program(s);
    bool single = s->threads.len == 1;
    int round = symbolic_error_round(p, 2, strlen(text) % 2);
    for (int k = 1; k <= (single ? 1 : 2); k++) {
        struct pushdown_result post, pre;
        pushdown_check(s, k, false, false, NULL, &post);
        pushdown_check(s, k, true, true, NULL, &pre);
        bool expected = round > 0 && round <= k;
        if (post.found != expected || pre.found != expected)
            fail_msg("k = %d: BDDs %d, post* %d, pre* %d\n%s", k, expected, post.found, pre.found, text);
        bool reached[64] = {false};
        symbolic_shared(p, k, reached, ARRAY_LEN(reached));
        for (size_t i = 0; i < s->states.len; i++)
            if (reached[i] != post.reached[i]) fail_msg("k = %d: state %s differs\n%s", k, s->states.at[i], text);
        /* a run to the target starts with some thread's first symbol, and there is one exactly if it exists */
        bool any = false;
        for (size_t t = 0; t < s->threads.len; t++)
            for (size_t i = 0; i < s->states.len * s->symbols.len; i++)
                any |= pre.projection[t * s->states.len * s->symbols.len + i];
        assert_int_equal(any, pre.found);
        pushdown_release(&post);
        pushdown_release(&pre);
    }
    boolprog_free(p);
    pds_free(s);
}

static int wanted(int normally)
{
    const char *more = getenv("HEDDLE_RANDOM_PROGRAMS");
    return more ? atoi(more) : normally;
}

static void random_systems(void **state)
{
    (void)state;
    for (int i = 0, n = wanted(400); i < n; i++) {
        char *text = random_pds((uint64_t)i);
        check_one(text);
        free(text);
    }
}

/* Reads back in: the printed system has the same answer, and printing it again changes nothing. */
static void printing(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        char *text = random_pds((uint64_t)i), *once = NULL, *twice = NULL;
        size_t len;
        struct pds *s = parse(text);
        FILE *out = open_memstream(&once, &len);
        pds_print(s, out);
        fclose(out);
        struct pds *again = parse(once);
        out = open_memstream(&twice, &len);
        pds_print(again, out);
        fclose(out);
        assert_string_equal(once, twice);
        pds_free(s), pds_free(again);
        free(text), free(once), free(twice);
    }
}

/* ---- Boolean programs as pushdown systems ---- */

static int symbol_number(const struct bp_program *p, int node, const uint8_t *locals)
{
    int number = 0;
    const struct bp_proc *f = &p->procs.at[p->nodes.at[node].proc];
    for (size_t i = 0; i < f->locals.len; i++) number |= locals[i] << i;
    return node * 4 + number; /* at most two locals */
}

static void add_rules(struct str *out, const struct bp_program *p, struct bp_state *s, int node, int shared, int locals)
{
    for (size_t i = 0; i < p->nodes.at[node].out.len; i++) {
        int edge = p->nodes.at[node].out.at[i];
        size_t bits = bp_step_bits(p, edge);
        for (unsigned choice = 0; choice < 1u << bits; choice++) {
            uint8_t bit[32] = {0};
            for (size_t b = 0; b < bits; b++) bit[b] = choice >> b & 1;
            s->stack[0].started = true, s->stack[0].depth = 1;
            s->stack[0].nodes[0] = node, s->stack[0].calls[0] = -1;
            for (int b = 0; b < s->stride; b++) s->stack[0].locals[b] = locals >> b & 1;
            for (size_t b = 0; b < p->shared.len; b++) s->shared[b] = shared >> b & 1;
            if (bp_state_step(s, 0, edge, bit) != STEP_DONE) continue;
            int now = 0;
            for (size_t b = 0; b < p->shared.len; b++) now |= s->shared[b] << b;
            uint8_t before[8];
            for (int b = 0; b < s->stride; b++) before[b] = locals >> b & 1;
            str_printf(out, "p%d a%d -> p%d", shared, symbol_number(p, node, before), now);
            const struct bp_stack *k = &s->stack[0];
            if (k->depth > 0)
                str_printf(out, " a%d",
                           symbol_number(p, k->nodes[k->depth - 1], k->locals + (k->depth - 1) * s->stride));
            if (k->depth > 1) str_printf(out, " a%d", symbol_number(p, p->edges.at[edge].to, k->locals));
            str_addc(out, '\n');
        }
    }
}

/* First shared values: one system per initial state would be needed, so the program must have just one. */
static char *as_pds(const struct bp_program *p)
{
    struct str out = {0};
    struct bp_state s;
    uint8_t *zero = xcalloc(bp_state_init_bits(p) + 1, 1);
    bp_state_init(&s, p, zero);
    int init = 0;
    for (size_t b = 0; b < p->shared.len; b++) init |= s.shared[b] << b;
    str_printf(&out, "init p%d\n", init);
    for (size_t t = 0; t < p->threads.len; t++) {
        const struct bp_proc *f = &p->procs.at[p->threads.at[t].proc];
        str_printf(&out, "thread t%zu\nstack start\n", t);
        for (int l = 0; l < 1 << f->locals.len; l++)
            for (int g = 0; g < 1 << p->shared.len; g++)
                str_printf(&out, "p%d start -> p%d a%d\n", g, g, f->entry * 4 + l);
        for (size_t n = 0; n < p->nodes.len; n++)
            for (int g = 0; g < 1 << p->shared.len; g++)
                for (int l = 0; l < 1 << p->procs.at[p->nodes.at[n].proc].locals.len; l++)
                    add_rules(&out, p, &s, (int)n, g, l);
    }
    str_add(&out, "target p0\n");
    bp_state_release(&s);
    free(zero);
    return out.at;
}

static bool usable(const struct bp_program *p)
{
    for (size_t i = 0; i < p->shared.len; i++)
        if (p->vars.at[p->shared.at[i]].init < 0) return false;
    for (size_t i = 0; i < p->edges.len; i++)
        if (bp_step_bits(p, (int)i) > 8) return false;
    return p->nodes.len <= 40;
}

static void programs_as_systems(void **state)
{
    (void)state;
    int compared = 0;
    for (int i = 0, n = wanted(300); i < n; i++) {
        char *text = random_bp_kind((uint64_t)i + 5000, 3, true, false);
        struct diags d = {0};
        struct bp_program *p = boolprog_parse("random.bp", text, 0, &d);
        assert_non_null(p);
        if (usable(p)) {
            char *rules = as_pds(p);
            struct pds *s = parse(rules);
            for (int k = 1; k <= 2; k++) {
                struct pushdown_result post;
                struct explore_result r;
                struct explore_options o = {.by = EXPLORE_ROUNDS, .most = k, .most_depth = 8, .most_states = 50000,
                                            .labels = no_labels};
                pushdown_check(s, k, false, false, NULL, &post);
                assert_null(post.cut);
                bool direct[8] = {false}, fig4[8] = {false}, found[8] = {false};
                symbolic_shared(p, k, direct, ARRAY_LEN(direct));
                bp_explore(p, &o, &r);
                for (size_t x = 0; x < r.points.len; x++) {
                    int number = 0;
                    for (size_t b = 0; b < p->shared.len; b++) number |= r.points.at[x].shared[b] << b;
                    found[number] = true;
                }
                for (size_t x = 0; x < s->states.len; x++)
                    if (post.reached[x]) fig4[atoi(s->states.at[x] + 1)] = true;
                for (int x = 0; x < 8; x++) {
                    bool cut = r.depth_cut || r.states_cut;
                    if (fig4[x] != direct[x] || (found[x] != fig4[x] && !(cut && !found[x])))
                        fail_msg("k = %d, state %d: Fig. 4 %d, lazy %d, explicit %d\n%s", k, x, fig4[x], direct[x],
                                 found[x], text);
                }
                bp_explore_release(&r);
                pushdown_release(&post);
            }
            compared++;
            pds_free(s);
            free(rules);
        }
        boolprog_free(p);
        diags_release(&d);
        free(text);
    }
    print_message("%d programs compared\n", compared);
    assert_true(compared >= wanted(300) / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems), cmocka_unit_test(printing), cmocka_unit_test(programs_as_systems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
