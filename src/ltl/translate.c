/* Formula -> very weak alternating automaton -> generalised Buchi automaton with marks on transitions -> Buchi
 * automaton, as Gastin and Oddoux do it (Fast LTL to Buchi automata translation, 2001).
 *
 * A state of the alternating automaton is a formula; a state of the generalised one is a set of them that must all
 * hold. A transition carries one mark per until-formula: it is marked if that until is not being put off. Transitions
 * that promise more than another one for no gain are dropped as they arise, states with equal transitions are one.
 * Our deviation: marks outside of accepting components are cleared before states are compared, and levels of the
 * degeneralisation start anew in each component. */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <string.h>

enum { MOST_STEPS = 20000, MOST_STATES = 20000, MOST_WORK = 400000000 };

typedef VEC(struct step) step_list;

struct translation {
    struct formulas *c;
    VEC(const struct formula *) elements;  /* states of the alternating automaton, by number */
    int *number_of;                        /* by formula id, -1: not an element */
    VEC(const struct formula *) untils;
    step_list *steps_of, *meanings_of;     /* by formula id, made on demand: formulas share parts */
    bool *has_steps, *has_meanings;
    struct general g;
    uint64_t work;
    bool failed;
};

static bool fail(struct translation *t, const char *why)
{
    t->c->error = why;
    t->failed = true;
    return false;
}

/* ---- sets of elements ---- */

static bool subset(const struct element_set *a, const struct element_set *b)
{
    for (int i = 0; i < SET_WORDS; i++)
        if (a->w[i] & ~b->w[i]) return false;
    return true;
}

static struct element_set joined(const struct element_set *a, const struct element_set *b)
{
    struct element_set s;
    for (int i = 0; i < SET_WORDS; i++) s.w[i] = a->w[i] | b->w[i];
    return s;
}

static bool has(const struct element_set *s, int n) { return s->w[n / 64] >> n % 64 & 1; }

static int element_number(struct translation *t, const struct formula *f)
{
    if (t->number_of[f->id] >= 0) return t->number_of[f->id];
    if (t->elements.len == SET_WORDS * 64) {
        fail(t, "the formula has too many different temporal operators (more than 512 parts to keep track of)");
        return 0;
    }
    vec_push(&t->elements, f);
    return t->number_of[f->id] = (int)t->elements.len - 1;
}

/* ---- the alternating automaton ---- */

static void check_size(struct translation *t, const step_list *list)
{
    enum { WORK_PER_LOOK = 1 << 20 };
    uint64_t before = t->work;
    t->work += 2 * list->len + 1;
    if (before / WORK_PER_LOOK != t->work / WORK_PER_LOOK && limits_reached(t->c->limits)) fail(t, LTL_OUT_OF_TIME);
    if (list->len > MOST_STEPS || t->work > MOST_WORK)
        fail(t, "the formula is too complex: its automaton would be enormous");
}

/* Unfinished steps of a set are not compared: one that asks for more may earn more marks in the end. */
static void add_distinct(struct translation *t, step_list *list, const struct step *s)
{
    if (cube_is_empty(s->label) || t->failed) return;
    check_size(t, list);
    for (size_t i = 0; i < list->len; i++)
        if (!memcmp(&list->at[i], s, sizeof *s)) return;
    vec_push(list, *s);
}

/* Adds a step unless one is there that asks for less; drops those that ask for more. */
static void add_step(struct translation *t, step_list *list, struct step s)
{
    size_t kept = 0;
    if (cube_is_empty(s.label) || t->failed) return;
    check_size(t, list);
    for (size_t i = 0; i < list->len; i++)
        if (cube_implies(s.label, list->at[i].label) && subset(&list->at[i].to, &s.to) &&
            !(s.marks & ~list->at[i].marks))
            return;
    for (size_t i = 0; i < list->len; i++)
        if (!(cube_implies(list->at[i].label, s.label) && subset(&s.to, &list->at[i].to) &&
              !(list->at[i].marks & ~s.marks)))
            list->at[kept++] = list->at[i];
    list->len = kept;
    vec_push(list, s);
}

static void multiply(struct translation *t, const step_list *a, const step_list *b, step_list *out, bool unfinished)
{
    for (size_t i = 0; i < a->len && !t->failed; i++)
        for (size_t k = 0; k < b->len && !t->failed; k++) {
            struct step s = {{a->at[i].label.pos | b->at[k].label.pos, a->at[i].label.neg | b->at[k].label.neg},
                             joined(&a->at[i].to, &b->at[k].to), 0};
            if (unfinished) add_distinct(t, out, &s);
            else add_step(t, out, s);
        }
}

