/* --verify=swap for Promela models: steps of two processes that the independence relation of the model takes for
 * independent are executed in both orders, in states of a search without reduction, and the results are compared.
 *
 * The relation says of a process p in a state that the steps which p can make now stay the same whatever the other
 * processes do, and commute with what they do (model.h). So for every step a of p and every step b of another process
 * q: after b, p can make the same steps as before; after a, q can still make b; and a b leads to the same state as b a.
 * q may be able to make more steps after a only if the relation says that q may depend on what p does. A step of p that
 * the relation calls invisible changes neither where a claim can go nor whether a process is at an accept or progress
 * label. */
#include "check/explicit_int.h"
#include "check/verify_graph_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 100000, TICKS_CLOCK = 64, TICKS_MEMORY = 4096, MOST_VALUES_TEXT = 300 };

struct swap_step {
    int pid;
    bool leads;        /* there is a state after it */
    bool timeout;      /* it is possible only since no process can move without timeout */
    bool in_spite;     /* of an assertion that fails inside of it */
    const char *fault; /* kind of error, or NULL */
    uint32_t state, move_count;
    size_t moves;      /* the first one's place in the list's */
};

struct step_list {
    VEC(struct swap_step) steps;
    VEC(struct move) moves;
};

enum swap_difference { SAME, ONE_DISABLES, ONE_ENABLES, OTHER_FAULT, OTHER_STATE, SHOWS_LABEL, SHOWS_CLAIM };

struct swapping {
    struct model *m;
    const struct limits *limits;
    struct progress *progress;
    struct states states;
    uint32_t at;                      /* the state whose steps are tried */
    struct step_list here, after;
    VEC(uint8_t) bytes, other_bytes;  /* of states: their table moves while steps are added */
    VEC(int) targets, other_targets;  /* of a claim */
    uint64_t pairs, tried, ticks;
    enum limit stopped;
    /* the first difference: between these two steps of `here`, or in the first alone */
    enum swap_difference difference;
    const struct swap_step *first, *second;
    uint32_t state_ab, state_ba;      /* OTHER_STATE */
    int claim;                        /* SHOWS_CLAIM */
};

