/* A real program explored by the processes of a job. The search itself is process 0's: its program gives parts of the
 * tree away (schedule.h), as it does to processes on the same machine, and here they are carried to programs that
 * run elsewhere and do nothing but explore parts. Which parts there are follows from the tree, so the ledger does not
 * depend on who explores them; a part that is lost is explored by who gave it away. */
#include "check/native_int.h"
#include "cluster/cluster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum letter_kind { LETTER_BEGIN, LETTER_PART, LETTER_CANCEL, LETTER_END, LETTER_ANSWER, LETTER_LOST };
struct letter { uint32_t kind, explorer; uint64_t ticket, bytes, failed_steps; }; /* and what it says */

#define TURN 0.04 /* seconds of carrying before limits and progress are looked at again */
enum { PAUSE = 200 }; /* microseconds, when there is nothing to carry */

/* What explores elsewhere, as the table of parts sees it. */
struct explorer {
    struct depot depot;
    int rank;
    bool has_part;
    uint32_t number;
    uint64_t ticket;
};
struct helper { bool begun; uint32_t knows; int parts; };

struct native_job {
    struct check *check;
    struct cluster *cluster;
    struct native_run *run;
    struct explorer *explorers;
    int count;
    struct helper *helpers; /* by rank */
    uint64_t tickets;
    byte_list letter;
};

static void post(struct cluster *c, int to, struct letter head, const void *first, const void *second, size_t more)
{
    byte_list all = {0};
    vec_reserve(&all, sizeof head + head.bytes + more);
    memcpy(all.at, &head, sizeof head);
    if (head.bytes) memcpy(all.at + sizeof head, first, head.bytes);
    if (more) memcpy(all.at + sizeof head + head.bytes, second, more);
    cluster_post(c, to, all.at, sizeof head + head.bytes + more);
    vec_release(&all);
}

static bool read_letter(const byte_list *l, struct letter *head)
{
    if (l->len < sizeof *head) return false;
    memcpy(head, l->at, sizeof *head);
    return head->bytes <= l->len - sizeof *head;
}

/* ---- where the search is ---- */

static void count_letter(struct native_job *j, size_t bytes)
{
    j->check->job.messages++;
    j->check->job.bytes += bytes;
}

static void post_from_search(struct native_job *j, int to, struct letter head, const void *first, const void *second,
                             size_t more)
{
    count_letter(j, sizeof head + head.bytes + more);
    post(j->cluster, to, head, first, second, more);
}

/* What the programs elsewhere have to know before they can take up a part. */
static void tell_helper(struct native_job *j, int rank)
{
    struct helper *h = &j->helpers[rank];
    uint32_t knows = __atomic_load_n(&j->run->shared->knows, __ATOMIC_SEQ_CST);
    if (h->begun && h->knows == knows) return;
    struct rt_knowledge *k = xcalloc(1, sizeof *k);
    native_knowledge(j->run->shared, k);
    *h = (struct helper){.begun = true, .knows = k->knows};
    struct letter head = {.kind = LETTER_BEGIN, .bytes = sizeof j->run->config};
    post_from_search(j, rank, head, &j->run->config, k, sizeof *k);
    free(k);
}

static bool may_take(const struct native_job *j, const struct explorer *e)
{
    const struct helper *h = &j->helpers[e->rank];
    return !h->parts || (h->begun && h->knows == __atomic_load_n(&j->run->shared->knows, __ATOMIC_SEQ_CST));
}

static bool send_part(struct native_job *j, struct explorer *e)
{
    size_t size;
    bool may = may_take(j, e);
    depot_set_idle(&e->depot, may);
    if (!may || !depot_take(&e->depot, &e->number, &size)) return false;
    depot_set_idle(&e->depot, false);
    tell_helper(j, e->rank);
    e->has_part = true;
    e->ticket = ++j->tickets;
    j->helpers[e->rank].parts++;
    struct letter head = {.kind = LETTER_PART, .explorer = (uint32_t)(e - j->explorers), .ticket = e->ticket,
                          .bytes = size};
    post_from_search(j, e->rank, head, depot_part_room(&e->depot, e->number), NULL, 0);
    return true;
}

static void end_part(struct native_job *j, struct explorer *e)
{
    e->has_part = false;
    j->helpers[e->rank].parts--;
}

static void cancel_part(struct native_job *j, struct explorer *e)
{
    struct letter head = {.kind = LETTER_CANCEL, .explorer = (uint32_t)(e - j->explorers), .ticket = e->ticket};
    post_from_search(j, e->rank, head, NULL, NULL, 0);
    depot_drop(&e->depot, e->number);
    end_part(j, e);
}

