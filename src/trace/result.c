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

static void json_error(struct json *j, const struct result *r)
{
    if (!r->error) {
        json_null(j, "error");
        return;
    }
    struct trace_counts c = trace_count(r->error);
    json_object(j, "error");
    json_string(j, "kind", r->error->kind);
    json_string(j, "message", r->error->message);
    json_string(j, "location", r->error->location);
    json_int(j, "preemptions", c.preemptions);
    json_int(j, "switches", c.switches);
    json_int(j, "steps", c.steps);
    json_string(j, "trace", r->trace_path);
    json_end(j, '}');
}

static void json_bounds(struct json *j, const struct result *r)
{
    json_array(j, "bounds");
    for (size_t i = 0; i < r->bounds.len; i++) {
        const struct level *l = &r->bounds.at[i];
        json_object(j, NULL);
        json_int(j, "bound", l->bound);
        json_uint(j, "states", l->states);
        json_uint(j, "transitions", l->transitions);
        json_uint(j, "executions", l->executions);
        json_double(j, "seconds", l->seconds);
        json_end(j, '}');
    }
    json_end(j, ']');
}

void result_print_json(const struct result *r, FILE *out)
{
    struct json j = {0};
    json_object(&j, NULL);
    json_string(&j, "file", r->file);
    json_string(&j, "engine", r->engine);
    json_string(&j, "verdict", verdict_names[r->verdict]);
    if (r->bound >= 0) json_int(&j, "bound", r->bound);
    else json_null(&j, "bound");
    json_bounds(&j, r);
    json_uint(&j, "states", r->states);
    json_uint(&j, "transitions", r->transitions);
    json_uint(&j, "executions", r->executions);
    json_uint(&j, "blocked", r->blocked);
    json_uint(&j, "depth", r->depth);
    json_uint(&j, "state_bytes", r->state_bytes);
    json_double(&j, "seconds", r->seconds);
    json_double(&j, "compile_seconds", r->compile_seconds);
    json_uint(&j, "memory_bytes", r->memory_bytes);
    json_uint(&j, "errors", r->errors);
    if (r->verdict == VERDICT_UNKNOWN || r->coverage) json_string(&j, "covered", r->covered ? r->covered : r->coverage);
    json_error(&j, r);
    json_end(&j, '}');
    fputs(str_get(&j.out), out);
    json_release(&j);
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
