/* The JSON writer. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *where)
{
    json_set_alloc_funcs(xmalloc, free);
    return json_loadb(text, len, flags, where);
}

/* Bytes that are not UTF-8 are written as characters of a private range, one each, so that what is written is always
 * JSON and reads back as the bytes that it was: 0x80..0xff as U+EF80..U+EFFF. Characters of that range which are really
 * in the text are bytes that are not UTF-8, too. */
enum { PRIVATE_BYTES = 0xef00 };

/* U+EF80..U+EFFF are ee be 80 .. ee bf bf. */
static bool is_private(const unsigned char *p)
{
    return p[0] == 0xee && (p[1] == 0xbe || p[1] == 0xbf) && (p[2] & 0xc0) == 0x80;
}

static void quoted(struct str *out, const char *s)
{
    str_addc(out, '"');
    for (const unsigned char *p = (const unsigned char *)s; *p;) {
        size_t n = is_private(p) ? 0 : utf8_length((const char *)p);
        if (!n) str_printf(out, "\\u%04x", PRIVATE_BYTES | *p);
        else if (*p == '"' || *p == '\\') str_printf(out, "\\%c", *p);
        else if (*p == '\n') str_add(out, "\\n");
        else if (*p == '\t') str_add(out, "\\t");
        else if (*p < 0x20 || *p == 0x7f) str_printf(out, "\\u%04x", *p);
        else str_addn(out, (const char *)p, n);
        p += n ? n : 1;
    }
    str_addc(out, '"');
}

void json_unescape(char *s)
{
    unsigned char *to = (unsigned char *)s;
    for (const unsigned char *p = to; *p; to++) {
        bool ours = is_private(p);
        *to = ours ? (unsigned char)((p[1] == 0xbf ? 0xc0 : 0x80) | (p[2] & 0x3f)) : *p;
        p += ours ? 3 : 1;
    }
    *to = 0;
}

static bool in_array(const struct json_writer *j) { return j->depth && j->arrays >> (j->depth - 1) & 1; }

static void new_line(struct json_writer *j)
{
    if (j->compact) return;
    str_addc(&j->out, '\n');
    for (int i = 0; i < j->depth; i++) str_add(&j->out, "  ");
}

static void begin(struct json_writer *j, const char *key)
{
    assert(j->depth && !in_array(j) ? key != NULL : !key);
    if (j->depth && !j->first) str_addc(&j->out, ',');
    if (j->depth) new_line(j);
    j->first = false;
    if (key) {
        quoted(&j->out, key);
        str_add(&j->out, j->compact ? ":" : ": ");
    }
}

static void open_level(struct json_writer *j, const char *key, char c)
{
    begin(j, key);
    str_addc(&j->out, c);
    assert(j->depth < 64);
    if (c == '[') j->arrays |= UINT64_C(1) << j->depth;
    else j->arrays &= ~(UINT64_C(1) << j->depth);
    j->depth++;
    j->first = true;
}

void jw_object(struct json_writer *j, const char *key) { open_level(j, key, '{'); }
void jw_array(struct json_writer *j, const char *key) { open_level(j, key, '['); }

void jw_end(struct json_writer *j, char closing)
{
    assert(j->depth > 0 && closing == (in_array(j) ? ']' : '}'));
    j->depth--;
    if (!j->first) new_line(j);
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
    if (isfinite(value)) str_printf(&j->out, "%.6f", value);
    else str_add(&j->out, "null");
}

void jw_bool(struct json_writer *j, const char *key, bool value)
{
    begin(j, key);
    str_add(&j->out, value ? "true" : "false");
}

void jw_raw(struct json_writer *j, const char *key, const char *json)
{
    begin(j, key);
    str_add(&j->out, json);
}

void jw_null(struct json_writer *j, const char *key) { jw_string(j, key, NULL); }
void jw_release(struct json_writer *j) { str_release(&j->out); }
