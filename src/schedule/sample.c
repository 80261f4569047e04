/* What the strategies that draw at random share. Executions have numbers, and each is decided by the seed and its
 * number alone: so a part of the sample is a range of numbers, and whoever runs it draws the same.
 *
 * What is learnt of the program on the way, the length of its executions, is taken into account from the next power of
 * two on: parts end there, and by then the lengths of all executions with lower numbers are known, whoever ran them.
 * Strategies with feedback learn at the end of a batch in the same way. The first batches have one execution each, and
 * later ones an eighth of the executions so far, 64 at most. */
#include "schedule/internal.h"

static void draw_anew(const struct sched *s, struct sample *a)
{
    uint64_t seed = s->config.seed, both = random_next(&seed) + a->number;
    a->state = random_next(&both);
    a->is_new = true;
}

bool sample_is_new(struct sample *a)
{
    bool is_new = a->is_new;
    a->is_new = false;
    return is_new;
}

static uint64_t end_of_batch(uint64_t first)
{
    enum { SHARE = 8, LARGEST = 64 };
    uint64_t size = first / SHARE < LARGEST ? first / SHARE : LARGEST;
    return first + (size ? size : 1);
}

void sample_begin(struct sched *s, struct sample *a)
{
    uint64_t limit = s->config.max_executions;
    *a = (struct sample){.until = limit ? limit : UINT64_MAX, .longest = 1, .batch_end = end_of_batch(0)};
    draw_anew(s, a);
}

uint32_t sample_choice(struct sample *a, const struct sched_op *op)
{
    enum { SELDOM = 4 };
    uint32_t count = op_choices(op);
    if (count == 1)
        return 0;
    if (free_choices(op) > 1)
        return nth_choice(op, random_next(&a->state) % count);
    return random_next(&a->state) % SELDOM ? 0 : nth_choice(op, 1 + random_next(&a->state) % (count - 1));
}

static const struct given *given_at(const struct sched *s, uint64_t number)
{
    for (size_t i = 0; i < s->given.len; i++)
        if (s->given.at[i].depth == number)
            return &s->given.at[i];
    return NULL;
}

static void note_length(struct sample *a, size_t steps)
{
    if (steps > a->reached)
        a->reached = steps;
}

/* Passes what others have run. */
static void skip_told(struct sched *s, struct sample *a)
{
    const struct given *g;
    struct bytes own;
    while (!s->told_to_stop && (g = given_at(s, a->number))) {
        uint32_t count = g->which;
        uint64_t reached = 0;
        if (!part_told(s, a->number, count, SET_NONE, &own))
            return;
        bytes_get(&own, &reached, sizeof reached);
        note_length(a, reached);
        if (s->strategy->feedback)
            s->strategy->feedback->merge(s, &own);
        a->number += count;
    }
}

static bool is_power_of_two(uint64_t n)
{
    return !(n & (n - 1));
}

/* The end of a batch: all executions with lower numbers were noted, here or elsewhere. */
static void learn(struct sched *s, struct sample *a)
{
    if (is_power_of_two(a->number) && a->reached > a->longest)
        a->longest = a->reached;
    if (!s->strategy->feedback || a->number < a->batch_end)
        return;
    s->strategy->feedback->learn(s);
    a->batch_end = end_of_batch(a->number);
}

bool sample_next_execution(struct sched *s)
{
    struct sample *a = s->own;
    s->prefix = 0;
    s->pruned = true; /* chance never covers everything */
    if (!sched_is_cut(s)) /* one that was cut off says nothing of the others */
        note_length(a, s->depth);
    if (s->strategy->feedback)
        s->strategy->feedback->note(s);
    a->number++;
    skip_told(s, a);
    if (s->config.part && a->number >= a->until)
        return false;
    if (!s->config.part)
        learn(s, a);
    draw_anew(s, a);
    return true;
}

static uint64_t next_power_of_two(uint64_t n)
{
    uint64_t power = 1;
    while (power <= n && power < UINT64_C(1) << 63)
        power *= 2;
    return power;
}

/* So small a share that when as many parts are on their way as may be, more than half is left: then the search goes on
 * and sees whether one of them failed. What takes long can be divided until each is alone. */
static uint32_t size_of_part(uint64_t left)
{
    enum { PIECES = 128, WORTH = 8, MOST = 1 << 20 };
    _Static_assert((int)PIECES >= 2 * (int)SCHED_MAX_GIVEN - 1, "more than half is left");
    uint64_t size = left / PIECES > WORTH ? left / PIECES : left > 2 * WORTH ? WORTH : (left + 1) / 2;
    return (uint32_t)(size < MOST ? size : MOST);
}

/* The first numbers that nobody has. */
static bool sample_choose(struct sched *s, struct given *g)
{
    const struct sample *a = s->own;
    uint64_t power = next_power_of_two(a->number), until = power < a->until ? power : a->until;
    if (s->strategy->feedback && !s->config.part && a->batch_end < until)
        until = a->batch_end;
    g->depth = a->number + 1;
    for (size_t i = 0; i < s->given.len; i++)
        if (s->given.at[i].depth + s->given.at[i].which > g->depth)
            g->depth = s->given.at[i].depth + s->given.at[i].which;
    if (g->depth >= until)
        return false;
    g->which = size_of_part(until - g->depth);
    return true;
}

static void sample_give(struct sched *s, const struct given *g, struct bytes *out)
{
    const struct sample *a = s->own;
    struct sample part = {.number = g->depth, .until = g->depth + g->which, .longest = a->longest};
    bytes_put(out, &part, sizeof part);
    if (s->strategy->feedback)
        s->strategy->feedback->give(s, out);
}

static void sample_take(struct sched *s, struct bytes *in)
{
    struct sample *a = s->own;
    bytes_get(in, a, sizeof *a);
    if (s->strategy->feedback)
        s->strategy->feedback->take(s, in);
    draw_anew(s, a);
}

static void sample_answer(struct sched *s, struct bytes *out)
{
    uint64_t reached = ((const struct sample *)s->own)->reached;
    bytes_put(out, &reached, sizeof reached);
    if (s->strategy->feedback)
        s->strategy->feedback->answer(s, out);
}

const struct part_rules sample_parts = {sizeof(struct sample), sample_choose, sample_give, sample_take, sample_answer,
                                        .counts_executions = true};
