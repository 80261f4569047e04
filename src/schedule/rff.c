/* Reads-from feedback: fuzzing in which an input is an abstract schedule, a small set of constraints "this read takes
 * (or does not take) that write". Each execution mutates an abstract schedule of the corpus and follows it. An
 * execution that shows a new pair of write and read, or a new combination of them, adds its abstract schedule to the
 * corpus. Abstract schedules whose combinations are rare are chosen more often. (Wolff, Shi, Duck, Mathur,
 * Roychoudhury: Greybox fuzzing for concurrency testing, 2024.)
 *
 * Reads and writes are named by kind, code location and place, not by thread, so what matters for one thread is
 * learnt from all that run the same code. An operation on a synchronisation object reads and writes the object.
 *
 * To make a read take a write, the read waits until that write is the last one at its place, and from then on other
 * writes to the place wait until the read is done. To make it take another one, it waits while that write is the last.
 * Among the threads that need not wait, partial order sampling decides (priorities.c). If all have to wait, one goes
 * on.
 *
 * Weak memory: a read takes the write that a constraint names if it may; otherwise the newest one three times out of
 * four, else one of the older writes. */
#include <string.h>

#include "schedule/internal.h"

enum {
    MOST_CONSTRAINTS = 6, MOST_CORPUS = 256, MOST_NAMES = 4096, MOST_PAIRS = 1 << 14, MOST_COMBINATIONS = 1 << 14,
    MOST_PLACES = 4096, REMEMBERED = 8, INITIAL = 1 /* the name of the write that was there before all others */
};
enum { READS = 1, WRITES = 2 };

struct constraint { uint64_t place, write, read, negative; };
struct abstract { uint64_t count, combination; struct constraint at[MOST_CONSTRAINTS]; };
/* The latest writes to a place, as far as they are remembered; the newest one is the last. */
struct history { uint64_t writes[REMEMBERED]; unsigned len; };

struct rff {
    struct sample sample;
    struct priorities priorities;
    /* what is known */
    struct tally names;        /* (place, name) -> READS, WRITES */
    struct tally pairs;        /* (write, read) -> executions with it */
    struct tally combinations; /* (combination, 0) -> executions with it */
    struct { uint64_t len, next; struct abstract at[MOST_CORPUS]; } corpus; /* next: to be replaced when it is full */
    /* what the executions of the batch showed: records, one after another */
    STACK(uint64_t) shown;
    /* the execution at hand */
    struct abstract abstract;
    bool satisfied[MOST_CONSTRAINTS];
    struct tally names_now, pairs_now, places_now; /* the last: place -> 1 + number of its history */
    STACK(struct history) histories;
    size_t depth; /* steps that were followed */
};

static void rff_begin(struct sched *s)
{
    struct rff *f = pool_alloc(&s->pool, sizeof *f);
    sample_begin(s, &f->sample);
    tally_init(&f->names, &s->pool, MOST_NAMES);
    tally_init(&f->pairs, &s->pool, MOST_PAIRS);
    tally_init(&f->combinations, &s->pool, MOST_COMBINATIONS);
    tally_init(&f->names_now, &s->pool, MOST_NAMES);
    tally_init(&f->pairs_now, &s->pool, MOST_PAIRS);
    tally_init(&f->places_now, &s->pool, MOST_PLACES);
    f->corpus.len = 1; /* no constraints */
    s->own = f;
}

/* ---- names ---- */

static uint64_t what_it_does(const struct sched_op *op)
{
    switch (op->kind) {
    case SCHED_READ: case SCHED_SEM_READ: case SCHED_PEEK: return READS;
    case SCHED_WRITE: case SCHED_INIT: return WRITES;
    default: return READS | WRITES;
    }
}

static uint64_t name_of(const struct sched_op *op, uint64_t place)
{
    uint64_t name = hash_mix(hash_mix(place, op->site), op->kind);
    return name > INITIAL ? name : INITIAL + 1;
}

