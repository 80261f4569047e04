/* Rare states first: an execution returns to a state that earlier ones seldom reached, and samples from there. A bug
 * that takes several unlikely orders one after another is found step by step: an execution with the first of them is
 * kept, and others begin where it got to. A sampler that always begins at the start needs all of them at once.
 * (Ecoffet, Huizinga, Lehman, Stanley, Clune: First return, then explore, 2021, for games; states here are those of
 * schedules.)
 *
 * Two states are taken for the same if the threads are about to do the same operations at the same places in the code,
 * on the same objects, and may or may not be enabled to. Which thread does which plays no part. This is called a scene.
 * Of each scene the shortest schedule that led to it is kept. The scene to return to is the one of eight that are drawn
 * which executions came to, or returned to, least often. One execution of ten begins at the start. What follows is
 * partial order sampling (priorities.c). Only scenes after the return count as reached.
 *
 * Schedules are kept as turns: the steps at which another thread goes on than before, or which have a choice. Scenes
 * of one execution share its turns.
 *
 * Weak memory: a schedule that is repeated has its choices. After it an access takes the newest write three times out
 * of four, else one of the older writes. */
#include <string.h>

#include "schedule/internal.h"

enum { MOST_SCENES = 1 << 13, MOST_TURNS = 1 << 18, MOST_SHOWN = 1 << 12, FROM_START = 10, DRAWN = 8, RETURNED = 4 };

struct turn { uint32_t depth, choice; uint64_t thread; };
struct path { struct turn *turns; uint32_t len, users; }; /* turns of an execution; users: scenes that it leads to */
struct scene { uint64_t key, reached, returned; uint32_t path, depth; };

struct rare {
    struct sample sample;
    struct priorities priorities;
    /* what is known */
    STACK(struct scene) scenes;
    struct tally found;    /* (scene, 0) -> 1 + index in scenes */
    STACK(struct path) paths;
    STACK(uint32_t) spare; /* paths without users */
    uint64_t turns;        /* of all paths together */
    /* what the executions of the batch showed: records, one after another */
    STACK(uint64_t) shown;
    /* the execution at hand */
    struct tally now;      /* (scene, 0) -> 1 + first depth at which it was reached */
    int64_t parent;        /* the scene it returns to, -1: none */
    size_t depth, turn;    /* of the return: how far it goes; the turn that is next */
};

static void rare_begin(struct sched *s)
{
    struct rare *r = pool_alloc(&s->pool, sizeof *r);
    sample_begin(s, &r->sample);
    tally_init(&r->found, &s->pool, MOST_SCENES);
    tally_init(&r->now, &s->pool, MOST_SHOWN);
    r->parent = -1;
    s->own = r;
}

static struct scene *scene_of(const struct rare *r, uint64_t key)
{
    const struct tally_row *row = tally_find(&r->found, key, 0);
    return row ? &r->scenes.at[row->count - 1] : NULL;
}

/* ---- schedules that lead to scenes ---- */

static uint32_t path_new(struct sched *s, struct rare *r, const uint64_t *turns, uint32_t len)
{
    uint32_t i = (uint32_t)r->paths.len;
    struct path p = {.turns = pool_alloc(&s->pool, (len + 1) * sizeof *p.turns), .len = len};
    memcpy(p.turns, turns, len * sizeof *p.turns);
    r->turns += len;
    if (!r->spare.len) {
        stack_push(&s->pool, &r->paths, p);
        return i;
    }
    i = r->spare.at[--r->spare.len];
    r->paths.at[i] = p;
    return i;
}

static void path_drop(struct sched *s, struct rare *r, uint32_t i)
{
    struct path *p = &r->paths.at[i];
    if (--p->users)
        return;
    r->turns -= p->len;
    pool_free(&s->pool, p->turns);
    *p = (struct path){0};
    stack_push(&s->pool, &r->spare, i);
}

/* ---- feedback ---- */

_Static_assert(sizeof(struct turn) == 2 * sizeof(uint64_t), "a turn is two words of a record");

static void put(struct sched *s, struct rare *r, uint64_t word)
{
    stack_push(&s->pool, &r->shown, word);
}

static bool is_turn(const struct sched *s, size_t i)
{
    const struct step *step = &s->log.at[i];
    return !i || step->thread != s->log.at[i - 1].thread || step->choice;
}

