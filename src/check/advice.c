/* What to do when a search was cut short or took long: at most three lines, each made of what was counted in this run.
 * The first says what multiplies states or schedules (the engine knows). For models and Boolean programs the second
 * says how much is left, and the third which option helps. For real programs the second names a change of the program,
 * and the third says how much is left and which command to run next (native_advice.c). */
#include "check/check.h"

#include <string.h>

#define STILL_GROWING 0.9

bool result_was_cut(const struct result *r, enum loss loss)
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
size_t result_complete_bounds(const struct result *r)
{
    size_t n = 0;
    while (n < r->bounds.len && r->bounds.at[n].complete) n++;
    return n;
}

static void begin_part(struct str *s)
{
    if (s->len) str_add(s, "; ");
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
    str_printf(s, "the last rounds found %s states, as many rounds before them %s", with_commas(recent, r->recent[0]),
               with_commas(before, r->recent[1]));
    if (factor >= STILL_GROWING) str_printf(s, ": no end in sight%s", r->bounds.len ? " of this bound" : "");
    else if (!r->bounds.len)
        str_printf(s, ": probably at most %s more",
                   with_commas(most, two_digits(SPREAD * (double)r->recent[0] * factor / (1 - factor))));
}

/* How the levels grow tells how large the next one can be: they grow by less and less. It was not larger in 27 of 28
 * cases (the levels of ten models), and mostly much smaller. */
double level_limit(double before, double last)
{
    return before > 0 && last / before * last < 1e18 ? last / before * last : 0;
}

/* How many schedules or states the i-th bound added. */
static uint64_t added_by(const struct result *r, size_t i)
{
    return size_of(r, &r->bounds.at[i]) - (i ? size_of(r, &r->bounds.at[i - 1]) : 0);
}

static const char *things(const struct result *r) { return is_native(r) ? "schedules" : "states"; }

/* The size of the level that was cut short, or that comes next: there are two ways to tell, and only what agrees with
 * both is said. The share of the tree of schedules that was seen can be wrong by far when it is small, the growth of
 * the levels bounds it. A level that has outgrown the bound says that the bound is wrong. */
static void add_level(const struct result *r, struct str *s)
{
    size_t n = result_complete_bounds(r);
    char done[32], all[32];
    uint64_t run = r->bounds.len > n ? added_by(r, n) : 0;
    double limit = n < 3 ? 0 : level_limit((double)added_by(r, n - 2), (double)added_by(r, n - 1));
    if (limit <= (double)run) limit = 0;
    bool is_last = r->bounds.len == n + 1; /* the estimate is of the last bound */
    bool guess = run && is_last && is_native(r) && r->estimate > (double)run && r->estimate < 1e18;
    double about = guess && (!limit || r->estimate < limit) ? r->estimate : limit;
    if (about < 1) return;
    with_commas(all, (uint64_t)about);
    const char *how = about < limit || !limit ? "about" : "probably at most";
    if (run)
        str_printf(s, "%s of %s %s %s of this bound were %s (%.2g %%)", with_commas(done, run), how, all, things(r),
                   is_native(r) ? "run" : "found", 100.0 * (double)run / about);
    else
        str_printf(s, "bound %lld added %s %s: the next should need at most %s", (long long)r->bounds.at[n - 1].bound,
                   with_commas(done, added_by(r, n - 1)), things(r), all);
}

/* The last bound that was completed, which is what the same check with that bound would answer. */
static void add_bound(const struct result *r, bool no_times, struct str *s)
{
    size_t n = result_complete_bounds(r);
    if (!n) return;
    const struct level *last = &r->bounds.at[n - 1];
    begin_part(s);
    str_printf(s, "%s %lld ends with an answer", is_symbolic(r) ? "-k" : "-b", (long long)last->bound);
    if (!no_times) str_printf(s, " (after %.1f s)", last->seconds);
}

static void add_lossy(const struct result *r, struct str *s)
{
    if (is_symbolic(r) || !r->states || !result_was_cut(r, LOSS_MEMORY)) return;
    begin_part(s);
    str_printf(s, "a state took %llu bytes, and to look for errors only: --hash-compact about 16, --bitstate less "
                  "than one", (unsigned long long)(r->memory_bytes / r->states));
}

static void print_line(struct str *s, FILE *out)
{
    if (s->len) fprintf(out, "advice   %s\n", s->at);
    str_release(s);
}

/* An engine for real programs has a command for every UNKNOWN, also where it does not lack time. */
bool result_wants_advice(const struct result *r, bool no_times)
{
    enum { SLOW_SECONDS = 60 };
    if (r->error) return false;
    if (!no_times && r->seconds >= SLOW_SECONDS) return true;
    if (result_verdict(r) != VERDICT_UNKNOWN) return false;
    return is_native(r) || result_was_cut(r, LOSS_TIME) || result_was_cut(r, LOSS_MEMORY) ||
           result_was_cut(r, LOSS_EXECUTIONS);
}

void result_print_advice(const struct result *r, bool no_times, FILE *out)
{
    struct str left = {0}, options = {0};
    if (!result_wants_advice(r, no_times)) return;
    if (r->advice) fprintf(out, "advice   %s\n", r->advice);
    if (r->change) fprintf(out, "advice   %s\n", r->change);
    if (result_verdict(r) == VERDICT_UNKNOWN) {
        add_level(r, &left);
        if (!left.len) add_rounds(r, &left);
        if (!is_native(r)) add_bound(r, no_times, &options);
        if (!is_native(r)) add_lossy(r, &options);
    }
    if (r->next) begin_part(&left), str_printf(&left, "next: %s", r->next);
    print_line(&left, out);
    print_line(&options, out);
}
