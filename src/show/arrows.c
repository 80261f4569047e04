/* What one step has to do with an earlier one of another thread: messages, locks handed over, beginnings and ends.
 *
 * A trace has no fields for it; it is read off the words that engines use for steps and off what the steps changed.
 * Where these do not tell for certain there is no arrow. */
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

/* What is in a channel: its messages, and the step that sent each (SIZE_MAX: unknown). */
struct queue {
    VEC(const char *) messages;
    VEC(size_t) senders;
    size_t taken;  /* of a semaphore, whose senders are its posts: waits that went through */
    long initial;  /* of a semaphore: what it began with, -1: that cannot be told */
};
typedef VEC(const char *) messages;

/* A value of a channel is printed as "[1,2][3,4]" or "empty". */
static bool is_contents(const char *value) { return value[0] == '[' || !strcmp(value, "empty"); }

static void split_contents(struct arena *a, const char *value, messages *out)
{
    enum { MOST_MESSAGES = 1024 }; /* Promela has at most 255 in a channel */
    while (*value == '[' && out->len < MOST_MESSAGES) {
        size_t len = strcspn(value, "]") + 1;
        vec_push(out, arena_strndup(a, value, len));
        value += strlen(value) < len ? strlen(value) : len;
    }
}

/* '!' or '?' if the statement is a send or a receive, else 0. */
static char operator_of(const char *action)
{
    size_t n = 0;
    if (!isalpha((unsigned char)action[0]) && action[0] != '_') return 0;
    while (isalnum((unsigned char)action[n]) || action[n] == '_' || action[n] == '.') n++;
    if (action[n] == '[') n += strcspn(action + n, "]") + (strchr(action + n, ']') != NULL);
    bool is_operator = (action[n] == '!' && action[n + 1] != '=') || action[n] == '?';
    return is_operator ? action[n] : 0;
}

/* How many statements of the step are of this kind; those of a d_step are not told, so that there may be any number. */
static size_t count_operators(const struct trace_step *s, char operator)
{
    size_t count = operator_of(s->action) == operator && !s->parts.len;
    for (size_t i = 0; i < s->parts.len; i++) {
        if (!strncmp(s->parts.at[i].action, "D_STEP", 6)) return SIZE_MAX;
        count += operator_of(s->parts.at[i].action) == operator;
    }
    return strncmp(s->action, "D_STEP", 6) ? count : SIZE_MAX;
}

