/* Is this execution really a violation? The schedule is run again, and the property is judged on what was seen: by the
 * meaning of the formula where there is one, otherwise by runs of the automaton or claim over these states alone. */
#include "search/cycles_int.h"

#include <stdlib.h>
#include <string.h>

typedef VEC(uint8_t) state_bytes;

/* The states of the execution, one after the other; after the last comes number `start` again. */
struct seen {
    struct model *m;
    const struct property *p;
    VEC(state_bytes) states;
    size_t start;
    bool good;          /* the schedule can be run, and closes its cycle */
    struct duty done;   /* fairness of the cycle */
};

static void keep_state(struct seen *x, struct replay *r)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    state_bytes copy = {0};
    vec_reserve(&copy, size + 1);
    memcpy(copy.at, state, size);
    copy.len = size;
    vec_push(&x->states, copy);
}

static bool note_enabled(void *ctx, const struct successor *t)
{
    duty_moved(ctx, t->pid);
    return true;
}

/* Who cannot move in a state of the cycle is treated fairly. */
static bool note_fairness(struct seen *x, const state_bytes *s)
{
    struct duty can = {0};
    bool any = x->m->ops->successors(x->m, s->at, (uint32_t)s->len, MODEL_ALL, false, note_enabled, &can);
    for (int i = 0; i < 4; i++) x->done.fair[i] |= ~can.fair[i];
    return any;
}

static void run_schedule(struct seen *x, const struct schedule *s)
{
    struct replay *r = replay_new(x->m);
    x->good = true;
    keep_state(x, r);
    for (size_t i = 0; i < s->choices.len && x->good; i++) {
        const struct successor *t = replay_step(r, s->choices.at[i]);
        x->good = t && t->state;
        if (x->good) keep_state(x, r);
        if (x->good && s->lasso && i >= s->cycle_start) duty_moved(&x->done, t->pid), duty_moved(&x->done, t->last);
    }
    replay_free(r);
}

static void close_cycle(struct seen *x, const struct schedule *s)
{
    if (!x->good || !s->lasso) return;
    x->start = s->cycle_start;
    for (size_t i = x->start; i < x->states.len; i++) {
        bool moves = note_fairness(x, &x->states.at[i]);
        if (x->start == s->choices.len && moves) x->good = false;
    }
    if (x->start == s->choices.len) return;
    const state_bytes *first = &x->states.at[x->start], *last = &vec_last(&x->states);
    x->good = first->len == last->len && !memcmp(first->at, last->at, last->len);
    vec_release(&vec_last(&x->states));
    x->states.len--;
}

/* ---- judging ---- */

/* Some run of the automaton over the word comes to a state that accepts whatever follows. */
static bool decides_early(const struct buchi *b, const letter *w, size_t len)
{
    bool *now = xcalloc(b->states.len + 1, sizeof *now), *next = xcalloc(b->states.len + 1, sizeof *next);
    bool found = false;
    now[b->initial] = true;
    for (size_t i = 0; i < len && !found; i++) {
        memset(next, 0, b->states.len);
        for (size_t q = 0; q < b->states.len; q++)
            for (size_t k = 0; now[q] && k < b->states.at[q].edges.len; k++) {
                const struct buchi_edge *e = &b->states.at[q].edges.at[k];
                if (!cube_has(e->label, w[i])) continue;
                next[e->to] = true;
                found |= buchi_accepts_all(b, e->to);
            }
        bool *swapped = now;
        now = next;
        next = swapped;
    }
    free(now);
    free(next);
    return found;
}

static bool has_ended(const struct seen *x)
{
    const state_bytes *s = &vec_last(&x->states);
    return !x->m->ops->successors(x->m, s->at, (uint32_t)s->len, MODEL_ALL, false, note_enabled, &(struct duty){0});
}

