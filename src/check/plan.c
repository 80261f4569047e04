/* The arithmetic of --plan. */
#include "check/plan_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the network ---- */

static double unit_of(const char *unit, bool is_time)
{
    static const struct { const char *name; double factor; bool is_time; } units[] = {
        {"ns", 1e-9, true}, {"us", 1e-6, true}, {"ms", 1e-3, true}, {"s", 1, true},
        {"MB", 1e6, false}, {"GB", 1e9, false}, {"MBit", 1e6 / 8, false}, {"GBit", 1e9 / 8, false}};
    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (units[i].is_time == is_time && !strcmp(units[i].name, unit)) return units[i].factor;
    return 0;
}

static const char *parse_one(char *word, struct network *n)
{
    char *value = strchr(word, '='), *end;
    if (!value) return "--plan takes latency=2us,bandwidth=10GB";
    *value++ = '\0';
    bool is_time = !strcmp(word, "latency");
    if (!is_time && strcmp(word, "bandwidth")) return "--plan knows latency and bandwidth";
    double v = strtod(value, &end), unit = unit_of(end, is_time);
    if (end == value || !unit || !(v > 0) || v > 1e9)
        return is_time ? "latency is a time such as 2us (ns, us, ms, s)"
                       : "bandwidth is so much per second, such as 10GB (MB, GB, MBit, GBit)";
    *(is_time ? &n->latency : &n->bandwidth) = v * unit;
    return NULL;
}

const char *network_parse(const char *text, struct network *n)
{
    char *words = xstrdup(text), *rest = words;
    const char *wrong = NULL;
    for (char *word; !wrong && *text && (word = strsep(&rest, ","));) wrong = parse_one(word, n);
    free(words);
    return wrong;
}

/* ---- states ---- */

/* How many times as many there were in the end as had been found: nine of ten of 2,300 cuts of breadth-first searches
 * (after each round of 27 models) lie between. By how much more the last rounds found than as many before. */
static const struct { double growth, least, most; } spreads[] = {
    {1.2, 1, 17}, {1.5, 1, 60}, {2, 1.5, 130}, {INFINITY, 2, 500}};
#define SHRINKING 0.9
#define SHRINKING_SPREAD 3 /* as often as the geometric series: 606 of 637 cuts (advice.c) */

struct guess guess_states(const double *found, size_t rounds)
{
    enum { STEP = (LEAST_ROUNDS - 1) / 2 };
    struct guess g = {0};
    if (rounds < LEAST_ROUNDS) return g;
    const double *last = found + rounds - 1;
    double recent = last[0] - last[-STEP], before = last[-STEP] - last[-2 * STEP];
    if (before <= 0) return g;
    g = (struct guess){.known = true, .growth = recent / before, .least = *last};
    if (g.growth < SHRINKING) g.most = *last + SHRINKING_SPREAD * recent * g.growth / (1 - g.growth);
    for (size_t i = 0; g.growth >= SHRINKING && !g.most; i++)
        if (g.growth < spreads[i].growth) g.least = spreads[i].least * *last, g.most = spreads[i].most * *last;
    return g;
}

struct work work_grown(const struct work *w, double states)
{
    enum { MOST_ROUNDS = 3 }; /* times those so far: rounds grow, too */
    double times = states / fmax(w->states, 1);
    return (struct work){states, w->arrivals * times, w->rounds * fmin(times, MOST_ROUNDS), w->seconds * times,
                         w->bytes * times};
}

/* ---- processes ---- */

#define ITEM_SECONDS 75e-9 /* of an arrival that is sent, beyond one that stays: measured with two processes */
#define MESSAGE_SECONDS 3e-6 /* assumed */
/* As exchange.c has them. */
enum { HEADER = 8, BATCH = 1 << 16, SMALLEST_BATCH = 1 << 11, ALL_BATCHES = 1 << 22, SPARE_BATCHES = 32 };

static double batch_bytes(double ranks) { return fmax(fmin(BATCH, ALL_BATCHES / ranks), SMALLEST_BATCH); }

/* Of one process in one round, for each thread: full batches, and what is left of those that something was put into. */
static double messages_of(double items, const struct process *p, double ranks)
{
    double each = items / p->threads, others = ranks - 1, size = floor((batch_bytes(ranks) - HEADER) / p->item);
    return p->threads * (each / size + others * (1 - exp(-each / others)));
}

/* The one that has the most of what a round shares out at random, against the average. */
static double imbalance(double states, double ranks)
{
    double each = states / ranks;
    return 1 + sqrt(2 * log(ranks) / each) + log(ranks) / (3 * each);
}

struct needs needs_of(const struct work *w, const struct process *p, struct network net, double ranks)
{
    if (ranks <= 1) return (struct needs){.seconds = w->seconds, .memory = w->bytes + p->fixed};
    double items = w->arrivals / ranks * (ranks - 1) / ranks, rounds = fmax(w->rounds, 1);
    struct needs n = {.messages = rounds * messages_of(items / rounds, p, ranks)};
    n.traffic = items * p->item + n.messages * HEADER;
    n.memory = w->bytes / ranks + p->fixed + (p->threads * ranks + SPARE_BATCHES) * batch_bytes(ranks);
    double work = w->seconds / ranks + (items * ITEM_SECONDS + n.messages * MESSAGE_SECONDS) / p->threads;
    double agreeing = rounds * 2 * ceil(log2(ranks)) * net.latency;
    n.seconds = fmax(work * imbalance(fmax(w->states, 1) / rounds, ranks), n.traffic / net.bandwidth) + agreeing;
    return n;
}