static void add_all(struct translation *t, step_list *out, const step_list *from)
{
    for (size_t i = 0; i < from->len; i++) add_step(t, out, from->at[i]);
}

static void add_element(struct translation *t, const struct formula *f, step_list *out)
{
    struct step s = {0};
    int n = element_number(t, f);
    s.to.w[n / 64] |= UINT64_C(1) << n % 64;
    add_step(t, out, s);
}

/* The sets of elements that together mean f: one per way to satisfy it. */
static const step_list *meanings(struct translation *t, const struct formula *f)
{
    step_list *out = &t->meanings_of[f->id];
    if (t->has_meanings[f->id] || t->failed) return out;
    t->has_meanings[f->id] = true;
    switch (f->kind) {
    case F_TRUE: add_step(t, out, (struct step){0}); break;
    case F_FALSE: break;
    case F_AND: multiply(t, meanings(t, f->a), meanings(t, f->b), out, false); break;
    case F_OR:
        add_all(t, out, meanings(t, f->a));
        add_all(t, out, meanings(t, f->b));
        break;
    default: add_element(t, f, out);
    }
    return out;
}

static const step_list *steps_of_formula(struct translation *t, const struct formula *f);

/* a U b: b, or a and the same again.  a R b: b, and a or the same again. */
static void steps_of_loop(struct translation *t, const struct formula *f, step_list *out)
{
    step_list again = {0};
    const step_list *a = steps_of_formula(t, f->a), *b = steps_of_formula(t, f->b);
    add_element(t, f, &again);
    if (f->kind == F_UNTIL) {
        add_all(t, out, b);
        multiply(t, a, &again, out, false);
    } else {
        add_all(t, &again, a);
        multiply(t, b, &again, out, false);
    }
    vec_release(&again);
}

static const step_list *steps_of_formula(struct translation *t, const struct formula *f)
{
    step_list *out = &t->steps_of[f->id];
    letter bit = f->kind == F_LITERAL ? UINT64_C(1) << f->proposition : 0;
    if (t->has_steps[f->id] || t->failed) return out;
    t->has_steps[f->id] = true;
    switch (f->kind) {
    case F_FALSE: break;
    case F_TRUE: add_step(t, out, (struct step){0}); break;
    case F_LITERAL: add_step(t, out, (struct step){.label = {f->negated ? 0 : bit, f->negated ? bit : 0}}); break;
    case F_NEXT: add_all(t, out, meanings(t, f->a)); break;
    case F_OR:
        add_all(t, out, steps_of_formula(t, f->a));
        add_all(t, out, steps_of_formula(t, f->b));
        break;
    case F_AND: multiply(t, steps_of_formula(t, f->a), steps_of_formula(t, f->b), out, false); break;
    case F_UNTIL: case F_RELEASE: steps_of_loop(t, f, out); break;
    }
    return out;
}

static const step_list *steps_of_element(struct translation *t, int n)
{
    return steps_of_formula(t, t->elements.at[n]);
}

/* ---- the generalised automaton ---- */

/* An until is not put off by a step if it is not asked for again, or could have been satisfied by it all the same. */
static bool satisfies(struct translation *t, const struct step *s, int element)
{
    if (!has(&s->to, element)) return true;
    const step_list *own = steps_of_element(t, element);
    for (size_t i = 0; i < own->len; i++)
        if (cube_implies(s->label, own->at[i].label) && !has(&own->at[i].to, element) && subset(&own->at[i].to, &s->to))
            return true;
    return false;
}

static uint64_t marks_of(struct translation *t, const struct step *s)
{
    uint64_t marks = 0;
    for (size_t i = 0; i < t->untils.len; i++)
        if (satisfies(t, s, element_number(t, t->untils.at[i]))) marks |= UINT64_C(1) << i;
    return marks;
}

static int general_state(struct translation *t, const struct element_set *set)
{
    for (size_t i = 0; i < t->g.states.len; i++)
        if (!memcmp(&t->g.states.at[i].set, set, sizeof *set)) return (int)i;
    t->work += t->g.states.len;
    if (t->g.states.len == MOST_STATES) fail(t, "the formula is too complex: its automaton would be enormous");
    vec_push(&t->g.states, ((struct general_state){.set = *set}));
    return (int)t->g.states.len - 1;
}

