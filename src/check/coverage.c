/* From what was covered to a verdict and its sentence: every rule is on this page.
 *
 * An exploration that came to its end proves something about the schedules that it reached. A loss says what is left:
 *
 *   TAINTS   nothing is proved, not even for lower bounds: errors may have been passed over
 *   STOPS    the exploration did not come to its end; bounds completed before still hold
 *   NARROWS  the proof is about fewer schedules than all: at most BOUNDED
 *   NOTES    the proof holds under an assumption that the reader has to know
 *   REPLACES nothing was explored to speak of; its words are the whole sentence
 *
 * The zero is TAINTS, and a loss without a row in the table does not compile. */
#include "check/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum effect { TAINTS, STOPS, NARROWS, NOTES, REPLACES };

static const struct rule { enum effect effect; const char *words; } rules[] = {
    [LOSS_TIME] = {STOPS, "stopped by the time limit of "},
    [LOSS_MEMORY] = {STOPS, "stopped by the memory limit of "},
    [LOSS_INTERRUPTED] = {STOPS, "interrupted"},
    [LOSS_EXECUTIONS] = {STOPS, "stopped after the number of executions that was asked for"},
    [LOSS_MAX_STEPS] = {STOPS, "executions were cut off by --max-steps"},
    [LOSS_SAMPLING] = {STOPS, "schedules were drawn at random"},
    [LOSS_DIVERGED] = {STOPS, "the program does not repeat itself"},
    [LOSS_DEPTH] = {TAINTS, "paths longer than "},
    [LOSS_SWARM] = {TAINTS, ""},
    [LOSS_HASHES] = {TAINTS, "hash compaction may have missed states (probability about "},
    [LOSS_BITS] = {TAINTS, "the bit field may have missed states (probability about "},
    [LOSS_REDUCTION] = {TAINTS, "this reduction misses errors: "},
    [LOSS_SWITCHES] = {TAINTS, "schedules within the bound may be missing, as they are with "},
    [LOSS_WAY] = {REPLACES, "an error was met, but the lossy store lost the way to it; "
                            "try without --hash-compact and --bitstate"},
    [LOSS_REPEAT] = {REPLACES, ""},
    [LOSS_UNABLE] = {REPLACES, "the program cannot be explored: "},
    [LOSS_STUCK] = {STOPS, ""},
    [LOSS_CONTROL] = {NARROWS, "as far as it is under control (see the warnings)"},
    [LOSS_FOREIGN] = {NARROWS, "not observed: "},
    [LOSS_UNOBSERVED] = {NARROWS, "not fully observed: "},
    [LOSS_YIELDS] = {NARROWS, "where a thread yields at most "},
    [LOSS_PLAIN_ACCESSES] = {NARROWS, "with switches at synchronisation only"},
    [LOSS_STARTS] = {NARROWS, "with at most "},
    [LOSS_THREADS] = {NARROWS, "with at most "},
    [LOSS_SHARE] = {STOPS, "stopped after the schedules that each number of threads gets "
                            "(--threads=N has no such limit)"},
    [LOSS_VALUES] = {NARROWS, "with "},
    [LOSS_ENDLESS_STEPS] = {NARROWS, "where no atomic sequence goes round for ever"},
    [LOSS_FAILING_STEPS] = {NARROWS, "where no statement fails"},
    [LOSS_FAIRNESS] = {NOTES, "weakly fair ones only"},
    [LOSS_ENDS] = {NOTES, "infinite ones only"},
    [LOSS_WEAK_MEMORY] = {NOTES, "interleavings only: "},
    [LOSS_MIXED] = {NOTES, "newest value only: "},
    [LOSS_SPURIOUS] = {NOTES, "spurious wake-ups: "},
    [LOSS_UNEXPLORED] = {NOTES, "not explored: "},
    [LOSS_WAITING] = {NOTES, "threads still waiting at the end: "},
    [LOSS_NO_THREADS] = {REPLACES, "no thread was created: nothing concurrent was checked; --sequential accepts that"},
    [LOSS_SEQUENTIAL] = {NOTES, "nothing concurrent was checked: no thread was created"},
    [LOSS_ASSUMED] = {REPLACES, "every schedule ended in a failed assumption: nothing was checked"},
    [LOSS_NOT_LOOKED_FOR] = {NOTES, "not looked for: "},
    [LOSS_NO_CHECKS] = {NOTES, "nothing was checked: "},
    [LOSS_VACUOUS] = {NOTES, ""},
    [LOSS_UNAUDITED] = {NOTES, "calls into code that is not observed: "},
    [LOSS_SECOND_OPINION] = {REPLACES, "a second, naive method disagrees: "},
};
static_assert(ARRAY_LEN(rules) == LOSS_COUNT, "every loss has a rule");

