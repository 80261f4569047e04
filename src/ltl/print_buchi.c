/* Automata as text: never claims that Spin and Heddle read back in, dot, and HOA v1. */
#include "ltl/ltl.h"

#include <string.h>

static int literals(struct cube c) { return __builtin_popcountll(c.pos) + __builtin_popcountll(c.neg); }

static bool is_word(const char *s)
{
    return !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static void add_literal(const char *text, bool negated, struct str *out)
{
    bool bare = is_word(text) || *text == '(';
    str_printf(out, "%s%s%s%s", negated ? "!" : "", bare ? "" : "(", text, bare ? "" : ")");
}

static void add_cube(struct cube c, const struct propositions *p, const char *joint, struct str *out)
{
    bool first = true;
    if (!c.pos && !c.neg) str_add(out, "1");
    for (size_t i = 0; i < p->list.len; i++) {
        letter bit = UINT64_C(1) << i;
        if (!((c.pos | c.neg) & bit)) continue;
        str_add(out, first ? "" : joint);
        add_literal(p->list.at[i].text, c.neg & bit, out);
        first = false;
    }
}

/* All labels between two states as one condition. */
static bool add_condition(const struct buchi_state *s, int to, const struct propositions *p, struct str *out)
{
    int count = 0;
    for (size_t k = 0; k < s->edges.len; k++) count += s->edges.at[k].to == to;
    bool first = true;
    for (size_t k = 0; k < s->edges.len; k++) {
        if (s->edges.at[k].to != to) continue;
        struct cube c = s->edges.at[k].label;
        bool brackets = count > 1 && literals(c) > 1;
        str_add(out, first ? "" : " || ");
        if (brackets) str_addc(out, '(');
        add_cube(c, p, " && ", out);
        if (brackets) str_addc(out, ')');
        first = false;
    }
    return count > 0;
}

static const char *label_of(const struct buchi *b, int s, char buf[32])
{
    const char *kind = b->states.at[s].accepting ? "accept" : "T0";
    if (buchi_accepts_all(b, s)) return "accept_all";
    if (s == b->initial) snprintf(buf, 32, "%s_init", kind);
    else snprintf(buf, 32, "%s_S%d", kind, s);
    return buf;
}

static void print_never_state(const struct buchi *b, int s, const struct propositions *p, FILE *out)
{
    char buf[32];
    fprintf(out, "%s:\n", label_of(b, s, buf));
    if (buchi_accepts_all(b, s)) {
        fprintf(out, "\tskip\n");
        return;
    }
    fprintf(out, "\tdo\n");
    for (int to = 0; to < (int)b->states.len; to++) {
        struct str text = {0};
        if (add_condition(&b->states.at[s], to, p, &text))
            fprintf(out, "\t:: (%s) -> goto %s\n", str_get(&text), label_of(b, to, buf));
        str_release(&text);
    }
    if (!b->states.at[s].edges.len) fprintf(out, "\t:: false\n");
    fprintf(out, "\tod;\n");
}

/* A claim at its end is violated, so the state that accepts everything comes last. */
void buchi_print_never(const struct buchi *b, const struct propositions *p, const char *title, FILE *out)
{
    fprintf(out, "never  {    /* %s */\n", title);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < (int)b->states.len; i++) {
            int s = (i + b->initial) % (int)b->states.len;
            if (buchi_accepts_all(b, s) == (pass == 1)) print_never_state(b, s, p, out);
        }
    fprintf(out, "}\n");
}

static void add_escaped(const char *text, struct str *out)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') str_addc(out, '\\');
        str_addc(out, *text);
    }
}

void buchi_print_dot(const struct buchi *b, const struct propositions *p, const char *title, FILE *out)
{
    struct str name = {0};
    add_escaped(title, &name);
    fprintf(out, "digraph \"%s\" {\n  rankdir=LR;\n  start [shape=point];\n  start -> %d;\n", str_get(&name),
            b->initial);
    str_release(&name);
    for (int s = 0; s < (int)b->states.len; s++) {
        fprintf(out, "  %d [shape=%s];\n", s, b->states.at[s].accepting ? "doublecircle" : "circle");
        for (int to = 0; to < (int)b->states.len; to++) {
            struct str text = {0}, escaped = {0};
            if (add_condition(&b->states.at[s], to, p, &text)) {
                add_escaped(str_get(&text), &escaped);
                fprintf(out, "  %d -> %d [label=\"%s\"];\n", s, to, str_get(&escaped));
            }
            str_release(&text);
            str_release(&escaped);
        }
    }
    fprintf(out, "}\n");
}

static void print_hoa_label(struct cube c, size_t count, FILE *out)
{
    bool first = true;
    fputs("  [", out);
    if (!c.pos && !c.neg) fputc('t', out);
    for (size_t i = 0; i < count; i++) {
        letter bit = UINT64_C(1) << i;
        if (!((c.pos | c.neg) & bit)) continue;
        fprintf(out, "%s%s%zu", first ? "" : "&", c.neg & bit ? "!" : "", i);
        first = false;
    }
    fputs("] ", out);
}

void buchi_print_hoa(const struct buchi *b, const struct propositions *p, const char *title, FILE *out)
{
    struct str name = {0};
    add_escaped(title, &name);
    fprintf(out, "HOA: v1\nname: \"%s\"\nStates: %zu\nStart: %d\nAP: %zu", str_get(&name), b->states.len, b->initial,
            p->list.len);
    str_release(&name);
    for (size_t i = 0; i < p->list.len; i++) {
        struct str text = {0};
        add_escaped(p->list.at[i].text, &text);
        fprintf(out, " \"%s\"", str_get(&text));
        str_release(&text);
    }
    fprintf(out,
            "\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: trans-labels explicit-labels state-acc\n--BODY--\n");
    for (size_t s = 0; s < b->states.len; s++) {
        fprintf(out, "State: %zu%s\n", s, b->states.at[s].accepting ? " {0}" : "");
        for (size_t k = 0; k < b->states.at[s].edges.len; k++) {
            print_hoa_label(b->states.at[s].edges.at[k].label, p->list.len, out);
            fprintf(out, "%d\n", b->states.at[s].edges.at[k].to);
        }
    }
    fprintf(out, "--END--\n");
}