static void take_answer(struct native_job *j, struct explorer *e, const struct letter *head, const uint8_t *bytes)
{
    size_t steps = head->failed_steps * sizeof(struct sched_step);
    bool whole = head->bytes >= steps && head->bytes - steps <= DEPOT_ROOM;
    size_t size = whole ? head->bytes - steps : 0;
    struct sched_step *failed = whole && steps ? memcpy(xmalloc(steps), bytes + size, steps) : NULL;
    if (whole) {
        memcpy(depot_answer_room(&e->depot, e->number), bytes, size);
        depot_answer(&e->depot, e->number, size, failed, head->failed_steps);
        j->check->job.parts++;
    } else depot_drop(&e->depot, e->number);
    free(failed);
    end_part(j, e);
}

static bool take_letter(struct native_job *j)
{
    struct letter head;
    int from;
    if (!cluster_fetch(j->cluster, &from, &j->letter)) return false;
    count_letter(j, j->letter.len);
    if (!read_letter(&j->letter, &head) || head.explorer >= (uint32_t)j->count) return true;
    struct explorer *e = &j->explorers[head.explorer];
    if (head.kind == LETTER_LOST) j->helpers[from].begun = false;
    if (!e->has_part || e->ticket != head.ticket) return true; /* nobody waits for it any more */
    if (head.kind == LETTER_ANSWER) take_answer(j, e, &head, j->letter.at + sizeof head);
    else if (head.kind == LETTER_LOST) {
        depot_drop(&e->depot, e->number);
        end_part(j, e);
    }
    return true;
}

static bool look_after(struct native_job *j, struct explorer *e)
{
    if (!e->has_part) return send_part(j, e);
    if (depot_is_wanted(&e->depot, e->number)) return false;
    cancel_part(j, e);
    return true;
}

static void carry(void *context, const struct rt_shared *shared)
{
    struct native_job *j = context;
    double until = seconds_now() + TURN;
    do {
        bool busy = false;
        while (take_letter(j)) busy = true;
        for (int i = 0; i < j->count; i++) busy |= look_after(j, &j->explorers[i]);
        if (!busy) usleep(PAUSE);
    } while (seconds_now() < until && shared->status <= RT_RUNNING);
    check_watch(j->check, shared);
}

int native_job_explorers(const struct check *c)
{
    struct cluster *cluster = cluster_joined();
    if (!cluster || !c->divides) return 0;
    int most = RT_CARRIER - RT_FIRST_FAR;
    return MIN((cluster_size(cluster) - 1) * check_processes(c), most);
}

/* Parts that nobody has taken have to be the explorers' before the program looks whether somebody wants some. */
static void begin_run(struct native_job *j)
{
    for (int i = 0; i < j->count; i++) {
        struct explorer *e = &j->explorers[i];
        *e = (struct explorer){.depot = j->run->depot, .rank = 1 + i % (cluster_size(j->cluster) - 1)};
        e->depot.member = RT_FIRST_FAR + i;
        depot_set_idle(&e->depot, true);
    }
    memset(j->helpers, 0, (size_t)cluster_size(j->cluster) * sizeof *j->helpers);
}

void native_job_run(struct check *c, struct native_run *run, const struct native_program *p,
                    const struct limits *limits)
{
    static const uint32_t order = 1;
    struct native_job j = {.check = c, .cluster = cluster_joined(), .run = run, .count = run->config.far};
    j.explorers = xcalloc((size_t)j.count, sizeof *j.explorers);
    j.helpers = xcalloc((size_t)cluster_size(j.cluster), sizeof *j.helpers);
    c->job.processes = (uint64_t)cluster_size(j.cluster);
    cluster_order(j.cluster, &order, sizeof order);
    begin_run(&j);
    native_run(run, p, limits, carry, &j);
    for (int i = 1; i < cluster_size(j.cluster); i++)
        post_from_search(&j, i, (struct letter){.kind = LETTER_END}, NULL, NULL, 0);
    cluster_settle_post(j.cluster);
    free(j.explorers);
    free(j.helpers);
    vec_release(&j.letter);
}

/* ---- where parts are explored ---- */

struct part_here { uint32_t explorer, number; uint64_t ticket; };

struct service {
    struct check *check;
    struct cluster *cluster;
    struct native_run run;
    VEC(struct part_here) parts;
    byte_list letter;
    bool has_letter; /* that is for whoever starts programs */
    struct letter head;
};

static void reply(struct service *s, enum letter_kind kind, const struct part_here *p)
{
    post(s->cluster, 0, (struct letter){.kind = kind, .explorer = p->explorer, .ticket = p->ticket}, NULL, NULL, 0);
}