static struct history *history_of(const struct rff *f, uint64_t place)
{
    const struct tally_row *row = tally_find(&f->places_now, place, 0);
    return row ? &f->histories.at[row->count - 1] : NULL;
}

/* The write that an access takes if it passes over so many newer ones. */
static uint64_t write_passed(const struct history *h, uint64_t choice)
{
    return h && choice < h->len ? h->writes[h->len - 1 - choice] : INITIAL;
}

/* ---- following an execution ---- */

static void note_write(struct sched *s, struct rff *f, uint64_t place, uint64_t name, uint64_t choice)
{
    struct tally_row *row = tally_add(&f->places_now, &s->pool, place, 0);
    if (!row)
        return;
    if (!row->count) {
        stack_push(&s->pool, &f->histories, ((struct history){.len = 0}));
        row->count = f->histories.len;
    }
    struct history *h = &f->histories.at[row->count - 1];
    if (choice > h->len)
        return;
    if (h->len == REMEMBERED) {
        if (choice == REMEMBERED)
            return;
        memmove(h->writes, h->writes + 1, (REMEMBERED - 1) * sizeof *h->writes);
        h->len--;
    }
    memmove(h->writes + h->len - choice + 1, h->writes + h->len - choice, choice * sizeof *h->writes);
    h->writes[h->len++ - choice] = name;
}

static void note_read(struct sched *s, struct rff *f, uint64_t write, uint64_t name)
{
    struct tally_row *row = tally_add(&f->pairs_now, &s->pool, write, name);
    if (row)
        row->count++;
    for (uint64_t i = 0; i < f->abstract.count; i++) {
        const struct constraint *c = &f->abstract.at[i];
        f->satisfied[i] |= !c->negative && c->read == name && c->write == write;
    }
}

static void follow_step(struct sched *s, struct rff *f, const struct step *step)
{
    uint64_t places[OP_PLACES], does = what_it_does(&step->op);
    int count = op_places(&step->op, places);
    uint64_t choice = op_is_memory(&step->op) ? step->choice : 0;
    if (step->outcome.failed)
        does = READS;
    for (int i = 0; i < count; i++) {
        uint64_t name = name_of(&step->op, places[i]);
        struct tally_row *row = tally_add(&f->names_now, &s->pool, places[i], name);
        if (row)
            row->count |= what_it_does(&step->op);
        if (does & READS)
            note_read(s, f, write_passed(history_of(f, places[i]), choice), name);
        if (does & WRITES)
            note_write(s, f, places[i], name, choice);
    }
}

static void follow(struct sched *s, struct rff *f)
{
    for (; f->depth < s->depth; f->depth++)
        follow_step(s, f, &s->log.at[f->depth]);
}

/* ---- feedback ---- */

/* Which pairs there were, whatever their order and how often each was. */
static uint64_t combination_of(const struct rff *f)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < f->pairs_now.rows.len; i++)
        sum += hash_mix(f->pairs_now.rows.at[i].a, f->pairs_now.rows.at[i].b);
    return sum;
}

static void put(struct sched *s, struct rff *f, uint64_t word)
{
    stack_push(&s->pool, &f->shown, word);
}

static void put_new_rows(struct sched *s, struct rff *f, const struct tally *now, const struct tally *known)
{
    size_t at = f->shown.len;
    put(s, f, 0);
    for (size_t i = 0; i < now->rows.len; i++) {
        const struct tally_row *row = &now->rows.at[i], *was = tally_find(known, row->a, row->b);
        if (was && (was->count & row->count) == row->count && known == &f->names)
            continue;
        put(s, f, row->a);
        put(s, f, row->b);
        put(s, f, known == &f->names ? row->count : 1);
        f->shown.at[at]++;
    }
}

/* A record: the abstract schedule, with the combination that it led to; then the names that were not known, and the
 * pairs. */
