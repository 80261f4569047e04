/* heddle check --plan: some seconds of the check, and what the whole of it would need, here and on more processes. The
 * check itself says what a state costs; how many there are is best seen breadth first, where rounds grow and then
 * shrink once. Both searches find the same states in the end. */
#include "check/explicit_check_int.h"
#include "check/plan_int.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MEASURED_SECONDS 5.0
static const int ranks_shown[] = {1, 2, 4, 16, 256, 4096};

typedef VEC(struct search_round) round_list;
struct plan {
    struct explicit_check *c;
    struct network net;
    struct process process;
    struct work measured;
    struct guess guess;
    round_list rounds;     /* of the check itself */
    bool whole;            /* it came to its end */
    bool alone;            /* several processes cannot check this model */
};

/* ---- measuring ---- */

static void note_round(void *ctx, const struct search_round *r) { vec_push((round_list *)ctx, *r); }

static void run_for(struct explicit_check *c, enum search_kind kind, double seconds, round_list *rounds)
{
    struct limits some = limits_within(&c->job->limits, seconds);
    struct search_options o = c->search;
    o.kind = kind, o.limits = &some;
    if (kind == SEARCH_BFS) o.bound = -1;
    o.level_done = NULL, o.tick = NULL, o.round_done = note_round, o.ctx = rounds;
    search_result_release(&c->found);
    search_run(c->m, &o, &c->found);
}

/* What a state costs when there are many: as in the second half of them. */
static double seconds_of_all(const struct plan *p)
{
    const struct search_result *f = &p->c->found;
    size_t i = 0;
    while (i < p->rounds.len && p->rounds.at[i].states * 2 < f->states) i++;
    if (p->whole || i >= p->rounds.len || p->rounds.at[i].states * 10 > f->states * 9) return f->seconds;
    const struct search_round *half = &p->rounds.at[i];
    double each = (f->seconds - half->seconds) / (double)(f->states - half->states);
    return fmax(f->seconds, each * (double)f->states);
}

static void measure_check(struct plan *p, double seconds)
{
    struct explicit_check *c = p->c;
    size_t before = memory_resident();
    run_for(c, c->search.kind, seconds, &p->rounds);
    const struct search_result *f = &c->found;
    p->whole = f->stop == STOP_COMPLETE || f->stop == STOP_BOUND || f->errors;
    double states = (double)f->states, done = p->rounds.len ? (double)vec_last(&p->rounds).states : 1;
    double arrivals = p->rounds.len ? (double)vec_last(&p->rounds).arrivals * fmax(states / done, 1) : states;
    p->process = (struct process){c->search.workers, (double)f->code_bytes + 4, (double)before};
    p->measured = (struct work){states, arrivals, (double)p->rounds.len, seconds_of_all(p), (double)f->memory};
    p->guess = (struct guess){.known = p->whole, .growth = 0, .least = states, .most = states};
}

static void guess_whole(struct plan *p, const round_list *rounds)
{
    VEC(double) found = {0};
    for (size_t i = 0; i < rounds->len; i++) vec_push(&found, (double)rounds->at[i].states);
    p->guess = guess_states(found.at, found.len);
    p->guess.least = fmax(p->guess.least, p->measured.states);
    p->guess.most = fmax(p->guess.most, p->guess.least);
    vec_release(&found);
}

static void measure(struct plan *p)
{
    struct explicit_check *c = p->c;
    double seconds = c->job->common.time > 0 ? c->job->common.time : MEASURED_SECONDS;
    bool bfs = c->search.kind == SEARCH_BFS;
    measure_check(p, bfs ? seconds : seconds / 2);
    if (p->whole) return;
    round_list layers = {0};
    if (bfs) guess_whole(p, &p->rounds);
    else {
        struct search_result found = c->found; /* what is said is about the check */
        c->found = (struct search_result){0};
        run_for(c, SEARCH_BFS, limits_left(&(struct limits){.deadline = seconds_now() + seconds / 2}), &layers);
        if (c->found.stop == STOP_COMPLETE)
            p->guess = (struct guess){true, 0, (double)c->found.states, (double)c->found.states};
        else guess_whole(p, &layers);
        search_result_release(&c->found);
        c->found = found;
    }
    vec_release(&layers);
}

