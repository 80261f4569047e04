/* Which nondeterministic choices make a step do what is wanted, and whether any makes it possible at all. */
#include "boolprog/boolprog.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TRIES = 1 << 18 }; /* of values that a constraint ties together */

static int apply(enum bp_op op, int x, int y, int z)
{
    switch (op) {
    case EXPR_NOT: return !x;
    case EXPR_AND: return x & y;
    case EXPR_OR: return x | y;
    case EXPR_XOR: return x ^ y;
    case EXPR_EQ: return x == y;
    case EXPR_IMP: return x <= y;
    case EXPR_ITE: return x ? y : z;
    default: BUG("operator %d", op);
    }
}

/* What an expression can be: bit 0 set if it can be false, bit 1 if it can be true. Exact, because every star
 * occurs once: the operands of an operator vary independently, except through variables, which are fixed.
 * after: NULL, or by variable what its value after the step can be, 0: it is not assigned. If one of them is open and
 * occurs twice, the answer can be too large, never too small. */
static int possible_after(const struct bp_state *s, const uint8_t *locals, int expr, const uint8_t *after)
{
    const struct bp_program *p = s->program;
    const struct bp_expr *e = &p->exprs.at[expr];
    int a = e->op >= EXPR_NOT ? possible_after(s, locals, e->a, after) : 0, out = 0;
    int b = e->op >= EXPR_AND ? possible_after(s, locals, e->b, after) : 0;
    int c = e->op == EXPR_ITE ? possible_after(s, locals, e->c, after) : 0;
    if (e->op == EXPR_CONST) return 1 << e->a;
    if (e->op == EXPR_STAR) return 3;
    if (e->op == EXPR_VAR || e->op == EXPR_NEXT) {
        const struct bp_var *x = &p->vars.at[e->a];
        if (e->op == EXPR_NEXT && after && after[e->a]) return after[e->a];
        return 1 << (x->proc < 0 ? s->shared[x->slot] : locals[x->slot]);
    }
    for (int i = 0; i < 8; i++) {
        int x = i & 1, y = i >> 1 & 1, z = i >> 2 & 1;
        if (!(a >> x & 1) || (e->op >= EXPR_AND && !(b >> y & 1)) || (e->op == EXPR_ITE && !(c >> z & 1))) continue;
        out |= 1 << apply(e->op, x, y, z);
    }
    return out;
}

static int possible(const struct bp_state *s, const uint8_t *locals, int expr)
{
    return possible_after(s, locals, expr, NULL);
}

/* Sets the stars of one expression so that it has this value; *bits moves behind them. Nothing in `after` is open. */
static bool choose_after(const struct bp_state *s, const uint8_t *locals, int expr, const uint8_t *after, int want,
                         uint8_t **bits)
{
    const struct bp_program *p = s->program;
    const struct bp_expr *e = &p->exprs.at[expr];
    if (!(possible_after(s, locals, expr, after) >> want & 1)) return false;
    if (e->op == EXPR_STAR) *(*bits)++ = (uint8_t)want;
    if (e->op < EXPR_NOT) return true;
    int a = possible_after(s, locals, e->a, after), b = e->op >= EXPR_AND ? possible_after(s, locals, e->b, after) : 1;
    int c = e->op == EXPR_ITE ? possible_after(s, locals, e->c, after) : 1;
    for (int i = 0; i < 8; i++) {
        int x = i & 1, y = i >> 1 & 1, z = i >> 2 & 1;
        if (!(a >> x & 1) || !(b >> y & 1) || !(c >> z & 1)) continue;
        if (apply(e->op, x, y, z) != want) continue;
        return choose_after(s, locals, e->a, after, x, bits) &&
               (e->op < EXPR_AND || choose_after(s, locals, e->b, after, y, bits)) &&
               (e->op != EXPR_ITE || choose_after(s, locals, e->c, after, z, bits));
    }
    return false;
}

static bool choose(const struct bp_state *s, const uint8_t *locals, int expr, int want, uint8_t **bits)
{
    return choose_after(s, locals, expr, NULL, want, bits);
}

static const uint8_t *frame_locals(const struct bp_state *s, int thread)
{
    return s->stack[thread].locals + (size_t)(s->stack[thread].depth - 1) * (size_t)s->stride;
}

bool bp_state_enabled(const struct bp_state *s, int thread)
{
    if (!bp_state_may_run(s, thread)) return false;
    const struct bp_node *n = &s->program->nodes.at[bp_state_top(s, thread)];
    for (size_t i = 0; i < n->out.len; i++) {
        const struct bp_edge *e = &s->program->edges.at[n->out.at[i]];
        if (e->guard >= 0 && !(possible(s, frame_locals(s, thread), e->guard) & 2)) continue;
        if (e->constrain < 0) return true;
        bool gave_up = false; /* then nobody knows, and it counts as possible */
        uint8_t *bits = bp_step_find_bits(s, thread, n->out.at[i], &(struct step_wish){.gave_up = &gave_up});
        free(bits);
        if (bits || gave_up) return true;
    }
    return false;
}

struct chooser {
    const struct bp_state *s;
    const uint8_t *locals;
    uint8_t *bits;
    const struct step_wish *wish;
    bool ok;
};

static void want(struct chooser *c, int expr, int var)
{
    if (expr < 0 || !c->ok) return;
    int any = possible(c->s, c->locals, expr) & 1 ? 0 : 1;
    bool cared = var >= 0 && c->wish->care && c->wish->care[var];
    c->ok = choose(c->s, c->locals, expr, cared ? c->wish->value[var] : any, &c->bits);
}