/* The statement that sent, or what is sent if it is one of several. */
static const char *sending(const struct trace_step *s, const char *message)
{
    const char *found = NULL;
    for (size_t i = 0; i < s->parts.len; i++) {
        if (operator_of(s->parts.at[i].action) != '!') continue;
        if (found) return message;
        found = s->parts.at[i].action;
    }
    return found ? found : operator_of(s->action) == '!' ? s->action : message;
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

/* The first message that is not the same in both. */
static size_t first_different(const struct queue *q, const messages *now)
{
    size_t i = 0;
    while (i < q->messages.len && i < now->len && !strcmp(q->messages.at[i], now->at[i])) i++;
    return i;
}

/* How many were taken from the front, if all that is left is where it was, before what is new. */
static size_t taken_in_turn(const struct queue *q, const messages *now)
{
    size_t taken = 0, same;
    for (; taken < q->messages.len; taken++) {
        size_t left = q->messages.len - taken;
        for (same = 0; same < left && same < now->len; same++)
            if (strcmp(q->messages.at[taken + same], now->at[same])) break;
        if (same == left) break;
    }
    return taken;
}

static void take_message(struct maker *m, struct queue *q, size_t at, size_t step)
{
    size_t from = q->senders.at[at];
    if (from != SIZE_MAX)
        push(m, ARROW_MESSAGE, from, step, sending(&m->t->steps.at[from], q->messages.at[at]));
    for (size_t i = at; i + 1 < q->senders.len; i++) {
        q->senders.at[i] = q->senders.at[i + 1];
        q->messages.at[i] = q->messages.at[i + 1];
    }
    q->senders.len--;
    q->messages.len--;
}

static void put_message(struct queue *q, size_t at, size_t sender, const char *message)
{
    vec_push(&q->senders, sender);
    vec_push(&q->messages, message);
    for (size_t i = q->senders.len - 1; i > at; i--) {
        q->senders.at[i] = q->senders.at[i - 1];
        q->messages.at[i] = q->messages.at[i - 1];
    }
    q->senders.at[at] = sender;
    q->messages.at[at] = message;
}

/* What was in a channel and what is in it now tell what was taken, be it out of turn, and what was sent, be it sorted.
 * A change that the statements of the step do not account for (a channel of another process of the same name) makes the
 * senders unknown. */
static void compare_contents(struct maker *m, struct queue *q, const messages *now, size_t step)
{
    const struct trace_step *s = &m->t->steps.at[step];
    size_t sends = count_operators(s, '!'), receives = count_operators(s, '?'), at = first_different(q, now);
    if (now->len + 1 == q->messages.len && receives) {
        take_message(m, q, at, step);
        at = first_different(q, now);
    } else if (now->len == q->messages.len + 1 && sends) {
        put_message(q, at, step, now->at[at]);
        at = first_different(q, now);
    }
    if (at == now->len && at == q->messages.len) return;
    size_t taken = taken_in_turn(q, now), sent = now->len - (q->messages.len - taken);
    bool told = taken <= receives && sent <= sends;
    for (size_t i = 0; told && i < taken; i++) take_message(m, q, 0, step);
    if (!told) q->messages.len = q->senders.len = 0;
    for (size_t i = q->messages.len; i < now->len; i++) put_message(q, i, told ? step : SIZE_MAX, now->at[i]);
}

static void add_messages(struct maker *m, size_t step)
{
    const trace_changes *c = &m->t->steps.at[step].changes;
    for (size_t i = 0; i < c->len; i++) {
        messages now = {0};
        if (!is_contents(c->at[i].value)) continue;
        split_contents(&m->out->arena, c->at[i].value, &now);
        compare_contents(m, queue_named(&m->queues, c->at[i].name), &now, step);
        vec_release(&now);
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

/* A post for which somebody waits finds a semaphore at nothing, and tells with what it began: as much as was taken
 * before and not given back. */
static void find_initial(struct maker *m)
{
    struct map posts = {0}, waits = {0}, told = {0};
    const char *object;
    for (size_t i = 0; i < m->t->steps.len; i++) {
        enum sync does = sync_of_action(m->t->steps.at[i].action, &object);
        if (does != SYNC_POST && does != SYNC_TAKE) continue;
        struct map *count = does == SYNC_POST ? &posts : &waits;
        long before = (long)(uintptr_t)map_get(&waits, object) - (long)(uintptr_t)map_get(&posts, object);
        if (does == SYNC_POST && m->t->steps.at[i].wakes.len && !map_get(&told, object)) {
            queue_named(&m->queues, object)->initial = before;
            map_put(&told, object, m);
        }
        map_put(count, object, (void *)((uintptr_t)map_get(count, object) + 1));
    }
    for (size_t i = 0; i < waits.cap; i++)
        if (waits.slots[i].value && !map_get(&told, waits.slots[i].key))
            queue_named(&m->queues, waits.slots[i].key)->initial = -1;
    map_release(&posts);
    map_release(&waits);
    map_release(&told);
}

/* The first waits live on what was there in the beginning. The k-th after them needs k posts, so it is the k-th that
 * let it through, whichever came in between. */
static void add_semaphore(struct maker *m, size_t i, bool posts, const char *object)
{
    struct queue *q = queue_named(&m->queues, object);
    if (posts) {
        vec_push(&q->senders, i);
        return;
    }
    size_t number = q->taken++;
    if (q->initial < 0 || number < (size_t)q->initial || number - (size_t)q->initial >= q->senders.len) return;
    push(m, ARROW_WAKE, q->senders.at[number - (size_t)q->initial], i, object);
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
    add_messages(m, i);
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
    find_initial(&m);
    for (size_t i = 0; i < t->steps.len; i++) add_step(&m, i);
    for (size_t i = 0; i < m.queues.cap; i++) {
        struct queue *q = m.queues.slots[i].value;
        if (q) vec_release(&q->senders);
        if (q) vec_release(&q->messages);
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
