/* Traces on disk. The schema is in doc/trace-format.md; format 1. */
#include "base/json.h"
#include "trace/trace.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

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

static void write_parts(struct json_writer *j, const struct trace_step *s)
{
    if (!s->parts.len) return;
    jw_array(j, "parts");
    for (size_t i = 0; i < s->parts.len; i++) {
        const struct trace_part *p = &s->parts.at[i];
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

static void write_step(struct json_writer *j, const struct trace *t, size_t i)
{
    const struct trace_step *s = &t->steps.at[i];
    jw_object(j, NULL);
    jw_int(j, "thread", s->thread);
    if (s->last != s->thread) jw_int(j, "last", s->last);
    if (s->partner >= 0) jw_int(j, "partner", s->partner);
    if (s->file) {
        jw_string(j, "file", s->file);
        jw_int(j, "line", s->line);
    }
    jw_string(j, "action", s->action);
    write_parts(j, s);
    if (s->output) jw_string(j, "output", s->output);
    write_changes(j, "changes", &s->changes);
    jw_bool(j, "previous_enabled", s->previous_enabled);
    if (s->ended) jw_bool(j, "ended", true);
    jw_bool(j, "preemption", trace_step_is_preemption(t, i));
    jw_int(j, "choice", s->choice);
    write_picks(j, s);
    if (s->detail.len) {
        jw_array(j, "detail");
        for (size_t k = 0; k < s->detail.len; k++) jw_int(j, NULL, s->detail.at[k]);
        jw_end(j, ']');
    }
    jw_end(j, '}');
}

static void write_trace(struct json_writer *j, const struct trace *t)
{
    jw_object(j, NULL);
    jw_int(j, "format", FORMAT);
    jw_string(j, "input", t->input);
    jw_string(j, "input_hash", t->input_hash);
    jw_string(j, "engine", t->engine);
    jw_array(j, "options");
    for (size_t i = 0; i < t->options.len; i++) jw_string(j, NULL, t->options.at[i]);
    jw_end(j, ']');
    jw_object(j, "error");
    jw_string(j, "kind", t->kind);
    jw_string(j, "message", t->message);
    jw_string(j, "location", t->location);
    jw_end(j, '}');
    jw_array(j, "threads");
    for (size_t i = 0; i < t->threads.len; i++) jw_string(j, NULL, t->threads.at[i].name);
    jw_end(j, ']');
    if (t->cycle_start >= 0) jw_int(j, "cycle_start", t->cycle_start);
    else jw_null(j, "cycle_start");
    if (t->points.len) {
        jw_array(j, "points");
        for (size_t i = 0; i < t->points.len; i++) jw_int(j, NULL, (int64_t)t->points.at[i]);
        jw_end(j, ']');
    }
    jw_array(j, "steps");
    for (size_t i = 0; i < t->steps.len; i++) write_step(j, t, i);
    jw_end(j, ']');
    write_changes(j, "final_state", &t->final_state);
    jw_array(j, "notes");
    for (size_t i = 0; i < t->notes.len; i++) jw_string(j, NULL, t->notes.at[i]);
    jw_end(j, ']');
    jw_end(j, '}');
}

void trace_print_json(const struct trace *t, FILE *out)
{
    struct json_writer j = {0};
    write_trace(&j, t);
    fwrite(j.out.at, 1, j.out.len, out);
    jw_release(&j);
}

/* Opened when all is ready: whoever ends the program before leaves an older file alone. */
int trace_write(const struct trace *t, const char *path)
{
    struct json_writer j = {0};
    write_trace(&j, t);
    FILE *f = fopen(path, "w");
    if (f) fwrite(j.out.at, 1, j.out.len, f);
    int error = errno;
    jw_release(&j);
    errno = error;
    return f ? file_finish(f, path) : -1;
}

static const char *get_string(struct trace *t, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? arena_strdup(&t->arena, s) : NULL;
}

static void read_changes(struct trace *t, const json_t *list, trace_changes *out)
{
    size_t i;
    json_t *c;
    json_array_foreach(list, i, c) {
        const char *name = get_string(t, c, "name"), *value = get_string(t, c, "value");
        if (name && value) vec_push(out, ((struct trace_change){name, value}));
    }
}

static bool is_thread(const struct trace *t, const json_t *number)
{
    json_int_t n = json_integer_value(number);
    return json_is_integer(number) && n >= 0 && (size_t)n < t->threads.len;
}

static const char *read_parts(struct trace *t, const json_t *list, struct trace_step *s)
{
    size_t i;
    json_t *p;
    json_array_foreach(list, i, p) {
        const char *action = json_string_value(json_object_get(p, "action"));
        if (!is_thread(t, json_object_get(p, "thread"))) return "a part of a step names a thread that is not listed";
        trace_part_add(t, s, (struct trace_part){
            .thread = (int)json_integer_value(json_object_get(p, "thread")),
            .file = json_string_value(json_object_get(p, "file")),
            .line = (int)json_integer_value(json_object_get(p, "line")), .action = action ? action : ""});
    }
    return NULL;
}

static const char *read_picks(struct trace *t, const json_t *list, struct trace_step *s)
{
    size_t i;
    json_t *p;
    json_array_foreach(list, i, p) {
        json_int_t choice = json_integer_value(json_object_get(p, "choice"));
        if (!is_thread(t, json_object_get(p, "thread"))) return "the schedule names a thread that is not listed";
        if (choice < 0 || choice > UINT32_MAX) return "the schedule makes a choice that does not exist";
        int thread = (int)json_integer_value(json_object_get(p, "thread"));
        vec_push(&s->picks, ((struct trace_pick){thread, (uint32_t)choice}));
    }
    return NULL;
}

static const char *read_step(struct trace *t, const json_t *o)
{
    const json_t *thread = json_object_get(o, "thread"), *partner = json_object_get(o, "partner");
    const json_t *last = json_object_get(o, "last");
    if (!is_thread(t, thread)) return "a step names a thread that is not listed";
    if (partner && !is_thread(t, partner)) return "a step names a partner that is not listed";
    if (last && !is_thread(t, last)) return "a step names a last thread that is not listed";
    struct trace_step *s = trace_step_add(t, (int)json_integer_value(thread));
    if (partner) s->partner = (int)json_integer_value(partner);
    if (last) s->last = (int)json_integer_value(last);
    s->file = get_string(t, o, "file");
    s->line = (int)json_integer_value(json_object_get(o, "line"));
    s->action = get_string(t, o, "action");
    if (!s->action) s->action = "";
    s->output = get_string(t, o, "output");
    s->previous_enabled = json_is_true(json_object_get(o, "previous_enabled"));
    s->ended = json_is_true(json_object_get(o, "ended"));
    s->choice = json_integer_value(json_object_get(o, "choice"));
    read_changes(t, json_object_get(o, "changes"), &s->changes);
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(o, "detail"), i, d) vec_push(&s->detail, json_integer_value(d));
    const char *wrong = read_picks(t, json_object_get(o, "picks"), s);
    return wrong ? wrong : read_parts(t, json_object_get(o, "parts"), s);
}

static const char *read_trace(struct trace *t, const json_t *root)
{
    size_t i;
    json_t *item;
    if (!json_is_object(root)) return "not a trace: the file is not a JSON object";
    if (json_integer_value(json_object_get(root, "format")) != FORMAT) return "not a trace of format 1";
    t->input = get_string(t, root, "input");
    t->input_hash = get_string(t, root, "input_hash");
    t->engine = get_string(t, root, "engine");
    const json_t *error = json_object_get(root, "error");
    t->kind = get_string(t, error, "kind");
    t->message = get_string(t, error, "message");
    t->location = get_string(t, error, "location");
    if (!t->input || !t->engine || !t->kind || !t->message) return "a field is missing (input, engine or error)";
    json_array_foreach(json_object_get(root, "options"), i, item)
        if (json_is_string(item)) vec_push(&t->options, arena_strdup(&t->arena, json_string_value(item)));
    json_array_foreach(json_object_get(root, "threads"), i, item)
        trace_thread_add(t, json_is_string(item) ? json_string_value(item) : "?");
    const json_t *cycle = json_object_get(root, "cycle_start");
    if (json_is_integer(cycle)) t->cycle_start = (long)json_integer_value(cycle);
    json_array_foreach(json_object_get(root, "points"), i, item) {
        if (json_integer_value(item) <= 0) return "a point is no code address";
        vec_push(&t->points, (uint64_t)json_integer_value(item));
    }
    json_array_foreach(json_object_get(root, "steps"), i, item) {
        const char *wrong = read_step(t, item);
        if (wrong) return wrong;
    }
    if (t->cycle_start > (long)t->steps.len) return "the cycle starts after the last step";
    read_changes(t, json_object_get(root, "final_state"), &t->final_state);
    json_array_foreach(json_object_get(root, "notes"), i, item)
        if (json_is_string(item)) vec_push(&t->notes, arena_strdup(&t->arena, json_string_value(item)));
    return NULL;
}

struct trace *trace_read(const char *path, char **error)
{
    struct str message = {0};
    json_error_t where;
    size_t len = 0;
    char *text = read_file(path, &len);
    json_t *root = text ? json_loadb(text, len, JSON_REJECT_DUPLICATES, &where) : NULL;
    struct trace *t = NULL;
    if (!text) {
        str_printf(&message, "%s: %s", path, strerror(errno));
    } else if (!root) {
        str_printf(&message, "%s:%d:%d: not a trace: %s", path, where.line, where.column, where.text);
    } else {
        t = trace_new();
        const char *wrong = read_trace(t, root);
        if (wrong) {
            str_printf(&message, "%s: %s", path, wrong);
            trace_free(t);
            t = NULL;
        }
    }
    free(text);
    json_decref(root);
    *error = message.at;
    return t;
}
