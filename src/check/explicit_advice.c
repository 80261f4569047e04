/* What makes the state space of a model large, measured by walking through it at random: the variable or channel that
 * takes the most different values multiplies states the most. */
#include "check/explicit_int.h"

#include <stdlib.h>
#include <string.h>

enum { WALKS = 40, STEPS = 200, MOST_VALUES = 1000, LEAST_WORTH_TELLING = 8 };
#define MOST_SECONDS 0.1

/* A variable, and the different values that were seen; values are their hashes. */
struct seen {
    const char *name;
    bool queue;
    VEC(uint64_t) values;
};

struct walk {
    struct model *m;
    struct arena arena;
    struct map by_name;
    VEC(struct seen *) all;
    uint64_t random;
};

static uint32_t draw(struct walk *w, uint32_t count)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->random >> 33) % count;
}

static struct seen *seen_of(struct walk *w, const char *name)
{
    struct seen *s = map_get(&w->by_name, name);
    if (s) return s;
    s = xcalloc(1, sizeof *s);
    s->name = arena_strdup(&w->arena, name);
    map_put(&w->by_name, s->name, s);
    vec_push(&w->all, s);
    return s;
}

static void note_value(void *ctx, const char *name, const char *value)
{
    struct seen *s = seen_of(ctx, name);
    uint64_t hash = hash_bytes(value, strlen(value), 0);
    s->queue |= value[0] == '[';
    for (size_t i = 0; i < s->values.len; i++)
        if (s->values.at[i] == hash) return;
    if (s->values.len < MOST_VALUES) vec_push(&s->values, hash);
}

static bool count_one(void *ctx, const struct successor *t)
{
    (void)t;
    ++*(uint32_t *)ctx;
    return true;
}

static void walk_once(struct walk *w)
{
    struct replay *r = replay_new(w->m);
    for (int i = 0; i < STEPS; i++) {
        uint32_t size, count = 0;
        const uint8_t *state = replay_state(r, &size);
        if (!size) break;
        w->m->ops->values(w->m, state, note_value, w);
        w->m->ops->successors(w->m, state, size, MODEL_ALL, false, count_one, &count);
        const struct successor *t = count ? replay_step(r, draw(w, count)) : NULL;
        if (!t || t->fault) break;
    }
    replay_free(r);
}

static const struct seen *most_values(const struct walk *w)
{
    const struct seen *best = NULL;
    for (size_t i = 0; i < w->all.len; i++)
        if (!best || w->all.at[i]->values.len > best->values.len) best = w->all.at[i];
    return best;
}

static void walk_release(struct walk *w)
{
    for (size_t i = 0; i < w->all.len; i++) {
        vec_release(&w->all.at[i]->values);
        free(w->all.at[i]);
    }
    vec_release(&w->all);
    map_release(&w->by_name);
    arena_release(&w->arena);
}

static bool is_impatient(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

char *explicit_advice(struct model *m, const struct limits *limits)
{
    struct walk w = {.m = m, .random = 1};
    struct str s = {0};
    /* The limit on time is over, and may be overrun by less than half a second. */
    struct limits patience = limits_within(NULL, MOST_SECONDS);
    patience.memory = limits->memory;
    model_ask(m, is_impatient, &patience);
    for (int i = 0; i < WALKS && !limits_reached(&patience); i++) walk_once(&w);
    model_ask(m, NULL, NULL);
    const struct seen *best =
        limits_reached(&patience) ? NULL : most_values(&w); /* half of the runs would tell otherwise */
    if (best && best->values.len >= LEAST_WORTH_TELLING)
        str_printf(&s, "%s%s had %zu%s different values in %d random runs, more than anything else: %s",
                   best->queue ? "the queue " : "", best->name, best->values.len,
                   best->values.len == MOST_VALUES ? " or more" : "", WALKS,
                   best->queue ? "a shorter one, or fewer kinds of messages, means fewer states"
                               : "a smaller range, or setting it back when it is no longer needed, means fewer states");
    walk_release(&w);
    return s.at;
}
