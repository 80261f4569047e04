/* What one step has to do with an earlier one of another thread: messages, locks handed over, beginnings and ends.
 *
 * A trace has no fields for it; it is read off the words that engines use for steps and off what the steps changed.
 * Where these do not tell for certain (messages taken out of turn, several channels in one step) there is no arrow. */
#include "show/show_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    enum sync does;
} words[] = {
    {"lock ", SYNC_ACQUIRE},     {"trylock ", SYNC_ACQUIRE},   {"rdlock ", SYNC_ACQUIRE}, {"tryrdlock ", SYNC_ACQUIRE},
    {"wrlock ", SYNC_ACQUIRE},   {"trywrlock ", SYNC_ACQUIRE}, {"unlock ", SYNC_RELEASE}, {"rdunlock ", SYNC_RELEASE},
    {"wrunlock ", SYNC_RELEASE}, {"wait ", SYNC_WAIT},         {"wake up ", SYNC_WAKE},   {"signal ", SYNC_SIGNAL},
    {"broadcast ", SYNC_SIGNAL}, {"create ", SYNC_CREATE},     {"join ", SYNC_JOIN},      {"sem-post ", SYNC_POST},
    {"sem-wait ", SYNC_TAKE},    {"sem-trywait ", SYNC_TAKE},  {"barrier ", SYNC_ARRIVE}, {"leave ", SYNC_LEAVE},
};

enum sync sync_of_action(const char *action, const char **object)
{
    size_t n = strlen(action);
    *object = "";
    if (n > 6 && !strcmp(action + n - 6, " fails")) return SYNC_NONE;
    if (n > 15 && !strcmp(action + n - 15, ", not signalled")) return SYNC_NONE;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (!strncmp(action, words[i].word, strlen(words[i].word))) {
            *object = action + strlen(words[i].word);
            return words[i].does;
        }
    return SYNC_NONE;
}

const char *arrow_name(enum arrow_kind kind)
{
    static const char *const names[] = {
        [ARROW_RENDEZVOUS] = "rendezvous", [ARROW_MESSAGE] = "message", [ARROW_LOCK] = "lock",
        [ARROW_CREATE] = "create",         [ARROW_JOIN] = "join",       [ARROW_WAKE] = "wake"};
    static_assert(ARRAY_LEN(names) == ARROW_KINDS, "every kind has a name");
    return names[kind];
}

/* ---- messages ---- */

struct queue {
    VEC(size_t) senders;
    size_t taken;
    bool unknown;
}; /* unknown: messages were taken out of turn */

/* A value of a channel is printed as "[1,2][3,4]" or "empty". */
static bool is_contents(const char *value) { return value[0] == '[' || !strcmp(value, "empty"); }

/* The name of a channel and the operator after it: 0 if the statement is neither a send nor a receive. */
static size_t operator_at(const char *action)
{
    size_t n = 0;
    if (!isalpha((unsigned char)action[0]) && action[0] != '_') return 0;
    while (isalnum((unsigned char)action[n]) || action[n] == '_' || action[n] == '.') n++;
    if (action[n] == '[') n += strcspn(action + n, "]") + (strchr(action + n, ']') != NULL);
    bool is_operator = (action[n] == '!' && action[n + 1] != '=') || action[n] == '?';
    return is_operator ? n : 0;
}

/* The channel whose contents the step changed; NULL if it is none, or one of several. */
static const char *channel_of(const struct trace_step *s)
{
    const char *found = NULL;
    for (size_t i = 0; i < s->changes.len; i++) {
        if (!is_contents(s->changes.at[i].value)) continue;
        if (found) return NULL;
        found = s->changes.at[i].name;
    }
    return s->parts.len ? NULL : found;
}

static struct queue *queue_named(struct map *queues, const char *name)
{
    struct queue *q = map_get(queues, name);
    if (!q) map_put(queues, name, q = xcalloc(1, sizeof *q));
    return q;
}

struct maker {
    struct arrows *out;
    const struct trace *t;
    struct map queues;   /* of channels, by name */
    struct map released; /* object -> step that released or signalled it, as a pointer + 1 */
    VEC(size_t) last;    /* by thread: its latest step, SIZE_MAX: none */
    VEC(size_t) waits;   /* by thread: the step with which it began to wait */
    VEC(size_t) woken;   /* by thread: the step that woke it, SIZE_MAX: unknown */
    VEC(size_t) created; /* by thread: the step that created it, SIZE_MAX: unknown */
};

static void push(struct maker *m, enum arrow_kind kind, size_t from, size_t to, const char *label)
{
    const struct trace_step *a = &m->t->steps.at[from], *b = &m->t->steps.at[to];
    if (a->thread == b->thread && from != to) return;
    struct str text = {0};
    str_add_visible(&text, label);
    vec_push(&m->out->list,
             ((struct arrow){kind, from, to, a->thread, b->thread, arena_strdup(&m->out->arena, str_get(&text))}));
    str_release(&text);
}

static void add_message(struct maker *m, size_t i)
{
    const struct trace_step *s = &m->t->steps.at[i];
    size_t at = operator_at(s->action);
    const char *channel = at ? channel_of(s) : NULL;
    if (!channel) return;
    struct queue *q = queue_named(&m->queues, channel);
    const char *op = s->action + at;
    if (op[0] == op[1]) q->unknown = true; /* !! and ?? */
    else if (op[0] == '!') vec_push(&q->senders, i);
    else if (op[1] == '<') return; /* looked at, not taken */
    else if (q->taken < q->senders.len && !q->unknown) {
        size_t from = q->senders.at[q->taken++];
        push(m, ARROW_MESSAGE, from, i, m->t->steps.at[from].action);
    }
}

