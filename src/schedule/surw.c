/* Selectively uniform random walk: every execution draws a few places, and all orders of the accesses to them are about
 * equally likely. A thread is chosen with a probability proportional to the number of such accesses that it has still
 * to make. Others run in between as far as their next operation is at no such place, until the chosen thread comes to
 * its next access and makes it. (Zhao, Wolff, Mathur, Roychoudhury: Selectively uniform concurrency testing, 2025.)
 *
 * Earlier executions tell how many accesses to a place each thread makes. A thread that does not exist yet counts for
 * its creator. Where the chosen thread cannot reach its access, because it waits for others, another one is chosen.
 *
 * The order of all other steps is that of partial order sampling (priorities.c). The paper draws one place. A bug may
 * need several, so some executions draw two or take all places; places that threads share without writing are left out.
 *
 * Weak memory: an access takes the newest write three times out of four, else one of the older writes. */
#include <string.h>

#include "schedule/internal.h"

enum { MOST_ROWS = 1 << 14, MOST_PLACES = 512, MOST_DRAWN = 2, EVERYTHING = 0 };
/* In a row of the tally, beside the number of events. */
#define WRITES (UINT64_C(1) << 48)
#define EVENTS(count) ((count) & (WRITES - 1))

struct place { uint64_t name; uint32_t threads; bool written; };
struct surw {
    struct sample sample;
    struct priorities priorities;
    struct tally known, shown; /* events by place and thread; all events of a thread are at the place EVERYTHING */
    struct tally found;        /* place -> 1 + index in places */
    struct place places[MOST_PLACES];
    uint32_t place_count;
    uint64_t runs, shown_runs; /* executions that the tallies are about */
    struct creators { uint16_t of[SCHED_MAX_THREADS]; } creator, shown_creator; /* 1 + it, in the latest execution that
                                                                                    created the thread; 0: none did */
    int threads;               /* 1 + the highest number of a thread with events */
    uint64_t drawn[MOST_DRAWN];
    int drawn_count;
    sched_set born;                  /* threads that the execution has created */
    int64_t left[SCHED_MAX_THREADS]; /* events at the drawn places that each thread has still to do */
    int64_t weight[SCHED_MAX_THREADS];
    int chosen;                      /* the thread whose event comes next; -1: to be drawn */
    size_t depth;                    /* steps of the execution that were followed */
};

static void surw_begin(struct sched *s)
{
    struct surw *w = pool_alloc(&s->pool, sizeof *w);
    sample_begin(s, &w->sample);
    tally_init(&w->known, &s->pool, MOST_ROWS);
    tally_init(&w->shown, &s->pool, MOST_ROWS);
    tally_init(&w->found, &s->pool, MOST_PLACES);
    s->own = w;
}

/* ---- feedback ---- */

static bool only_reads(const struct sched_op *op)
{
    return op->kind == SCHED_READ || op->kind == SCHED_SEM_READ || op->kind == SCHED_PEEK;
}

static bool is_event(const struct sched_op *op)
{
    return op->kind != SCHED_EXIT && op->kind != SCHED_END && op->kind != SCHED_LOCAL;
}

static void count_event(struct sched *s, struct surw *w, uint64_t place, int thread, bool writes)
{
    struct tally_row *row = tally_add(&w->shown, &s->pool, place, (uint64_t)thread);
    if (row)
        row->count = (row->count + 1) | (writes ? WRITES : 0);
}

static void surw_note(struct sched *s)
{
    struct surw *w = s->own;
    w->shown_runs++;
    for (size_t i = 0; i < s->depth; i++) {
        const struct step *step = &s->log.at[i];
        uint64_t places[OP_PLACES];
        int count = op_places(&step->op, places);
        if (is_event(&step->op))
            count_event(s, w, EVERYTHING, step->thread, true);
        for (int k = 0; k < count; k++)
            count_event(s, w, places[k], step->thread, !only_reads(&step->op));
        if (step->op.kind == SCHED_CREATE && step->op.object < SCHED_MAX_THREADS)
            w->shown_creator.of[step->op.object] = (uint16_t)(step->thread + 1);
    }
}

static void add_row(struct sched *s, struct tally *to, const struct tally_row *row)
{
    struct tally_row *here = tally_add(to, &s->pool, row->a, row->b);
    if (here)
        here->count = (EVENTS(here->count) + EVENTS(row->count)) | ((here->count | row->count) & WRITES);
}

