/* Spin's .trail files.
 *
 * A line is depth:pid:statement, one for each statement, both halves of a rendezvous. Lines with a negative depth are
 * remarks: -2 the model has a never claim (then process numbers are one higher, and process 0 is the claim), -4 the
 * verifier merged statements (then only the first of some statements of a process may have a line), -1 a cycle starts.
 * What the claim does is left out: whether the run violates a property is judged from the run (violation.c). */
#include "search/search.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct line { long depth; int pid, statement; };

struct trail {
    VEC(struct line) lines;
    bool merged, claim;
    size_t cycle; /* the line with which the cycle starts, SIZE_MAX: there is none */
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

/* A line without its end; false if it is not one of a trail. */
static bool parse_line(const char *text, struct line *l)
{
    long value[3];
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        value[i] = strtol(text, &end, 10);
        if (end == text || errno || value[i] < INT_MIN || value[i] > INT_MAX || *end != (i < 2 ? ':' : 0)) return false;
        text = end + 1;
    }
    *l = (struct line){value[0], (int)value[1], (int)value[2]};
    return l->depth < 0 || (l->pid >= 0 && l->pid <= MODEL_MOST_PROCESSES && l->statement >= 0);
}

static void add_line(struct trail *t, struct line l)
{
    if (l.depth == -1) t->cycle = t->lines.len;
    if (l.depth == -2) t->claim = true;
    if (l.depth == -4) t->merged = true;
    if (l.depth < 0 || (t->claim && l.pid == 0)) return;
    l.pid -= t->claim;
    vec_push(&t->lines, l);
}

static char *read_lines(const char *path, struct trail *t)
{
    FILE *f = fopen(path, "r");
    if (!f) return message("%s: %s", path, strerror(errno));
    char *text = NULL, *wrong = NULL;
    size_t room = 0;
    for (int number = 1; !wrong && getline(&text, &room, f) >= 0; number++) {
        struct line l;
        text[strcspn(text, "\r\n")] = 0;
        if (!*text) continue;
        if (parse_line(text, &l)) add_line(t, l);
        else wrong = message("%s:%d: not a line of a trail (depth:process:statement)", path, number);
    }
    int failed = ferror(f) ? errno : 0;
    if (failed && !wrong) wrong = message("%s: %s", path, strerror(failed));
    if (!wrong && !t->lines.len && t->cycle == SIZE_MAX && !t->claim)
        wrong = message("%s: no step in this trail", path);
    free(text);
    fclose(f);
    return wrong;
}

/* Where Spin had executed statements without lines and we have not yet, a cycle need not close; the second time round
 * it does, for then the same statements are missing before it and after it. */
static void repeat_cycle(struct trail *t)
{
    size_t start = t->cycle, end = t->lines.len;
    for (size_t i = start; i < end; i++) vec_push(&t->lines, t->lines.at[i]);
    t->cycle = end;
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

static char *follow(struct model *m, const struct trail *t, bool to_the_end, struct schedule *out)
{
    struct replay *r = replay_new(m);
    const struct successor *taken = NULL;
    char *wrong = NULL;
    for (size_t at = 0; at < t->lines.len && !wrong;) {
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        struct trail_seek k = {.t = t, .m = m, .at = at};
        bool last = at + 1 == t->lines.len;
        if (at <= t->cycle) out->cycle_start = out->choices.len;
        if (size && seek_line(&k, state, size)) taken = take_found(r, &k, out);
        else if (last && !can_move(r, m)) k.executed = 1; /* a breadth-first pan writes one line too many */
        else wrong = message("the trail leaves the model at its step %ld: process %d cannot execute statement %d here",
                             t->lines.at[at].depth, t->lines.at[at].pid, t->lines.at[at].statement);
        at += (size_t)k.executed;
        release_nodes(&k);
    }
    if (t->cycle >= t->lines.len) out->cycle_start = out->choices.len;
    if (!wrong && to_the_end && t->lines.len && !(taken && taken->fault)) taken = finish_merged(m, t, r, out);
    out->deadlock = !(taken && taken->fault) && !can_move(r, m);
    replay_free(r);
    return wrong;
}

char *trail_unreadable(const char *path)
{
    struct trail t = {.cycle = SIZE_MAX};
    char *wrong = read_lines(path, &t);
    vec_release(&t.lines);
    return wrong;
}

char *trail_schedule(struct model *m, const char *path, enum trail_end end, struct schedule *out)
{
    struct trail t = {.cycle = SIZE_MAX};
    *out = (struct schedule){0};
    char *wrong = read_lines(path, &t);
    out->lasso = t.cycle != SIZE_MAX;
    out->violates = t.claim || out->lasso;
    if (end == TRAIL_CYCLE_TWICE && out->lasso) repeat_cycle(&t);
    if (!wrong) wrong = follow(m, &t, end == TRAIL_TO_THE_END && t.merged, out);
    assert(wrong || out->cycle_start <= out->choices.len);
    vec_release(&t.lines);
    return wrong;
}
