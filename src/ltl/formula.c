/* Formulas in negation normal form, shared and simplified as they are built.
 *
 * The simplifications are equivalences of temporal logic; the ones with a condition ask whether one formula implies
 * another by looking at their structure only (after Somenzi and Bloem, and Etessami and Holzmann). */
#include "ltl/ltl.h"

#include <assert.h>
#include <string.h>

enum { IMPLICATION_EFFORT = 400 };

void formulas_init(struct formulas *c, struct arena *arena) { *c = (struct formulas){.arena = arena}; }

void formulas_release(struct formulas *c)
{
    vec_release(&c->all);
    vec_release(&c->slots);
    vec_release(&c->props.list);
}

/* ---- sharing ---- */

static uint64_t contents_hash(const struct formula *f)
{
    const int64_t key[] = {f->kind, f->proposition, f->negated, f->a ? f->a->id : -1, f->b ? f->b->id : -1};
    return hash_bytes(key, sizeof key, 0);
}

static bool same(const struct formula *f, const struct formula *g)
{
    return f->kind == g->kind && f->proposition == g->proposition && f->negated == g->negated && f->a == g->a &&
           f->b == g->b;
}

static void grow(struct formulas *c)
{
    size_t n = c->slots.len ? 2 * c->slots.len : 256;
    vec_clear(&c->slots);
    vec_reserve(&c->slots, n);
    memset(c->slots.at, 0, n * sizeof *c->slots.at);
    c->slots.len = n;
    for (size_t i = 0; i < c->all.len; i++) {
        size_t k = contents_hash(c->all.at[i]) & (n - 1);
        while (c->slots.at[k]) k = (k + 1) & (n - 1);
        c->slots.at[k] = c->all.at[i];
    }
}

/* ---- what is known of a formula from its parts ---- */

static bool is_eventually(const struct formula *f) { return f->kind == F_UNTIL && f->a->kind == F_TRUE; }
static bool is_always(const struct formula *f) { return f->kind == F_RELEASE && f->a->kind == F_FALSE; }
static bool is_tail(const struct formula *f) { return f->is_tail; }

/* Found once, when the formula is made: a formula that shares its parts can be exponentially longer than it is large.
 */
static void find_facts(struct formula *f)
{
    bool both = f->kind == F_AND || f->kind == F_OR;
    f->has_next = f->kind == F_NEXT || (f->a && f->a->has_next) || (f->b && f->b->has_next);
    f->is_tail = is_eventually(f) ? f->b->is_or_of_always : is_always(f) ? f->b->is_and_of_eventually
                                                          : both && f->a->is_tail && f->b->is_tail;
    f->is_or_of_always =
        f->is_tail || is_always(f) || (f->kind == F_OR && f->a->is_or_of_always && f->b->is_or_of_always);
    f->is_and_of_eventually = f->is_tail || is_eventually(f) ||
                              (f->kind == F_AND && f->a->is_and_of_eventually && f->b->is_and_of_eventually);
}

static const struct formula *shared(struct formulas *c, struct formula f)
{
    if (2 * (c->all.len + 1) > c->slots.len) grow(c);
    size_t k = contents_hash(&f) & (c->slots.len - 1);
    for (; c->slots.at[k]; k = (k + 1) & (c->slots.len - 1))
        if (same(c->slots.at[k], &f)) return c->slots.at[k];
    struct formula *made = arena_alloc(c->arena, sizeof *made);
    *made = f;
    made->id = (int)c->all.len;
    assert((!f.a || f.a->id < made->id) && (!f.b || f.b->id < made->id)); /* parts have smaller numbers */
    find_facts(made);
    vec_push(&c->all, made);
    return c->slots.at[k] = made;
}

static const struct formula *constant(struct formulas *c, bool value)
{
    return shared(c, (struct formula){.kind = value ? F_TRUE : F_FALSE});
}