static void rff_note(struct sched *s)
{
    struct rff *f = s->own;
    follow(s, f);
    f->abstract.combination = combination_of(f);
    put(s, f, f->abstract.count);
    put(s, f, f->abstract.combination);
    for (uint64_t i = 0; i < f->abstract.count; i++) {
        const struct constraint *c = &f->abstract.at[i];
        put(s, f, c->place), put(s, f, c->write), put(s, f, c->read), put(s, f, c->negative);
    }
    put_new_rows(s, f, &f->names_now, &f->names);
    put_new_rows(s, f, &f->pairs_now, &f->pairs);
}

static void add_to_corpus(struct rff *f, const struct abstract *a)
{
    if (f->corpus.len < MOST_CORPUS) {
        f->corpus.at[f->corpus.len++] = *a;
        return;
    }
    f->corpus.next = f->corpus.next + 1 < MOST_CORPUS ? f->corpus.next + 1 : 1; /* the first one stays */
    f->corpus.at[f->corpus.next] = *a;
}

/* Rows of names are marked with what the name does, those of pairs are counted. Whether one was new. */
static bool learn_rows(struct sched *s, struct tally *known, const uint64_t **at, bool counts)
{
    uint64_t len = *(*at)++;
    bool is_new = false;
    for (; len; len--, *at += 3) {
        struct tally_row *row = tally_add(known, &s->pool, (*at)[0], (*at)[1]);
        is_new |= row && !row->count;
        if (row)
            row->count = counts ? row->count + (*at)[2] : row->count | (*at)[2];
    }
    return is_new;
}

static const uint64_t *learn_one(struct sched *s, struct rff *f, const uint64_t *at)
{
    struct abstract a = {.count = *at++};
    a.combination = *at++;
    for (uint64_t i = 0; i < a.count; i++, at += 4)
        a.at[i] = (struct constraint){at[0], at[1], at[2], at[3]};
    learn_rows(s, &f->names, &at, false);
    bool is_new = learn_rows(s, &f->pairs, &at, true);
    struct tally_row *row = tally_add(&f->combinations, &s->pool, a.combination, 0);
    is_new |= row && !row->count;
    if (row)
        row->count++;
    if (is_new && a.count)
        add_to_corpus(f, &a);
    return at;
}

static void rff_learn(struct sched *s)
{
    struct rff *f = s->own;
    const uint64_t *at = f->shown.at, *end = at + f->shown.len;
    while (at < end)
        at = learn_one(s, f, at);
    f->shown.len = 0;
}

static void put_tally(const struct tally *t, struct bytes *out)
{
    bytes_put(out, &t->rows.len, sizeof t->rows.len);
    bytes_put(out, t->rows.at, t->rows.len * sizeof *t->rows.at);
}

static void get_tally(struct sched *s, struct tally *t, struct bytes *in)
{
    size_t len = 0;
    struct tally_row row, *here;
    bytes_get(in, &len, sizeof len);
    for (; len && bytes_get(in, &row, sizeof row); len--)
        if ((here = tally_add(t, &s->pool, row.a, row.b)))
            here->count = row.count;
}

static void rff_give(struct sched *s, struct bytes *out)
{
    const struct rff *f = s->own;
    put_tally(&f->names, out);
    put_tally(&f->pairs, out);
    put_tally(&f->combinations, out);
    bytes_put(out, &f->corpus.len, sizeof f->corpus.len);
    bytes_put(out, f->corpus.at, f->corpus.len * sizeof *f->corpus.at);
}

static void rff_take(struct sched *s, struct bytes *in)
{
    struct rff *f = s->own;
    get_tally(s, &f->names, in);
    get_tally(s, &f->pairs, in);
    get_tally(s, &f->combinations, in);
    bytes_get(in, &f->corpus.len, sizeof f->corpus.len);
    bytes_get(in, f->corpus.at, f->corpus.len * sizeof *f->corpus.at);
}

