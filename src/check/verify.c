/* Two answers about the same check are compared, and what a difference does to the verdict. */
#include "check/verify_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { OWN_SECONDS = 60, SHARE_OF_MEMORY = 4 };

void answer_release(struct answer *a)
{
    vec_release(&a->levels);
    *a = (struct answer)NO_ANSWER;
}

bool answer_is_empty(const struct answer *check)
{
    return check->error_at < 0 && check->none_within < 0 && !check->levels.len;
}

/* States that can be reached with at most so many preemptions (-1: any number); beyond the last level there are no
 * more. 0: not known. */
static uint64_t states_within(const struct answer *a, int64_t level)
{
    return level >= 0 && (size_t)level < a->levels.len ? a->levels.at[level] : a->states;
}

/* ---- words ---- */

static void add_number(const struct answer *a, struct str *out, const char *before, int64_t n, const char *after)
{
    const char *stale = !a->counts_stale ? "" : n == 1 ? " or stale access" : " or stale accesses";
    str_printf(out, "%s%lld preemption%s%s%s", before, (long long)n, n == 1 ? "" : "s", stale, after);
}

void answer_words(const struct answer *a, struct str *out)
{
    if (a->error_at == ANY_NUMBER) str_add(out, "an error");
    else if (a->error_at >= 0)
        add_number(a, out, "an error with ", a->error_at, a->none_within >= a->error_at - 1 ? " at the least" : "");
    else if (a->none_within == ANY_NUMBER) str_add(out, "no error with any number of preemptions");
    else if (a->none_within >= 0) add_number(a, out, "no error with at most ", a->none_within, "");
    else str_add(out, "no error found so far");
}

static void states_words(const struct answer *a, int64_t level, struct str *out)
{
    char count[64];
    str_add(out, counted(count, states_within(a, level), "state"));
    if (level >= 0) add_number(a, out, " with at most ", level, "");
}

/* ---- comparing ---- */

/* Does one of them have an error where the other one says that there is none? */
static bool contradicts(const struct answer *a, const struct answer *b)
{
    return a->error_at >= 0 && a->error_at <= b->none_within;
}

static bool states_differ(const struct answer *a, const struct answer *b, int64_t level)
{
    uint64_t n = states_within(a, level), m = states_within(b, level);
    return n && m && n != m;
}

/* The first level of which the check and the naive method know different numbers of states; -1: they differ on the
 * whole; NOWHERE: they do not. */
enum { NOWHERE = -2 };
static int64_t different_level(const struct answer *check, const struct answer *naive)
{
    for (size_t i = 0; i < check->levels.len; i++)
        if (states_differ(check, naive, (int64_t)i)) return (int64_t)i;
    return states_differ(check, naive, -1) ? -1 : NOWHERE;
}

/* Everything that the check says was found to be so. */
static bool confirms(const struct answer *check, const struct answer *naive)
{
    if (check->error_at >= 0 && naive->error_at < 0) return false;
    if (naive->none_within < check->none_within || (check->states && !naive->states)) return false;
    return naive->states || naive->levels.len >= check->levels.len;
}

struct comparison answers_compare(const struct answer *check, const struct answer *naive)
{
    assert(check->error_at >= -1 && check->none_within >= -1 && !contradicts(check, check));
    assert(naive->error_at >= -1 && naive->none_within >= -1 && !contradicts(naive, naive));
    struct comparison c = {.outcome = VERIFY_DISAGREES, .level = -1};
    int64_t level = different_level(check, naive);
    if (contradicts(check, naive) || contradicts(naive, check)) {
        c.difference = check->error_at >= 0 && naive->error_at >= 0 ? DIFFERENT_PREEMPTIONS : DIFFERENT_VERDICTS;
    } else if (level != NOWHERE) {
        c.difference = DIFFERENT_STATES;
        c.level = level;
    } else {
        c.outcome = confirms(check, naive) && !answer_is_empty(check) ? VERIFY_AGREES : VERIFY_UNFINISHED;
    }
    return c;
}

