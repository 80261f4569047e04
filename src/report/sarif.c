/* SARIF 2.1.0 (OASIS): a result per error, with a code flow of one thread flow per thread whose steps are numbered in
 * the order in which they were executed. */
#include "report/report.h"

#include "base/json.h"
#include "base/version.h"

#include <string.h>

/* What the specification calls a rule is what we call the kind of an error; and what is no error has these. */
static const struct error_kind other_rules[] = {{"unknown", "the check was cut short"},
                                                {"broken", "the check could not be made"},
                                                {"failed", "what came out is not what was expected"},
                                                {NULL, NULL}};

static const struct error_kind *rule(int i)
{
    int kinds = 0;
    while (error_kinds[kinds].name) kinds++;
    const struct error_kind *r = i < kinds ? &error_kinds[i] : &other_rules[i - kinds];
    return r->name ? r : NULL;
}

static int rule_index(const char *id)
{
    for (int i = 0; rule(i); i++)
        if (!strcmp(rule(i)->name, id)) return i;
    BUG("no rule for '%s'", id);
}

/* A path as a URI. */
static void add_uri(struct str *s, const char *path, size_t len)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~";
    if (len && path[0] == '/') str_add(s, "file://");
    for (size_t i = 0; i < len; i++)
        if (strchr(plain, path[i])) str_addc(s, path[i]);
        else str_printf(s, "%%%02X", (unsigned char)path[i]);
}

static void write_physical(struct json_writer *j, const char *path, size_t len, int line)
{
    struct str uri = {0};
    add_uri(&uri, path, len);
    jw_object(j, "physicalLocation");
    jw_object(j, "artifactLocation");
    jw_string(j, "uri", str_get(&uri));
    jw_end(j, '}');
    if (line > 0) {
        jw_object(j, "region");
        jw_int(j, "startLine", line);
        jw_end(j, '}');
    }
    jw_end(j, '}');
    str_release(&uri);
}

static void write_message(struct json_writer *j, const char *text)
{
    jw_object(j, "message");
    jw_string(j, "text", text);
    jw_end(j, '}');
}

static void write_step(struct json_writer *j, const struct trace *t, size_t i)
{
    const struct trace_step *s = &t->steps.at[i];
    jw_object(j, NULL);
    jw_object(j, "location");
    if (s->file) write_physical(j, s->file, strlen(s->file), s->line);
    write_message(j, s->action);
    jw_end(j, '}');
    jw_int(j, "executionOrder", (int64_t)i + 1);
    jw_string(j, "importance", trace_step_is_preemption(t, i) || i + 1 == t->steps.len ? "essential" : "important");
    jw_end(j, '}');
}

/* Those that have steps: a thread flow without any is not allowed. */
static void write_thread_flows(struct json_writer *j, const struct trace *t)
{
    enum { MOST_STEPS = 10000 };
    size_t last = MIN(t->steps.len, (size_t)MOST_STEPS);
    bool *moves = xcalloc(t->threads.len + 1, sizeof *moves);
    for (size_t i = 0; i < last; i++) moves[t->steps.at[i].thread] = true;
    jw_array(j, "threadFlows");
    for (size_t thread = 0; thread < t->threads.len; thread++) {
        if (!moves[thread]) continue;
        jw_object(j, NULL);
        jw_string(j, "id", t->threads.at[thread].name);
        jw_array(j, "locations");
        for (size_t i = 0; i < last; i++)
            if (t->steps.at[i].thread == (int)thread) write_step(j, t, i);
        jw_end(j, ']');
        jw_end(j, '}');
    }
    jw_end(j, ']');
    free_null((void **)&moves);
}

static void write_code_flows(struct json_writer *j, const struct trace *t)
{
    if (!t || !t->steps.len) return;
    jw_array(j, "codeFlows");
    jw_object(j, NULL);
    write_thread_flows(j, t);
    jw_end(j, '}');
    jw_end(j, ']');
}

static void write_result(struct json_writer *j, const struct outcome *o)
{
    const char *id = o->error_kind ? o->error_kind : outcome_word(o->kind == OUTCOME_KNOWN ? OUTCOME_FAILED : o->kind);
    struct str key = {0}, file = {0};
    outcome_key(o, &key);
    int line = outcome_place(o, &file);
    jw_object(j, NULL);
    jw_string(j, "ruleId", id);
    jw_int(j, "ruleIndex", rule_index(id));
    jw_string(j, "level", o->kind == OUTCOME_UNKNOWN ? "warning" : o->kind == OUTCOME_KNOWN ? "note" : "error");
    write_message(j, o->verdict);
    jw_array(j, "locations");
    jw_object(j, NULL);
    write_physical(j, str_get(&file), file.len, line);
    jw_end(j, '}');
    jw_end(j, ']');
    jw_object(j, "partialFingerprints");
    char *hash = hash_text(str_get(&key), key.len);
    jw_string(j, "heddle/v1", hash);
    jw_end(j, '}');
    write_code_flows(j, o->trace);
    jw_end(j, '}');
    free_null((void **)&hash);
    str_release(&file);
    str_release(&key);
}

static void write_tool(struct json_writer *j)
{
    jw_object(j, "tool");
    jw_object(j, "driver");
    jw_string(j, "name", "heddle");
    jw_string(j, "version", HEDDLE_VERSION);
    jw_array(j, "rules");
    for (int i = 0; rule(i); i++) {
        jw_object(j, NULL);
        jw_string(j, "id", rule(i)->name);
        jw_object(j, "shortDescription");
        jw_string(j, "text", rule(i)->description);
        jw_end(j, '}');
        jw_end(j, '}');
    }
    jw_end(j, ']');
    jw_end(j, '}');
    jw_end(j, '}');
}

void report_sarif(const struct outcomes *o, FILE *out)
{
    struct json_writer j = {0};
    bool whole = true;
    jw_object(&j, NULL);
    jw_string(&j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    jw_string(&j, "version", "2.1.0");
    jw_array(&j, "runs");
    jw_object(&j, NULL);
    write_tool(&j);
    for (size_t i = 0; i < o->len; i++) whole &= o->at[i].kind != OUTCOME_BROKEN;
    jw_array(&j, "invocations");
    jw_object(&j, NULL);
    jw_bool(&j, "executionSuccessful", whole);
    jw_end(&j, '}');
    jw_end(&j, ']');
    jw_array(&j, "results");
    for (size_t i = 0; i < o->len; i++)
        if (o->at[i].kind != OUTCOME_PASSED) write_result(&j, &o->at[i]);
    jw_end(&j, ']');
    jw_end(&j, '}');
    jw_end(&j, ']');
    jw_end(&j, '}');
    fputs(str_get(&j.out), out);
    jw_release(&j);
}
