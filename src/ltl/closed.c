/* Automata whose runs can be stretched and shortened step by step; reduction is sound with them as they are.
 *
 * Siegel ("What's wrong with on-the-fly partial order reduction", CAV 2019) proves the choice of the ample set at the
 * source node (V1) sound for automata in his normal form, and asks for other classes. This one contains the normal
 * form and most automata made from formulas. For all states and letters a, where t >= u means that t can follow every
 * step of u with a state that simulates (directly, with acceptance) the one that u goes to:
 *   stretch  s -a-> u          there are s -a-> v -a-> t with t >= u; if u is accepting, v or t is
 *   shorten  s -a-> v -a-> u   there is s -a-> t with t >= u; if v or u is accepting, t is
 * The proof of his Theorem 1 uses the normal form only to put one more letter at the front of a run and to take one of
 * two equal letters out of it (his Lemma 1). Both conditions give such a run, and what follows is simulated. In his
 * Lemma 2 the distance to the next accepting state must not grow. Shorten: an accepting state at either place is
 * kept at the earlier one. Stretch: if u was the next accepting state then it is t, at the same distance, or v,
 * which joins the reduced path at once. So the distance falls with every step of the original path that is taken
 * (his Case 1, which occurs for ever by the cycle condition) until an accepting state joins the reduced path. */
#include "ltl/ltl_int.h"

#include <stdlib.h>

struct closing {
    const struct buchi *b;
    const bool *followers;
    VEC(struct cube) by; /* the letters for which a way was found */
};

static bool accepting(const struct closing *c, int s) { return c->b->states.at[s].accepting; }
static bool can_follow(const struct closing *c, int t, int u)
{
    return c->followers[(size_t)u * c->b->states.len + (size_t)t];
}
static struct cube both(struct cube a, struct cube b) { return (struct cube){a.pos | b.pos, a.neg | b.neg}; }

static bool is_covered(const struct closing *c, struct cube label) { return cube_covered(label, c->by.at, c->by.len); }

/* The letters of e after which v leads on to a state that can replace the target of e. */
static void add_stretched(struct closing *c, const struct buchi_edge *e, const struct buchi_edge *first)
{
    const struct buchi_state *v = &c->b->states.at[first->to];
    for (size_t k = 0; k < v->edges.len; k++) {
        struct cube label = both(first->label, v->edges.at[k].label);
        bool keeps = !accepting(c, e->to) || v->accepting || accepting(c, v->edges.at[k].to);
        if (keeps && !cube_is_empty(both(label, e->label)) && can_follow(c, v->edges.at[k].to, e->to))
            vec_push(&c->by, label);
    }
}

static bool can_stretch(struct closing *c, const struct buchi_state *s, const struct buchi_edge *e)
{
    vec_clear(&c->by);
    for (size_t k = 0; k < s->edges.len; k++) add_stretched(c, e, &s->edges.at[k]);
    return is_covered(c, e->label);
}

static bool can_shorten(struct closing *c, const struct buchi_state *s, const struct buchi_edge *first,
                        const struct buchi_edge *second)
{
    struct cube label = both(first->label, second->label);
    bool accepts = accepting(c, first->to) || accepting(c, second->to);
    if (cube_is_empty(label)) return true;
    vec_clear(&c->by);
    for (size_t k = 0; k < s->edges.len; k++) {
        const struct buchi_edge *e = &s->edges.at[k];
        if ((!accepts || accepting(c, e->to)) && can_follow(c, e->to, second->to)) vec_push(&c->by, e->label);
    }
    return is_covered(c, label);
}

static bool is_closed_at(struct closing *c, const struct buchi_state *s)
{
    for (size_t i = 0; i < s->edges.len; i++) {
        const struct buchi_edge *e = &s->edges.at[i];
        if (!can_stretch(c, s, e)) return false;
        const struct buchi_state *v = &c->b->states.at[e->to];
        for (size_t k = 0; k < v->edges.len; k++)
            if (!can_shorten(c, s, e, &v->edges.at[k])) return false;
    }
    return true;
}

bool buchi_is_stutter_closed(const struct buchi *b)
{
    bool *followers = buchi_followers(b), closed = followers;
    struct closing c = {.b = b, .followers = followers};
    for (size_t s = 0; s < b->states.len && closed; s++) closed = is_closed_at(&c, &b->states.at[s]);
    vec_release(&c.by);
    free(followers);
    return closed;
}

bool buchi_stutter_closed_form(const struct buchi *b, size_t most_states, struct buchi *out)
{
    struct buchi again;
    letter mentioned = buchi_letters(b);
    if (!buchi_si_normal_form(b, mentioned, most_states, out)) return false;
    buchi_simplify(out);
    if (buchi_is_stutter_closed(out)) return true;
    buchi_si_normal_form(b, mentioned, most_states, &again);
    buchi_release(out);
    *out = again;
    return true;
}