/* ---- the budget ---- */

struct limits verify_limits(const struct limits *l)
{
    struct limits mine = *l;
    if (l->deadline <= 0) {
        mine = limits_within(l, OWN_SECONDS);
        mine.seconds = OWN_SECONDS;
    }
    if (!l->memory_is_given) mine.memory = memory_resident() + l->memory / SHARE_OF_MEMORY;
    return mine;
}

const char *verify_stopped(enum limit reached, const struct limits *l, char room[64])
{
    switch (reached) {
    case LIMIT_NONE: return NULL;
    case LIMIT_INTERRUPT: return "interrupted";
    case LIMIT_TIME: snprintf(room, 64, "stopped by the time limit of %g s", l->seconds); return room;
    case LIMIT_MEMORY: snprintf(room, 64, "stopped by the memory limit of %zu MB", l->memory >> 20); return room;
    }
    BUG("limit %d", reached);
}

/* ---- settling ---- */

bool verify_has_time(struct result *r, const struct limits *l)
{
    char room[64];
    const char *stopped = verify_stopped(limits_reached(l), l, room);
    struct str words = {0};
    if (!stopped) return true;
    str_printf(&words, "not begun; %s", stopped);
    verify_note(r, 0, VERIFY_UNFINISHED, false, str_get(&words));
    str_release(&words);
    return false;
}

static void add_words(struct verification *v, const char *words)
{
    struct str all = {0};
    str_printf(&all, "%s%s%s", v->found ? v->found : "", v->found ? "; " : "", words);
    free(v->found);
    v->found = all.at;
}

/* The error itself is in doubt: its run was shown, but nobody is told to believe it. */
static void drop_error(struct result *r)
{
    trace_free(r->error);
    r->error = NULL;
    r->errors = 0;
}

void verify_note(struct result *r, size_t part, enum verify_outcome outcome, bool denies_error, const char *words)
{
    struct verification *v = &r->verification;
    assert(part < r->coverage.parts.len && outcome != VERIFY_NOT_ASKED);
    v->outcome = MAX(v->outcome, outcome);
    add_words(v, words);
    if (outcome != VERIFY_DISAGREES) return;
    if (denies_error) drop_error(r);
    part_omit(&r->coverage.parts.at[part], LOSS_SECOND_OPINION, "%s; please report this together with the input",
              words);
    if (r->error)
        fprintf(stderr,
                "heddle: warning: a second, naive method disagrees: %s; please report this together with the input\n",
                words);
}

static void both_words(const struct question *q, const struct comparison *c, const struct answer *naive,
                       const char *explored, struct str *out)
{
    bool states = c->difference == DIFFERENT_STATES;
    str_add(out, "the check says ");
    if (states) states_words(&q->check, c->level, out);
    else answer_words(&q->check, out);
    str_printf(out, ", the naive method (%s) says ", explored);
    if (states) states_words(naive, c->level, out);
    else answer_words(naive, out);
}

void verify_settle(struct result *r, const struct question *q, const struct answer *naive, const char *explored,
                   const char *stopped)
{
    struct comparison c = answers_compare(&q->check, naive);
    struct str words = {0};
    const struct part *p = &r->coverage.parts.at[q->part];
    if (q->property >= 0) str_printf(&words, "%s: ", p->what);
    if (c.outcome == VERIFY_DISAGREES) both_words(q, &c, naive, explored, &words);
    else if (answer_is_empty(&q->check)) str_add(&words, "the check says nothing that could be compared");
    else {
        str_printf(&words, "%s, ", explored);
        answer_words(naive, &words);
        if (c.outcome == VERIFY_UNFINISHED && stopped) str_printf(&words, "; %s", stopped);
    }
    verify_note(r, q->part, c.outcome, q->owns_error && c.difference == DIFFERENT_VERDICTS, str_get(&words));
    str_release(&words);
}