/* ---- filling ---- */

struct part *coverage_add(struct coverage *c, const char *what)
{
    vec_push(&c->parts, ((struct part){.what = what ? xstrdup(what) : NULL, .bound = -1, .unit = "state"}));
    return &vec_last(&c->parts);
}

/* Words that end in the middle of a sentence wait for a detail. */
static bool wants_detail(const char *words)
{
    size_t n = strlen(words);
    return !n || words[n - 1] == ' ' || words[n - 1] == '(';
}

void part_omit(struct part *p, enum loss loss, const char *format, ...)
{
    struct str detail = {0};
    va_list ap;
    assert((unsigned)loss < LOSS_COUNT && (format || !wants_detail(rules[loss].words)));
    va_start(ap, format);
    if (format) str_vprintf(&detail, format, ap);
    va_end(ap);
    vec_push(&p->omissions, ((struct omission){loss, detail.at}));
}

/* In the largest unit of which there is one at least; --memory is rarely a round number of them. */
static void omit_memory(struct part *p, const struct limits *l)
{
    static const char *const units[] = {"B", "KB", "MB"};
    double size = (double)l->memory;
    size_t unit = 0;
    while (unit + 1 < ARRAY_LEN(units) && size >= 1024) size /= 1024, unit++;
    bool whole = size >= 100 || unit == 0;
    part_omit(p, LOSS_MEMORY, "%.*f %s%s", whole || size == (double)(long)size ? 0 : 1, size, units[unit],
              l->memory_is_given ? "" : " (what the machine had free)");
}

void part_omit_limit(struct part *p, enum limit reached, const struct limits *l)
{
    switch (reached) {
    case LIMIT_NONE: return;
    case LIMIT_INTERRUPT: part_omit(p, LOSS_INTERRUPTED, NULL); return;
    case LIMIT_TIME: part_omit(p, LOSS_TIME, "%g s", l->seconds); return;
    case LIMIT_MEMORY: omit_memory(p, l); return;
    }
    BUG("limit %d", reached);
}

void coverage_release(struct coverage *c)
{
    for (size_t i = 0; i < c->parts.len; i++) {
        struct part *p = &c->parts.at[i];
        for (size_t k = 0; k < p->omissions.len; k++) free(p->omissions.at[k].detail);
        vec_release(&p->omissions);
        free(p->what);
    }
    vec_release(&c->parts);
    *c = (struct coverage){0};
}

/* ---- deciding ---- */

static bool has_effect(const struct part *p, enum effect e)
{
    for (size_t i = 0; i < p->omissions.len; i++)
        if (rules[p->omissions.at[i].loss].effect == e) return true;
    return false;
}

/* Every schedule with at most `bound` preemptions (or contexts) was explored, whatever happened to the others. */
static bool has_bound(const struct part *p)
{
    assert(p->bound >= -1);
    return p->bound >= 0 && !has_effect(p, TAINTS) && !has_effect(p, REPLACES);
}

int64_t part_bound(const struct part *p) { return has_bound(p) ? p->bound : -1; }

enum verdict part_verdict(const struct part *p)
{
    if (has_effect(p, TAINTS) || has_effect(p, STOPS) || has_effect(p, REPLACES)) return VERDICT_UNKNOWN;
    switch (p->reach) {
    case REACH_NOTHING: return VERDICT_UNKNOWN;
    case REACH_CONTEXTS:
    case REACH_PREEMPTIONS: return has_bound(p) ? VERDICT_BOUNDED : VERDICT_UNKNOWN;
    case REACH_FINITE: return VERDICT_BOUNDED;
    case REACH_ALL: return has_effect(p, NARROWS) ? VERDICT_BOUNDED : VERDICT_VERIFIED;
    }
    BUG("reach %d", p->reach);
}