/* ---- words ---- */

static const char *time_words(char out[32], double s)
{
    if (s < 1) snprintf(out, 32, "%.2f s", s);
    else if (s < 120) snprintf(out, 32, "%.0f s", s);
    else if (s < 7200) snprintf(out, 32, "%.0f min", s / 60);
    else if (s < 48 * 3600.0) snprintf(out, 32, "%.1f h", s / 3600);
    else snprintf(out, 32, "%.1f days", s / 86400);
    return out;
}

static const char *size_words(char out[32], double bytes)
{
    if (bytes < 1e9) snprintf(out, 32, "%.0f MB", ceil(bytes / 1e6));
    else if (bytes < 1e12) snprintf(out, 32, "%.1f GB", bytes / 1e9);
    else snprintf(out, 32, "%.1f TB", bytes / 1e12);
    return out;
}

static const char *count_words(char out[32], double n)
{
    double unit = 1;
    while (n / unit >= 1000) unit *= 10;
    return n < 1e18 ? with_commas(out, (uint64_t)(round(n / unit) * unit)) : "very many";
}

typedef const char *wording(char out[32], double value);

static void print_range(wording *words, double least, double most, int width)
{
    char from[32], to[32], both[80];
    words(from, least), words(to, most);
    if (!strcmp(from, to)) snprintf(both, sizeof both, "%s", from);
    else snprintf(both, sizeof both, "%s to %s", from, to);
    printf("  %*s", width, both);
}

static struct needs needs_for(const struct plan *p, double states, int ranks)
{
    struct work w = work_grown(&p->measured, states);
    return needs_of(&w, &p->process, p->net, ranks);
}

/* States that fit into what this machine allows one process, in all of them. */
static double room_for(const struct plan *p, int ranks)
{
    double each = p->measured.bytes / fmax(p->measured.states, 1);
    double buffers = needs_for(p, 0, ranks).memory;
    return fmax((double)p->c->job->limits.memory - buffers, 0) / fmax(each, 1e-9) * ranks;
}

static size_t shown(const struct plan *p) { return p->alone ? 1 : ARRAY_LEN(ranks_shown); }

static void print_table(const struct plan *p)
{
    char memory[32];
    printf("\n%9s  %22s  %22s  %22s  %22s\n", "processes", "time", "memory of each", "sent by each", "room for states");
    for (size_t i = 0; i < shown(p); i++) {
        struct needs least = needs_for(p, p->guess.least, ranks_shown[i]);
        struct needs most = needs_for(p, p->guess.most, ranks_shown[i]);
        char room[32];
        printf("%9d", ranks_shown[i]);
        print_range(time_words, least.seconds, most.seconds, 22);
        print_range(size_words, least.memory, most.memory, 22);
        print_range(size_words, least.traffic, most.traffic, 22);
        printf("  %22s\n", count_words(room, room_for(p, ranks_shown[i])));
    }
    printf("\nEach process with %.0f thread%s on processors of its own and %s; network: %.3g us, %.3g GB/s.\n",
           p->process.threads, p->process.threads > 1 ? "s" : "",
           size_words(memory, (double)p->c->job->limits.memory), 1e6 * p->net.latency, p->net.bandwidth / 1e9);
    if (p->alone) printf("This model is checked by one process only: it has embedded C.\n");
    if (p->c->properties.list.len) printf("Properties are not part of this: they take more.\n");
}