static void put_turns(struct sched *s, struct rare *r, size_t depth)
{
    size_t count = r->shown.len;
    put(s, r, 0);
    for (size_t i = 0; i < depth; i++) {
        struct turn t = {(uint32_t)i, s->log.at[i].choice, (uint64_t)s->log.at[i].thread};
        uint64_t words[2];
        memcpy(words, &t, sizeof words);
        if (!is_turn(s, i))
            continue;
        put(s, r, words[0]);
        put(s, r, words[1]);
        r->shown.at[count]++;
    }
}

/* A record: the scene that the execution returned to, the scenes that it reached, and the turns to the last one of
 * these to which no shorter schedule is known. */
static void rare_note(struct sched *s)
{
    struct rare *r = s->own;
    size_t useful = 0;
    put(s, r, r->parent >= 0 ? r->scenes.at[r->parent].key : 0);
    put(s, r, r->now.rows.len);
    for (size_t i = 0; i < r->now.rows.len; i++) {
        const struct tally_row *row = &r->now.rows.at[i];
        const struct scene *known = scene_of(r, row->a);
        size_t depth = row->count - 1;
        if ((!known || depth < known->depth) && depth > useful)
            useful = depth;
        put(s, r, row->a);
        put(s, r, depth);
    }
    put_turns(s, r, useful);
}

static struct scene *add_scene(struct sched *s, struct rare *r, uint64_t key)
{
    struct tally_row *row = tally_add(&r->found, &s->pool, key, 0);
    if (!row)
        return NULL;
    stack_push(&s->pool, &r->scenes, ((struct scene){.key = key, .depth = UINT32_MAX}));
    row->count = r->scenes.len;
    return &stack_last(&r->scenes);
}

/* The scene was reached after so many steps of an execution with that path (-1: not made yet). */
static void learn_scene(struct sched *s, struct rare *r, const uint64_t *visit, const uint64_t *turns, int64_t *path)
{
    struct scene *c = scene_of(r, visit[0]);
    uint32_t len = (uint32_t)turns[0];
    if (c)
        c->reached++;
    if ((c && c->depth <= visit[1]) || (*path < 0 && r->turns + len > MOST_TURNS) ||
        (!c && !(c = add_scene(s, r, visit[0]))))
        return;
    if (*path < 0)
        *path = path_new(s, r, turns + 1, len);
    r->paths.at[*path].users++;
    if (c->depth != UINT32_MAX)
        path_drop(s, r, c->path);
    c->path = (uint32_t)*path;
    c->depth = (uint32_t)visit[1];
}

static const uint64_t *learn_one(struct sched *s, struct rare *r, const uint64_t *at)
{
    struct scene *parent = scene_of(r, at[0]);
    uint64_t visits = at[1];
    const uint64_t *turns = at + 2 + 2 * visits;
    int64_t path = -1;
    if (parent)
        parent->returned++;
    for (uint64_t i = 0; i < visits; i++)
        learn_scene(s, r, at + 2 + 2 * i, turns, &path);
    return turns + 1 + 2 * turns[0];
}

static void rare_learn(struct sched *s)
{
    struct rare *r = s->own;
    const uint64_t *at = r->shown.at, *end = at + r->shown.len;
    while (at < end)
        at = learn_one(s, r, at);
    r->shown.len = 0;
}

/* Everything that is known, with all paths, also those without users: their numbers stay the same. */
static void rare_give(struct sched *s, struct bytes *out)
{
    const struct rare *r = s->own;
    bytes_put(out, &r->paths.len, sizeof r->paths.len);
    for (size_t i = 0; i < r->paths.len; i++) {
        bytes_put(out, &r->paths.at[i], sizeof r->paths.at[i]);
        bytes_put(out, r->paths.at[i].turns, r->paths.at[i].len * sizeof(struct turn));
    }
    bytes_put(out, &r->scenes.len, sizeof r->scenes.len);
    bytes_put(out, r->scenes.at, r->scenes.len * sizeof *r->scenes.at);
}

static void take_path(struct sched *s, struct rare *r, struct bytes *in)
{
    struct path p = {0};
    bytes_get(in, &p, sizeof p);
    p.turns = pool_alloc(&s->pool, (p.len + 1) * sizeof *p.turns);
    bytes_get(in, p.turns, p.len * sizeof *p.turns);
    stack_push(&s->pool, &r->paths, p);
}