static void add_rendezvous(struct maker *m, size_t i)
{
    const struct trace_step *s = &m->t->steps.at[i];
    if (s->partner < 0 || s->partner == s->thread) return;
    push(m, ARROW_RENDEZVOUS, i, i, s->parts.len ? s->parts.at[0].action : s->action);
    vec_last(&m->out->list).to_thread = s->partner;
}

/* ---- threads and locks ---- */

/* The thread that an action calls "T2" is listed as "T2" or "T2 consumer". */
static int thread_named(const struct trace *t, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; n && i < t->threads.len; i++)
        if (!strncmp(t->threads.at[i].name, name, n) && (!t->threads.at[i].name[n] || t->threads.at[i].name[n] == ' '))
            return (int)i;
    return -1;
}

/* Which post let a wait through is not recorded: they are taken in turn. A semaphore that began with more than nothing
 * has waits that no post stands for. */
static void add_semaphore(struct maker *m, size_t i, bool posts, const char *object)
{
    struct queue *q = queue_named(&m->queues, object);
    if (posts) vec_push(&q->senders, i);
    else if (q->taken < q->senders.len) push(m, ARROW_WAKE, q->senders.at[q->taken++], i, object);
}

static void note_woken(struct maker *m, size_t i)
{
    const trace_numbers *wakes = &m->t->steps.at[i].wakes;
    for (size_t k = 0; k < wakes->len; k++) m->woken.at[wakes->at[k]] = i;
}

static void *as_pointer(size_t step) { return (void *)(uintptr_t)(step + 1); }

static void add_sync(struct maker *m, size_t i)
{
    const char *object;
    enum sync does = sync_of_action(m->t->steps.at[i].action, &object);
    int thread = does == SYNC_CREATE || does == SYNC_JOIN ? thread_named(m->t, object) : -1;
    uintptr_t from = (uintptr_t)map_get(&m->released, object);
    int self = m->t->steps.at[i].thread;
    switch (does) {
    case SYNC_NONE: return;
    case SYNC_SIGNAL: note_woken(m, i); /* fall through */
    case SYNC_RELEASE: map_put(&m->released, object, as_pointer(i)); return;
    case SYNC_WAIT: m->waits.at[self] = i; return;
    case SYNC_ACQUIRE: /* whoever released it before did not release it to the next one */
        if (from) push(m, ARROW_LOCK, from - 1, i, object);
        map_put(&m->released, object, NULL);
        return;
    case SYNC_WAKE: /* a signal before it waited was for others */
        if (m->woken.at[self] != SIZE_MAX) push(m, ARROW_WAKE, m->woken.at[self], i, object);
        else if (from && from - 1 > m->waits.at[self]) push(m, ARROW_WAKE, from - 1, i, object);
        m->woken.at[self] = SIZE_MAX;
        return;
    case SYNC_CREATE:
        if (thread >= 0) m->created.at[thread] = i;
        return;
    case SYNC_POST:
    case SYNC_TAKE: add_semaphore(m, i, does == SYNC_POST, object); return;
    case SYNC_ARRIVE: map_put(&m->released, object, as_pointer(i)); return;
    case SYNC_LEAVE: /* whoever came last let it go */
        if (from) push(m, ARROW_WAKE, from - 1, i, object);
        return;
    case SYNC_JOIN:
        if (thread >= 0 && m->last.at[thread] != SIZE_MAX) push(m, ARROW_JOIN, m->last.at[thread], i, object);
        return;
    }
}

static void add_step(struct maker *m, size_t i)
{
    const struct trace_step *s = &m->t->steps.at[i];
    size_t *created = &m->created.at[s->thread];
    if (m->last.at[s->thread] == SIZE_MAX && *created != SIZE_MAX)
        push(m, ARROW_CREATE, *created, i, m->t->threads.at[s->thread].name);
    if (s->partner >= 0) add_rendezvous(m, i);
    else add_message(m, i);
    add_sync(m, i);
    m->last.at[s->thread] = i;
}

void arrows_init(struct arrows *a, const struct trace *t)
{
    *a = (struct arrows){0};
    struct maker m = {.out = a, .t = t};
    for (size_t i = 0; i < t->threads.len; i++) {
        vec_push(&m.last, SIZE_MAX);
        vec_push(&m.created, SIZE_MAX);
        vec_push(&m.waits, 0);
        vec_push(&m.woken, SIZE_MAX);
    }
    for (size_t i = 0; i < t->steps.len; i++) add_step(&m, i);
    for (size_t i = 0; i < m.queues.cap; i++) {
        struct queue *q = m.queues.slots[i].value;
        if (q) vec_release(&q->senders);
        free(q);
    }
    map_release(&m.queues);
    map_release(&m.released);
    vec_release(&m.last);
    vec_release(&m.created);
    vec_release(&m.waits);
    vec_release(&m.woken);
}

void arrows_release(struct arrows *a)
{
    vec_release(&a->list);
    arena_release(&a->arena);
}