static void take_part(struct service *s)
{
    struct part_here p = {.explorer = s->head.explorer, .ticket = s->head.ticket};
    bool room = s->run.depot.table && s->head.bytes <= DEPOT_ROOM && depot_open(&s->run.depot, &p.number);
    if (!room) {
        reply(s, LETTER_LOST, &p);
        return;
    }
    memcpy(depot_part_room(&s->run.depot, p.number), s->letter.at + sizeof s->head, s->head.bytes);
    depot_post(&s->run.depot, p.number, s->head.bytes);
    vec_push(&s->parts, p);
}

static void forget_part(struct service *s, size_t i)
{
    depot_withdraw(&s->run.depot, s->parts.at[i].number);
    s->parts.at[i] = s->parts.at[s->parts.len - 1];
    s->parts.len--;
}

static void drop_part(struct service *s)
{
    for (size_t i = s->parts.len; i-- > 0;)
        if (s->parts.at[i].ticket == s->head.ticket) forget_part(s, i);
}

static bool fetch(struct service *s)
{
    int from;
    if (s->has_letter || !cluster_fetch(s->cluster, &from, &s->letter) || !read_letter(&s->letter, &s->head))
        return false;
    if (s->head.kind == LETTER_PART) take_part(s);
    else if (s->head.kind == LETTER_CANCEL) drop_part(s);
    else s->has_letter = true;
    return true;
}

static bool send_answer(struct service *s, size_t i)
{
    struct part_here p = s->parts.at[i];
    if (depot_ask(&s->run.depot, p.number) == DEPOT_IN_HAND) return false;
    if (depot_ask(&s->run.depot, p.number) == DEPOT_NO_ANSWER) reply(s, LETTER_LOST, &p);
    else {
        struct depot_answer a = depot_read(&s->run.depot, p.number);
        size_t steps = a.failed_steps * sizeof *a.failed;
        struct letter head = {.kind = LETTER_ANSWER,
                              .explorer = p.explorer,
                              .ticket = p.ticket,
                              .bytes = a.size + steps,
                              .failed_steps = a.failed_steps};
        uint8_t *both = xmalloc(a.size + steps + 1);
        if (a.size) memcpy(both, a.at, a.size);
        if (steps) memcpy(both + a.size, a.failed, steps);
        post(s->cluster, 0, head, both, NULL, 0);
        free(both);
    }
    forget_part(s, i);
    return true;
}

static void serve_parts(void *context, const struct rt_shared *shared)
{
    struct service *s = context;
    double until = seconds_now() + TURN;
    do {
        bool busy = false;
        while (fetch(s)) busy = true;
        for (size_t i = s->parts.len; i-- > 0;) busy |= send_answer(s, i);
        if (s->has_letter) s->run.shared->stop = true;
        if (!busy) usleep(PAUSE);
    } while (seconds_now() < until && !s->has_letter && shared->status <= RT_RUNNING);
}

/* With what the search knew when it gave away the parts that come next. */
static void run_program(struct service *s)
{
    struct check *c = s->check;
    struct rt_config config;
    struct rt_knowledge *k = xmalloc(sizeof *k);
    bool whole = s->head.bytes == sizeof config && s->letter.len == sizeof s->head + sizeof config + sizeof *k;
    if (whole) {
        memcpy(&config, s->letter.at + sizeof s->head, sizeof config);
        memcpy(k, s->letter.at + sizeof s->head + sizeof config, sizeof *k);
        memset(config.journal, 0, sizeof config.journal);
        if (c->journal.path) snprintf(config.journal, sizeof config.journal, "%s", c->journal.path);
        config.far = 0;
        config.serves = true;
        config.processes = check_processes(c);
        native_run_init(&s->run, &config);
        symbols_functions(c->symbols, s->run.shared);
        native_know(s->run.shared, k);
        s->has_letter = false;
        struct native_program program = check_program(c);
        native_run(&s->run, &program, c->limits, serve_parts, s);
        for (size_t i = 0; i < s->parts.len; i++) reply(s, LETTER_LOST, &s->parts.at[i]);
        vec_clear(&s->parts);
        native_run_release(&s->run);
        s->run = (struct native_run){0};
    } else s->has_letter = false;
    free(k);
}

static void serve_search(struct service *s)
{
    for (bool over = false; !over;) {
        if (!s->has_letter && !fetch(s)) usleep(PAUSE);
        if (!s->has_letter) continue;
        if (s->head.kind == LETTER_BEGIN) run_program(s);
        else {
            over = s->head.kind == LETTER_END;
            s->has_letter = false;
        }
    }
    cluster_settle_post(s->cluster);
}

void native_job_serve(struct check *c)
{
    struct service s = {.check = c, .cluster = cluster_joined()};
    byte_list order = {0};
    while (cluster_await_order(s.cluster, &order)) serve_search(&s);
    vec_release(&order);
    vec_release(&s.letter);
    vec_release(&s.parts);
}