static bool word_violates(struct seen *x, bool lasso)
{
    const struct property *p = x->p;
    VEC(letter) w = {0};
    for (size_t i = 0; i < x->states.len; i++) vec_push(&w, property_letter(x->m, p, x->states.at[i].at));
    size_t start = lasso ? x->start : w.len - 1; /* a finite violation remains one if the last state is repeated */
    bool violates = buchi_accepts_lasso(p->automaton, w.at, w.len, start);
    if (p->violation) violates = formula_holds(p->formulas, p->violation, w.at, w.len, start);
    if (!lasso && !p->no_stutter && has_ended(x)) { /* it stays there, and the automaton may have to see that */
        letter last = vec_last(&w);
        for (size_t i = 0; i < p->automaton->states.len; i++) vec_push(&w, last);
    }
    if (!lasso) violates &= decides_early(p->automaton, w.at, w.len);
    vec_release(&w);
    return violates;
}

/* What timeout means, in a claim too: no process can move without it. */
static bool is_timeout(struct model *m, const state_bytes *s)
{
    uint32_t steps = 0;
    for (int pid = 0; m->uses_timeout && pid < m->ops->process_count(m, s->at); pid++)
        steps += m->ops->successors(m, s->at, (uint32_t)s->len, pid, false, note_enabled, &(struct duty){0});
    return m->uses_timeout && !steps;
}

/* Runs of a claim over the states seen, as an automaton with one letter: state * claim_states + control. A finite
 * execution is a violation only if the claim comes to its end. */
static bool claim_violates(struct seen *x, bool lasso)
{
    struct model *m = x->m;
    int claim = x->p->claim, controls = m->ops->claim_states(m, claim);
    struct buchi runs = {.initial = m->ops->claim_initial(m, claim)};
    int *to = xcalloc((size_t)m->ops->claim_width(m, claim) + 1, sizeof *to);
    bool failed = false;
    for (size_t i = 0; i < x->states.len; i++)
        for (int c = 0; c < controls; c++)
            buchi_add_state(&runs, c && ((lasso && m->ops->claim_accepts(m, claim, c)) ||
                                         m->ops->claim_at_end(m, claim, c)));
    for (size_t i = 0; i < x->states.len; i++) {
        bool timeout = is_timeout(m, &x->states.at[i]);
        for (int c = 1; c < controls; c++) {
            const char *fault = NULL;
            size_t next = i + 1 < x->states.len ? i + 1 : lasso ? x->start : i;
            int from = (int)i * controls + c;
            if (m->ops->claim_at_end(m, claim, c)) {
                buchi_add_edge(&runs, from, (struct cube){0}, from);
                continue;
            }
            int n = m->ops->claim_step(m, claim, c, x->states.at[i].at, timeout, to, &fault);
            failed |= fault != NULL;
            for (int k = 0; k < n; k++) buchi_add_edge(&runs, from, (struct cube){0}, (int)next * controls + to[k]);
        }
    }
    bool violates = failed || buchi_accepts_lasso(&runs, &(letter){0}, 1, 0);
    buchi_release(&runs);
    free(to);
    return violates;
}

bool schedule_violates(struct model *m, const struct property *p, const struct schedule *s)
{
    struct seen x = {.m = m, .p = p, .done = {.accepting = true}};
    run_schedule(&x, s);
    close_cycle(&x, s);
    bool violates = x.good && (p->automaton ? word_violates(&x, s->lasso) : claim_violates(&x, s->lasso));
    if (violates && s->lasso && p->fair) violates = duty_done(&x.done, true);
    for (size_t i = 0; i < x.states.len; i++) vec_release(&x.states.at[i]);
    vec_release(&x.states);
    return violates;
}

struct trace *trace_of_violation(struct model *m, const struct property *p, const struct schedule *s)
{
    if (!schedule_violates(m, p, s)) return NULL;
    struct trace *t = trace_of_run(m, s);
    if (!t) return NULL;
    t->kind = s->lasso || !strcmp(p->kind, "ltl") ? p->kind : "claim"; /* the claim came to its end */
    t->message = arena_strdup(&t->arena, p->text);
    t->location = NULL;
    t->cycle_start = s->lasso ? (long)s->cycle_start : -1;
    vec_clear(&t->notes);
    return t;
}