static bool is_over(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

static bool must_stop(struct swapping *w)
{
    if (w->stopped || w->difference) return true;
    if (w->m->cut || w->ticks % TICKS_MEMORY == 0) w->stopped = limits_reached_memory(w->limits);
    else if (w->ticks % TICKS_CLOCK == 0) w->stopped = limits_reached(w->limits);
    if (w->ticks++ % TICKS_MEMORY == 0 && progress_due(w->progress)) {
        char pairs[32];
        progress_show(w->progress, "verify: %s pairs of steps", with_commas(pairs, w->pairs));
    }
    return w->stopped != LIMIT_NONE || w->m->cut;
}

/* ---- steps ---- */

struct listing { struct swapping *w; struct step_list *list; };

static bool keep_step(void *ctx, const struct successor *t)
{
    struct listing *x = ctx;
    struct step_list *l = x->list;
    struct swap_step s = {.pid = t->pid, .leads = t->state != NULL, .timeout = t->timeout, .in_spite = t->in_spite,
                          .fault = t->fault, .moves = l->moves.len, .move_count = t->move_count};
    if (t->state) s.state = states_add(&x->w->states, t->state, t->size);
    for (uint32_t i = 0; i < t->move_count; i++) vec_push(&l->moves, t->moves[i]);
    vec_push(&l->steps, s);
    return true;
}

static uint32_t copy_state(struct swapping *w, uint32_t number)
{
    uint32_t size;
    const uint8_t *bytes = states_at(&w->states, number, &size);
    vec_clear(&w->bytes);
    vec_reserve(&w->bytes, size);
    memcpy(w->bytes.at, bytes, size);
    w->bytes.len = size;
    return size;
}

/* pid may be MODEL_ALL, for the search: then steps that wait for timeout are listed if there are no others. */
static void list_steps(struct swapping *w, uint32_t state, int pid, struct step_list *out)
{
    struct listing x = {w, out};
    uint32_t size = copy_state(w, state);
    vec_clear(&out->steps);
    vec_clear(&out->moves);
    if (pid < w->m->ops->process_count(w->m, w->bytes.at))
        w->m->ops->successors(w->m, w->bytes.at, size, pid, false, keep_step, &x);
}

static bool same_moves(const struct step_list *l, const struct swap_step *a, const struct step_list *k,
                       const struct swap_step *b)
{
    if (a->pid != b->pid || a->move_count != b->move_count || a->in_spite != b->in_spite) return false;
    for (uint32_t i = 0; i < a->move_count; i++) {
        const struct move *x = &l->moves.at[a->moves + i], *y = &k->moves.at[b->moves + i];
        if (x->transition != y->transition || x->pid != y->pid || x->receives != y->receives) return false;
    }
    return true;
}

static size_t count_of(const struct step_list *l, int pid)
{
    size_t n = 0;
    for (size_t i = 0; i < l->steps.len; i++) n += l->steps.at[i].pid == pid;
    return n;
}

/* The step `a` of `here` among those listed afterwards: the one with the same moves, at the same place among several
 * such. */
static const struct swap_step *find_after(const struct swapping *w, const struct swap_step *a)
{
    size_t before = 0;
    for (const struct swap_step *s = w->here.steps.at; s < a; s++) before += same_moves(&w->here, s, &w->here, a);
    for (size_t i = 0; i < w->after.steps.len; i++)
        if (same_moves(&w->after, &w->after.steps.at[i], &w->here, a) && !before--) return &w->after.steps.at[i];
    return NULL;
}

static bool same_fault(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* ---- comparing ---- */

static void differs(struct swapping *w, enum swap_difference what, const struct swap_step *a, const struct swap_step *b)
{
    if (w->m->cut) return; /* steps are missing for another reason */
    w->difference = what;
    w->first = a;
    w->second = b;
}

/* Executes `first`, then `second`. Returns whether that led to a state, which is *out; registers a difference if it is
 * another step then, or there are more steps of its process than `may_add` allows. */
static bool execute(struct swapping *w, const struct swap_step *first, const struct swap_step *second, bool may_add,
                    uint32_t *out)
{
    if (!first->leads) return false;
    list_steps(w, first->state, second->pid, &w->after);
    const struct swap_step *found = find_after(w, second);
    if (!found) differs(w, ONE_DISABLES, first, second);
    else if (!same_fault(found->fault, second->fault) || found->leads != second->leads)
        differs(w, OTHER_FAULT, first, second);
    else if (!may_add && w->after.steps.len != count_of(&w->here, second->pid)) differs(w, ONE_ENABLES, first, second);
    if (!found || !found->leads) return false;
    *out = found->state;
    return true;
}

static void try_pair(struct swapping *w, const struct swap_step *a, const struct swap_step *b)
{
    uint32_t ab, ba;
    copy_state(w, w->at);
    bool may_depend = w->m->ops->may_depend(w->m, w->bytes.at, b->pid);
    w->pairs++;
    bool second_leads = execute(w, b, a, false, &ba);
    if (w->difference) return;
    bool first_leads = execute(w, a, b, may_depend, &ab);
    if (w->difference || !first_leads || !second_leads || ab == ba) return;
    w->state_ab = ab;
    w->state_ba = ba;
    differs(w, OTHER_STATE, a, b);
}

static bool same_targets(struct swapping *w, int claim, int control, const uint8_t *before, const uint8_t *after)
{
    const struct model_ops *ops = w->m->ops;
    const char *fault = NULL, *other_fault = NULL;
    size_t width = (size_t)ops->claim_width(w->m, claim);
    vec_reserve(&w->targets, width);
    vec_reserve(&w->other_targets, width);
    int n = ops->claim_step(w->m, claim, control, before, false, w->targets.at, &fault);
    int k = ops->claim_step(w->m, claim, control, after, false, w->other_targets.at, &other_fault);
    return n == k && !fault == !other_fault && !memcmp(w->targets.at, w->other_targets.at, (size_t)n * sizeof(int));
}

/* w->bytes is the state before. */
static void try_invisible(struct swapping *w, const struct swap_step *a)
{
    const struct model_ops *ops = w->m->ops;
    uint32_t size;
    if (!a->leads) return;
    const uint8_t *before = w->bytes.at, *after = states_at(&w->states, a->state, &size);
    if (ops->accepts(w->m, before) != ops->accepts(w->m, after) ||
        ops->progresses(w->m, before) != ops->progresses(w->m, after))
        differs(w, SHOWS_LABEL, a, NULL);
    for (int claim = 0; claim < ops->claim_count(w->m) && !w->difference; claim++)
        for (int control = 1; control < ops->claim_states(w->m, claim) && !w->difference; control++)
            if (!same_targets(w, claim, control, before, after)) {
                differs(w, SHOWS_CLAIM, a, NULL);
                w->claim = claim;
            }
}

static void try_step(struct swapping *w, const struct swap_step *a)
{
    if (a->timeout) return; /* the relation says nothing about such steps */
    copy_state(w, w->at);
    if (!w->m->ops->commutes(w->m, w->bytes.at, a->pid)) return;
    if (w->m->ops->invisible(w->m, w->bytes.at, a->pid)) try_invisible(w, a);
    for (size_t k = 0; k < w->here.steps.len && !must_stop(w); k++)
        if (w->here.steps.at[k].pid != a->pid) try_pair(w, a, &w->here.steps.at[k]);
}

/* Breadth first: steps are listed in the order in which their states were met, and that adds the states after them. */
static void explore(struct swapping *w)
{
    uint8_t *initial = xcalloc(1, w->m->max_state);
    states_add(&w->states, initial, w->m->ops->initial(w->m, initial));
    free(initial);
    for (w->at = 0; w->at < w->states.ends.len && w->at < MOST_STATES && !must_stop(w); w->at++) {
        list_steps(w, w->at, MODEL_ALL, &w->here);
        uint64_t before = w->pairs;
        for (size_t i = 0; i < w->here.steps.len && !must_stop(w); i++) try_step(w, &w->here.steps.at[i]);
        w->tried += w->pairs > before;
        if (w->difference) return;
    }
}

/* ---- words ---- */

static void add_step(struct str *out, const struct swapping *w, const struct swap_step *s)
{
    if (!s->move_count) {
        str_printf(out, "a step of process %d", s->pid);
        return;
    }
    const struct transition *t = w->m->ops->transition(w->m, w->here.moves.at[s->moves].transition);
    str_printf(out, "%s:%d %s:%d \"%s\"", w->m->ops->proctype_name(w->m, t->proctype), s->pid,
               path_basename(t->file), t->line, t->text);
    if (s->move_count > 1) str_printf(out, " (the first of %u statements)", s->move_count);
}

struct valuation { VEC(char *) names, values; };

static void keep_value(void *ctx, const char *name, const char *value)
{
    struct valuation *v = ctx;
    vec_push(&v->names, xstrdup(name));
    vec_push(&v->values, xstrdup(value));
}

static void valuation_of(const struct swapping *w, uint32_t state, struct valuation *v)
{
    uint32_t size;
    w->m->ops->values(w->m, states_at(&w->states, state, &size), keep_value, v);
}

static void valuation_release(struct valuation *v)
{
    for (size_t i = 0; i < v->names.len; i++) {
        free(v->names.at[i]);
        free(v->values.at[i]);
    }
    vec_release(&v->names);
    vec_release(&v->values);
}

/* The first variable that differs. */
static void add_variable(struct str *out, const struct swapping *w)
{
    struct valuation a = {0}, b = {0};
    valuation_of(w, w->state_ab, &a);
    valuation_of(w, w->state_ba, &b);
    size_t i = 0, n = MIN(a.names.len, b.names.len);
    while (i < n && !strcmp(a.names.at[i], b.names.at[i]) && !strcmp(a.values.at[i], b.values.at[i])) i++;
    if (i < n) str_printf(out, "the order shows in %s: %s or %s", a.names.at[i], a.values.at[i], b.values.at[i]);
    else str_add(out, "the order shows in the control states or processes");
    valuation_release(&a);
    valuation_release(&b);
}

static void add_state(struct str *out, const struct swapping *w)
{
    struct valuation v = {0};
    size_t begun = out->len;
    valuation_of(w, w->at, &v);
    str_add(out, v.names.len ? "; before them" : "");
    for (size_t i = 0; i < v.names.len && out->len - begun < MOST_VALUES_TEXT; i++)
        str_printf(out, "%s %s = %s", i ? "," : "", v.names.at[i], v.values.at[i]);
    if (out->len - begun >= MOST_VALUES_TEXT) str_add(out, ", ...");
    valuation_release(&v);
}

static void describe(const struct swapping *w, struct str *out)
{
    static const char *const words[] = {[ONE_DISABLES] = "after the first, the second is not possible",
                                        [ONE_ENABLES] = "after the first, the process of the second can do more",
                                        [OTHER_FAULT] = "only one order makes the second fail",
                                        [SHOWS_LABEL] = "it changes an accept or progress label",
                                        [SHOWS_CLAIM] = "it changes where this claim can go: "};
    bool pair = w->second != NULL;
    str_add(out, pair ? "two steps do not commute that the reduction takes for independent: "
                      : "a step is visible that the reduction takes for invisible: ");
    add_step(out, w, w->first);
    if (pair) {
        str_add(out, " and ");
        add_step(out, w, w->second);
    }
    str_add(out, "; ");
    if (w->difference == OTHER_STATE) add_variable(out, w);
    else str_add(out, words[w->difference]);
    if (w->difference == SHOWS_CLAIM) str_add(out, w->m->ops->claim_name(w->m, w->claim));
    add_state(out, w);
}

/* ---- the outcome ---- */

static void settle(const struct swapping *w, struct result *r)
{
    char room[64], pairs[32], states[32];
    struct str words = {0};
    const char *stopped = verify_stopped(w->stopped, w->limits, room);
    r->verification.states = w->pairs;
    if (w->difference) describe(w, &words);
    else
        str_printf(&words, "%s pairs of independent steps commute, in %s states", with_commas(pairs, w->pairs),
                   with_commas(states, w->tried));
    if (!w->difference && !stopped && w->at < w->states.ends.len)
        str_printf(&words, " (of the first %s)", with_commas(states, w->at));
    if (!w->difference && stopped) str_printf(&words, "; %s", stopped);
    verify_note(r, 0, w->difference ? VERIFY_DISAGREES : stopped ? VERIFY_UNFINISHED : VERIFY_AGREES, false,
                str_get(&words));
    str_release(&words);
}

static void swapping_release(struct swapping *w)
{
    states_release(&w->states);
    vec_release(&w->here.steps);
    vec_release(&w->here.moves);
    vec_release(&w->after.steps);
    vec_release(&w->after.moves);
    vec_release(&w->bytes);
    vec_release(&w->targets);
    vec_release(&w->other_targets);
}

static void swap_in(struct model *m, const struct limits *limits, struct progress *progress, struct result *r)
{
    struct swapping w = {.m = m, .limits = limits, .progress = progress};
    model_ask(m, is_over, (void *)limits);
    explore(&w);
    progress_clear(progress);
    settle(&w, r);
    swapping_release(&w);
}

void verify_swap_models(const struct verify_models *v, struct result *r)
{
    struct properties properties = {0};
    struct limits limits = verify_limits(v->limits);
    struct progress progress = {0};
    double started = seconds_now();
    r->verification.method = "independent steps in both orders";
    if (!r->coverage.parts.len) return; /* the check claims nothing, so a difference would qualify nothing */
    if (!verify_has_time(r, &limits)) return;
    progress_start(&progress, v->talks);
    struct model *m = promela_load_again(v->path, v->flags, &limits, &properties);
    if (m) swap_in(m, &limits, &progress, r);
    else verify_note(r, 0, VERIFY_UNFINISHED, false, "the model cannot be loaded a second time");
    r->verification.seconds = seconds_now() - started;
    properties_release(&properties);
    if (m) m->ops->free(m);
}