const struct formula *formula_literal(struct formulas *c, int proposition, bool negated)
{
    assert(proposition >= 0 && (size_t)proposition < c->props.list.len && proposition < LTL_MOST_PROPOSITIONS);
    return shared(c, (struct formula){.kind = F_LITERAL, .proposition = proposition, .negated = negated});
}

static enum formula_kind dual(enum formula_kind k)
{
    static const enum formula_kind of[] = {
        [F_FALSE] = F_TRUE, [F_TRUE] = F_FALSE, [F_LITERAL] = F_LITERAL, [F_AND] = F_OR,
        [F_OR] = F_AND,     [F_NEXT] = F_NEXT,  [F_UNTIL] = F_RELEASE,   [F_RELEASE] = F_UNTIL};
    return of[k];
}

/* Not simplified: the formula was, and simplification treats duals alike. */
const struct formula *formula_not(struct formulas *c, const struct formula *f)
{
    if (f->negation) return f->negation;
    struct formula n = {
        .kind = dual(f->kind), .proposition = f->proposition, .negated = f->kind == F_LITERAL && !f->negated};
    if (f->a) n.a = formula_not(c, f->a);
    if (f->b) n.b = formula_not(c, f->b);
    const struct formula *g = shared(c, n);
    assert(!g->negation || g->negation == f);
    ((struct formula *)f)->negation = g;
    ((struct formula *)g)->negation = f;
    return g;
}

/* ---- implication by structure ---- */

static bool implies(const struct formula *f, const struct formula *g, int *effort);

static bool implies_by_right(const struct formula *f, const struct formula *g, int *effort)
{
    switch (g->kind) {
    case F_AND: return implies(f, g->a, effort) && implies(f, g->b, effort);
    case F_OR: return implies(f, g->a, effort) || implies(f, g->b, effort);
    case F_UNTIL: return implies(f, g->b, effort);
    case F_RELEASE: return implies(f, g->a, effort) && implies(f, g->b, effort);
    default: return false;
    }
}

static bool implies_by_left(const struct formula *f, const struct formula *g, int *effort)
{
    switch (f->kind) {
    case F_AND: return implies(f->a, g, effort) || implies(f->b, g, effort);
    case F_OR: return implies(f->a, g, effort) && implies(f->b, g, effort);
    case F_UNTIL: return implies(f->a, g, effort) && implies(f->b, g, effort);
    case F_RELEASE: return implies(f->b, g, effort);
    default: return false;
    }
}

static bool implies(const struct formula *f, const struct formula *g, int *effort)
{
    if (f == g || f->kind == F_FALSE || g->kind == F_TRUE) return true;
    if (--*effort < 0) return false;
    if (f->kind == g->kind && (f->kind == F_UNTIL || f->kind == F_RELEASE) && implies(f->a, g->a, effort) &&
        implies(f->b, g->b, effort))
        return true;
    if (f->kind == F_NEXT && g->kind == F_NEXT) return implies(f->a, g->a, effort);
    return implies_by_right(f, g, effort) || implies_by_left(f, g, effort);
}

static bool surely(const struct formula *f, const struct formula *g)
{
    int effort = IMPLICATION_EFFORT;
    return implies(f, g, &effort);
}

/* ---- simplification ---- */

#define MAKE(kind, a, b) formula_make(c, kind, a, b)

static const struct formula *make_and(struct formulas *c, const struct formula *a, const struct formula *b)
{
    if (surely(a, b)) return a;
    if (surely(b, a)) return b;
    if (surely(a, formula_not(c, b)) || surely(b, formula_not(c, a))) return constant(c, false);
    if (a->kind == F_NEXT && b->kind == F_NEXT) return MAKE(F_NEXT, MAKE(F_AND, a->a, b->a), NULL);
    if (a->kind == F_RELEASE && b->kind == F_RELEASE && a->a == b->a)
        return MAKE(F_RELEASE, a->a, MAKE(F_AND, a->b, b->b));
    if (a->kind == F_UNTIL && b->kind == F_UNTIL && a->b == b->b) return MAKE(F_UNTIL, MAKE(F_AND, a->a, b->a), a->b);
    if (is_eventually(a) && is_eventually(b) && is_always(a->b) && is_always(b->b))
        return MAKE(F_UNTIL, a->a, MAKE(F_AND, a->b, b->b));
    if (a->id > b->id) return shared(c, (struct formula){.kind = F_AND, .a = b, .b = a});
    return shared(c, (struct formula){.kind = F_AND, .a = a, .b = b});
}

