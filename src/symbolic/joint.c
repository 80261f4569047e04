/* The closure of joint states, turn by turn. During a turn the states are kept apart by the position of the thread
 * whose turn it is, so that its own steps need no position at all. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

static BDD number_is(struct joint *j, const int_list *bits, int number)
{
    BDD x = bddtrue;
    for (size_t i = 0; i < bits->len; i++)
        x = b_and(&j->b, x, number >> i & 1 ? bdd_ithvar(bits->at[i]) : bdd_nithvar(bits->at[i]));
    return x;
}

static void find_positions(struct joint *j, struct joint_thread *t)
{
    size_t mark = b_mark(&j->b), places = t->nodes.len;
    t->at = xcalloc(places, sizeof *t->at);
    t->cells = t->states = xcalloc(places, sizeof *t->states);
    t->facts = xcalloc(places, sizeof *t->facts);
    t->rests = xcalloc(places, sizeof *t->rests);
    for (size_t i = 0; i < places; i++)
        if (t->position[i] >= 0) b_set(&t->at[i], number_is(j, &t->pc, t->position[i]));
    b_set(&t->pc_cube, b_cube(&j->b, t->pc.at, t->pc.len));
    b_release(&j->b, mark);
}

/* What is known is compared with where turns end and where ways around close. In between a state is passed on as it
 * comes: it costs less to do so twice than to look. Recursion comes back to everything. */
static void find_remembered(struct joint_thread *t)
{
    t->remembered = xcalloc(t->nodes.len, sizeof *t->remembered);
    for (size_t i = 0; i < t->nodes.len; i++)
        t->remembered[i] = t->covered.len || (t->position[i] >= 0 && !t->passing[i]);
    for (size_t i = 0; i < t->moves.len; i++)
        if (t->moves.at[i].to <= t->moves.at[i].from) t->remembered[t->moves.at[i].to] = true;
}

/* A thread rests where others can see a difference: not inside of an atomic section, and not where its next step is
 * possible and touches nothing shared, since it can take that step in the same turn as well. */
static void find_rests(struct joint *j, struct joint_thread *t)
{
    size_t mark = b_mark(&j->b);
    for (size_t i = 0; i < t->nodes.len; i++) {
        BDD goes_on = t->position[i] < 0 ? bddtrue : bddfalse;
        for (size_t k = 0; t->passing[i] && k < t->moves_from[i].len; k++)
            goes_on = b_or(&j->b, goes_on, b_exist(&j->b, t->moves.at[t->moves_from[i].at[k]].rel, j->next_cube));
        b_set(&t->rests[i], b_not(&j->b, goes_on));
    }
    b_release(&j->b, mark);
}

/* ---- one turn ---- */

void joint_cell_add(struct joint *j, const struct joint_thread *t, int place, BDD x)
{
    struct fact_cell *c = &t->cells[place];
    if (!t->remembered[place]) {
        b_set(&c->fresh, b_or(&j->b, c->fresh, x));
        b_set(&c->all, b_or(&j->b, c->all, b_and(&j->b, x, t->rests[place])));
        return;
    }
    BDD fresh = b_diff(&j->b, x, c->all);
    if (fresh == bddfalse) return;
    b_set(&c->all, b_or(&j->b, c->all, fresh));
    b_set(&c->fresh, b_or(&j->b, c->fresh, fresh));
}

/* States by the position of the thread; those that are not known to be closed are fresh. */
static void split(struct joint *j, struct joint_thread *t)
{
    size_t mark = b_mark(&j->b);
    BDD fresh = b_diff(&j->b, j->states, t->closed);
    for (size_t i = 0; i < t->nodes.len; i++) {
        b_set(&t->cells[i].all, b_product(&j->b, j->states, t->at[i], t->pc_cube));
        b_set(&t->cells[i].fresh, b_product(&j->b, fresh, t->at[i], t->pc_cube));
    }
    b_release(&j->b, mark);
}

static void join(struct joint *j, struct joint_thread *t)
{
    size_t mark = b_mark(&j->b);
    BDD all = bddfalse;
    for (size_t i = 0; i < t->nodes.len; i++) {
        BDD x = b_and(&j->b, t->cells[i].all, t->rests[i]);
        if (x != bddfalse) all = b_or(&j->b, all, b_and(&j->b, x, t->at[i]));
        b_set(&t->cells[i].all, bddfalse), b_set(&t->cells[i].fresh, bddfalse);
    }
    b_set(&j->states, b_or(&j->b, j->states, all));
    b_set(&t->closed, j->states);
    b_release(&j->b, mark);
}

