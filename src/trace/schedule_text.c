/* A schedule as a word that can be pasted into a bug report: KIND[@CYCLE]:PICKS.
 *
 * A pick of a real program is the number of a thread, and after a point which of the outcomes of its step was taken, if
 * that is not the first; of a model it is which of the possible steps was taken; of a Boolean program a thread, after a
 * point which of its edges, and after a minus the bits that were chosen, if there are any. "3x12" is twelve times 3.
 * KIND and CYCLE say what is to happen and where it begins to repeat itself. */
#include "trace/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICKS = 1 << 20 };

struct pick {
    struct trace_pick by;
    const struct trace_step *chose; /* its detail are bits that belong to the pick, NULL: none do */
};
struct picks {
    struct pick *at;
    size_t len, cap;
};

static bool by_threads(const struct trace *t) { return !strcmp(t->engine, "native"); }
static bool has_bits(const struct trace *t) { return !strcmp(t->engine, "symbolic"); }

static void collect(const struct trace *t, struct picks *out)
{
    for (size_t i = 0; i < t->steps.len; i++) {
        const struct trace_step *s = &t->steps.at[i];
        if (by_threads(t))
            for (size_t k = 0; k < s->picks.len; k++) vec_push(out, ((struct pick){s->picks.at[k], NULL}));
        else if (has_bits(t)) vec_push(out, ((struct pick){{s->thread, (uint32_t)s->choice}, s}));
        else vec_push(out, ((struct pick){{(int)s->choice, 0}, NULL}));
    }
}

static void add_pick_text(struct str *s, struct pick p)
{
    str_printf(s, "%d", p.by.thread);
    if (p.by.choice || p.chose) str_printf(s, ".%u", p.by.choice);
    if (p.chose && p.chose->detail.len) str_addc(s, '-');
    for (size_t i = 0; p.chose && i < p.chose->detail.len; i++) str_addc(s, p.chose->detail.at[i] ? '1' : '0');
}

/* The picks as words, each with how often it comes in a row. */
static void add_picks(struct str *s, const struct picks *picks)
{
    struct str word = {0}, next = {0};
    for (size_t i = 0, times; i < picks->len; i += times) {
        word.len = 0;
        add_pick_text(&word, picks->at[i]);
        for (times = 1; i + times < picks->len; times++) {
            next.len = 0;
            add_pick_text(&next, picks->at[i + times]);
            if (strcmp(word.at, next.at)) break;
        }
        str_printf(s, "%s%s", i ? "," : "", word.at);
        if (times > 1) str_printf(s, "x%zu", times);
    }
    str_release(&word);
    str_release(&next);
}

char *trace_schedule_text(const struct trace *t)
{
    struct picks picks = {0};
    struct str s = {0};
    if (!by_threads(t) && !has_bits(t) && strcmp(t->engine, "explicit")) return NULL;
    if (t->points.len) return NULL; /* they belong to one build of the program */
    collect(t, &picks);
    str_add(&s, t->kind);
    if (t->cycle_start >= 0) str_printf(&s, "@%ld", t->cycle_start);
    str_addc(&s, ':');
    add_picks(&s, &picks);
    vec_release(&picks);
    return s.at;
}

/* A number up to `most` at *at, which moves behind it; -1: there is none. */
static int64_t take_number(const char **at, int64_t most)
{
    if (**at < '0' || **at > '9') return -1;
    char *end;
    unsigned long long n = strtoull(*at, &end, 10);
    *at = end;
    return n <= (unsigned long long)most ? (int64_t)n : -1;
}

static void add_pick(struct trace *t, struct trace_pick p, const char *bits, size_t bit_count)
{
    struct trace_step *s = trace_step_add(t, 0);
    s->action = "";
    if (!by_threads(t) && !has_bits(t)) {
        s->choice = p.thread;
        return;
    }
    while ((size_t)p.thread >= t->threads.len) trace_thread_add(t, "");
    s->thread = s->last = p.thread;
    if (by_threads(t)) vec_push(&s->picks, p);
    else s->choice = p.choice;
    for (size_t i = 0; i < bit_count; i++) vec_push(&s->detail, bits[i] == '1');
}

static bool read_picks(struct trace *t, const char *at)
{
    enum { MOST_THREADS = 100000 };
    if (!*at) return true;
    for (;; at++) {
        bool threads = by_threads(t) || has_bits(t);
        int64_t thread = take_number(&at, threads ? MOST_THREADS : INT_MAX), choice = 0, times = 1;
        if (*at == '.') at++, choice = take_number(&at, UINT32_MAX);
        const char *bits = at + 1;
        size_t bit_count = has_bits(t) && *at == '-' ? strspn(bits, "01") : 0;
        if (bit_count) at = bits + bit_count;
        if (*at == 'x') at++, times = take_number(&at, MOST_PICKS);
        if (thread < 0 || choice < 0 || times < 1 || t->steps.len + (size_t)times > MOST_PICKS) return false;
        for (; times; times--) add_pick(t, (struct trace_pick){(int)thread, (uint32_t)choice}, bits, bit_count);
        if (!*at) return true;
        if (*at != ',') return false;
    }
}

bool trace_take_schedule(struct trace *t, const char *text)
{
    size_t kind = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    const char *at = text + kind;
    if (!t->threads.len) trace_thread_add(t, "");
    if (*at == '@') at++, t->cycle_start = (long)take_number(&at, MOST_PICKS);
    if (!kind || *at != ':' || (text[kind] == '@' && t->cycle_start < 0)) return false;
    t->kind = arena_strndup(&t->arena, text, kind);
    return read_picks(t, at + 1) && t->cycle_start <= (long)t->steps.len;
}