static void rff_answer(struct sched *s, struct bytes *out)
{
    const struct rff *f = s->own;
    bytes_put(out, &f->shown.len, sizeof f->shown.len);
    bytes_put(out, f->shown.at, f->shown.len * sizeof *f->shown.at);
}

static void rff_merge(struct sched *s, struct bytes *in)
{
    struct rff *f = s->own;
    size_t len = 0;
    bytes_get(in, &len, sizeof len);
    stack_reserve(&s->pool, &f->shown, f->shown.len + len);
    if (bytes_get(in, f->shown.at + f->shown.len, len * sizeof *f->shown.at))
        f->shown.len += len;
}

static const struct feedback_rules rff_feedback = {rff_note, rff_learn, rff_give, rff_take, rff_answer, rff_merge};

/* ---- mutation ---- */

static uint64_t below(struct rff *f, uint64_t n)
{
    return random_next(&f->sample.state) % n;
}

/* One of the names that do this at the place, 0: at any place; NULL: there is none. Each is equally likely. */
static const struct tally_row *draw_name(struct rff *f, uint64_t place, uint64_t does)
{
    const struct tally_row *drawn = NULL;
    uint64_t seen = 0;
    for (size_t i = 0; i < f->names.rows.len; i++) {
        const struct tally_row *row = &f->names.rows.at[i];
        if ((row->count & does) && (!place || row->a == place) && !below(f, ++seen))
            drawn = row;
    }
    return drawn;
}

static uint64_t times_seen(const struct rff *f, uint64_t write, uint64_t read)
{
    const struct tally_row *row = tally_find(&f->pairs, write, read);
    return row ? row->count : 0;
}

/* Of two writes to the place the one that the read took less often. */
static uint64_t draw_write(struct rff *f, uint64_t place, uint64_t read)
{
    uint64_t drawn[2];
    for (int i = 0; i < 2; i++) {
        const struct tally_row *row = below(f, 3) ? draw_name(f, place, WRITES) : NULL;
        drawn[i] = row ? row->b : INITIAL;
    }
    return times_seen(f, drawn[0], read) <= times_seen(f, drawn[1], read) ? drawn[0] : drawn[1];
}

static bool is_written(const struct rff *f, uint64_t place)
{
    for (size_t i = 0; i < f->names.rows.len; i++)
        if (f->names.rows.at[i].a == place && (f->names.rows.at[i].count & WRITES))
            return true;
    return false;
}

static void add_constraint(struct rff *f, struct abstract *a)
{
    enum { SELDOM = 4 };
    const struct tally_row *read = draw_name(f, 0, READS);
    if (!read || !is_written(f, read->a) || a->count == MOST_CONSTRAINTS)
        return;
    a->at[a->count++] = (struct constraint){read->a, draw_write(f, read->a, read->b), read->b, !below(f, SELDOM)};
}

static void mutate(struct rff *f, struct abstract *a)
{
    enum { WAYS = 8, NONE = 0, DROP, NEGATE, SWAP };
    uint64_t way = below(f, WAYS), which = a->count ? below(f, a->count) : 0;
    if (!a->count && way <= SWAP)
        way = way == NONE ? NONE : WAYS;
    if (way == DROP)
        a->at[which] = a->at[--a->count];
    else if (way == NEGATE)
        a->at[which].negative = !a->at[which].negative;
    else if (way == SWAP)
        a->at[which].write = draw_write(f, a->at[which].place, a->at[which].read);
    else if (way != NONE)
        add_constraint(f, a);
}

static uint64_t energy(const struct rff *f, const struct abstract *a)
{
    enum { HIGHEST = 64 };
    const struct tally_row *row = a->count ? tally_find(&f->combinations, a->combination, 0) : NULL;
    uint64_t seen = row && row->count ? row->count : 1;
    return seen < HIGHEST ? HIGHEST / seen : 1;
}

/* A third of the executions starts without constraints again: otherwise a large corpus of long abstract schedules, most
 * of which contradict themselves, would leave nothing for the simple ones. */