static void rare_take(struct sched *s, struct bytes *in)
{
    struct rare *r = s->own;
    struct scene scene;
    size_t len = 0;
    bytes_get(in, &len, sizeof len);
    for (; len && !in->short_of; len--)
        take_path(s, r, in);
    len = 0;
    bytes_get(in, &len, sizeof len);
    for (struct scene *here; len && bytes_get(in, &scene, sizeof scene); len--)
        if ((here = add_scene(s, r, scene.key)))
            *here = scene;
}

static void rare_answer(struct sched *s, struct bytes *out)
{
    const struct rare *r = s->own;
    bytes_put(out, &r->shown.len, sizeof r->shown.len);
    bytes_put(out, r->shown.at, r->shown.len * sizeof *r->shown.at);
}

static void rare_merge(struct sched *s, struct bytes *in)
{
    struct rare *r = s->own;
    size_t len = 0;
    bytes_get(in, &len, sizeof len);
    stack_reserve(&s->pool, &r->shown, r->shown.len + len);
    if (bytes_get(in, r->shown.at + r->shown.len, len * sizeof *r->shown.at))
        r->shown.len += len;
}

static const struct feedback_rules rare_feedback = {rare_note,   rare_learn, rare_give,
                                                    rare_take, rare_answer, rare_merge};

/* ---- an execution ---- */

static uint64_t below(struct rare *r, uint64_t n)
{
    return random_next(&r->sample.state) % n;
}

static uint64_t familiarity(const struct scene *c)
{
    return c->reached + RETURNED * c->returned;
}

static int64_t draw_scene(struct rare *r)
{
    uint64_t best = below(r, r->scenes.len);
    for (int i = 1; i < DRAWN; i++) {
        uint64_t other = below(r, r->scenes.len);
        if (familiarity(&r->scenes.at[other]) < familiarity(&r->scenes.at[best]))
            best = other;
    }
    return (int64_t)best;
}

static void new_execution(struct rare *r)
{
    priorities_begin(&r->priorities);
    tally_clear(&r->now);
    r->parent = r->scenes.len && below(r, FROM_START) ? draw_scene(r) : -1;
    r->depth = r->parent >= 0 ? r->scenes.at[r->parent].depth : 0;
    r->turn = 0;
}

/* The next step of the return. Thread -1: it is over. */
static struct sched_pick step_back(const struct sched *s, struct rare *r, const struct sched_view *view,
                                   sched_set allowed)
{
    if (s->depth >= r->depth)
        return pick_step(-1, 0);
    const struct path *p = &r->paths.at[r->scenes.at[r->parent].path];
    while (r->turn + 1 < p->len && p->turns[r->turn + 1].depth <= s->depth)
        r->turn++;
    const struct turn *t = &p->turns[r->turn];
    int thread = (int)t->thread;
    uint32_t choice = t->depth == s->depth ? t->choice : 0;
    if (set_has(allowed, thread) && op_has_choice(&view->next[thread], choice))
        return pick_step(thread, choice);
    r->depth = 0; /* the program did not repeat itself */
    return pick_step(-1, 0);
}

static uint64_t scene_key(const struct sched *s, const struct sched_view *view)
{
    uint64_t key = 1;
    int t;
    FOR_EACH_THREAD(t, view->live) {
        const struct sched_op *op = &view->next[t];
        uint64_t what = (uint64_t)op->kind * 2 + set_has(s->enabled, t);
        key += hash_mix(hash_mix(op->object, op->object2), hash_mix(op->site, what));
    }
    return key ? key : 1;
}

static struct sched_pick rare_pick(struct sched *s, const struct sched_view *view)
{
    struct rare *r = s->own;
    sched_set allowed = fair_allowed(s, s->enabled);
    if (sample_is_new(&r->sample))
        new_execution(r);
    struct sched_pick back = step_back(s, r, view, allowed);
    if (back.thread >= 0)
        return back;
    struct tally_row *row = tally_add(&r->now, &s->pool, scene_key(s, view), 0);
    if (row && !row->count)
        row->count = s->depth + 1;
    priorities_follow(s, &r->priorities, view);
    int t = priorities_highest(&r->priorities, allowed, &r->sample.state);
    return pick_step(t, sample_choice(&r->sample, &view->next[t]));
}

const struct strategy strategy_rare = {
    .name = "rare", .begin = rare_begin, .pick = rare_pick, .next = sample_next_execution, .parts = &sample_parts,
    .feedback = &rare_feedback, .samples = true};
