/* What makes the analysis of a Boolean program large: variables that may begin with either value, which double the
 * states each, and the thread that is in the most different states of its own, measured by walking through the program
 * at random with the interpreter. */
#include "check/symbolic_int.h"

#include <assert.h>
#include <stdlib.h>

enum { WALKS = 40, LEAST_WALKS = 10, STEPS = 200, MOST_STATES = 1000, SLOTS = 2048, LEAST_WORTH_TELLING = 8 };
/* A limit on time is over then, and may be overrun by less than half a second. */
#define MOST_SECONDS 0.1
#define MOST_SECONDS_WITHOUT_LIMIT 2

struct seen { size_t count; uint64_t states[SLOTS]; }; /* different states of a thread: a hash table, 0: empty */

struct walk {
    const struct bp_program *program;
    struct bp_state state;
    struct seen *threads;
    uint64_t random;
};

static uint32_t draw(struct walk *w, uint32_t count)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->random >> 33) % count;
}

static uint8_t *draw_bits(struct walk *w, size_t n)
{
    uint8_t *bits = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) bits[i] = (uint8_t)draw(w, 2);
    return bits;
}

static void note_thread(struct walk *w, int thread)
{
    const struct bp_stack *s = &w->state.stack[thread];
    struct seen *seen = &w->threads[thread];
    uint64_t hash = hash_bytes(s->nodes, (size_t)s->depth * sizeof *s->nodes, 1);
    hash = hash_bytes(s->locals, (size_t)s->depth * (size_t)w->state.stride, hash) | 1;
    size_t at = (hash >> 1) % SLOTS;
    static_assert(MOST_STATES < SLOTS, "there is an empty slot");
    if (seen->count == MOST_STATES) return;
    for (; seen->states[at]; at = (at + 1) % SLOTS)
        if (seen->states[at] == hash) return;
    seen->states[at] = hash;
    seen->count++;
}

/* One step of any thread, with any choices; false if none of those tried is possible. */
static bool step_at_random(struct walk *w)
{
    enum { TRIES = 64 };
    for (int i = 0; i < TRIES; i++) {
        int thread = (int)draw(w, (uint32_t)w->state.stacks), top = bp_state_top(&w->state, thread);
        if (top < 0 || !bp_state_may_run(&w->state, thread)) continue;
        const struct bp_node *node = &w->program->nodes.at[top];
        if (!node->out.len) continue;
        int edge = node->out.at[draw(w, (uint32_t)node->out.len)];
        uint8_t *bits = draw_bits(w, bp_step_bits(w->program, edge));
        enum step_outcome outcome = bp_state_step(&w->state, thread, edge, bits);
        free(bits);
        if (outcome != STEP_DONE) continue;
        note_thread(w, thread);
        return true;
    }
    return false;
}

static void walk_once(struct walk *w)
{
    uint8_t *bits = draw_bits(w, bp_state_init_bits(w->program));
    bp_state_init(&w->state, w->program, bits);
    for (int i = 0; i < STEPS && step_at_random(w); i++) continue;
    bp_state_release(&w->state);
    free(bits);
}

static void add_busiest(const struct walk *w, int walks, struct str *s)
{
    const struct seen *best = NULL;
    for (size_t i = 0; i < w->program->threads.len; i++)
        if (!best || w->threads[i].count > best->count) best = &w->threads[i];
    if (walks < LEAST_WALKS || !best || best->count < LEAST_WORTH_TELLING) return;
    str_printf(s, "%sthread %s was in %zu%s different states of its own in %d random runs, more than any other: fewer "
                  "local variables, or atomic sections, mean fewer states",
               s->len ? "; " : "", w->program->threads.at[best - w->threads].name, best->count,
               best->count == MOST_STATES ? " or more" : "", walks);
}

static void add_open_variables(const struct bp_program *p, struct str *s)
{
    size_t open = 0;
    for (size_t i = 0; i < p->shared.len; i++) {
        const struct bp_var *v = &p->vars.at[p->shared.at[i]];
        open += !v->hidden && v->init < 0;
    }
    if (open)
        str_printf(s, "%zu shared variable%s may begin with either value: `decl x := 0` halves the states", open,
                   open == 1 ? "" : "s");
}

char *symbolic_advice(const struct bp_program *p, const struct limits *limits)
{
    struct walk w = {.program = p, .random = 1};
    struct str s = {0};
    struct limits patience = limits_within(NULL, limits->deadline > 0 ? MOST_SECONDS : MOST_SECONDS_WITHOUT_LIMIT);
    int walks = 0;
    w.threads = xcalloc(p->threads.len + 1, sizeof *w.threads);
    for (; walks < WALKS && !limits_reached(&patience); walks++) walk_once(&w);
    add_open_variables(p, &s);
    add_busiest(&w, walks, &s);
    free(w.threads);
    return s.at;
}
