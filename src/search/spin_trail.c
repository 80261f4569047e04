/* Spin's .trail files.
 *
 * A line is depth:pid:statement, one for each statement, both halves of a rendezvous. Lines with a negative depth are
 * remarks: -2 the model has a never claim (then process numbers are one higher, and process 0 is the claim), -4 the
 * verifier merged statements (then only the first of some statements of a process may have a line), -1 a cycle starts.
 */
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
            fprintf(f, "%ld:%d:%d\n", ++depth, (int)s->detail.at[k],
                    m->ops->transition(m, (uint32_t)s->detail.at[k + 1])->spin_id);
    }
    return file_finish(f, path);
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
    int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed) return message("%s: %s", path, strerror(failed));
    return got == EOF ? NULL : message("%s:%d: not a line of a trail (depth:process:statement)", path, number);
}

/* How many lines a step executes, or -1 if it executes something else. In a merged trail a statement may have no line
 * if it is of the process whose line comes before or next. */
static long lines_executed(const struct trail *t, struct model *m, size_t at, const struct successor *s)
{
    size_t next = at;
    for (uint32_t i = 0; i < s->move_count; i++) {
        int pid = s->moves[i].pid, statement = m->ops->transition(m, s->moves[i].transition)->spin_id;
        const struct line *l = next < t->lines.len ? &t->lines.at[next] : NULL;
        if (l && l->pid == pid && l->statement == statement) next++;
        else if (!t->merged || !((next && t->lines.at[next - 1].pid == pid) || (l && l->pid == pid))) return -1;
    }
    return (long)(next - at);
}

/* A state reached from the current one by steps of one process that have no lines. */
struct node { uint8_t *state; uint32_t size; long parent; uint32_t choice; };

struct trail_seek {
    const struct trail *t;
    struct model *m;
    size_t at;
    VEC(struct node) nodes;
    long from;           /* the node being expanded */
    uint32_t index;
    long executed;       /* lines by the step found, 0: none found yet */
    uint32_t choice;
};

static bool consider(void *ctx, const struct successor *s)
{
    struct trail_seek *k = ctx;
    uint32_t choice = k->index++;
    long n = lines_executed(k->t, k->m, k->at, s);
    if (n > k->executed) k->executed = n, k->choice = choice;
    bool unlisted = n == 0 && s->state && s->pid == k->t->lines.at[k->at].pid;
    if (unlisted && !k->executed) {
        struct node x = {memcpy(xmalloc(s->size), s->state, s->size), s->size, k->from, choice};
        vec_push(&k->nodes, x);
    }
    return true;
}

/* Finds the shortest way to the next line: at once, or in a merged trail after statements of its process that have no
 * lines. (They are executed only now, not when Spin did; they are local, so that nobody can tell.) */
static bool seek_line(struct trail_seek *k, const uint8_t *state, uint32_t size)
{
    enum { MOST_NODES = 1000 };
    vec_push(&k->nodes, ((struct node){memcpy(xmalloc(size), state, size), size, -1, 0}));
    for (size_t i = 0; i < k->nodes.len && k->nodes.len < MOST_NODES; i++) {
        struct node x = k->nodes.at[i];
        k->from = (long)i;
        k->index = 0;
        k->m->ops->successors(k->m, x.state, x.size, MODEL_ALL, false, consider, k);
        if (k->executed) return true;
    }
    return false;
}

static void release_nodes(struct trail_seek *k)
{
    for (size_t i = 0; i < k->nodes.len; i++) free(k->nodes.at[i].state);
    vec_release(&k->nodes);
}

static const struct successor *take(struct replay *r, uint32_t choice, struct schedule *out)
{
    vec_push(&out->choices, choice);
    return replay_step(r, choice);
}

/* The steps to the node being expanded, then the one with the line. */
static const struct successor *take_found(struct replay *r, const struct trail_seek *k, struct schedule *out)
{
    VEC(uint32_t) way = {0};
    for (long at = k->from; k->nodes.at[at].parent >= 0; at = k->nodes.at[at].parent)
        vec_push(&way, k->nodes.at[at].choice);
    while (way.len) take(r, vec_pop(&way), out);
    vec_release(&way);
    return take(r, k->choice, out);
}

static bool can_move(struct replay *r, struct model *m)
{
    uint32_t size;
    const uint8_t *state = replay_state(r, &size);
    for (int pid = size ? m->ops->process_count(m, state) - 1 : -1; pid >= 0; pid--)
        if (replay_process_enabled(r, pid)) return true;
    return false;
}

static bool is_of_last_line(void *ctx, const struct successor *s)
{
    struct trail_seek *k = ctx;
    const struct line *last = &vec_last(&k->t->lines);
    if (s->pid == last->pid && !k->executed) k->executed = 1, k->choice = k->index;
    k->index++;
    return true;
}

/* A merged trail may end before statements that have no lines: first those of the process that moved last (one of them
 * may be the error), then whatever is left before nobody can move. */
static const struct successor *finish_merged(struct model *m, const struct trail *t, struct replay *r,
                                             struct schedule *out)
{
    enum { MOST_STEPS = 1000 };
    const struct successor *taken = NULL;
    for (int i = 0; i < MOST_STEPS && !(taken && taken->fault) && can_move(r, m); i++) {
        struct trail_seek k = {.t = t, .m = m};
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        m->ops->successors(m, state, size, MODEL_ALL, false, is_of_last_line, &k);
        taken = take(r, k.executed ? k.choice : 0, out);
    }
    return taken;
}

static char *follow(struct model *m, const struct trail *t, struct schedule *out)
{
    struct replay *r = replay_new(m);
    const struct successor *taken = NULL;
    char *wrong = NULL;
    for (size_t at = 0; at < t->lines.len && !wrong;) {
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        struct trail_seek k = {.t = t, .m = m, .at = at};
        bool last = at + 1 == t->lines.len;
        if (size && seek_line(&k, state, size)) taken = take_found(r, &k, out);
        else if (last && !can_move(r, m)) k.executed = 1; /* a breadth-first pan writes one line too many */
        else wrong = message("the trail leaves the model at its step %ld: process %d cannot execute statement %d here",
                             t->lines.at[at].depth, t->lines.at[at].pid, t->lines.at[at].statement);
        at += (size_t)k.executed;
        release_nodes(&k);
    }
    if (!wrong && t->merged && t->lines.len && !(taken && taken->fault)) taken = finish_merged(m, t, r, out);
    out->deadlock = !(taken && taken->fault) && !can_move(r, m);
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