/* A frame is covered; whoever returns into one has more to return to. */
static void cover(struct joint *j, struct joint_thread *t, const struct move *m, BDD fresh)
{
    struct covered *c = &t->covered.at[m->covers];
    BDD frames = b_or(&j->b, c->frames, b_product(&j->b, fresh, c->rel, c->quant));
    if (frames == c->frames) return;
    b_set(&c->frames, frames);
    for (size_t i = 0; i < t->moves.len; i++)
        if (t->moves.at[i].uncovers == m->covers) {
            struct fact_cell *cell = &t->cells[t->moves.at[i].from];
            b_set(&cell->fresh, cell->all);
        }
}

BDD joint_image(struct joint *j, const struct joint_thread *t, const struct move *m, BDD states)
{
    BDD x = b_product(&j->b, states, m->rel, m->quant);
    if (x == bddfalse) return x;
    if (m->rename) x = b_rename(&j->b, x, m->rename);
    if (m->uncovers < 0) return b_and(&j->b, x, m->add);
    const struct covered *c = &t->covered.at[m->uncovers];
    return b_product(&j->b, x, c->frames, c->args);
}

static void note_layer(struct joint *j, int place, BDD facts)
{
    struct joint_layer l = {place, bdd_addref(facts), j->reasons.len, j->waiting[place].len};
    for (size_t i = 0; i < j->waiting[place].len; i++) vec_push(&j->reasons, j->waiting[place].at[i]);
    vec_clear(&j->waiting[place]);
    vec_push(&j->layers, l);
}

static void look_for_errors(struct joint *j, const struct joint_thread *t, int place, BDD fresh)
{
    for (size_t i = 0; i < t->errors.len && j->hit.thread < 0; i++) {
        const struct place_error *e = &t->errors.at[i];
        if (e->place != place) continue;
        j->r->asserted |= e->edge >= 0;
        if (!j->q.want_points && b_and(&j->b, fresh, e->bad) != bddfalse)
            j->hit = (struct joint_hit){t->number, place, e->edge, j->b.round};
    }
}

static void note_points(struct joint *j, int node, BDD shared)
{
    const struct bp_program *p = j->p;
    if (!j->q.want_points || node < 0) return;
    BDD x = b_diff(&j->b, shared, j->reached_at[node]);
    if (x == bddfalse) return;
    b_set(&j->reached_at[node], b_or(&j->b, j->reached_at[node], x));
    points_list(p, j->now, x, node, MAX(1, j->b.round), &j->r->arena, &j->r->points);
}

/* Facts of a turn that do not know all shared variables are for turns_take(). */
static void note_shared(struct joint *j, struct joint_thread *t, int place, BDD fresh)
{
    if (t->partial && t->cells == t->facts) {
        b_set(&t->passed, b_or(&j->b, t->passed, b_exist(&j->b, fresh, t->frames)));
        return;
    }
    BDD shared = b_exist(&j->b, fresh, j->not_shared);
    b_set(&j->reached, b_or(&j->b, j->reached, shared));
    note_points(j, t->nodes.at[place], shared);
}

static void process(struct joint *j, struct joint_thread *t, int place)
{
    size_t mark = b_mark(&j->b);
    BDD fresh = b_keep(&j->b, t->cells[place].fresh);
    b_set(&t->cells[place].fresh, bddfalse);
    if (j->keep_layers) note_layer(j, place, fresh);
    look_for_errors(j, t, place, fresh);
    note_shared(j, t, place, fresh);
    for (size_t i = 0; i < t->moves_from[place].len; i++) {
        int index = t->moves_from[place].at[i];
        const struct move *m = &t->moves.at[index];
        if (m->covers >= 0) cover(j, t, m, fresh);
        BDD x = joint_image(j, t, m, fresh);
        if (x == bddfalse) continue;
        if (j->keep_layers) vec_push(&j->waiting[m->to], ((struct reason){(int)j->layers.len - 1, index}));
        joint_cell_add(j, t, m->to, x);
        if (calls_is_whole(j, t, m)) joint_cell_add(j, t, calls_to(j, t, m), calls_image(j, t, m, fresh));
    }
    b_release(&j->b, mark);
}