static const struct formula *make_or(struct formulas *c, const struct formula *a, const struct formula *b)
{
    if (surely(a, b)) return b;
    if (surely(b, a)) return a;
    if (surely(formula_not(c, a), b) || surely(formula_not(c, b), a)) return constant(c, true);
    if (a->kind == F_NEXT && b->kind == F_NEXT) return MAKE(F_NEXT, MAKE(F_OR, a->a, b->a), NULL);
    if (a->kind == F_UNTIL && b->kind == F_UNTIL && a->a == b->a) return MAKE(F_UNTIL, a->a, MAKE(F_OR, a->b, b->b));
    if (a->kind == F_RELEASE && b->kind == F_RELEASE && a->b == b->b)
        return MAKE(F_RELEASE, MAKE(F_OR, a->a, b->a), a->b);
    if (is_always(a) && is_always(b) && is_eventually(a->b) && is_eventually(b->b))
        return MAKE(F_RELEASE, a->a, MAKE(F_OR, a->b, b->b));
    if (a->id > b->id) return shared(c, (struct formula){.kind = F_OR, .a = b, .b = a});
    return shared(c, (struct formula){.kind = F_OR, .a = a, .b = b});
}

static const struct formula *make_until(struct formulas *c, const struct formula *a, const struct formula *b)
{
    if (b->kind == F_TRUE || b->kind == F_FALSE || a->kind == F_FALSE || surely(a, b) || is_tail(b)) return b;
    if (a->kind != F_TRUE && surely(formula_not(c, b), a)) return MAKE(F_UNTIL, constant(c, true), b);
    if (b->kind == F_UNTIL && surely(a, b->a)) return b;
    if (a->kind == F_TRUE && b->kind == F_UNTIL) return MAKE(F_UNTIL, a, b->b);
    if (is_eventually(b)) return b;
    if (a->kind == F_UNTIL && surely(a->a, b)) return MAKE(F_UNTIL, a->b, b);
    if (a->kind == F_NEXT && b->kind == F_NEXT) return MAKE(F_NEXT, MAKE(F_UNTIL, a->a, b->a), NULL);
    if (a->kind == F_TRUE && b->kind == F_NEXT) return MAKE(F_NEXT, MAKE(F_UNTIL, a, b->a), NULL);
    if (a->kind == F_TRUE && b->kind == F_OR && (is_tail(b->a) || is_tail(b->b)))
        return MAKE(F_OR, MAKE(F_UNTIL, a, b->a), MAKE(F_UNTIL, a, b->b));
    if (a->kind == F_TRUE && b->kind == F_AND && is_tail(b->a)) return MAKE(F_AND, b->a, MAKE(F_UNTIL, a, b->b));
    if (a->kind == F_TRUE && b->kind == F_AND && is_tail(b->b)) return MAKE(F_AND, b->b, MAKE(F_UNTIL, a, b->a));
    return shared(c, (struct formula){.kind = F_UNTIL, .a = a, .b = b});
}

static const struct formula *make_next(struct formulas *c, const struct formula *a)
{
    if (a->kind == F_TRUE || a->kind == F_FALSE || is_tail(a)) return a;
    return shared(c, (struct formula){.kind = F_NEXT, .a = a});
}

