/* Verdict lines, exit status, JSON. */
#include "check/check.h"

#include "base/json.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[] = {[VERDICT_UNKNOWN] = "unknown",
                                            [VERDICT_BOUNDED] = "bounded",
                                            [VERDICT_VERIFIED] = "verified",
                                            [VERDICT_ERROR] = "error"};
static const char *const verdict_words[] = {[VERDICT_UNKNOWN] = "UNKNOWN",
                                            [VERDICT_BOUNDED] = "BOUNDED",
                                            [VERDICT_VERIFIED] = "VERIFIED",
                                            [VERDICT_ERROR] = "ERROR"};

void result_release(struct result *r)
{
    vec_release(&r->bounds);
    coverage_release(&r->coverage);
    free(r->no_trace);
    free(r->no_detail);
    vec_release(&r->team);
    free(r->advice);
    free(r->change);
    free(r->next);
    free(r->spent_checkpoint);
    for (size_t i = 0; i < r->orders.len; i++) {
        free(r->orders.at[i].place);
        free(r->orders.at[i].what);
    }
    vec_release(&r->orders);
    for (size_t i = 0; i < r->symbolic.projection.list.len; i++) {
        struct projected *p = &r->symbolic.projection.list.at[i];
        free(p->text), free(p->thread), free(p->state), free(p->symbol);
    }
    vec_release(&r->symbolic.projection.list);
    free(r->verification.found);
    trace_free(r->error);
    for (size_t i = 0; i < r->others.len; i++) {
        trace_free(r->others.at[i].trace);
        free(r->others.at[i].path);
    }
    vec_release(&r->others);
    *r = (struct result){0};
}

enum verdict result_verdict(const struct result *r)
{
    return r->error ? VERDICT_ERROR : coverage_verdict(&r->coverage);
}

/* r: the result whose error it is, or NULL. */
static void say_trace(const struct trace *t, const struct result *r, struct str *s)
{
    char *counts = trace_count_words(t), steps[64];
    str_printf(s, "%s: ", t->kind);
    str_add_visible(s, t->message); /* a verdict is one line, whatever files are called */
    str_add(s, " (");
    if (r && r->no_trace) str_add(s, r->no_trace);
    else if (r && r->no_detail) str_printf(s, "%s; %s", counted(steps, t->steps.len, "step"), r->no_detail);
    else str_add(s, counts);
    str_add(s, ")");
    free(counts);
}

char *error_words(const struct trace *t)
{
    struct str s = {0};
    str_add(&s, "ERROR ");
    say_trace(t, NULL, &s);
    return s.at;
}

void result_print_others(const struct result *r, FILE *out)
{
    for (size_t i = 0; i < r->others.len; i++) {
        struct str s = {0};
        say_trace(r->others.at[i].trace, NULL, &s);
        fprintf(out, "also     %s\n", str_get(&s));
        s.len = 0;
        if (r->others.at[i].path) str_add_shell(&s, r->others.at[i].path);
        const char *trust = r->others.at[i].trace->needs_trust ? "--trust " : "";
        if (r->others.at[i].path) fprintf(out, "replay   heddle replay %s%s\n", trust, str_get(&s));
        str_release(&s);
    }
}

char *result_words(const struct result *r)
{
    struct str s = {0};
    if (r->error) {
        str_add(&s, "ERROR ");
        say_trace(r->error, r, &s);
        return s.at;
    }
    char *sentence = coverage_sentence(&r->coverage);
    str_printf(&s, "%s %s", verdict_words[result_verdict(r)], sentence);
    free(sentence);
    return s.at;
}

const char *seconds_words(char buffer[32], double seconds, const struct common_options *o)
{
    if (o->no_times) return "";
    snprintf(buffer, 32, ", %.2f s", seconds);
    return buffer;
}

void result_print_verification(const struct result *r, FILE *out)
{
    static const char *const words[] = {
        [VERIFY_AGREES] = "agrees", [VERIFY_UNFINISHED] = "not finished", [VERIFY_DISAGREES] = "DISAGREES"};
    const struct verification *v = &r->verification;
    if (v->outcome != VERIFY_NOT_ASKED) fprintf(out, "verify   %s: %s\n", words[v->outcome], v->found);
}

void result_print_verdict(const struct result *r, FILE *out)
{
    char *words = result_words(r);
    fprintf(out, "heddle: %s\n", words);
    free(words);
}