void joint_saturate(struct joint *j, struct joint_thread *t)
{
    for (bool changed = true; changed && j->hit.thread < 0;) {
        changed = false;
        for (size_t i = 0; i < t->nodes.len && j->hit.thread < 0; i++) {
            if (t->cells[i].fresh == bddfalse) continue;
            changed = true;
            process(j, t, (int)i);
        }
    }
}

void joint_turn(struct joint *j, int thread)
{
    split(j, &j->threads[thread]);
    joint_saturate(j, &j->threads[thread]);
}

static bool take_turn(struct joint *j, int thread)
{
    struct turn turn = {thread, j->b.round, bdd_addref(j->states)};
    vec_push(&j->turns, turn);
    j->r->turns = (int)j->turns.len;
    if (!j->q.steps) turns_take(j, &j->threads[thread]);
    else joint_turn(j, thread), join(j, &j->threads[thread]);
    return j->hit.thread >= 0;
}

/* ---- rounds ---- */

static void set_initial(struct joint *j)
{
    const struct bp_program *p = j->p;
    size_t mark = b_mark(&j->b);
    BDD x = bddtrue;
    for (size_t i = 0; i < p->shared.len; i++) {
        int init = p->vars.at[p->shared.at[i]].init, v = j->now[p->shared.at[i]];
        if (init >= 0) x = b_and(&j->b, x, init ? bdd_ithvar(v) : bdd_nithvar(v));
    }
    for (int i = 0; i < j->count; i++) {
        struct joint_thread *t = &j->threads[i];
        x = b_and(&j->b, x, t->at[t->start]);
    }
    x = b_and(&j->b, x, crowds_initial(j));
    b_set(&j->states, x);
    b_release(&j->b, mark);
}

static void end_round(struct joint *j, int round)
{
    double states = j->p->shared.len ? bdd_satcountset(j->reached, j->shared_cube) : 1;
    struct symbolic_round r = {round, states, b_nodes(), seconds_now() - j->started};
    vec_push(&j->r->ledger, r);
    j->r->rounds = round;
}

static void make_cubes(struct joint *j)
{
    int_list shared = {0}, others = {0}, next = {0};
    size_t mark = b_mark(&j->b);
    for (size_t i = 0; i < j->p->shared.len; i++) vec_push(&next, j->next[j->p->shared.at[i]]);
    for (int t = 0; t < j->count; t++)
        for (int l = 0; l < j->threads[t].level_count; l++)
            for (int i = 0; i < j->threads[t].levels[l].width; i++)
                vec_push(&next, j->threads[t].levels[l].slots[i].next);
    b_set(&j->next_cube, b_cube(&j->b, next.at, next.len));
    vec_release(&next);
    bool *is_shared = xcalloc((size_t)j->var_count + 1, sizeof *is_shared);
    for (size_t i = 0; i < j->p->shared.len; i++) is_shared[j->now[j->p->shared.at[i]]] = true;
    for (int v = 0; v < j->var_count; v++) {
        if (is_shared[v]) vec_push(&shared, v);
        else vec_push(&others, v);
    }
    free(is_shared);
    b_set(&j->shared_cube, b_cube(&j->b, shared.at, shared.len));
    b_set(&j->not_shared, b_cube(&j->b, others.at, others.len));
    vec_release(&shared), vec_release(&others);
    b_release(&j->b, mark);
}

/* Once more, from the whole set: no turn of the thread leads out of it. */
static bool is_closed(struct joint *j, int thread)
{
    size_t mark = b_mark(&j->b);
    BDD before = b_keep(&j->b, j->states);
    b_set(&j->threads[thread].closed, bddfalse);
    joint_turn(j, thread);
    join(j, &j->threads[thread]);
    b_release(&j->b, mark);
    return before == j->states && j->hit.thread < 0;
}

