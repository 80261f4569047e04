/* heddle ltl: a formula as a Buchi automaton. */
#include "cli/cli.h"

#include "ltl/ltl.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NORMAL_STATES = 1 << 16 };

struct ltl_options { bool si, dot, never, hoa; };
static const struct option rows[] = {
    {"si", 0, OPTION_FLAG, offsetof(struct ltl_options, si), NULL, "in stutter-invariant normal form", 0, 0, NULL},
    {"never", 0, OPTION_FLAG, offsetof(struct ltl_options, never), NULL, "as a never claim (the default)", 0, 0, NULL},
    {"dot", 0, OPTION_FLAG, offsetof(struct ltl_options, dot), NULL, "as a graph for dot", 0, 0, NULL},
    {"hoa", 0, OPTION_FLAG, offsetof(struct ltl_options, hoa), NULL, "in the Hanoi omega-automata format", 0, 0, NULL},
};

static bool is_operator(const char *word, size_t len)
{
    static const char *const words[] = {"U", "V", "W", "X", "always", "eventually", "until", "stronguntil", "weakuntil",
        "release", "implies", "equivalent", "next", "true", "false", "skip"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (strlen(words[i]) == len && !strncmp(words[i], word, len)) return true;
    return false;
}

/* Outside of a model every name is a proposition: each is declared once. */
static void declare_names(const char *formula, struct str *out)
{
    struct str seen = {0}, key = {0};
    str_add(&seen, " ");
    for (const char *at = formula; *at;) {
        size_t len = 0;
        while (isalnum((unsigned char)at[len]) || at[len] == '_') len++;
        bool name = len && !isdigit((unsigned char)*at) && !is_operator(at, len);
        key.len = 0;
        str_printf(&key, " %.*s ", (int)len, at);
        if (name && !strstr(str_get(&seen), str_get(&key))) {
            str_printf(out, "int %.*s; ", (int)len, at);
            str_printf(&seen, "%.*s ", (int)len, at);
        }
        at += len ? len : 1;
    }
    str_release(&seen);
    str_release(&key);
}

static struct program *parse(const char *formula, struct diags *d)
{
    struct str text = {0};
    declare_names(formula, &text);
    str_add(&text, "active proctype nobody__() { skip }\n");
    struct promela_options options = {.formulas = &formula, .formula_count = 1};
    struct program *p = promela_parse_text("formula", str_get(&text), text.len, &options, d);
    str_release(&text);
    return p;
}

static void print(const struct buchi *b, const struct propositions *p, const char *title, const struct ltl_options *o)
{
    if (o->dot) buchi_print_dot(b, p, title, stdout);
    else if (o->hoa) buchi_print_hoa(b, p, title, stdout);
    else buchi_print_never(b, p, title, stdout);
}

/* A formula with X may still not mind stuttering; the automaton tells. */
static const char *why_not_normal(const struct formula *f, const struct buchi *b)
{
    if (!formula_has_next(f)) return NULL;
    switch (buchi_stutter(b)) {
    case STUTTER_INVARIANT: return NULL;
    case STUTTER_SENSITIVE:
        return "the formula depends on how often a state is repeated (X): it has no stutter-invariant normal form";
    case STUTTER_UNKNOWN: break;
    }
    return "the formula has X, and its automaton is too large to find out whether that matters";
}

static int translate(struct formulas *c, const struct formula *f, const struct ltl_options *o, const char *title)
{
    struct buchi b, normal = {0};
    const char *wrong = NULL;
    if (!buchi_of_formula(c, f, &b)) wrong = c->error;
    else if (o->si && !(wrong = why_not_normal(f, &b)) &&
             !buchi_si_normal_form(&b, buchi_letters(&b), MOST_NORMAL_STATES, &normal))
        wrong = "the normal form would have more than 65536 states";
    if (wrong) fprintf(stderr, "heddle: error: %s\n", wrong);
    else print(o->si ? &normal : &b, &c->props, title, o);
    buchi_release(&b);
    buchi_release(&normal);
    return wrong ? EXIT_BAD_INPUT : EXIT_OK;
}

static int run(const char *formula, const struct ltl_options *o)
{
    struct diags d = {0};
    struct formulas c;
    int status = EXIT_BAD_INPUT;
    struct program *p = parse(formula, &d);
    if (p && p->ltl.len == 1) {
        formulas_init(&c, &p->arena);
        const struct formula *f = formula_of_expr(&c, p->ltl.at[0]->formula);
        if (!f) diag_error(&d, c.error_pos, "%s", c.error);
        else status = translate(&c, f, o, formula);
        formulas_release(&c);
    } else if (p) {
        diag_error(&d, (struct pos){0}, "this is not one formula");
    }
    diags_print(&d, stderr);
    diags_release(&d);
    promela_free(p);
    return status;
}

int cmd_ltl(int argc, char **argv)
{
    struct ltl_options o = {0};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *formula = command_word("ltl", &table, argc, argv, &arena);
    if (!formula) return EXIT_OK;
    if (o.dot + o.never + o.hoa > 1) die("--never, --dot and --hoa exclude each other");
    int status = run(formula, &o);
    arena_release(&arena);
    return status;
}