/* r: the result whose error it is, or NULL. */
static void json_counts(struct json_writer *j, const struct trace *t, const struct result *r)
{
    struct trace_counts c = trace_count(t);
    if (r && r->no_detail) {
        jw_string(j, "no_detail", r->no_detail);
        jw_int(j, "steps", c.steps);
        return;
    }
    jw_int(j, "preemptions", c.preemptions);
    if (t->at_least >= 0) jw_int(j, "at_least", t->at_least);
    if (c.stale_reads) jw_int(j, "stale_reads", c.stale_reads);
    if (c.early_writes) jw_int(j, "early_writes", c.early_writes);
    if (c.spurious) jw_int(j, "spurious", c.spurious);
    jw_int(j, "switches", c.switches);
    jw_int(j, "steps", c.steps);
}

static void json_trace(struct json_writer *j, const char *key, const struct trace *t, const struct result *r,
                       const char *path)
{
    jw_object(j, key);
    jw_string(j, "kind", t->kind);
    jw_string(j, "message", t->message);
    jw_string(j, "location", t->location);
    if (r && r->no_trace) {
        jw_string(j, "no_trace", r->no_trace);
        jw_null(j, "trace");
    } else {
        json_counts(j, t, r);
        jw_string(j, "trace", path);
    }
    jw_end(j, '}');
}

static void json_probe(struct json_writer *j, const struct result *r)
{
    if (!r->probe.by) return;
    jw_object(j, "probe");
    jw_string(j, "found_by", r->probe.by);
    jw_uint(j, "states", r->probe.states);
    if (!r->no_times) {
        jw_double(j, "seconds", r->probe.seconds);
        jw_double(j, "processor_seconds", r->probe.processor_seconds);
    }
    jw_end(j, '}');
}

static void json_errors(struct json_writer *j, const struct result *r)
{
    if (r->error) json_trace(j, "error", r->error, r, r->trace_path);
    else jw_null(j, "error");
    if (!r->others.len) return;
    jw_array(j, "other_errors");
    for (size_t i = 0; i < r->others.len; i++)
        json_trace(j, NULL, r->others.at[i].trace, NULL, r->others.at[i].path);
    jw_end(j, ']');
}

