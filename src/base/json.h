/* Writing JSON. Jansson reads it. A writer appends to a string; commas and indentation are its business. Whatever
 * is written can be read: bytes that are not UTF-8 become private characters, of which json_unescape() makes bytes
 * again, and numbers that are not finite become null. */
#ifndef HEDDLE_JSON_H
#define HEDDLE_JSON_H

#include "base/base.h"

#include <jansson.h>

struct json_writer {
    struct str out;
    int depth;
    bool first;
    bool compact;    /* all in one line */
    uint64_t arrays; /* bit d: what is open at depth d + 1 is an array */
};

void jw_object(struct json_writer *j, const char *key);  /* key is NULL at the top and inside arrays */
void jw_array(struct json_writer *j, const char *key);
void jw_end(struct json_writer *j, char closing);        /* '}' or ']' */
void jw_string(struct json_writer *j, const char *key, const char *value); /* NULL value: null */
void jw_int(struct json_writer *j, const char *key, int64_t value);
void jw_uint(struct json_writer *j, const char *key, uint64_t value);
void jw_double(struct json_writer *j, const char *key, double value);
void jw_bool(struct json_writer *j, const char *key, bool value);
void jw_null(struct json_writer *j, const char *key);
void jw_raw(struct json_writer *j, const char *key, const char *json); /* a value that was written elsewhere */
void jw_release(struct json_writer *j);
/* Reads with Jansson. Without memory the process ends: Jansson itself would cut a string short and report no error. */
json_t *json_read(const char *text, size_t len, size_t flags, json_error_t *where);
void json_unescape(char *s); /* in place: a string that was read, as it was before it was written */

#endif
