/* What to do when a search was cut short: at most three lines, each made of what was counted in this run. */
#include "check/check.h"

#include <string.h>

static bool was_cut(const struct result *r, enum loss loss)
{
    for (size_t i = 0; i < r->coverage.parts.len; i++) {
        const struct part *p = &r->coverage.parts.at[i];
        for (size_t k = 0; k < p->omissions.len; k++)
            if (p->omissions.at[k].loss == loss) return true;
    }
    return false;
}

static uint64_t size_of(const struct result *r, const struct level *l)
{
    return !strcmp(r->engine, "native") ? l->executions : l->states;
}

static const char *unit_of(const struct result *r) { return !strcmp(r->engine, "native") ? "schedules" : "states"; }

/* The last bound that was completed, which is what the same check with -b would answer. */
static void advise_bound(const struct result *r, bool no_times, FILE *out)
{
    char time[32] = "";
    if (!r->bounds.len || !strcmp(r->engine, "symbolic")) return;
    const struct level *last = &vec_last(&r->bounds);
    if (!no_times) snprintf(time, sizeof time, " (after %.1f s)", last->seconds);
    fprintf(out, "advice   -b %lld ends with an answer%s\n", (long long)last->bound, time);
}

/* How the levels grow tells how large the next one is. */
static void advise_growth(const struct result *r, FILE *out)
{
    size_t n = r->bounds.len;
    char level[32], next[32];
    if (n < 3 || !strcmp(r->engine, "symbolic")) return;
    const struct level *last = &r->bounds.at[n - 1];
    uint64_t new = size_of(r, last) - size_of(r, last - 1), before = size_of(r, last - 1) - size_of(r, last - 2);
    double factor = before ? (double)new / (double)before : 0, expected = factor *(double)new;
    if (factor <= 1 || expected > 1e18) return;
    fprintf(out,
            "advice   the last bound added %s %s, %.1f times those of the bound before; the next may add about %s\n",
            with_commas(level, new), unit_of(r), factor, with_commas(next, (uint64_t)expected));
}

static void advise_memory(const struct result *r, FILE *out)
{
    if (!was_cut(r, LOSS_MEMORY) || strcmp(r->engine, "explicit") || !r->states) return;
    fprintf(out,
            "advice   a state took %llu bytes; to look for errors only: --hash-compact (about 16), --bitstate (less "
            "than one)\n",
            (unsigned long long)(r->memory_bytes / r->states));
}

static void advise_sampling(const struct result *r, FILE *out)
{
    char count[32];
    if (strcmp(r->engine, "native") || !r->executions) return;
    fprintf(out,
            "advice   %s schedules were run; to look for errors in far-away ones: --explore=pct or --explore=random\n",
            with_commas(count, r->executions));
}

/* Bounds first, then what made it large, then what a state takes: three lines in all. */
void result_print_advice(const struct result *r, bool no_times, FILE *out)
{
    bool cut = was_cut(r, LOSS_TIME) || was_cut(r, LOSS_MEMORY);
    if (result_verdict(r) != VERDICT_UNKNOWN || !cut) return;
    if (r->advice) fprintf(out, "advice   %s\n", r->advice);
    else advise_growth(r, out);
    advise_bound(r, no_times, out);
    advise_memory(r, out);
    advise_sampling(r, out);
}
