/* Formulas: read, translated, brought into normal form. On words made from the input the automata must say what the
 * definition of the formula's truth says, and an automaton of the negation the opposite. */
#include "fuzz.h"
#include "ltl/ltl.h"

#include <ctype.h>

enum { MOST_TEXT = 60, MOST_FORMULAS = 24, MOST_STATES = 200, WORDS = 6, MOST_LETTERS = 7 };

/* Single letters are propositions; longer names are left to be unknown. */
static struct program *parse(const char *formula, struct diags *d)
{
    static const char declared[] = "int a; int b; int c; int p; int q; int r; active proctype nobody() { skip }\n";
    struct promela_options options = {.formulas = &formula, .formula_count = 1};
    return promela_parse_text("formula", declared, strlen(declared), &options, d);
}

static uint64_t next_random(uint64_t *seed) { return *seed = *seed * 6364136223846793005u + 1442695040888963407u; }

static size_t make_word(uint64_t *seed, letter *w, size_t *start)
{
    size_t len = 1 + (next_random(seed) >> 33) % MOST_LETTERS;
    for (size_t i = 0; i < len; i++) w[i] = next_random(seed) >> 40;
    *start = (next_random(seed) >> 33) % len;
    return len;
}

struct automata { struct formulas *c; const struct formula *f; struct buchi yes, no, normal; bool has_normal; };

static void compare(const struct automata *x, const char *text)
{
    uint64_t seed = hash_bytes(text, strlen(text), 1);
    for (int i = 0; i < WORDS; i++) {
        letter w[MOST_LETTERS];
        size_t start, len = make_word(&seed, w, &start);
        bool holds = formula_holds(x->c, x->f, w, len, start);
        bool yes = buchi_accepts_lasso(&x->yes, w, len, start);
        must_hold(yes == holds, "the automaton accepts what satisfies the formula", text);
        must_hold(buchi_accepts_lasso(&x->no, w, len, start) != holds, "that of the negation accepts the rest", text);
        if (x->has_normal)
            must_hold(buchi_accepts_lasso(&x->normal, w, len, start) == holds, "so does the normal form", text);
    }
}

static void print(const struct automata *x, const char *text)
{
    FILE *out = fopen("/dev/null", "w");
    struct str s = {0};
    buchi_print_never(&x->yes, &x->c->props, text, out);
    buchi_print_dot(&x->yes, &x->c->props, text, out);
    buchi_print_hoa(&x->yes, &x->c->props, text, out);
    formula_print(x->c, x->f, &s);
    str_release(&s);
    fclose(out);
}

static void translate(struct formulas *c, const struct formula *f, const char *text)
{
    struct automata x = {.c = c, .f = f};
    bool yes = buchi_of_formula(c, f, &x.yes), no = yes && buchi_of_formula(c, formula_not(c, f), &x.no);
    if (no && x.yes.states.len + x.no.states.len < MOST_STATES) {
        letter mentioned = buchi_letters(&x.yes);
        if (!formula_has_next(f) && x.yes.states.len < 20 && __builtin_popcountll(mentioned) < 4) {
            x.has_normal = buchi_si_normal_form(&x.yes, mentioned, MOST_STATES, &x.normal);
            if (x.has_normal) must_hold(buchi_is_si_normal_form(&x.normal, mentioned), "the normal form is one", text);
        }
        compare(&x, text);
        print(&x, text);
    }
    if (yes) buchi_release(&x.yes);
    if (no) buchi_release(&x.no);
    if (x.has_normal) buchi_release(&x.normal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diags d = {0};
    struct formulas c;
    if (size > MOST_TEXT) return 0;
    char *text = text_of(data, size);
    struct program *p = parse(text, &d);
    must_hold(p || d.errors, "there is a formula or an error", text);
    if (p && p->ltl.len == 1) {
        formulas_init(&c, &p->arena);
        const struct formula *f = formula_of_expr(&c, p->ltl.at[0]->formula);
        must_hold(f || c.error, "there is a formula or a reason", text);
        if (f && c.all.len < MOST_FORMULAS) translate(&c, f, text);
        formulas_release(&c);
    }
    promela_free(p);
    diags_release(&d);
    free(text);
    return 0;
}