enum verdict coverage_verdict(const struct coverage *c)
{
    enum verdict least = c->parts.len ? VERDICT_VERIFIED : VERDICT_UNKNOWN;
    for (size_t i = 0; i < c->parts.len; i++) least = MIN(least, part_verdict(&c->parts.at[i]));
    return least;
}

static enum reach least_reach(const struct coverage *c)
{
    enum reach least = REACH_ALL;
    for (size_t i = 0; i < c->parts.len; i++) least = MIN(least, c->parts.at[i].reach);
    return least;
}

/* A part that reached all schedules has no bound of its own, and the others' is the bound of the whole. */
int64_t coverage_bound(const struct coverage *c)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < c->parts.len; i++) {
        const struct part *p = &c->parts.at[i];
        bool all = p->reach >= REACH_FINITE && part_verdict(p) != VERDICT_UNKNOWN;
        if (c->parts.len > 1 && all) continue;
        least = MIN(least, part_bound(p));
    }
    if (least < INT64_MAX) return least;
    return c->parts.len ? c->parts.at[0].bound : -1;
}

/* ---- wording ---- */

static const char *plural(int64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

static void say_omission(const struct omission *o, struct str *s)
{
    str_add(s, rules[o->loss].words);
    if (o->detail) str_add_visible(s, o->detail); /* whatever files are called */
}

/* Each of them once, though several parts may have it: those of the parts before `upto` were said already. */
static bool said_before(const struct coverage *c, const struct part *upto, const struct omission *o)
{
    for (size_t i = 0; i < c->parts.len && &c->parts.at[i] <= upto; i++)
        for (size_t k = 0; k < c->parts.at[i].omissions.len; k++) {
            const struct omission *other = &c->parts.at[i].omissions.at[k];
            if (other == o) return false;
            bool same_detail = !o->detail ? !other->detail : other->detail && !strcmp(o->detail, other->detail);
            if (other->loss == o->loss && same_detail) return true;
        }
    return false;
}

static void say_all(const struct coverage *c, enum effect e, const char *before, const char *after, struct str *s)
{
    for (size_t i = 0; i < c->parts.len; i++)
        for (size_t k = 0; k < c->parts.at[i].omissions.len; k++) {
            const struct omission *o = &c->parts.at[i].omissions.at[k];
            if (rules[o->loss].effect != e || said_before(c, &c->parts.at[i], o)) continue;
            str_add(s, before);
            say_omission(o, s);
            str_add(s, after);
        }
}

/* "ltl p, ltl q and progress hold": the parts with the given verdict at least. */
static void say_names(const struct coverage *c, enum verdict least, struct str *s)
{
    size_t count = 0, said = 0;
    for (size_t i = 0; i < c->parts.len; i++) count += part_verdict(&c->parts.at[i]) >= least;
    for (size_t i = 0; i < c->parts.len; i++) {
        if (part_verdict(&c->parts.at[i]) < least) continue;
        if (said) str_add(s, said + 1 == count ? " and " : ", ");
        str_add(s, c->parts.at[i].what ? c->parts.at[i].what : "everything else");
        said++;
    }
    str_add(s, count == 1 ? " holds" : " hold");
}

static void say_contexts(const struct part *p, struct str *s)
{
    str_printf(s, " with at most %lld %s per thread in a round robin", (long long)p->bound,
               plural(p->bound, "context", "contexts"));
    if (part_verdict(p) == VERDICT_UNKNOWN) return;
    str_printf(s, " of %d %s (covers all schedules with at most %d %s)", p->threads,
               plural(p->threads, "thread", "threads"), p->switches, plural(p->switches, "switch", "switches"));
}

static const char *bounded_words(const struct part *p)
{
    bool more = p->counts_spurious;
    switch (p->counts) {
    case COUNTS_STALE:
        return more ? plural(p->bound, "preemption, stale access or spurious event",
                             "preemptions, stale accesses or spurious events")
                    : plural(p->bound, "preemption or stale access", "preemptions or stale accesses");
    case COUNTS_DELAYS:
        return more ? plural(p->bound, "delay or spurious event", "delays or spurious events")
                    : plural(p->bound, "delay", "delays");
    case COUNTS_PREEMPTIONS: break;
    }
    if (more) return plural(p->bound, "preemption or spurious event", "preemptions or spurious events");
    return plural(p->bound, "preemption", "preemptions");
}

static void say_where(const struct coverage *c, bool no_error, struct str *s)
{
    int64_t bound = coverage_bound(c);
    switch (least_reach(c)) {
    case REACH_NOTHING: BUG("a claim about nothing");
    case REACH_CONTEXTS: say_contexts(&c->parts.at[0], s); break;
    case REACH_PREEMPTIONS:
        str_printf(s, "%s with at most %lld %s", no_error ? "" : " in every run", (long long)bound,
                   c->parts.len == 1 ? bounded_words(&c->parts.at[0]) : plural(bound, "preemption", "preemptions"));
        break;
    case REACH_FINITE: str_printf(s, " in %s run with finitely many preemptions", no_error ? "any" : "every"); break;
    case REACH_ALL: str_printf(s, " in %s schedule", no_error ? "any" : "every"); break;
    }
}

/* VERIFIED or BOUNDED: what holds, where, and with which reservations. */
static void say_claim(const struct coverage *c, struct str *s)
{
    if (c->everything) str_add(s, "no error");
    else say_names(c, VERDICT_BOUNDED, s);
    say_where(c, c->everything, s);
    say_all(c, NARROWS, ", ", "", s);
}

/* How far a part came that proves nothing as a whole. */
static void say_progress(const struct coverage *c, const struct part *p, struct str *s)
{
    char count[64];
    bool is_all = c->everything && c->parts.len == 1;
    if (p->what && !is_all) str_printf(s, "%s: ", p->what);
    str_add(s, "no error");
    if (has_bound(p) && p->reach == REACH_CONTEXTS) {
        say_contexts(p, s);
        return;
    }
    if (has_bound(p))
        str_printf(s, " with at most %lld %s, and none", (long long)p->bound, bounded_words(p));
    str_printf(s, " in the %s explored", counted(count, p->explored, p->unit));
}

static void say_reasons(const struct part *p, enum effect e, struct str *s)
{
    for (size_t i = 0; i < p->omissions.len; i++)
        if (rules[p->omissions.at[i].loss].effect == e) {
            str_add(s, "; ");
            say_omission(&p->omissions.at[i], s);
        }
}

static bool say_replacement(const struct coverage *c, struct str *s)
{
    for (size_t i = 0; i < c->parts.len; i++)
        for (size_t k = 0; k < c->parts.at[i].omissions.len; k++)
            if (rules[c->parts.at[i].omissions.at[k].loss].effect == REPLACES) {
                say_omission(&c->parts.at[i].omissions.at[k], s);
                return true;
            }
    return false;
}

/* UNKNOWN: what holds all the same, then how far the rest came and why it stopped there. */
static void say_unknown(const struct coverage *c, struct str *s)
{
    if (say_replacement(c, s)) return;
    struct coverage proved = {.everything = false};
    for (size_t i = 0; i < c->parts.len; i++)
        if (part_verdict(&c->parts.at[i]) != VERDICT_UNKNOWN) vec_push(&proved.parts, c->parts.at[i]);
    if (proved.parts.len) {
        say_claim(&proved, s);
        str_add(s, "; ");
    }
    vec_release(&proved.parts);
    bool more = false;
    for (size_t i = 0; i < c->parts.len; i++) {
        const struct part *p = &c->parts.at[i];
        if (part_verdict(p) != VERDICT_UNKNOWN) continue;
        if (more) str_add(s, "; ");
        more = true;
        say_progress(c, p, s);
        say_reasons(p, STOPS, s);
        say_reasons(p, TAINTS, s);
    }
    say_all(c, NARROWS, ", ", "", s);
    if (!c->parts.len) str_add(s, "nothing was covered");
}

char *coverage_sentence(const struct coverage *c)
{
    struct str s = {0};
    if (coverage_verdict(c) == VERDICT_UNKNOWN) say_unknown(c, &s);
    else say_claim(c, &s);
    say_all(c, NOTES, " (", ")", &s);
    assert(s.len && !memchr(s.at, '\n', s.len)); /* a verdict is one line */
    return s.at;
}