const struct formula *formula_make(struct formulas *c, enum formula_kind kind, const struct formula *a,
                                   const struct formula *b)
{
    switch (kind) {
    case F_FALSE: return constant(c, false);
    case F_TRUE: return constant(c, true);
    case F_AND: return make_and(c, a, b);
    case F_OR: return make_or(c, a, b);
    case F_NEXT: return make_next(c, a);
    case F_UNTIL: return make_until(c, a, b);
    case F_RELEASE: return formula_not(c, make_until(c, formula_not(c, a), formula_not(c, b)));
    case F_LITERAL: break;
    }
    BUG("formula kind %d", kind);
}

bool formula_has_next(const struct formula *f) { return f->has_next; }

/* ---- printing ---- */

static void print_operand(const struct formulas *c, const struct formula *f, struct str *out)
{
    bool simple = f->kind <= F_LITERAL || f->kind == F_NEXT || is_eventually(f) || is_always(f);
    if (!simple) str_addc(out, '(');
    formula_print(c, f, out);
    if (!simple) str_addc(out, ')');
}

static void print_prefix(const struct formulas *c, const char *op, const struct formula *f, struct str *out)
{
    str_add(out, op);
    print_operand(c, f, out);
}

void formula_print(const struct formulas *c, const struct formula *f, struct str *out)
{
    static const char *const signs[] = {[F_AND] = " && ", [F_OR] = " || ", [F_UNTIL] = " U ", [F_RELEASE] = " V "};
    switch (f->kind) {
    case F_FALSE: str_add(out, "false"); return;
    case F_TRUE: str_add(out, "true"); return;
    case F_LITERAL: str_printf(out, "%s%s", f->negated ? "!" : "", c->props.list.at[f->proposition].text); return;
    case F_NEXT: print_prefix(c, "X ", f->a, out); return;
    default: break;
    }
    if (is_eventually(f)) print_prefix(c, "<>", f->b, out);
    else if (is_always(f)) print_prefix(c, "[]", f->b, out);
    else {
        print_operand(c, f->a, out);
        print_prefix(c, signs[f->kind], f->b, out);
    }
}

/* ---- truth on a lasso ---- */

/* Least fixpoint for U, greatest for R: two rounds backwards through the cycle are enough. */
static void fill(const struct formula *f, const bool *a, const bool *b, bool *v, size_t len, size_t start)
{
    for (size_t i = 0; i < len; i++) v[i] = f->kind == F_RELEASE;
    for (int round = 0; round < 2; round++)
        for (size_t i = len; i-- > 0;) {
            bool later = v[i + 1 < len ? i + 1 : start];
            v[i] = f->kind == F_UNTIL ? b[i] || (a[i] && later) : b[i] && (a[i] || later);
        }
}

bool formula_holds(const struct formulas *c, const struct formula *f, const letter *w, size_t len, size_t start)
{
    assert(start < len);
    bool **v = xcalloc(c->all.len, sizeof *v);
    for (size_t k = 0; k <= (size_t)f->id; k++) { /* parts have smaller numbers */
        const struct formula *g = c->all.at[k];
        v[k] = xcalloc(len, sizeof **v);
        const bool *a = g->a ? v[g->a->id] : NULL, *b = g->b ? v[g->b->id] : NULL;
        assert((!g->a || a) && (!g->b || b));
        if (g->kind == F_UNTIL || g->kind == F_RELEASE) {
            fill(g, a, b, v[k], len, start);
            continue;
        }
        for (size_t i = 0; i < len; i++) {
            switch (g->kind) {
            case F_TRUE: v[k][i] = true; break;
            case F_LITERAL: v[k][i] = (w[i] >> g->proposition & 1) != g->negated; break;
            case F_AND: v[k][i] = a[i] && b[i]; break;
            case F_OR: v[k][i] = a[i] || b[i]; break;
            case F_NEXT: v[k][i] = a[i + 1 < len ? i + 1 : start]; break;
            default: break;
            }
        }
    }
    bool result = v[f->id][0];
    for (size_t k = 0; k <= (size_t)f->id; k++) free_null((void **)&v[k]);
    free_null((void **)&v);
    return result;
}
