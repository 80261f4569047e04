/* Traces on disk: reading. Nothing in a file is believed: each field has its type and range here, and what does not
 * keep to them is refused with the place and the reason. Fields that nobody knows are left alone (a newer heddle may
 * have written them). */
#define _GNU_SOURCE
#include "base/json.h"
#include "trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 512 << 20 };

struct reader {
    struct trace *t;
    struct str where; /* "step 3" while it is read, else empty */
    struct str wrong; /* the first thing that is; empty: nothing so far */
};

/* Notes what is wrong; returns false for the caller to pass on. */
static bool refuse(struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool refuse(struct reader *r, const char *fmt, ...)
{
    if (r->wrong.len) return false;
    if (r->where.len) str_printf(&r->wrong, "%s: ", r->where.at);
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&r->wrong, fmt, ap);
    va_end(ap);
    return false;
}

static char *keep(struct reader *r, const json_t *string)
{
    char *s = arena_strdup(&r->t->arena, json_string_value(string));
    json_unescape(s);
    return s;
}

/* A string, or NULL where it is null or missing and need not be there. */
static bool get_string(struct reader *r, const json_t *o, const char *key, bool needed, const char **out)
{
    const json_t *s = json_object_get(o, key);
    *out = NULL;
    if (!s && needed) return refuse(r, "'%s' is missing", key);
    if (!s || (!needed && json_is_null(s))) return true;
    if (!json_is_string(s)) return refuse(r, "'%s' is not a string", key);
    *out = keep(r, s);
    return true;
}

struct range { int64_t low, high; };

/* A whole number in a range; `out` stays as it is if it is missing and need not be there. */
static bool get_int(struct reader *r, const json_t *o, const char *key, struct range range, bool needed, int64_t *out)
{
    const json_t *n = json_object_get(o, key);
    if (!n && needed) return refuse(r, "'%s' is missing", key);
    if (!n) return true;
    if (!json_is_integer(n)) return refuse(r, "'%s' is not a whole number", key);
    int64_t v = json_integer_value(n);
    if (v < range.low || v > range.high)
        return refuse(r, "'%s' is %lld, not between %lld and %lld", key, (long long)v, (long long)range.low,
                      (long long)range.high);
    *out = v;
    return true;
}

/* A thread by its position among those listed. */
static bool get_thread(struct reader *r, const json_t *o, const char *key, bool needed, int *out)
{
    int64_t n = *out;
    if (!r->t->threads.len && (needed || json_object_get(o, key))) return refuse(r, "no threads are listed");
    if (!get_int(r, o, key, (struct range){0, (int64_t)r->t->threads.len - 1}, needed, &n)) return false;
    *out = (int)n;
    return true;
}

static bool get_bool(struct reader *r, const json_t *o, const char *key, bool *out)
{
    const json_t *b = json_object_get(o, key);
    if (b && !json_is_boolean(b)) return refuse(r, "'%s' is neither true nor false", key);
    *out = json_is_true(b);
    return true;
}

/* The array `key`, or NULL if there is none, which is an error only if it is needed. */
static bool get_array(struct reader *r, const json_t *o, const char *key, bool needed, const json_t **out)
{
    *out = json_object_get(o, key);
    if (!*out && needed) return refuse(r, "'%s' is missing", key);
    if (*out && !json_is_array(*out)) return refuse(r, "'%s' is not a list", key);
    return true;
}

/* Strings of a list, in turn; NULL: one of them is none. */
static const char *get_item(struct reader *r, const json_t *list, size_t i, const char *key)
{
    const json_t *s = json_array_get(list, i);
    if (json_is_string(s)) return keep(r, s);
    refuse(r, "'%s' contains something that is not a string", key);
    return NULL;
}

static const char *get_name(struct reader *r, const json_t *threads, size_t i)
{
    const char *s = get_item(r, threads, i, "threads");
    for (const char *c = s; c && *c; c++)
        if ((unsigned char)*c < ' ') return refuse(r, "the name of a thread is more than a line"), NULL;
    return s;
}