static void add_creators(struct creators *to, const struct creators *from)
{
    for (int t = 0; t < SCHED_MAX_THREADS; t++)
        if (from->of[t])
            to->of[t] = from->of[t];
}

/* The places that are worth drawing are known again: two threads go there, and one of them writes. */
static void find_places(struct sched *s, struct surw *w)
{
    uint32_t kept = 0, count = 0;
    tally_clear(&w->found);
    for (size_t i = 0; i < w->known.rows.len; i++) {
        const struct tally_row *row = &w->known.rows.at[i];
        if (w->threads <= (int)row->b)
            w->threads = (int)row->b + 1;
        struct tally_row *found = row->a == EVERYTHING ? NULL : tally_add(&w->found, &s->pool, row->a, 0);
        if (!found)
            continue;
        if (!found->count) {
            w->places[count] = (struct place){row->a, 0, false};
            found->count = ++count;
        }
        struct place *p = &w->places[found->count - 1];
        p->threads++;
        p->written |= (row->count & WRITES) != 0;
    }
    for (uint32_t i = 0; i < count; i++)
        if (w->places[i].threads > 1 && w->places[i].written)
            w->places[kept++] = w->places[i];
    w->place_count = kept;
}

static void surw_learn(struct sched *s)
{
    struct surw *w = s->own;
    for (size_t i = 0; i < w->shown.rows.len; i++)
        add_row(s, &w->known, &w->shown.rows.at[i]);
    tally_clear(&w->shown);
    w->runs += w->shown_runs;
    w->shown_runs = 0;
    add_creators(&w->creator, &w->shown_creator);
    w->shown_creator = (struct creators){0};
    find_places(s, w);
}

static void put_rows(const struct tally *t, const struct creators *creator, uint64_t runs, struct bytes *out)
{
    bytes_put(out, &runs, sizeof runs);
    bytes_put(out, creator, sizeof *creator);
    bytes_put(out, &t->rows.len, sizeof t->rows.len);
    bytes_put(out, t->rows.at, t->rows.len * sizeof *t->rows.at);
}

static void get_rows(struct sched *s, struct tally *t, struct creators *creator, uint64_t *runs, struct bytes *in)
{
    struct creators told = {0};
    struct tally_row row;
    uint64_t more = 0;
    size_t rows = 0;
    bytes_get(in, &more, sizeof more);
    bytes_get(in, &told, sizeof told);
    bytes_get(in, &rows, sizeof rows);
    *runs += more;
    add_creators(creator, &told);
    for (; rows && bytes_get(in, &row, sizeof row); rows--)
        add_row(s, t, &row);
}

static void surw_give(struct sched *s, struct bytes *out)
{
    const struct surw *w = s->own;
    put_rows(&w->known, &w->creator, w->runs, out);
}

static void surw_take(struct sched *s, struct bytes *in)
{
    struct surw *w = s->own;
    get_rows(s, &w->known, &w->creator, &w->runs, in);
    find_places(s, w);
}

static void surw_answer(struct sched *s, struct bytes *out)
{
    const struct surw *w = s->own;
    put_rows(&w->shown, &w->shown_creator, w->shown_runs, out);
}

static void surw_merge(struct sched *s, struct bytes *in)
{
    struct surw *w = s->own;
    get_rows(s, &w->shown, &w->shown_creator, &w->shown_runs, in);
}

static const struct feedback_rules surw_feedback = {surw_note,   surw_learn, surw_give,
                                                    surw_take, surw_answer, surw_merge};

/* ---- an execution ---- */

static bool is_drawn(const struct surw *w, const struct sched_op *op)
{
    uint64_t places[OP_PLACES];
    int count = op_places(op, places);
    if (w->drawn[0] == EVERYTHING)
        return is_event(op);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < w->drawn_count; k++)
            if (places[i] == w->drawn[k])
                return true;
    return false;
}

/* One place in six executions of eight, two places or all in one each. */
static void draw_places(struct surw *w)
{
    enum { KINDS = 8 };
    uint64_t kind = random_next(&w->sample.state) % KINDS;
    w->drawn_count = kind == 1 ? 2 : 1;
    for (int i = 0; i < w->drawn_count; i++)
        w->drawn[i] = w->place_count ? w->places[random_next(&w->sample.state) % w->place_count].name : EVERYTHING;
    if (!kind)
        w->drawn[0] = EVERYTHING;
    if (w->drawn_count == 2 && w->drawn[0] == w->drawn[1])
        w->drawn_count = 1;
}

