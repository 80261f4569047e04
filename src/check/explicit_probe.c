/* Probes beside the ordered search of a Promela model, and when their error is good enough to stop for.
 *
 * An error that a probe finds is real, but seldom the simplest. So the search beside it goes on for as long again as
 * the check has run, and for a second at least: it may find a simpler error, or complete the levels below this one.
 * What it ends with in this time is what the check would say without probes. Both the clock and the processor time of
 * this process count, and the thread that makes the error simpler has a second of a processor, so that a busy machine
 * does not change the answer of a small check. */
#include "check/explicit_check_int.h"

#include <stdlib.h>
#include <time.h>

/* Seconds. Sanitizers make everything slower. */
#define SLOWER (CHECKS_EVERYTHING ? 20.0 : 1.0)
#define LEAST_BEFORE (0.2 * SLOWER) /* the check runs so long in any case */
#define FOR_OWN_ERROR 3            /* times as long, if it has found an error without knowing how it came to it */
#define LEAST_AFTER (1.0 * SLOWER)  /* and so long after an error with preemptions was found */

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* An error without preemptions cannot become simpler but by its steps, and those are made few by the probe. */
static double end_of_patience(const struct probe_finding *f, double found)
{
    return f->preemptions || !f->settled ? found + MAX(found, LEAST_AFTER) : LEAST_BEFORE;
}

static bool is_within_bound(const struct explicit_check *c, const struct probe_finding *f)
{
    return f->exists && f->preemptions >= 0 && (c->search.bound < 0 || f->preemptions <= c->search.bound);
}

/* The search beside the probes has an error of its own, and is about to find out how it came to it. */
static bool has_own_error(const struct explicit_check *c)
{
    return __atomic_load_n(&c->found.errors, __ATOMIC_RELAXED);
}

static bool is_good_enough(const struct explicit_check *c, struct probe *probe)
{
    if (!probe) return false;
    struct probe_finding f = probe_look(probe);
    if (!is_within_bound(c, &f) || (!f.settled && f.worked < LEAST_AFTER)) return false;
    double started = c->job->limits.started, longer = f.preemptions && has_own_error(c) ? FOR_OWN_ERROR : 1;
    return seconds_now() - started >= longer * end_of_patience(&f, f.seconds - started) &&
           processor_seconds() >= longer * end_of_patience(&f, f.processor_seconds);
}

static bool is_enough(void *ctx)
{
    const struct explicit_check *c = ctx;
    return is_good_enough(c, c->probe) || is_good_enough(c, c->ahead);
}

/* Whoever chooses a search, a store, all errors, or runs a job of several processes gets what was chosen alone. A
 * violation of a property within a bound has no preemption in its cycle, which probes do not look for. */
static bool wants_probe(const struct explicit_check *c, const struct prepared *x)
{
    const struct search_options *s = &c->search;
    bool usual = s->kind == SEARCH_ORDERED && s->store == STORE_EXACT && !s->all_errors && !s->keep_links;
    if (x && (s->bound >= 0 || explicit_is_unsound(x->p.reduction))) return false;
    return c->o->probe == PROBE_ON && usual && !s->cluster;
}

static bool is_rest_over(void *ctx)
{
    const struct explicit_check *c = ctx;
    return seconds_now() >= c->rest_ends && processor_seconds() >= c->rest_ends_processor;
}

void explicit_limit_rest(struct explicit_check *c, struct search_options *o)
{
    double now = seconds_now(), processor = processor_seconds();
    if (!wants_probe(c, NULL)) return;
    c->rest_ends = now + MAX(now - c->job->limits.started, LEAST_AFTER);
    c->rest_ends_processor = processor + MAX(processor, LEAST_AFTER);
    o->enough = is_rest_over;
    o->enough_ctx = c;
}

/* Only where a violation would end the check. */
static void begin_ahead(struct explicit_check *c)
{
    const struct prepared *x = c->properties.list.len ? c->properties.list.at[0] : NULL;
    if (x && wants_probe(c, x)) c->ahead = probe_start(c->m, &c->search, &x->p);
}

