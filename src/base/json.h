/* Writing JSON. Reading is Jansson's. A writer appends to a string; commas and indentation are its business. */
#ifndef HEDDLE_JSON_H
#define HEDDLE_JSON_H

#include "base/base.h"

struct json { struct str out; int depth; bool first, after_key; };

void json_object(struct json *j, const char *key);  /* key is NULL at the top and inside arrays */
void json_array(struct json *j, const char *key);
void json_end(struct json *j, char closing);        /* '}' or ']' */
void json_string(struct json *j, const char *key, const char *value); /* NULL value: null */
void json_int(struct json *j, const char *key, int64_t value);
void json_uint(struct json *j, const char *key, uint64_t value);
void json_double(struct json *j, const char *key, double value);
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);
void json_release(struct json *j);

#endif