/* Rounded up: a thread that seldom comes to the place may do so this time. */
static int64_t expected(const struct surw *w, uint64_t place, int thread)
{
    const struct tally_row *row = tally_find(&w->known, place, (uint64_t)thread);
    return row ? (int64_t)((EVENTS(row->count) + w->runs - 1) / w->runs) : 0;
}

static void new_execution(struct surw *w)
{
    priorities_begin(&w->priorities);
    draw_places(w);
    memset(w->left, 0, sizeof w->left);
    for (int t = 0; t < w->threads; t++)
        for (int i = 0; i < w->drawn_count; i++)
            w->left[t] += expected(w, w->drawn[i], t);
    w->born = SET_NONE;
    w->chosen = -1;
    w->depth = 0;
}

/* The thread that exists and creates this one, or others that do. */
static int ancestor(const struct surw *w, int t)
{
    for (int steps = 0; !set_has(w->born, t) && steps < w->threads; steps++)
        t = w->creator.of[t] ? w->creator.of[t] - 1 : 0;
    return t;
}

/* What each live thread and those that it creates have still to do. */
static void weigh(struct surw *w)
{
    memcpy(w->weight, w->left, sizeof w->left);
    for (int t = 0; t < w->threads; t++)
        if (w->left[t] > 0 && !set_has(w->born, t))
            w->weight[ancestor(w, t)] += w->left[t];
}

/* One of the threads, by weight. A thread that is about to do such an event weighs something whatever was expected. */
static int draw_thread(struct surw *w, const struct sched_view *view, sched_set among)
{
    int64_t sum = 0;
    int t;
    weigh(w);
    FOR_EACH_THREAD(t, among) {
        if (w->weight[t] <= 0)
            w->weight[t] = is_drawn(w, &view->next[t]);
        sum += w->weight[t];
    }
    if (!sum)
        return -1;
    int64_t skip = (int64_t)(random_next(&w->sample.state) % (uint64_t)sum);
    FOR_EACH_THREAD(t, among)
        if ((skip -= w->weight[t]) < 0)
            return t;
    return -1;
}

/* A creation divides what was expected of the creator: if that was chosen, one of the two is. */
static void follow(const struct sched *s, struct surw *w, const struct sched_view *view)
{
    priorities_follow(s, &w->priorities, view);
    w->born |= view->live;
    for (; w->depth < s->depth; w->depth++) {
        const struct step *step = &s->log.at[w->depth];
        bool was_drawn = is_drawn(w, &step->op);
        if (was_drawn && w->left[step->thread] > 0)
            w->left[step->thread]--;
        if (was_drawn && step->thread == w->chosen)
            w->chosen = -1;
        if (step->op.kind == SCHED_CREATE && step->thread == w->chosen && step->op.object < SCHED_MAX_THREADS)
            w->chosen = draw_thread(w, view, (set_of(step->thread) | set_of((int)step->op.object)) & view->live);
    }
}

/* The threads that may go on: all but those about to do a drawn event that are not chosen. */
static sched_set not_held_back(const struct surw *w, const struct sched_view *view, sched_set allowed)
{
    sched_set free = SET_NONE;
    int t;
    FOR_EACH_THREAD(t, allowed)
        if (!is_drawn(w, &view->next[t]))
            free |= set_of(t);
    return free;
}

static struct sched_pick surw_pick(struct sched *s, const struct sched_view *view)
{
    struct surw *w = s->own;
    sched_set allowed = fair_allowed(s, s->enabled);
    if (sample_is_new(&w->sample))
        new_execution(w);
    follow(s, w, view);
    if (w->chosen >= 0 && !set_has(view->live, w->chosen))
        w->chosen = -1;
    if (w->chosen < 0)
        w->chosen = draw_thread(w, view, view->live);
    sched_set free = not_held_back(w, view, allowed);
    bool comes_now = w->chosen >= 0 && set_has(allowed & ~free, w->chosen);
    if (!comes_now && !set_any(free)) { /* the chosen thread waits for others */
        w->chosen = draw_thread(w, view, allowed);
        comes_now = w->chosen >= 0;
    }
    sched_set rest = set_any(free) ? free : allowed;
    int t = comes_now ? w->chosen : priorities_highest(&w->priorities, rest, &w->sample.state);
    return pick_step(t, sample_choice(&w->sample, &view->next[t]));
}

const struct strategy strategy_surw = {
    .name = "surw", .begin = surw_begin, .pick = surw_pick, .next = sample_next_execution, .parts = &sample_parts,
    .feedback = &surw_feedback, .samples = true};
