/* A schedule as a word that can be pasted into a bug report: KIND[@CYCLE]:PICKS.
 *
 * A pick of a real program is the number of a thread, and after a point which of the outcomes of its step was taken, if
 * that is not the first; of a model it is which of the possible steps was taken. "3x12" is twelve times 3. KIND and
 * CYCLE say what is to happen and where it begins to repeat itself. */
#include "trace/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PICKS = 1 << 20 };

struct picks {
    struct trace_pick *at;
    size_t len, cap;
};

static bool by_threads(const struct trace *t) { return !strcmp(t->engine, "native"); }

static void collect(const struct trace *t, struct picks *out)
{
    for (size_t i = 0; i < t->steps.len; i++) {
        const struct trace_step *s = &t->steps.at[i];
        if (!by_threads(t)) vec_push(out, ((struct trace_pick){(int)s->choice, 0}));
        for (size_t k = 0; by_threads(t) && k < s->picks.len; k++) vec_push(out, s->picks.at[k]);
    }
}

char *trace_schedule_text(const struct trace *t)
{
    struct picks picks = {0};
    struct str s = {0};
    if (strcmp(t->engine, "native") && strcmp(t->engine, "explicit")) return NULL;
    if (t->points.len) return NULL; /* they belong to one build of the program */
    collect(t, &picks);
    str_add(&s, t->kind);
    if (t->cycle_start >= 0) str_printf(&s, "@%ld", t->cycle_start);
    str_addc(&s, ':');
    for (size_t i = 0, n; i < picks.len; i += n) {
        struct trace_pick p = picks.at[i];
        for (n = 1; i + n < picks.len && picks.at[i + n].thread == p.thread && picks.at[i + n].choice == p.choice;) n++;
        str_printf(&s, "%s%d", i ? "," : "", p.thread);
        if (p.choice) str_printf(&s, ".%u", p.choice);
        if (n > 1) str_printf(&s, "x%zu", n);
    }
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

static void add_pick(struct trace *t, struct trace_pick p)
{
    struct trace_step *s = trace_step_add(t, 0);
    s->action = "";
    if (!by_threads(t)) {
        s->choice = p.thread;
        return;
    }
    while ((size_t)p.thread >= t->threads.len) trace_thread_add(t, "");
    s->thread = s->last = p.thread;
    vec_push(&s->picks, p);
}

static bool read_picks(struct trace *t, const char *at)
{
    enum { MOST_THREADS = 100000 };
    if (!*at) return true;
    for (;; at++) {
        int64_t thread = take_number(&at, by_threads(t) ? MOST_THREADS : INT_MAX), choice = 0, times = 1;
        if (*at == '.') at++, choice = take_number(&at, UINT32_MAX);
        if (*at == 'x') at++, times = take_number(&at, MOST_PICKS);
        if (thread < 0 || choice < 0 || times < 1 || t->steps.len + (size_t)times > MOST_PICKS) return false;
        for (; times; times--) add_pick(t, (struct trace_pick){(int)thread, (uint32_t)choice});
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