static const struct abstract *draw_parent(struct rff *f)
{
    enum { SHARE = 3 };
    uint64_t sum = 0, i = 0;
    if (!below(f, SHARE))
        return &f->corpus.at[0];
    for (uint64_t k = 0; k < f->corpus.len; k++)
        sum += energy(f, &f->corpus.at[k]);
    uint64_t skip = below(f, sum);
    for (uint64_t own; skip >= (own = energy(f, &f->corpus.at[i])); i++)
        skip -= own;
    return &f->corpus.at[i];
}

static void new_execution(struct rff *f)
{
    priorities_begin(&f->priorities);
    f->abstract = *draw_parent(f);
    mutate(f, &f->abstract);
    memset(f->satisfied, 0, sizeof f->satisfied);
    tally_clear(&f->names_now);
    tally_clear(&f->pairs_now);
    tally_clear(&f->places_now);
    f->histories.len = 0;
    f->depth = 0;
}

/* ---- an execution ---- */

static bool can_take(const struct history *h, const struct sched_op *op, uint64_t write, uint32_t *choice)
{
    for (uint32_t c = 0; c < REMEMBERED + 1; c++)
        if (write_passed(h, c) == write && (!c || (op->older & BIT(c)))) {
            *choice = c;
            return true;
        }
    return false;
}

/* The operation touches the constraint's place, and has to wait. */
static bool waits_for(const struct rff *f, size_t which, const struct sched_op *op, const struct history *h)
{
    const struct constraint *c = &f->abstract.at[which];
    uint64_t name = name_of(op, c->place), last = write_passed(h, 0);
    uint32_t choice;
    if (c->negative)
        return name == c->read && last == c->write;
    if (f->satisfied[which])
        return false;
    if (name == c->read)
        return !can_take(h, op, c->write, &choice);
    return last == c->write && name != c->write && (what_it_does(op) & WRITES);
}

static bool touches(const struct sched_op *op, uint64_t place)
{
    uint64_t places[OP_PLACES];
    int count = op_places(op, places);
    for (int i = 0; i < count; i++)
        if (places[i] == place)
            return true;
    return false;
}

static sched_set without_waiting(const struct rff *f, const struct sched_view *view, sched_set allowed)
{
    sched_set free = allowed;
    int t;
    for (uint64_t i = 0; i < f->abstract.count; i++) {
        uint64_t place = f->abstract.at[i].place;
        const struct history *h = history_of(f, place);
        FOR_EACH_THREAD(t, allowed)
            if (touches(&view->next[t], place) && waits_for(f, i, &view->next[t], h))
                free &= ~set_of(t);
    }
    return set_any(free) ? free : allowed;
}

static uint32_t draw_choice(struct rff *f, const struct sched_op *op)
{
    for (uint64_t i = 0; op->older && op_is_memory(op) && i < f->abstract.count; i++) {
        const struct constraint *c = &f->abstract.at[i];
        uint32_t choice;
        if (!c->negative && !f->satisfied[i] && touches(op, c->place) && name_of(op, c->place) == c->read &&
            can_take(history_of(f, c->place), op, c->write, &choice))
            return choice;
    }
    return sample_choice(&f->sample, op);
}

static struct sched_pick rff_pick(struct sched *s, const struct sched_view *view)
{
    struct rff *f = s->own;
    if (sample_is_new(&f->sample))
        new_execution(f);
    follow(s, f);
    priorities_follow(s, &f->priorities, view);
    sched_set free = without_waiting(f, view, fair_allowed(s, s->enabled));
    int t = priorities_highest(&f->priorities, free, &f->sample.state);
    return pick_step(t, draw_choice(f, &view->next[t]));
}

const struct strategy strategy_rff = {
    .name = "rff", .begin = rff_begin, .pick = rff_pick, .next = sample_next_execution, .parts = &sample_parts,
    .feedback = &rff_feedback, .samples = true};