static void print_states(const struct plan *p)
{
    char found[64], least[32], most[32];
    const struct search_result *f = &p->c->found;
    printf("plan     %s in %.1f s (%.0f a second, %.1f bytes each), %zu rounds of a search that is %s\n",
           counted(found, f->states, "state"), f->seconds, (double)f->states / fmax(f->seconds, 1e-9),
           p->measured.bytes / fmax(p->measured.states, 1), p->rounds.len, explicit_search_titles[p->c->search.kind]);
    if (f->errors) printf("plan     there is an error: heddle check without --plan shows it\n");
    else if (p->whole) printf("plan     that is all of it\n");
    else if (!p->guess.known) printf("plan     too few rounds to tell how many there are: more than these\n");
    else if (p->guess.least == p->guess.most)
        printf("plan     %s states in the whole, counted breadth first\n", count_words(most, p->guess.most));
    else
        printf("plan     breadth first, the last rounds found %.2f times as much as those before: in nine of ten cases "
               "the whole has %s to %s states%s\n", p->guess.growth, count_words(least, p->guess.least),
               count_words(most, p->guess.most), p->c->search.bound >= 0 ? ", with a bound less" : "");
}

/* ---- JSON ---- */

static void json_needs(struct json_writer *j, const char *key, struct needs n)
{
    jw_object(j, key);
    jw_double(j, "seconds", n.seconds);
    jw_double(j, "memory_bytes", n.memory);
    jw_double(j, "messages", n.messages);
    jw_double(j, "traffic_bytes", n.traffic);
    jw_end(j, '}');
}

static void json_rounds(struct json_writer *j, const round_list *rounds)
{
    jw_array(j, "rounds");
    for (size_t i = 0; i < rounds->len; i++) {
        const struct search_round *r = &rounds->at[i];
        jw_object(j, NULL);
        jw_int(j, "bound", r->level);
        jw_uint(j, "states", r->states);
        jw_uint(j, "transitions", r->transitions);
        jw_uint(j, "arrivals", r->arrivals);
        jw_double(j, "seconds", r->seconds);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

static void json_measured(struct json_writer *j, const struct plan *p)
{
    const struct search_result *f = &p->c->found;
    jw_object(j, "measured");
    jw_bool(j, "complete", p->whole);
    jw_uint(j, "errors", f->errors);
    jw_uint(j, "states", f->states);
    jw_uint(j, "transitions", f->transitions);
    jw_double(j, "seconds", f->seconds);
    jw_double(j, "bytes_per_state", p->measured.bytes / fmax(p->measured.states, 1));
    jw_double(j, "bytes_per_arrival", p->process.item);
    jw_int(j, "threads", (int64_t)p->process.threads);
    json_rounds(j, &p->rounds);
    jw_end(j, '}');
}

static void print_json(const struct plan *p)
{
    struct json_writer j = {0};
    jw_object(&j, NULL);
    jw_string(&j, "file", p->c->result->file);
    jw_double(&j, "latency_seconds", p->net.latency);
    jw_double(&j, "bandwidth_bytes", p->net.bandwidth);
    json_measured(&j, p);
    jw_double(&j, "least_states", p->guess.least);
    if (p->guess.known) jw_double(&j, "most_states", p->guess.most);
    else jw_null(&j, "most_states");
    jw_array(&j, "needs");
    for (size_t i = 0; i < shown(p); i++) {
        jw_object(&j, NULL);
        jw_int(&j, "processes", ranks_shown[i]);
        json_needs(&j, "least", needs_for(p, p->guess.least, ranks_shown[i]));
        if (p->guess.known) json_needs(&j, "most", needs_for(p, p->guess.most, ranks_shown[i]));
        jw_double(&j, "room_for_states", room_for(p, ranks_shown[i]));
        jw_end(&j, '}');
    }
    jw_end(&j, ']');
    jw_end(&j, '}');
    fputs(str_get(&j.out), stdout);
    jw_release(&j);
}

const char *explicit_plan(struct explicit_check *c)
{
    struct plan p = {.c = c, .net = NETWORK_DEFAULT, .alone = !c->m->is_portable};
    const char *wrong = network_parse(c->o->plan, &p.net);
    if (wrong) return wrong;
    measure(&p);
    if (c->job->common.json) print_json(&p);
    else {
        print_states(&p);
        if (!c->found.errors) print_table(&p);
    }
    search_result_release(&c->found);
    vec_release(&p.rounds);
    return NULL;
}
