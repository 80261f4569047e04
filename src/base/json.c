/* The JSON writer. */
#include "base/json.h"

#include <string.h>

static void quoted(struct str *out, const char *s)
{
    str_addc(out, '"');
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        if (*p == '"' || *p == '\\') str_printf(out, "\\%c", *p);
        else if (*p == '\n') str_add(out, "\\n");
        else if (*p == '\t') str_add(out, "\\t");
        else if (*p < 0x20 || *p == 0x7f) str_printf(out, "\\u%04x", *p);
        else str_addc(out, (char)*p);
    }
    str_addc(out, '"');
}

static void begin(struct json_writer *j, const char *key)
{
    if (j->depth) {
        if (!j->first) str_addc(&j->out, ',');
        str_addc(&j->out, '\n');
        for (int i = 0; i < j->depth; i++) str_add(&j->out, "  ");
    }
    j->first = false;
    if (key) {
        quoted(&j->out, key);
        str_add(&j->out, ": ");
    }
}

static void open_level(struct json_writer *j, const char *key, char c)
{
    begin(j, key);
    str_addc(&j->out, c);
    j->depth++;
    j->first = true;
}

void jw_object(struct json_writer *j, const char *key) { open_level(j, key, '{'); }
void jw_array(struct json_writer *j, const char *key) { open_level(j, key, '['); }

void jw_end(struct json_writer *j, char closing)
{
    j->depth--;
    if (!j->first) {
        str_addc(&j->out, '\n');
        for (int i = 0; i < j->depth; i++) str_add(&j->out, "  ");
    }
    str_addc(&j->out, closing);
    j->first = false;
    if (j->depth == 0) str_addc(&j->out, '\n');
}

void jw_string(struct json_writer *j, const char *key, const char *value)
{
    begin(j, key);
    if (value) quoted(&j->out, value);
    else str_add(&j->out, "null");
}

void jw_int(struct json_writer *j, const char *key, int64_t value)
{
    begin(j, key);
    str_printf(&j->out, "%lld", (long long)value);
}

void jw_uint(struct json_writer *j, const char *key, uint64_t value)
{
    begin(j, key);
    str_printf(&j->out, "%llu", (unsigned long long)value);
}

void jw_double(struct json_writer *j, const char *key, double value)
{
    begin(j, key);
    str_printf(&j->out, "%.6f", value);
}

void jw_bool(struct json_writer *j, const char *key, bool value)
{
    begin(j, key);
    str_add(&j->out, value ? "true" : "false");
}

void jw_null(struct json_writer *j, const char *key) { jw_string(j, key, NULL); }
void jw_release(struct json_writer *j) { str_release(&j->out); }