static void want_value(struct chooser *c, int expr, int value)
{
    if (expr >= 0 && c->ok) c->ok = choose(c->s, c->locals, expr, value, &c->bits);
}

static void fresh(struct chooser *c, const struct bp_proc *f, const uint8_t *value)
{
    for (size_t i = 0; i < f->locals.len; i++) {
        bool param = false;
        for (size_t k = 0; k < f->params.len; k++) param |= f->params.at[k] == f->locals.at[i];
        if (!param) *c->bits++ = value ? value[f->locals.at[i]] : 0;
    }
}

static int result_var(const struct bp_state *s, int thread, size_t i)
{
    const struct bp_stack *k = &s->stack[thread];
    if (k->depth < 2) return -1;
    const struct bp_edge *site = &s->program->edges.at[k->calls[k->depth - 2]];
    return i < site->results.len ? site->results.at[i] : -1;
}

static bool choose_each(struct chooser *c, int thread, const struct bp_edge *e)
{
    const struct bp_program *p = c->s->program;
    if (e->guard >= 0) want_value(c, e->guard, 1);
    if (e->assertion >= 0) want_value(c, e->assertion, !c->wish->fails);
    if (c->wish->fails) return c->ok;
    for (size_t i = 0; i < e->assigns.len; i++) want(c, e->assigns.at[i].value, e->assigns.at[i].var);
    for (size_t i = 0; e->kind == EDGE_CALL && i < e->args.len; i++)
        want(c, e->args.at[i], p->procs.at[e->callee].params.at[i]);
    for (size_t i = 0; i < e->values.len; i++) want(c, e->values.at[i], result_var(c->s, thread, i));
    if (e->kind == EDGE_CALL) fresh(c, &p->procs.at[e->callee], c->wish->value);
    if (e->spawn >= 0) fresh(c, &p->procs.at[p->threads.at[e->spawn].proc], c->wish->spawned);
    return c->ok;
}

static bool state_fits(const struct bp_state *s, int thread, const struct step_wish *wish)
{
    const struct bp_program *p = s->program;
    for (size_t i = 0; wish->care && i < p->vars.len; i++) {
        const struct bp_var *x = &p->vars.at[i];
        int top = bp_state_top(s, thread);
        if (!wish->care[i] || (x->proc >= 0 && (top < 0 || p->procs.at[p->nodes.at[top].proc].source != x->proc)))
            continue;
        uint8_t value = x->proc < 0 ? s->shared[x->slot] : frame_locals(s, thread)[x->slot];
        if (value != wish->value[i]) return false;
    }
    return true;
}

/* What each assigned variable may become: what is wanted, or whatever its expression can be. False: not as wanted. */
static bool open_values(const struct chooser *c, const struct bp_edge *e, uint8_t *after, int_list *open)
{
    for (size_t i = 0; i < e->assigns.len; i++) {
        int var = e->assigns.at[i].var, can = possible(c->s, c->locals, e->assigns.at[i].value);
        if (c->wish->care && c->wish->care[var]) can &= 1 << c->wish->value[var];
        if (!can) return false;
        after[var] = (uint8_t)can;
        if (can == 3) vec_push(open, var);
    }
    return true;
}

/* Gives the open variables values with which the constraint can hold, one by one, going back where it cannot. */
static bool close_values(const struct chooser *c, const struct bp_edge *e, uint8_t *after, const int_list *open)
{
    size_t fixed = 0;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        bool can_hold = possible_after(c->s, c->locals, e->constrain, after) & 2;
        if (can_hold && fixed == open->len) return true;
        if (can_hold) {
            after[open->at[fixed++]] = 1;
            continue;
        }
        while (fixed > 0 && after[open->at[fixed - 1]] == 2) after[open->at[--fixed]] = 3;
        if (!fixed) return false;
        after[open->at[fixed - 1]] = 2;
    }
    if (c->wish->gave_up) *c->wish->gave_up = true;
    return false;
}

/* constrain ties the values after the step together. */
static bool choose_together(struct chooser *c, int thread, int edge, uint8_t *bits)
{
    const struct bp_program *p = c->s->program;
    const struct bp_edge *e = &p->edges.at[edge];
    int_list open = {0};
    uint8_t *after = xcalloc(p->vars.len + 1, 1), *zero = xcalloc(bp_state_init_bits(p) + 1, 1);
    want_value(c, e->guard, 1);
    c->ok = c->ok && open_values(c, e, after, &open) && close_values(c, e, after, &open);
    for (size_t i = 0; c->ok && i < e->assigns.len; i++)
        want_value(c, e->assigns.at[i].value, after[e->assigns.at[i].var] == 2);
    if (c->ok) c->ok = choose_after(c->s, c->locals, e->constrain, after, 1, &c->bits);
    if (c->ok) {
        struct bp_state next;
        bp_state_init(&next, p, zero);
        bp_state_copy(&next, c->s);
        if (bp_state_step(&next, thread, edge, bits) != STEP_DONE) BUG("choices for another step");
        c->ok = state_fits(&next, thread, c->wish);
        bp_state_release(&next);
    }
    free(zero);
    free(after);
    vec_release(&open);
    return c->ok;
}

uint8_t *bp_step_find_bits(const struct bp_state *s, int thread, int edge, const struct step_wish *wish)
{
    const struct bp_edge *e = &s->program->edges.at[edge];
    uint8_t *bits = xcalloc(bp_step_bits(s->program, edge) + 1, 1);
    struct chooser c = {s, frame_locals(s, thread), bits, wish, true};
    bool ok = e->constrain >= 0 ? choose_together(&c, thread, edge, bits) : choose_each(&c, thread, e);
    if (ok) return bits;
    free(bits);
    return NULL;
}
