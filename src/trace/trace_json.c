/* Traces on disk: writing. The schema is in doc/trace-format.md; trace_read.c reads them back. */
#include "base/json.h"
#include "trace/trace.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void write_changes(struct json_writer *j, const char *key, const trace_changes *changes)
{
    if (!changes->len) return;
    jw_array(j, key);
    for (size_t i = 0; i < changes->len; i++) {
        jw_object(j, NULL);
        jw_string(j, "name", changes->at[i].name);
        jw_string(j, "value", changes->at[i].value);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

/* What the reader refuses must never be written. */
static void assert_is_thread(const struct trace *t, int thread)
{
    assert(thread >= 0 && (size_t)thread < t->threads.len);
    (void)t, (void)thread;
}

static void write_parts(struct json_writer *j, const struct trace *t, const struct trace_step *s)
{
    if (!s->parts.len) return;
    jw_array(j, "parts");
    for (size_t i = 0; i < s->parts.len; i++) {
        const struct trace_part *p = &s->parts.at[i];
        assert_is_thread(t, p->thread);
        jw_object(j, NULL);
        jw_int(j, "thread", p->thread);
        if (p->file) {
            jw_string(j, "file", p->file);
            jw_int(j, "line", p->line);
        }
        jw_string(j, "action", p->action);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

static void write_picks(struct json_writer *j, const struct trace_step *s)
{
    if (!s->picks.len) return;
    jw_array(j, "picks");
    for (size_t i = 0; i < s->picks.len; i++) {
        jw_object(j, NULL);
        jw_int(j, "thread", s->picks.at[i].thread);
        if (s->picks.at[i].choice) jw_int(j, "choice", s->picks.at[i].choice);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

static void write_stack(struct json_writer *j, const struct trace *t, const struct trace_step *s)
{
    if (!s->stack.len) return;
    jw_array(j, "stack");
    for (size_t i = 0; i < s->stack.len; i++) {
        assert((size_t)s->stack.at[i] < t->frames.len);
        jw_int(j, NULL, s->stack.at[i]);
    }
    jw_end(j, ']');
}

static void write_wakes(struct json_writer *j, const struct trace *t, const struct trace_step *s)
{
    if (!s->wakes.len) return;
    jw_array(j, "wakes");
    for (size_t i = 0; i < s->wakes.len; i++) {
        assert_is_thread(t, s->wakes.at[i]);
        jw_int(j, NULL, s->wakes.at[i]);
    }
    jw_end(j, ']');
}

static void write_frames(struct json_writer *j, const struct trace *t)
{
    if (!t->frames.len) return;
    jw_array(j, "frames");
    for (size_t i = 0; i < t->frames.len; i++) {
        jw_object(j, NULL);
        jw_string(j, "function", t->frames.at[i].function);
        jw_string(j, "file", t->frames.at[i].file);
        jw_int(j, "line", t->frames.at[i].line);
        jw_end(j, '}');
    }
    jw_end(j, ']');
}

/* In one line. */
static void write_brief(struct json_writer *j, const struct trace *t, size_t i)
{
    const struct trace_step *s = &t->steps.at[i];
    bool was_compact = j->compact;
    jw_object(j, NULL);
    j->compact = true;
    jw_int(j, "thread", s->thread);
    if (s->last != s->thread) jw_int(j, "last", s->last);
    if (s->partner >= 0) jw_int(j, "partner", s->partner);
    jw_string(j, "action", s->action);
    jw_bool(j, "previous_enabled", s->previous_enabled);
    if (s->ended) jw_bool(j, "ended", true);
    jw_bool(j, "brief", true);
    jw_bool(j, "preemption", trace_step_is_preemption(t, i));
    jw_int(j, "choice", s->choice);
    jw_end(j, '}');
    j->compact = was_compact;
}

static void write_step(struct json_writer *j, const struct trace *t, size_t i)
{
    const struct trace_step *s = &t->steps.at[i];
    assert_is_thread(t, s->thread);
    assert_is_thread(t, s->last);
    assert(s->partner < 0 || s->partner < (int)t->threads.len);
    if (s->brief) {
        write_brief(j, t, i);
        return;
    }
    jw_object(j, NULL);
    jw_int(j, "thread", s->thread);
    if (s->last != s->thread) jw_int(j, "last", s->last);
    if (s->partner >= 0) jw_int(j, "partner", s->partner);
    if (s->file) {
        jw_string(j, "file", s->file);
        jw_int(j, "line", s->line);
    }
    jw_string(j, "action", s->action);
    write_parts(j, t, s);
    if (s->output) jw_string(j, "output", s->output);
    write_changes(j, "changes", &s->changes);
    write_wakes(j, t, s);
    jw_bool(j, "previous_enabled", s->previous_enabled);
    if (s->ended) jw_bool(j, "ended", true);
    if (s->stale) jw_bool(j, "stale", true);
    if (s->early) jw_bool(j, "early", true);
    if (s->spurious) jw_bool(j, "spurious", true);
    jw_bool(j, "preemption", trace_step_is_preemption(t, i));
    jw_int(j, "choice", s->choice);
    write_picks(j, s);
    write_stack(j, t, s);
    if (s->detail.len) {
        jw_array(j, "detail");
        for (size_t k = 0; k < s->detail.len; k++) jw_int(j, NULL, s->detail.at[k]);
        jw_end(j, ']');
    }
    jw_end(j, '}');
}

static void write_threads(struct json_writer *j, const struct trace *t)
{
    jw_array(j, "threads");
    for (size_t i = 0; i < t->threads.len; i++) jw_string(j, NULL, t->threads.at[i].name);
    jw_end(j, ']');
}

static void write_steps(struct json_writer *j, const struct trace *t)
{
    write_frames(j, t);
    jw_array(j, "steps");
    for (size_t i = 0; i < t->steps.len; i++) write_step(j, t, i);
    jw_end(j, ']');
}

char *trace_to_json(const struct trace *t)
{
    struct json_writer j = {0};
    assert(t->input && t->engine && t->kind && t->message);
    assert(t->cycle_start >= -1 && t->cycle_start <= (long)t->steps.len);
    jw_object(&j, NULL);
    jw_int(&j, "format", TRACE_FORMAT);
    jw_string(&j, "input", t->input);
    jw_string(&j, "input_hash", t->input_hash);
    if (t->given) jw_string(&j, "given", t->given);
    if (t->text) jw_string(&j, "text", t->text);
    if (t->needs_trust) jw_bool(&j, "needs_trust", true);
    jw_string(&j, "engine", t->engine);
    jw_array(&j, "options");
    for (size_t i = 0; i < t->options.len; i++) jw_string(&j, NULL, t->options.at[i]);
    jw_end(&j, ']');
    jw_object(&j, "error");
    jw_string(&j, "kind", t->kind);
    jw_string(&j, "message", t->message);
    jw_string(&j, "location", t->location);
    if (t->at_least >= 0) jw_int(&j, "at_least", t->at_least);
    jw_end(&j, '}');
    write_threads(&j, t);
    if (t->cycle_start >= 0) jw_int(&j, "cycle_start", t->cycle_start);
    else jw_null(&j, "cycle_start");
    if (t->points.len) {
        jw_array(&j, "points");
        for (size_t i = 0; i < t->points.len; i++) jw_int(&j, NULL, (int64_t)t->points.at[i]);
        jw_end(&j, ']');
    }
    write_steps(&j, t);
    write_changes(&j, "final_state", &t->final_state);
    jw_array(&j, "notes");
    for (size_t i = 0; i < t->notes.len; i++) jw_string(&j, NULL, t->notes.at[i]);
    jw_end(&j, ']');
    if (t->other) {
        jw_object(&j, "other");
        write_threads(&j, t->other);
        write_steps(&j, t->other);
        jw_end(&j, '}');
    }
    jw_end(&j, '}');
    assert(j.depth == 0);
    return j.out.at;
}

void trace_print_json(const struct trace *t, FILE *out)
{
    char *text = trace_to_json(t);
    fputs(text, out);
    free(text);
}

/* Opened when all is ready: whoever ends the program before leaves an older file alone. */
int trace_write(const struct trace *t, const char *path)
{
    char *text = trace_to_json(t);
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f);
    int error = errno;
    free(text);
    errno = error;
    return f ? file_finish(f, path) : -1;
}
