/* Spin's .trail files.
 *
 * A line is depth:pid:statement, one for each statement, both halves of a rendezvous. Lines with a negative depth are
 * remarks: -2 the model has a never claim (then process numbers are one higher, and process 0 is the claim), -4 the
 * verifier merged statements (then only the first of some statements of a process may have a line), -1 a cycle starts. */
#include "search/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line { long depth; int pid, statement; };

struct trail {
    VEC(struct line) lines;
    bool merged;
};

int trail_write(struct model *m, const struct trace *t, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    long depth = 0;
    for (size_t i = 0; i < t->steps.len; i++) {
        const struct trace_step *s = &t->steps.at[i];
        for (size_t k = 0; k + 1 < s->detail.len; k += 2)
            fprintf(f, "%ld:%d:%d\n", ++depth, (int)s->detail.at[k], m->ops->transition(m, (uint32_t)s->detail.at[k + 1])->spin_id);
    }
    int failed = ferror(f);
    return fclose(f) || failed ? -1 : 0;
}

static char *message(const char *fmt, ...) PRINTF_LIKE(1, 2);
static char *message(const char *fmt, ...)
{
    struct str s = {0};
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    return s.at;
}

static char *read_lines(const char *path, struct trail *t)
{
    FILE *f = fopen(path, "r");
    if (!f) return message("%s: %s", path, strerror(errno));
    bool claim = false;
    int got, number = 0;
    struct line l;
    while (number++, (got = fscanf(f, "%ld:%d:%d\n", &l.depth, &l.pid, &l.statement)) == 3) {
        if (l.depth == -2) claim = true;
        if (l.depth == -4) t->merged = true;
        if (l.depth < 0 || (claim && l.pid == 0)) continue;
        l.pid -= claim;
        vec_push(&t->lines, l);
    }
    fclose(f);
    return got == EOF ? NULL : message("%s:%d: not a line of a trail (depth:process:statement)", path, number);
}

/* How far a step gets us: the lines it executes, or -1 if it executes something else. In a merged trail a statement
 * without a line must belong to the process of the line before it. */
static long lines_executed(const struct trail *t, struct model *m, size_t at, const struct successor *s)
{
    size_t next = at;
    for (uint32_t i = 0; i < s->move_count; i++) {
        int statement = m->ops->transition(m, s->moves[i].transition)->spin_id;
        const struct line *l = next < t->lines.len ? &t->lines.at[next] : NULL;
        if (l && l->pid == s->moves[i].pid && l->statement == statement) next++;
        else if (!t->merged || !next || t->lines.at[next - 1].pid != s->moves[i].pid) return -1;
    }
    return (long)(next - at);
}

struct seek { const struct trail *t; struct model *m; size_t at; uint32_t index, choice; long best; };

static bool consider(void *ctx, const struct successor *s)
{
    struct seek *k = ctx;
    long n = lines_executed(k->t, k->m, k->at, s);
    if (n > k->best) k->best = n, k->choice = k->index;
    k->index++;
    return true;
}

static bool can_still_move(struct replay *r, struct model *m)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    for (int pid = size ? m->ops->process_count(m, state) - 1 : -1; pid >= 0; pid--)
        if (replay_process_enabled(r, pid)) return true;
    return false;
}

/* Follows the lines with the step that executes most of them; a merged trail may leave out steps in between. */
static char *follow(struct model *m, const struct trail *t, struct schedule *out)
{
    enum { MOST_SKIPPED = 1000 };
    struct replay *r = replay_new(m);
    const struct successor *taken = NULL;
    char *wrong = NULL;
    int skipped = 0;
    for (size_t at = 0; at < t->lines.len && !wrong;) {
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        struct seek k = {.t = t, .m = m, .at = at, .best = -1};
        if (size) m->ops->successors(m, state, size, MODEL_ALL, false, consider, &k);
        skipped = k.best > 0 ? 0 : skipped + 1;
        if (k.best < 0 || skipped > MOST_SKIPPED) {
            wrong = message("the trail leaves the model at its step %ld: process %d cannot execute statement %d here",
                            t->lines.at[at].depth, t->lines.at[at].pid, t->lines.at[at].statement);
            break;
        }
        vec_push(&out->choices, k.choice);
        taken = replay_step(r, k.choice);
        at += (size_t)k.best;
    }
    out->deadlock = !(taken && taken->fault) && !can_still_move(r, m);
    replay_free(r);
    return wrong;
}

char *trail_schedule(struct model *m, const char *path, struct schedule *out)
{
    struct trail t = {0};
    char *wrong = read_lines(path, &t);
    if (!wrong) wrong = follow(m, &t, out);
    vec_release(&t.lines);
    return wrong;
}