static void json_bounds(struct json_writer *j, const struct result *r)
{
    jw_array(j, "bounds");
    for (size_t i = 0; i < r->bounds.len; i++) {
        const struct level *l = &r->bounds.at[i];
        jw_object(j, NULL);
        jw_int(j, "bound", l->bound);
        jw_bool(j, "complete", l->complete);
        jw_uint(j, "states", l->states);
        jw_uint(j, "transitions", l->transitions);
        jw_uint(j, "executions", l->executions);
        if (!r->no_times) jw_double(j, "seconds", l->seconds);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

/* How far the others came differs from run to run, unless one of them found the error. */
static void json_team(struct json_writer *j, const struct result *r)
{
    if (!r->team.len || (r->no_times && !r->maybe_simpler)) return;
    jw_array(j, "portfolio");
    for (size_t i = 0; i < r->team.len; i++) {
        const struct team_row *t = &r->team.at[i];
        jw_object(j, NULL);
        jw_string(j, "strategy", t->strategy);
        jw_uint(j, "executions", t->executions);
        jw_uint(j, "new_orders", t->news);
        jw_bool(j, "error", t->has_error);
        if (t->has_error && !r->no_times) {
            jw_double(j, "seconds", t->seconds);
            jw_uint(j, "search_executions", t->search_executions);
        }
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

/* The numbers of the search that was given up differ from run to run if there was a limit, or several processes. */
static void json_unbounded(struct json_writer *j, const struct result *r)
{
    const struct unbounded_search *u = &r->unbounded;
    if (!u->strategy || (r->no_times && !u->decides)) return;
    jw_object(j, "unbounded");
    jw_string(j, "strategy", u->strategy);
    jw_bool(j, "decides", u->decides);
    jw_uint(j, "executions", u->executions);
    if (!r->no_times) jw_uint(j, "executions_within_bounds", u->bounded);
    jw_end(j, '}');
}

static void json_prediction(struct json_writer *j, const struct result *r)
{
    const struct prediction *p = &r->prediction;
    if (!p->walks) return;
    jw_object(j, "estimate");
    jw_double(j, "executions", p->executions);
    jw_double(j, "least", p->least);
    jw_double(j, "most", p->most);
    jw_uint(j, "sample", p->walks);
    if (!r->no_times) jw_double(j, "seconds", p->seconds);
    jw_end(j, '}');
}

static void json_near(struct json_writer *j, const struct result *r)
{
    const struct near_search *n = &r->near;
    if (!n->executions || (r->no_times && !n->has_error)) return;
    jw_object(j, "near_start");
    jw_uint(j, "steps", n->steps);
    jw_int(j, "bound", n->bound);
    jw_uint(j, "executions", n->executions);
    jw_bool(j, "error", n->has_error);
    jw_end(j, '}');
}

static void json_checked(struct json_writer *j, const struct coverage *c)
{
    jw_array(j, "checked");
    for (size_t i = 0; i < c->parts.len; i++) {
        jw_object(j, NULL);
        jw_string(j, "what", c->parts.at[i].what ? c->parts.at[i].what : "errors");
        const struct part *p = &c->parts.at[i];
        jw_string(j, "verdict", verdict_names[p->violated ? VERDICT_ERROR : part_verdict(p)]);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

static void json_verification(struct json_writer *j, const struct verification *v, bool no_times)
{
    static const char *const outcomes[] = {
        [VERIFY_AGREES] = "agrees", [VERIFY_UNFINISHED] = "unfinished", [VERIFY_DISAGREES] = "disagrees"};
    if (v->outcome == VERIFY_NOT_ASKED) return;
    jw_object(j, "verify");
    jw_string(j, "method", v->method);
    jw_string(j, "outcome", outcomes[v->outcome]);
    jw_string(j, "found", v->found);
    jw_uint(j, "explored", v->states);
    if (!no_times) jw_double(j, "seconds", v->seconds);
    jw_end(j, '}');
}

static void json_projected(struct json_writer *j, const struct projected *p)
{
    jw_object(j, NULL);
    if (p->line) {
        jw_int(j, "line", p->line);
        jw_int(j, "column", p->column);
        jw_string(j, "text", p->text);
    } else {
        jw_string(j, "thread", p->thread);
        jw_string(j, "state", p->state);
        jw_string(j, "symbol", p->symbol);
    }
    jw_end(j, '}');
}

static void json_projection(struct json_writer *j, const struct projection *x)
{
    if (!x->known) return;
    jw_object(j, "projection");
    jw_bool(j, "complete", !x->cut && !x->rounds);
    if (x->cut) jw_string(j, "cut", x->cut);
    if (x->rounds) jw_int(j, "rounds", x->rounds);
    jw_array(j, "list");
    for (size_t i = 0; i < x->list.len; i++) json_projected(j, &x->list.at[i]);
    jw_end(j, ']');
    jw_end(j, '}');
}

static void json_symbolic(struct json_writer *j, const struct result *r)
{
    if (!r->symbolic.mode) return;
    jw_object(j, "symbolic");
    jw_string(j, "mode", r->symbolic.mode);
    jw_string(j, "direction", r->symbolic.backward ? "backward" : "forward");
    jw_int(j, "rounds", r->symbolic.rounds);
    jw_int(j, "threads", r->symbolic.threads);
    jw_uint(j, "nodes", r->symbolic.nodes);
    jw_int(j, "variables", r->symbolic.variables);
    jw_string(j, "order", r->symbolic.order);
    if (r->symbolic.weights) jw_string(j, "weights", r->symbolic.weights);
    if (r->symbolic.weights && r->symbolic.reached) jw_int(j, "weight", r->symbolic.weight);
    json_projection(j, &r->symbolic.projection);
    jw_end(j, '}');
}

/* What travelled depends on who was sent what lately, hence on the pace of threads. */
static void json_cluster(struct json_writer *j, const struct result *r)
{
    if (!r->cluster.processes || r->no_times) return;
    jw_object(j, "cluster");
    jw_uint(j, "processes", r->cluster.processes);
    jw_uint(j, "messages", r->cluster.messages);
    jw_uint(j, "bytes", r->cluster.bytes);
    if (r->cluster.by_parts) jw_uint(j, "parts", r->cluster.parts);
    else {
        jw_uint(j, "arrivals_sent", r->cluster.items);
        jw_double(j, "idle_seconds", r->cluster.idle);
    }
    jw_end(j, '}');
}

void result_print_orders(const struct result *r, FILE *out)
{
    char count[64];
    for (size_t i = 0; i < r->orders.len; i++) {
        const struct order_advice *o = &r->orders.at[i];
        fprintf(out, "%s: %s: %s %s be %s\n", o->place, o->what, o->from, r->error ? "has to" : "could", o->to);
    }
    if (r->orders_note) fprintf(out, "orders: %s\n", r->orders_note);
    if (r->orders_tried) fprintf(out, "orders: tried by %s\n", counted(count, r->orders_tried, "check"));
}

static void json_orders(struct json_writer *j, const struct result *r)
{
    if (!r->orders_tried && !r->orders_note) return;
    jw_object(j, "orders");
    jw_uint(j, "checks", r->orders_tried);
    if (r->orders_note) jw_string(j, "note", r->orders_note);
    jw_array(j, "changes");
    for (size_t i = 0; i < r->orders.len; i++) {
        jw_object(j, NULL);
        jw_string(j, "place", r->orders.at[i].place);
        jw_string(j, "operation", r->orders.at[i].what);
        jw_string(j, "from", r->orders.at[i].from);
        jw_string(j, "to", r->orders.at[i].to);
        jw_end(j, '}');
    }
    jw_end(j, ']');
    jw_end(j, '}');
}

static void json_ends(struct json_writer *j, const struct result *r)
{
    if (!r->ends.known) return;
    jw_object(j, "ends");
    jw_uint(j, "complete", r->ends.complete);
    jw_uint(j, "blocked", r->ends.waiting);
    jw_uint(j, "cut", r->ends.cut);
    jw_uint(j, "abandoned", r->ends.abandoned);
    jw_end(j, '}');
}

void result_print_json(const struct result *r, FILE *out)
{
    struct json_writer j = {0};
    int64_t bound = coverage_bound(&r->coverage);
    char *sentence = coverage_sentence(&r->coverage);
    jw_object(&j, NULL);
    jw_string(&j, "file", r->file);
    jw_string(&j, "engine", r->engine);
    jw_string(&j, "verdict", verdict_names[result_verdict(r)]);
    if (bound >= 0) jw_int(&j, "bound", bound);
    else jw_null(&j, "bound");
    json_bounds(&j, r);
    json_team(&j, r);
    if (r->explored_by) jw_string(&j, "explored_by", r->explored_by);
    json_unbounded(&j, r);
    json_prediction(&j, r);
    json_near(&j, r);
    jw_uint(&j, "states", r->states);
    jw_uint(&j, "transitions", r->transitions);
    jw_uint(&j, "executions", r->executions);
    jw_uint(&j, "blocked", r->blocked);
    json_ends(&j, r);
    jw_uint(&j, "depth", r->depth);
    jw_uint(&j, "state_bytes", r->state_bytes);
    if (r->digest) jw_uint(&j, "digest", r->digest);
    if (!r->no_times) {
        jw_double(&j, "seconds", r->seconds);
        jw_double(&j, "compile_seconds", r->compile_seconds);
        jw_uint(&j, "memory_bytes", r->memory_bytes);
        if (r->known) jw_uint(&j, "known", r->known);
        if (r->resumed) jw_uint(&j, "resumed", r->resumed);
    }
    json_symbolic(&j, r);
    json_cluster(&j, r);
    jw_uint(&j, "errors", r->errors);
    json_checked(&j, &r->coverage);
    json_verification(&j, &r->verification, r->no_times);
    if (!r->error) jw_string(&j, "covered", sentence);
    json_errors(&j, r);
    json_probe(&j, r);
    json_orders(&j, r);
    jw_end(&j, '}');
    fputs(str_get(&j.out), out);
    jw_release(&j);
    free(sentence);
}

void result_lost_file(struct result *r, const char *path, bool asked_for)
{
    fprintf(stderr, "heddle: %s: cannot write %s: %s\n", asked_for ? "error" : "warning", path, strerror(errno));
    r->lost_file |= asked_for;
}

static void write_pictures(struct result *r, const struct trace *t, const struct common_options *o)
{
    const char *const paths[] = {
        [PICTURE_HTML] = o->html, [PICTURE_SVG] = o->svg, [PICTURE_MERMAID] = o->mermaid, [PICTURE_DOT] = o->dot};
    static_assert(ARRAY_LEN(paths) == PICTURES, "every picture has an option");
    for (int p = 0; p < PICTURES; p++) {
        char *wrong;
        if (!paths[p]) continue;
        if (picture_write(p, t, paths[p], (struct picture_style){.trace_path = r->trace_path}, &wrong)) {
            fprintf(stderr, "heddle: error: cannot write %s: %s\n", paths[p], wrong);
            r->lost_file = true;
            free(wrong);
        }
    }
}

static const char *below(const char *directory, const char *path)
{
    size_t n = strlen(directory);
    return path && !strncmp(path, directory, n) && path[n] == '/' ? path + n + 1 : path;
}

static void hide_directory(struct trace *t, const char *directory)
{
    for (size_t i = 0; i < t->steps.len; i++) {
        struct trace_step *s = &t->steps.at[i];
        s->file = below(directory, s->file);
        for (size_t k = 0; k < s->parts.len; k++) s->parts.at[k].file = below(directory, s->parts.at[k].file);
    }
    for (size_t i = 0; i < t->frames.len; i++) t->frames.at[i].file = below(directory, t->frames.at[i].file);
    t->location = below(directory, t->location);
    if (t->other) hide_directory(t->other, directory);
}

/* A copy is gone when the check is over: the trace has its text, and calls it by its name alone. */
static int write_trace(struct trace *t, const char *path, const struct check_job *job)
{
    if (job->text) {
        hide_directory(t, job->copies);
        t->text = arena_strdup(&t->arena, job->text);
        t->given = arena_strdup(&t->arena, job->given);
        t->input = below(job->copies, t->input);
        for (size_t i = 0; i < t->options.len; i++) t->options.at[i] = below(job->copies, t->options.at[i]);
    }
    char *directory = trust_directory_of(path), *refused = trust_refusal(t, directory);
    t->needs_trust |= job->input_needs_trust || refused;
    free(refused);
    free(directory);
    return trace_write(t, path);
}

void result_write_trace(struct result *r, struct trace *t, const char *why, const struct check_job *job)
{
    bool told = why && *why;
    if (told) vec_push(&t->notes, arena_printf(&t->arena, "why: %s", why));
    if (write_trace(t, job->trace_path, job) == 0) r->trace_path = job->trace_path;
    else result_lost_file(r, job->trace_path, job->common.trace_path != NULL);
    write_pictures(r, t, &job->common);
    if (told) t->notes.len--;
}

void result_add_error(struct result *r, struct trace *t, const char *name, const struct check_job *job)
{
    size_t stem = strlen(job->trace_path);
    struct str path = {0};
    if (stem > 6 && !strcmp(job->trace_path + stem - 6, ".trace")) stem -= 6;
    str_addn(&path, job->trace_path, stem);
    if (name) str_printf(&path, ".%s.trace", name);
    else str_printf(&path, ".%zu.trace", r->others.len + 2);
    if (write_trace(t, str_get(&path), job) == 0) {
        vec_push(&r->others, ((struct another_error){t, path.at}));
        return;
    }
    result_lost_file(r, str_get(&path), job->common.trace_path != NULL);
    vec_push(&r->others, ((struct another_error){t, NULL}));
    str_release(&path);
}

int result_exit_status(const struct result *r)
{
    assert(!r->no_trace || r->error);
    if (r->lost_file) return EXIT_BAD_INPUT;
    switch (result_verdict(r)) {
    case VERDICT_VERIFIED:
    case VERDICT_BOUNDED: return EXIT_OK;
    case VERDICT_ERROR: return EXIT_ERROR_FOUND;
    case VERDICT_UNKNOWN: return EXIT_UNKNOWN;
    }
    BUG("verdict %d", result_verdict(r));
}

static int print_and_release(struct result *r)
{
    int status = result_exit_status(r);
    result_print_verdict(r, stdout);
    result_release(r);
    return status;
}

struct report replay_style(const struct replay_options *o)
{
    return (struct report){.color = wants_color(o->no_color), .quiet = o->quiet};
}

int result_print_reproduced(struct trace *t)
{
    assert(t && t->kind);
    struct result r = {.error = t};
    return print_and_release(&r);
}

int result_print_not_reproduced(char *why)
{
    struct result r = {0};
    part_omit(coverage_add(&r.coverage, NULL), LOSS_REPEAT, "%s", why);
    free(why);
    return print_and_release(&r);
}