static void steps_of_set(struct translation *t, const struct element_set *set, step_list *out)
{
    step_list sofar = {0};
    add_step(t, &sofar, (struct step){0});
    for (int n = 0; n < (int)t->elements.len && !t->failed; n++) {
        if (!has(set, n)) continue;
        step_list next = {0};
        const step_list *own = steps_of_element(t, n);
        multiply(t, &sofar, own, &next, true);
        vec_release(&sofar);
        sofar = next;
    }
    for (size_t i = 0; i < sofar.len; i++) {
        sofar.at[i].marks = marks_of(t, &sofar.at[i]);
        add_step(t, out, sofar.at[i]);
    }
    vec_release(&sofar);
}

static void expand(struct translation *t, size_t state)
{
    step_list steps = {0};
    struct element_set set = t->g.states.at[state].set;
    steps_of_set(t, &set, &steps);
    for (size_t i = 0; i < steps.len && !t->failed; i++) {
        int to = general_state(t, &steps.at[i].to);
        vec_push(&t->g.states.at[state].edges, ((struct general_edge){steps.at[i].label, steps.at[i].marks, to, 0}));
    }
    vec_release(&steps);
}

static bool list_untils(struct translation *t, const struct formula *f, bool *seen)
{
    if (seen[f->id]) return true;
    seen[f->id] = true;
    if (f->kind == F_UNTIL) {
        if (t->untils.len == 64) return fail(t, "the formula has more than 64 different untils or eventuallys");
        element_number(t, f);
        vec_push(&t->untils, f);
    }
    return (!f->a || list_untils(t, f->a, seen)) && (!f->b || list_untils(t, f->b, seen));
}

static bool has_choice(const struct formula *f)
{
    return f->kind == F_OR || (f->kind == F_AND && (has_choice(f->a) || has_choice(f->b)));
}

/* The first state is the set of parts that must all hold; where there is a choice between parts, the formula itself. */
static void add_first_state(struct translation *t, const struct formula *f)
{
    step_list itself = {0};
    const step_list *start = &itself;
    struct element_set nothing = {0};
    if (has_choice(f) || f->kind == F_FALSE) add_element(t, f, &itself);
    else start = meanings(t, f);
    general_state(t, start->len ? &start->at[0].to : &nothing);
    vec_release(&itself);
}

static void build_general(struct translation *t, const struct formula *f)
{
    bool *seen = xcalloc(t->c->all.len, sizeof *seen);
    if (list_untils(t, f, seen)) {
        add_first_state(t, f);
        for (size_t i = 0; i < t->g.states.len && !t->failed; i++) {
            if (limits_reached(t->c->limits)) fail(t, LTL_OUT_OF_TIME);
            else expand(t, i);
        }
    }
    free_null((void **)&seen);
    t->g.mark_count = (int)t->untils.len;
}

static void init(struct translation *t)
{
    size_t n = t->c->all.len;
    t->number_of = xmalloc(n * sizeof *t->number_of);
    memset(t->number_of, -1, n * sizeof *t->number_of);
    t->steps_of = xcalloc(n, sizeof *t->steps_of);
    t->meanings_of = xcalloc(n, sizeof *t->meanings_of);
    t->has_steps = xcalloc(n, sizeof *t->has_steps);
    t->has_meanings = xcalloc(n, sizeof *t->has_meanings);
}

static void release(struct translation *t)
{
    for (size_t i = 0; i < t->c->all.len; i++) {
        vec_release(&t->steps_of[i]);
        vec_release(&t->meanings_of[i]);
    }
    free_null((void **)&t->steps_of);
    free_null((void **)&t->meanings_of);
    free_null((void **)&t->has_steps);
    free_null((void **)&t->has_meanings);
    vec_release(&t->elements);
    vec_release(&t->untils);
    general_release(&t->g);
    free_null((void **)&t->number_of);
}

bool buchi_of_formula(struct formulas *c, const struct formula *f, struct buchi *out)
{
    struct translation t = {.c = c};
    *out = (struct buchi){.limits = c->limits};
    init(&t);
    build_general(&t, f);
    if (!t.failed) {
        general_simplify(&t.g);
        general_to_buchi(&t.g, out);
        buchi_simplify(out);
    }
    release(&t);
    return !t.failed;
}
