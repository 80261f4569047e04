/* Verdict lines, exit status, JSON. */
#include "trace/result.h"

#include "base/json.h"

#include <stdlib.h>

static const char *const verdict_names[] = {"verified", "bounded", "error", "unknown"};

void result_release(struct result *r)
{
    vec_release(&r->bounds);
    free(r->covered);
    free(r->coverage);
    trace_free(r->error);
    *r = (struct result){0};
}

static const char *plural(int64_t n, const char *one, const char *many) { return n == 1 ? one : many; }

void result_print_verdict(const struct result *r, FILE *out)
{
    switch (r->verdict) {
    case VERDICT_VERIFIED: fprintf(out, "heddle: VERIFIED no error in any schedule\n"); break;
    case VERDICT_BOUNDED:
        if (r->coverage) fprintf(out, "heddle: BOUNDED %s\n", r->coverage);
        else fprintf(out, "heddle: BOUNDED no error with at most %lld %s\n", (long long)r->bound,
                     plural(r->bound, "preemption", "preemptions"));
        break;
    case VERDICT_ERROR: {
        struct trace_counts c = trace_count(r->error);
        fprintf(out, "heddle: ERROR %s: %s (%ld %s, %ld %s)\n", r->error->kind, r->error->message, c.preemptions,
                plural(c.preemptions, "preemption", "preemptions"), c.steps, plural(c.steps, "step", "steps"));
        break;
    }
    case VERDICT_UNKNOWN: fprintf(out, "heddle: UNKNOWN %s\n", r->covered ? r->covered : "nothing was covered"); break;
    }
}

static void json_error(struct json_writer *j, const struct result *r)
{
    if (!r->error) {
        jw_null(j, "error");
        return;
    }
    struct trace_counts c = trace_count(r->error);
    jw_object(j, "error");
    jw_string(j, "kind", r->error->kind);
    jw_string(j, "message", r->error->message);
    jw_string(j, "location", r->error->location);
    jw_int(j, "preemptions", c.preemptions);
    jw_int(j, "switches", c.switches);
    jw_int(j, "steps", c.steps);
    jw_string(j, "trace", r->trace_path);
    jw_end(j, '}');
}

static void json_bounds(struct json_writer *j, const struct result *r)
{
    jw_array(j, "bounds");
    for (size_t i = 0; i < r->bounds.len; i++) {
        const struct level *l = &r->bounds.at[i];
        jw_object(j, NULL);
        jw_int(j, "bound", l->bound);
        jw_uint(j, "states", l->states);
        jw_uint(j, "transitions", l->transitions);
        jw_uint(j, "executions", l->executions);
        jw_double(j, "seconds", l->seconds);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

void result_print_json(const struct result *r, FILE *out)
{
    struct json_writer j = {0};
    jw_object(&j, NULL);
    jw_string(&j, "file", r->file);
    jw_string(&j, "engine", r->engine);
    jw_string(&j, "verdict", verdict_names[r->verdict]);
    if (r->bound >= 0) jw_int(&j, "bound", r->bound);
    else jw_null(&j, "bound");
    json_bounds(&j, r);
    jw_uint(&j, "states", r->states);
    jw_uint(&j, "transitions", r->transitions);
    jw_uint(&j, "executions", r->executions);
    jw_uint(&j, "blocked", r->blocked);
    jw_uint(&j, "depth", r->depth);
    jw_uint(&j, "state_bytes", r->state_bytes);
    jw_double(&j, "seconds", r->seconds);
    jw_double(&j, "compile_seconds", r->compile_seconds);
    jw_uint(&j, "memory_bytes", r->memory_bytes);
    jw_uint(&j, "errors", r->errors);
    if (r->verdict == VERDICT_UNKNOWN || r->coverage) jw_string(&j, "covered", r->covered ? r->covered : r->coverage);
    json_error(&j, r);
    jw_end(&j, '}');
    fputs(str_get(&j.out), out);
    jw_release(&j);
}

int result_exit_status(const struct result *r)
{
    switch (r->verdict) {
    case VERDICT_VERIFIED:
    case VERDICT_BOUNDED: return EXIT_OK;
    case VERDICT_ERROR: return EXIT_ERROR_FOUND;
    case VERDICT_UNKNOWN: return EXIT_UNKNOWN;
    }
    BUG("verdict %d", r->verdict);
}