static bool read_changes(struct reader *r, const json_t *o, const char *key, trace_changes *out)
{
    const json_t *list;
    if (!get_array(r, o, key, false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *c = json_array_get(list, i);
        struct trace_change change;
        if (!json_is_object(c)) return refuse(r, "'%s' contains something that is not an object", key);
        if (!get_string(r, c, "name", true, &change.name) ||
            !get_string(r, c, "value", true, &change.value))
            return false;
        vec_push(out, change);
    }
    return true;
}

/* A position: a line without a file means nothing, a file without a line is line 0. */
static bool get_position(struct reader *r, const json_t *o, const char **file, int *line)
{
    int64_t n = 0;
    if (!get_string(r, o, "file", false, file)) return false;
    if (!get_int(r, o, "line", (struct range){0, INT_MAX}, false, &n)) return false;
    *line = (int)n;
    return true;
}

static bool read_parts(struct reader *r, const json_t *o, struct trace_step *s)
{
    const json_t *list;
    if (!get_array(r, o, "parts", false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        struct trace_part part = {0};
        if (!json_is_object(p)) return refuse(r, "'parts' contains something that is not an object");
        if (!get_thread(r, p, "thread", true, &part.thread) || !get_position(r, p, &part.file, &part.line) ||
            !get_string(r, p, "action", true, &part.action))
            return false;
        vec_push(&s->parts, part);
    }
    return true;
}

static bool read_detail(struct reader *r, const json_t *o, struct trace_step *s)
{
    const json_t *list;
    if (!get_array(r, o, "detail", false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_integer(json_array_get(list, i)))
            return refuse(r, "'detail' contains something that is not a whole number");
        vec_push(&s->detail, json_integer_value(json_array_get(list, i)));
    }
    return true;
}

static bool read_picks(struct reader *r, const json_t *o, struct trace_step *s)
{
    const json_t *list;
    if (!get_array(r, o, "picks", false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        struct trace_pick pick = {0};
        int64_t choice = 0;
        if (!json_is_object(p)) return refuse(r, "'picks' contains something that is not an object");
        if (!get_thread(r, p, "thread", true, &pick.thread) ||
            !get_int(r, p, "choice", (struct range){0, UINT32_MAX}, false, &choice))
            return false;
        pick.choice = (uint32_t)choice;
        vec_push(&s->picks, pick);
    }
    return true;
}

/* Code addresses. */
static bool read_points(struct reader *r, const json_t *root)
{
    const json_t *list;
    if (!get_array(r, root, "points", false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        if (!json_is_integer(n) || json_integer_value(n) <= 0) return refuse(r, "a point is no code address");
        vec_push(&r->t->points, (uint64_t)json_integer_value(n));
    }
    return true;
}

static bool read_frames(struct reader *r, const json_t *root)
{
    const json_t *list;
    if (!get_array(r, root, "frames", false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        struct trace_frame f = {0};
        int64_t line = 0;
        if (!json_is_object(o)) return refuse(r, "'frames' contains something that is not an object");
        if (!get_string(r, o, "function", true, &f.function) || !get_string(r, o, "file", true, &f.file) ||
            !get_int(r, o, "line", (struct range){0, INT_MAX}, true, &line))
            return false;
        f.line = (int)line;
        vec_push(&r->t->frames, f);
    }
    return true;
}

/* A list of numbers below a limit, which may be missing. */
static bool read_numbers(struct reader *r, const json_t *o, const char *name, size_t below, const char *what,
                         trace_numbers *out)
{
    const json_t *list;
    if (!get_array(r, o, name, false, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *n = json_array_get(list, i);
        if (!json_is_integer(n) || json_integer_value(n) < 0 || json_integer_value(n) >= (int64_t)below)
            return refuse(r, "'%s' contains something that is not the number of a %s", name, what);
        vec_push(out, (int)json_integer_value(n));
    }
    return true;
}

static bool read_step(struct reader *r, const json_t *o)
{
    int thread = 0;
    if (!json_is_object(o)) return refuse(r, "not an object");
    if (!get_thread(r, o, "thread", true, &thread)) return false;
    struct trace_step *s = trace_step_add(r->t, thread);
    return get_thread(r, o, "partner", false, &s->partner) && get_thread(r, o, "last", false, &s->last) &&
           get_position(r, o, &s->file, &s->line) && get_string(r, o, "action", true, &s->action) &&
           get_string(r, o, "output", false, &s->output) && get_bool(r, o, "previous_enabled", &s->previous_enabled) &&
           get_bool(r, o, "brief", &s->brief) && get_bool(r, o, "ended", &s->ended) &&
           get_bool(r, o, "stale", &s->stale) && get_bool(r, o, "early", &s->early) &&
           get_bool(r, o, "spurious", &s->spurious) &&
           get_int(r, o, "choice", (struct range){0, UINT32_MAX}, false, &s->choice) &&
           read_changes(r, o, "changes", &s->changes) && read_detail(r, o, s) && read_picks(r, o, s) &&
           read_numbers(r, o, "stack", r->t->frames.len, "frame", &s->stack) &&
           read_numbers(r, o, "wakes", r->t->threads.len, "thread", &s->wakes) && read_parts(r, o, s);
}

static bool read_steps(struct reader *r, const json_t *root)
{
    const json_t *list;
    if (!read_frames(r, root) || !get_array(r, root, "steps", true, &list)) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        r->where.len = 0;
        str_printf(&r->where, "step %zu", i + 1);
        if (!read_step(r, json_array_get(list, i))) return false;
    }
    r->where.len = 0;
    return true;
}

/* What went wrong is a word that verdict lines begin with. */
static bool read_error(struct reader *r, const json_t *root)
{
    const json_t *error = json_object_get(root, "error");
    struct trace *t = r->t;
    if (!json_is_object(error)) return refuse(r, "'error' is missing or not an object");
    if (!get_string(r, error, "kind", true, &t->kind) || !get_string(r, error, "message", true, &t->message) ||
        !get_string(r, error, "location", false, &t->location))
        return false;
    if (!*t->kind || t->kind[strspn(t->kind, "abcdefghijklmnopqrstuvwxyz-")])
        return refuse(r, "'kind' is not the kind of an error");
    int64_t at_least = -1;
    if (!get_int(r, error, "at_least", (struct range){0, INT_MAX}, false, &at_least)) return false;
    t->at_least = (long)at_least;
    return true;
}

static bool read_threads(struct reader *r, const json_t *root)
{
    const json_t *threads;
    if (!get_array(r, root, "threads", true, &threads)) return false;
    if (json_array_size(threads) > INT_MAX) return refuse(r, "there are too many threads");
    const char *s = "";
    for (size_t i = 0; s && i < json_array_size(threads); i++)
        if ((s = get_name(r, threads, i))) vec_push(&r->t->threads, ((struct trace_thread){s}));
    return s != NULL;
}

static bool read_lists(struct reader *r, const json_t *root)
{
    const json_t *options, *notes;
    if (!get_array(r, root, "options", false, &options) || !get_array(r, root, "notes", false, &notes)) return false;
    const char *s = "";
    for (size_t i = 0; s && i < json_array_size(options); i++)
        if ((s = get_item(r, options, i, "options"))) vec_push(&r->t->options, s);
    for (size_t i = 0; s && i < json_array_size(notes); i++)
        if ((s = get_item(r, notes, i, "notes"))) vec_push(&r->t->notes, s);
    return s != NULL;
}

static bool read_cycle(struct reader *r, const json_t *root)
{
    int64_t start = -1;
    if (json_is_null(json_object_get(root, "cycle_start"))) return true;
    if (!get_int(r, root, "cycle_start", (struct range){0, (int64_t)r->t->steps.len}, false, &start)) return false;
    r->t->cycle_start = (long)start;
    return true;
}

/* Threads and steps of another run; what is wrong with it is wrong with the trace. */
static bool read_other(struct reader *r, const json_t *root)
{
    const json_t *o = json_object_get(root, "other");
    if (!o || json_is_null(o)) return true;
    if (!json_is_object(o)) return refuse(r, "'other' is not an object");
    struct trace *whole = r->t;
    r->t = whole->other = trace_new();
    bool good = read_threads(r, o) && read_steps(r, o);
    r->t = whole;
    return good;
}

static bool read_format(struct reader *r, const json_t *root)
{
    int64_t format = 0;
    if (!json_is_object(root)) return refuse(r, "the file is not a JSON object");
    if (!get_int(r, root, "format", (struct range){INT64_MIN, INT64_MAX}, true, &format)) return false;
    if (format == TRACE_FORMAT) return true;
    return refuse(r, "it has format %lld, and this heddle reads format %d: check the input again with this heddle, or "
                     "use the one that wrote it", (long long)format, TRACE_FORMAT);
}

/* The name of a file. */
static bool get_input(struct reader *r, const json_t *root)
{
    if (!get_string(r, root, "input", true, &r->t->input)) return false;
    return *path_basename(r->t->input) || refuse(r, "'input' is not the name of a file");
}

static bool read_trace(struct reader *r, const json_t *root)
{
    struct trace *t = r->t;
    if (!read_format(r, root)) return false;
    return get_input(r, root) && get_bool(r, root, "needs_trust", &t->needs_trust) &&
           get_string(r, root, "input_hash", false, &t->input_hash) &&
           get_string(r, root, "given", false, &t->given) && get_string(r, root, "text", false, &t->text) &&
           get_string(r, root, "engine", true, &t->engine) &&
           read_error(r, root) && read_lists(r, root) && read_threads(r, root) && read_points(r, root) &&
           read_steps(r, root) && read_cycle(r, root) &&
           read_changes(r, root, "final_state", &t->final_state) && read_other(r, root);
}

struct trace *trace_of_json(const char *path, const char *text, size_t len, char **error)
{
    struct str message = {0};
    json_error_t where;
    json_t *root = json_read(text, len, JSON_REJECT_DUPLICATES, &where);
    struct reader r = {.t = trace_new()};
    if (!root) str_printf(&message, "%s:%d:%d: not a trace: %s", path, where.line, where.column, where.text);
    else if (!read_trace(&r, root)) str_printf(&message, "%s: not a trace: %s", path, str_get(&r.wrong));
    json_decref(root);
    str_release(&r.where);
    str_release(&r.wrong);
    *error = message.at;
    if (!message.at) return r.t;
    trace_free(r.t);
    return NULL;
}

/* Why it is not even tried to read a file; NULL if it is. */
static const char *unreadable(const char *path)
{
    struct stat s;
    if (stat(path, &s)) return strerror(errno);
    if (S_ISDIR(s.st_mode)) return "is a directory";
    if (s.st_size > MOST_BYTES) return "is larger than any trace: more than 512 MB";
    return NULL;
}

struct trace *trace_read(const char *path, char **error)
{
    size_t len = 0;
    const char *wrong = unreadable(path);
    char *text = wrong ? NULL : read_file_most(path, &len, MOST_BYTES);
    if (!text) {
        struct str message = {0};
        str_printf(&message, "%s: %s", path, wrong ? wrong : strerror(errno));
        *error = message.at;
        return NULL;
    }
    struct trace *t = trace_of_json(path, text, len, error);
    free(text);
    return t;
}