static enum joint_outcome all_rounds(struct joint *j)
{
    int threads = (int)j->p->threads.len;
    j->b.round = 1;
    if (j->p->init >= 0) {
        if (take_turn(j, threads)) return JOINT_ERROR;
        const struct joint_thread *init = &j->threads[threads];
        b_set(&j->states, b_keep(&j->b, bdd_and(j->states, init->at[init->done])));
    }
    for (int round = 1;; round++) {
        size_t mark = b_mark(&j->b);
        BDD before = b_keep(&j->b, j->states);
        bool beyond = j->q.most_rounds && round > j->q.most_rounds; /* it only counts whether it adds anything */
        if (beyond && j->q.want_points) return JOINT_BOUNDED;
        j->b.round = round;
        for (int t = 0; t < threads; t++) {
            bool error = take_turn(j, t);
            if (beyond && (error || before != j->states)) return JOINT_BOUNDED;
            if (error) return JOINT_ERROR;
            while (crowds_mix(j, t))
                if (take_turn(j, t)) return JOINT_ERROR;
        }
        if (before == j->states && round > 1 && !views_widen(j)) {
            if (!views_agree(j)) return JOINT_GAVE_UP;
            for (int t = 0; t < threads; t++) assert_costly(is_closed(j, t));
            return JOINT_PROVED;
        }
        end_round(j, round);
        b_release(&j->b, mark);
    }
}

enum { MUCH_WORK = 4000000 }; /* nodes made, beyond all trials */

static void run(struct joint *j)
{
    stacks_init(j);
    if (j->var_count > MOST_BDD_VARIABLES) b_leave(&j->b, CUT_VARIABLES);
    j->r->variables = j->var_count;
    j->b.much_work = j->q.most_work >= MUCH_WORK;
    bdds_start(&j->b, j->var_count);
    bdds_reorder(&j->b, j->block_starts.at, j->block_starts.len, j->var_count, j->q.o->reorder);
    j->b.most_work = j->q.most_work;
    j->b.phase = "joint states";
    progress_start(&j->b.progress, j->q.o->progress);
    make_cubes(j);
    for (int t = 0; t < j->count; t++) find_positions(j, &j->threads[t]);
    for (int t = 0; t < j->count; t++) moves_init(j, &j->threads[t]);
    for (int t = 0; t < j->count; t++) find_rests(j, &j->threads[t]), find_remembered(&j->threads[t]);
    for (int t = 0; t < j->count; t++) calls_init(j, &j->threads[t]);
    for (int t = 0; t < j->count && !j->q.steps; t++) turns_init(j, &j->threads[t]);
    set_initial(j);
    j->r->counts_all = crowds_count_all(j);
    j->r->outcome = all_rounds(j);
    if (j->r->outcome != JOINT_ERROR) return;
    j->r->rounds = j->hit.round;
    j->r->error_edge = j->hit.edge;
    j->r->error_node = j->hit.edge < 0 ? j->threads[j->hit.thread].nodes.at[j->hit.place] : -1;
    if (j->r->exact) joint_build_run(j);
}

static void release(struct joint *j)
{
    for (size_t i = 0; j->waiting && i < j->p->nodes.len + 2; i++) vec_release(&j->waiting[i]);
    free(j->waiting), free(j->reached_at);
    vec_release(&j->turns), vec_release(&j->layers), vec_release(&j->reasons);
    bdds_stop(&j->b);
    crowds_release(j);
    stacks_release(j);
    free(j);
}

void joint_rounds(const struct joint_request *q, struct joint_result *r)
{
    *r = (struct joint_result){.outcome = JOINT_GAVE_UP,
                               .exact = !q->p->slots.len && !q->like && !boolprog_is_recursive(q->p)};
    struct joint *j = xcalloc(1, sizeof *j);
    assert(!q->p->slots.len || !q->precise);
    j->q = *q;
    j->p = q->p;
    j->r = r;
    j->started = seconds_now();
    j->b.limits = q->o->limits;
    j->hit.thread = -1;
    j->count = (int)q->p->threads.len + (q->p->init >= 0);
    j->threads = xcalloc((size_t)j->count, sizeof *j->threads);
    j->waiting = xcalloc(q->p->nodes.len + 2, sizeof *j->waiting);
    j->reached_at = xcalloc(q->p->nodes.len + 1, sizeof *j->reached_at);
    int cut = setjmp(j->b.escape);
    if (!cut) run(j);
    r->cut = (enum cut)cut;
    r->nodes = b_made();
    release(j);
}

void joint_release(struct joint_result *r)
{
    bp_run_release(&r->run);
    vec_release(&r->ledger), vec_release(&r->points);
    arena_release(&r->arena);
}
