/* What makes the state space of a model large, measured by walking through it at random: the variable or channel that
 * takes the most different values, or the process that is in the most different states by itself, multiplies states the
 * most. */
#include "check/explicit_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WALKS = 40, LEAST_WALKS = 10, STEPS = 200, MOST_VALUES = 1000, SLOTS = 2048 };
enum { LEAST_WORTH_TELLING = 8, PROCESS_FACTOR = 4 };
/* A limit on time is over then, and may be overrun by less than half a second. */
#define MOST_SECONDS 0.1
#define MOST_SECONDS_WITHOUT_LIMIT 2

/* A variable, channel or process, and the different values that were seen; values are their hashes. */
struct seen {
    const char *name;
    enum { SEEN_VARIABLE, SEEN_QUEUE, SEEN_PROCESS } kind;
    size_t count;
    uint64_t values[SLOTS]; /* a hash table; 0: empty */
};

struct walk {
    struct model *m;
    struct arena arena;
    struct map by_name;
    VEC(struct seen *) all;
    uint64_t random;
    uint64_t local[MODEL_MOST_PROCESSES]; /* by process: hash of its place and its variables in the present state */
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

static void note_hash(struct seen *s, uint64_t hash)
{
    size_t at = hash % SLOTS;
    static_assert(MOST_VALUES < SLOTS, "there is an empty slot");
    if (s->count == MOST_VALUES) return;
    for (hash += !hash; s->values[at]; at = (at + 1) % SLOTS)
        if (s->values[at] == hash) return;
    s->values[at] = hash;
    s->count++;
}

/* The process whose variable it is, by a name like "proctype(pid):name"; -1: everybody's. */
static int owner_of(const char *name)
{
    const char *colon = strstr(name, "):"), *open = strchr(name, '(');
    if (!colon || !open || open > colon) return -1;
    int pid = atoi(open + 1);
    return pid >= 0 && pid < MODEL_MOST_PROCESSES ? pid : -1;
}

static void note_value(void *ctx, const char *name, const char *value)
{
    struct walk *w = ctx;
    struct seen *s = seen_of(w, name);
    uint64_t hash = hash_bytes(value, strlen(value), 0);
    int owner = owner_of(name);
    if (value[0] == '[') s->kind = SEEN_QUEUE;
    note_hash(s, hash);
    if (owner >= 0) w->local[owner] = hash_bytes(&hash, sizeof hash, w->local[owner] + 1);
}

static void note_processes(struct walk *w, const uint8_t *state)
{
    struct model *m = w->m;
    for (int pid = 0; m->ops->control_state && pid < m->ops->process_count(m, state); pid++) {
        uint64_t key[] = {w->local[pid], (uint64_t)m->ops->control_state(m, state, pid)};
        const char *type = m->ops->proctype_name(m, m->ops->process_type(m, state, pid));
        struct seen *s = seen_of(w, arena_printf(&w->arena, "%s:%d", type, pid));
        s->kind = SEEN_PROCESS;
        note_hash(s, hash_bytes(key, sizeof key, 0));
    }
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
        memset(w->local, 0, sizeof w->local);
        w->m->ops->values(w->m, state, note_value, w);
        note_processes(w, state);
        w->m->ops->successors(w->m, state, size, MODEL_ALL, false, count_one, &count);
        const struct successor *t = count ? replay_step(r, draw(w, count)) : NULL;
        if (!t || t->fault) break;
    }
    replay_free(r);
}

static const struct seen *most_values(const struct walk *w, bool processes)
{
    const struct seen *best = NULL;
    for (size_t i = 0; i < w->all.len; i++) {
        const struct seen *s = w->all.at[i];
        if ((s->kind == SEEN_PROCESS) == processes && (!best || s->count > best->count)) best = s;
    }
    return best;
}

/* A process has at least as many states as one of its variables has values: it is named if that does not explain it. */
static const struct seen *culprit(const struct walk *w)
{
    const struct seen *value = most_values(w, false), *process = most_values(w, true), *best = value;
    if (process && (!value || process->count >= PROCESS_FACTOR * value->count)) best = process;
    return best && best->count >= LEAST_WORTH_TELLING ? best : NULL;
}

static void walk_release(struct walk *w)
{
    for (size_t i = 0; i < w->all.len; i++) free(w->all.at[i]);
    vec_release(&w->all);
    map_release(&w->by_name);
    arena_release(&w->arena);
}

static bool is_impatient(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

char *explicit_advice(struct model *m, const struct limits *limits)
{
    static const char *const had[] = {[SEEN_VARIABLE] = "%s had %zu%s different values",
                                      [SEEN_QUEUE] = "the queue %s had %zu%s different contents",
                                      [SEEN_PROCESS] = "process %s was in %zu%s different states of its own"};
    static const char *const edits[] = {
        [SEEN_VARIABLE] = "a smaller range, or setting it back when it is no longer needed, means fewer states",
        [SEEN_QUEUE] = "a shorter one, or fewer kinds of messages, means fewer states",
        [SEEN_PROCESS] = "atomic or d_step around its statements, or fewer such processes, means fewer states"};
    struct walk w = {.m = m, .random = 1};
    struct str s = {0};
    struct limits patience = limits_within(NULL, limits->deadline > 0 ? MOST_SECONDS : MOST_SECONDS_WITHOUT_LIMIT);
    patience.memory = limits->memory;
    model_ask(m, is_impatient, &patience);
    int walks = 0;
    for (; walks < WALKS && !limits_reached(&patience); walks++) walk_once(&w);
    model_ask(m, NULL, NULL);
    const struct seen *best = walks >= LEAST_WALKS ? culprit(&w) : NULL; /* too few would tell otherwise */
    if (best) {
        str_printf(&s, had[best->kind], best->name, best->count, best->count == MOST_VALUES ? " or more" : "");
        str_printf(&s, " in %d random runs, more than anything else: %s", walks, edits[best->kind]);
    }
    walk_release(&w);
    return s.at;
}
