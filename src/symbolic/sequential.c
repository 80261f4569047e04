/* The eager analysis of a sequential program (rules R0 to R6 of Fig. 3): all procedures are summarised for all states
 * in which they could be entered; a second phase finds out in which they are. */
#include "symbolic/rounds_int.h"

/* R0: every procedure, entered in every state. */
void sequential_enter_all(struct facts *f)
{
    for (size_t i = 0; i < f->e->p->procs.len; i++) facts_add(f, f->e->p->procs.at[i].entry, 0, 0, f->e->entered[i]);
}

static BDD now_cube(struct encoding *e)
{
    int_list now = {0};
    shared_copy(e, COPY_NOW, 0, &now);
    for (int i = 0; i < e->slot_count; i++) vec_push(&now, e->slots[i].now);
    BDD cube = b_cube(e->b, now.at, now.len);
    vec_release(&now);
    return cube;
}

/* R6: the states in which the callee is entered from these facts at the site, as values at its entry. */
static bool add_entries(struct rounds *r, const struct call_site *s, BDD facts, BDD now)
{
    struct bdds *b = r->e.b;
    if (facts == bddfalse) return false;
    BDD x = b_rename(b, b_product(b, facts, s->args, s->enter_quant), r->e.arg_to_now);
    x = b_product(b, x, r->e.entered[s->callee], now);
    BDD all = b_or(b, x, r->entries[s->callee]);
    bool changed = all != r->entries[s->callee];
    b_set(&r->entries[s->callee], all);
    return changed;
}

/* R4 to R6: r->entries[procedure] relates the state at the start of the program and at the procedure's entry. */
void sequential_find_entries(struct rounds *r, struct facts *f)
{
    size_t mark = b_mark(r->e.b);
    BDD now = now_cube(&r->e);
    add_entries(r, &f->root, facts_cell(f, f->start, 0, 0)->all, now);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < r->e.sites.len; i++) {
            const struct call_site *s = &r->e.sites.at[i];
            int caller = r->e.p->nodes.at[s->from].proc;
            BDD facts = b_and(r->e.b, facts_cell(f, s->from, 0, 0)->all, r->entries[caller]);
            changed |= add_entries(r, s, facts, now);
        }
    }
    b_release(r->e.b, mark);
}
