/* A very long path made shorter without keeping its states.
 *
 * The path of a depth-first search winds through the graph: a few steps away from a state there often is one that the
 * path comes to a hundred thousand steps later. Of each state on the path only a hash is kept, with its last position.
 * From places along the path a small breadth-first search looks for the state on it that comes last, goes there and
 * continues from there. Hashes can be equal by chance, so the new path must be tried before it is believed. */
#include "search/vicinity_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STATES_OF_A_SEARCH = 256, MOST_STATES = 400000, LEAST_GAIN = 2 };

struct position { uint64_t hash; size_t at; }; /* at: plus 1; 0: empty */

/* A state near the present one. */
struct near { size_t bytes; uint32_t size, parent, choice; };

struct shortcuts {
    struct model *m;
    const struct search_options *o;
    struct position *positions;
    uint64_t mask;
    size_t states;             /* of the path before its last step */
    VEC(struct near) near;
    VEC(uint8_t) bytes;
    uint32_t present, index;   /* the state being expanded, and the number of its next step */
    size_t best, best_at;      /* of the states near: the one that comes last on the path, and where */
    size_t looked_at;
};

static struct position *position_of(const struct shortcuts *s, uint64_t hash)
{
    uint64_t i = hash & s->mask;
    while (s->positions[i].at && s->positions[i].hash != hash) i = (i + 1) & s->mask;
    return &s->positions[i];
}

static uint64_t hash_here(const struct replay *r)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    return store_hash(state, size);
}

/* False: too long, or a limit was reached. The state after the last step is an error, and no place to go on from. */
static bool note_positions(struct shortcuts *s, const struct schedule *path)
{
    size_t room = 64, memory = s->o->budget ? s->o->budget : USUAL_MEMORY;
    while (room < 2 * path->choices.len) room *= 2;
    if (!path->choices.len || room * sizeof *s->positions > memory) return false;
    s->positions = xcalloc(room, sizeof *s->positions);
    s->mask = room - 1;
    struct replay *r = replay_new(s->m);
    bool goes_on = true;
    for (size_t i = 0; i < path->choices.len && goes_on; i++) {
        *position_of(s, hash_here(r)) = (struct position){hash_here(r), i + 1};
        goes_on = replay_step(r, path->choices.at[i]);
    }
    replay_free(r);
    s->states = path->choices.len;
    return goes_on;
}

/* ---- one search ---- */

static bool is_near(const struct shortcuts *s, const uint8_t *state, uint32_t size)
{
    for (size_t i = 0; i < s->near.len; i++)
        if (s->near.at[i].size == size && !memcmp(s->bytes.at + s->near.at[i].bytes, state, size)) return true;
    return false;
}

static void add_near(struct shortcuts *s, const uint8_t *state, uint32_t size)
{
    struct near n = {s->bytes.len, size, s->present, s->index};
    vec_reserve(&s->bytes, s->bytes.len + size);
    memcpy(s->bytes.at + s->bytes.len, state, size);
    s->bytes.len += size;
    vec_push(&s->near, n);
    size_t at = position_of(s, store_hash(state, size))->at;
    if (at > s->best_at) s->best_at = at, s->best = s->near.len - 1;
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct shortcuts *s = ctx;
    if (t->state && !t->fault && !is_near(s, t->state, t->size)) add_near(s, t->state, t->size);
    s->index++;
    return s->near.len < STATES_OF_A_SEARCH;
}

static void look_around(struct shortcuts *s, const struct replay *r)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    VEC(uint8_t) here = {0};
    vec_clear(&s->near);
    vec_clear(&s->bytes);
    s->best = s->best_at = 0;
    add_near(s, state, size);
    for (s->present = 0; s->present < s->near.len && s->near.len < STATES_OF_A_SEARCH; s->present++) {
        const struct near *n = &s->near.at[s->present];
        vec_reserve(&here, n->size);
        memcpy(here.at, s->bytes.at + n->bytes, n->size);
        s->index = 0;
        s->m->ops->successors(s->m, here.at, n->size, MODEL_ALL, false, on_successor, s);
    }
    s->looked_at += s->near.len;
    vec_release(&here);
}

/* ---- the new path ---- */

static bool take(struct replay *r, uint32_t choice, struct schedule *to)
{
    vec_push(&to->choices, choice);
    return replay_step(r, choice);
}

static size_t steps_to_best(const struct shortcuts *s)
{
    size_t steps = 0;
    for (size_t n = s->best; n; n = s->near.at[n].parent) steps++;
    return steps;
}

static bool go_to_best(const struct shortcuts *s, struct replay *r, struct schedule *to)
{
    VEC(uint32_t) choices = {0};
    bool goes_on = true;
    for (size_t n = s->best; n; n = s->near.at[n].parent) vec_push(&choices, s->near.at[n].choice);
    while (choices.len && goes_on) goes_on = take(r, vec_pop(&choices), to);
    vec_release(&choices);
    return goes_on;
}

static bool is_over(const struct shortcuts *s)
{
    return s->m->cut || limits_reached(s->o->limits) || (s->o->enough && s->o->enough(s->o->enough_ctx));
}

/* As many searches as there may be, at even distances. */
static bool follow(struct shortcuts *s, const struct schedule *path, struct replay *r, struct schedule *to)
{
    size_t stride = s->states / (MOST_STATES / STATES_OF_A_SEARCH) + 1, next = 0, i = 0;
    while (i < s->states) {
        if (i >= next && s->looked_at < MOST_STATES) {
            if (is_over(s)) return false;
            look_around(s, r);
            next = i + stride;
            if (s->best_at > i + 1 + steps_to_best(s) + LEAST_GAIN) {
                if (!go_to_best(s, r, to)) return false;
                i = next = s->best_at - 1;
                continue;
            }
        }
        if (!take(r, path->choices.at[i++], to)) return false;
    }
    return true;
}

bool schedule_take_shortcuts(struct model *m, const struct search_options *o, const struct schedule *from,
                             struct schedule *to)
{
    struct shortcuts s = {.m = m, .o = o};
    *to = (struct schedule){.deadlock = from->deadlock};
    bool shorter = false;
    if (note_positions(&s, from)) {
        struct replay *r = replay_new(m);
        shorter = follow(&s, from, r, to) && to->choices.len < from->choices.len;
        replay_free(r);
    }
    if (!shorter || !schedule_fails(m, o, to)) {
        schedule_release(to);
        shorter = false;
    }
    free(s.positions);
    vec_release(&s.near);
    vec_release(&s.bytes);
    return shorter;
}