void explicit_probe_begin(struct explicit_check *c, const struct prepared *x)
{
    c->probed = (struct probe_finding){0};
    if (!wants_probe(c, x)) return;
    c->probe = probe_start(c->m, &c->search, x ? &x->p : NULL);
    if (!c->probe) return;
    if (!x) begin_ahead(c);
    c->search.beside = (c->ahead ? 2 : 1) * probe_memory(&c->search);
    c->search.enough = is_enough;
    c->search.enough_ctx = c;
}

static void end_ahead(struct explicit_check *c)
{
    if (!c->ahead) return;
    c->ahead_found = probe_end(c->ahead, &c->ahead_error);
    c->ahead = NULL;
    bool counts = c->found.stop == STOP_ENOUGH && !c->found.has_error && is_within_bound(c, &c->ahead_found);
    if (counts) return;
    c->ahead_found = (struct probe_finding){0};
    schedule_release(&c->ahead_error);
}

/* The search beside it has gone its own way: what it says counts if it has said something. */
static void take_error(struct explicit_check *c, const struct probe_finding *f, struct schedule *error)
{
    struct search_result *r = &c->found;
    schedule_release(&r->error);
    r->error = *error;
    *error = (struct schedule){0};
    r->has_error = true;
    r->unbuilt = false;
    r->errors = 1;
    r->error_level = -1;
    r->stop = STOP_ERROR;
    r->fault = NULL;
    c->probed = *f;
    c->result->probe.by = f->by;
    c->result->probe.states = f->states;
    c->result->probe.processor_seconds = f->own_seconds;
    c->result->probe.seconds = f->seconds - c->job->limits.started;
}

void explicit_probe_end(struct explicit_check *c)
{
    struct schedule error = {0};
    if (!c->probe) return;
    struct probe_finding f = probe_end(c->probe, &error);
    c->probe = NULL;
    c->search.enough = NULL;
    c->search.beside = 0;
    bool has_own = c->found.has_error && !c->found.unbuilt;
    if (f.exists && f.preemptions < 0) f.preemptions = schedule_preemptions(c->m, &error);
    if (is_within_bound(c, &f) && !has_own && !c->found.bad_checkpoint) take_error(c, &f, &error);
    schedule_release(&error);
    end_ahead(c);
}

bool explicit_take_ahead(struct explicit_check *c)
{
    struct probe_finding f = c->ahead_found;
    if (!f.exists) return false;
    c->ahead_found = (struct probe_finding){0};
    c->found = (struct search_result){.bound = -1};
    take_error(c, &f, &c->ahead_error);
    return true;
}

void explicit_explain_probe(struct explicit_check *c)
{
    struct str why = {0};
    int64_t bound = MIN(c->found.bound, (int64_t)c->probed.preemptions - 1);
    c->passes = bound;
    bool counts = !c->property; /* the search for a property has no levels, and claims nothing of preemptions */
    c->at_least = counts && bound + 1 < c->probed.preemptions ? (long)bound + 1 : -1;
    str_printf(&why, "a %s found it beside the ordered search", c->probed.by);
    if (bound >= 0)
        str_printf(&why, "; every schedule with at most %lld preemption%s passes (all were checked)", (long long)bound,
                   bound == 1 ? "" : "s");
    free(c->why);
    c->why = why.at;
}

void explicit_print_probe(const struct explicit_check *c)
{
    char states[64], probed[64], time[32], all[32];
    printf("preemptions %lld: not finished, %s%s\n", (long long)c->found.bound + 1,
           counted(states, c->found.states, "state"), seconds_words(all, c->found.seconds, &c->job->common));
    printf("probe: error after %s%s\n", counted(probed, c->probed.states, "state"),
           seconds_words(time, c->result->probe.seconds, &c->job->common));
}

static bool is_impatient(void *until) { return processor_seconds() > *(double *)until; }

void explicit_patience_begin(struct explicit_check *c, double *until)
{
    enum { PATIENCE = 30 };
    *until = processor_seconds() + PATIENCE;
    model_ask(c->m, is_impatient, until);
}

static bool is_over(void *limits) { return limits_reached_memory(limits) != LIMIT_NONE; }

void explicit_patience_end(struct explicit_check *c) { model_ask(c->m, is_over, (void *)&c->job->limits); }
