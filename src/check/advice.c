/* What to do when a search was cut short or took long: at most three lines, each made of what was counted in this run.
 * The first says what multiplies states or schedules (the engine knows), the second how much is left, the third which
 * option helps. */
#include "check/check.h"

#include <string.h>

#define STILL_GROWING 0.9

static bool was_cut(const struct result *r, enum loss loss)
{
    for (size_t i = 0; i < r->coverage.parts.len; i++) {
        const struct part *p = &r->coverage.parts.at[i];
        for (size_t k = 0; k < p->omissions.len; k++)
            if (p->omissions.at[k].loss == loss) return true;
    }
    return false;
}

static bool is_native(const struct result *r) { return !strcmp(r->engine, "native"); }
static bool is_symbolic(const struct result *r) { return !strcmp(r->engine, "symbolic"); }

static uint64_t size_of(const struct result *r, const struct level *l)
{
    return is_native(r) ? l->executions : l->states;
}

/* How many bounds were completed: they come first. */
static size_t complete_bounds(const struct result *r)
{
    size_t n = 0;
    while (n < r->bounds.len && r->bounds.at[n].complete) n++;
    return n;
}

static void begin_part(struct str *s)
{
    if (s->len) str_add(s, "; ");
}

/* What is known of the level that was cut short. */
static void add_schedules(const struct result *r, struct str *s)
{
    char done[32], all[32];
    uint64_t run = r->bounds.len ? size_of(r, &vec_last(&r->bounds)) : 0;
    size_t complete = complete_bounds(r);
    if (complete) run -= size_of(r, &r->bounds.at[complete - 1]);
    if (r->estimate > (double)run && r->estimate < 1e18 && run)
        str_printf(s, "%s of about %s schedules of this bound were run (%.2g %%)", with_commas(done, run),
                   with_commas(all, (uint64_t)r->estimate), 100.0 * (double)run / r->estimate);
}

static uint64_t two_digits(double n)
{
    double unit = 1;
    while (n / unit >= 100) unit *= 10;
    return (uint64_t)(n / unit) * (uint64_t)unit;
}

/* Breadth first, rounds grow, then shrink. While they grow there is no telling how long; when they shrink, no more than
 * three times the geometric series was left in 323 of 326 cuts (after each round of 12 models of 20,000 to millions of
 * states). With bounds they grow and shrink several times within one, and the series was too small by more than that
 * in 129 of 569 cuts, once by 13,000 times: so nothing is said. */
static void add_rounds(const struct result *r, struct str *s)
{
    enum { SPREAD = 3 };
    char recent[32], before[32], most[32];
    double factor = r->recent[1] ? (double)r->recent[0] / (double)r->recent[1] : 0;
    if (factor <= 0) return;
    begin_part(s);
    str_printf(s, "the last rounds found %s states, as many rounds before them %s", with_commas(recent, r->recent[0]),
               with_commas(before, r->recent[1]));
    if (factor >= STILL_GROWING) str_printf(s, ": no end in sight%s", r->bounds.len ? " of this bound" : "");
    else if (!r->bounds.len)
        str_printf(s, ": probably at most %s more",
                   with_commas(most, two_digits(SPREAD * (double)r->recent[0] * factor / (1 - factor))));
}

/* How the levels grow tells how large the next one can be: they grow by less and less. It was not larger in 27 of 28
 * cases (the levels of ten models), and mostly much smaller. */
static void add_growth(const struct result *r, struct str *s)
{
    size_t n = complete_bounds(r);
    char level[32], next[32];
    if (n < 3) return;
    const struct level *last = &r->bounds.at[n - 1];
    uint64_t new = size_of(r, last) - size_of(r, last - 1), before = size_of(r, last - 1) - size_of(r, last - 2);
    double factor = before ? (double)new / (double)before : 0, expected = factor *(double)new;
    if (factor <= 0 || expected > 1e18) return;
    begin_part(s);
    str_printf(s, "bound %lld added %s %s, %.1f times those of the bound before: the next will hardly add more than %s",
               (long long)last->bound, with_commas(level, new), is_native(r) ? "schedules" : "states", factor,
               with_commas(next, (uint64_t)expected));
}

/* The last bound that was completed, which is what the same check with that bound would answer. */
static void add_bound(const struct result *r, bool no_times, struct str *s)
{
    size_t n = complete_bounds(r);
    if (!n) return;
    const struct level *last = &r->bounds.at[n - 1];
    begin_part(s);
    str_printf(s, "%s %lld ends with an answer", is_symbolic(r) ? "-k" : "-b", (long long)last->bound);
    if (!no_times) str_printf(s, " (after %.1f s)", last->seconds);
}

static void add_lossy(const struct result *r, struct str *s)
{
    if (was_cut(r, LOSS_SAMPLING)) return;
    if (is_symbolic(r) || (is_native(r) && !r->executions) || (!is_native(r) && !r->states)) return;
    if (!is_native(r) && !was_cut(r, LOSS_MEMORY)) return;
    begin_part(s);
    if (!is_native(r)) {
        str_printf(s, "a state took %llu bytes, and to look for errors only: --hash-compact about 16, --bitstate less "
                      "than one", (unsigned long long)(r->memory_bytes / r->states));
        return;
    }
    if (complete_bounds(r)) str_add(s, "without bounds, no two equivalent schedules: --explore=optimal; ");
    str_add(s, "to look for errors in far-away schedules: --explore=pct or --explore=random");
}

static void print_line(struct str *s, FILE *out)
{
    if (s->len) fprintf(out, "advice   %s\n", s->at);
    str_release(s);
}

bool result_wants_advice(const struct result *r, bool no_times)
{
    enum { SLOW_SECONDS = 60 };
    if (r->error) return false;
    if (!no_times && r->seconds >= SLOW_SECONDS) return true;
    bool cut = was_cut(r, LOSS_TIME) || was_cut(r, LOSS_MEMORY) || was_cut(r, LOSS_EXECUTIONS);
    return cut && result_verdict(r) == VERDICT_UNKNOWN;
}

void result_print_advice(const struct result *r, bool no_times, FILE *out)
{
    struct str left = {0}, options = {0};
    bool unknown = !r->error && result_verdict(r) == VERDICT_UNKNOWN;
    if (unknown && r->other_way) fprintf(out, "advice   %s\n", r->other_way);
    if (!result_wants_advice(r, no_times)) return;
    if (r->advice) fprintf(out, "advice   %s\n", r->advice);
    if (result_verdict(r) == VERDICT_UNKNOWN) {
        add_schedules(r, &left);
        add_rounds(r, &left);
        add_growth(r, &left);
        add_bound(r, no_times, &options);
        add_lossy(r, &options);
    }
    print_line(&left, out);
    print_line(&options, out);
}
