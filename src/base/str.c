/* Growing strings and name maps. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void str_addn(struct str *s, const char *text, size_t n)
{
    assert(s->at ? s->len < s->cap : !s->len && !s->cap);
    if (n > SIZE_MAX / 2) die("out of memory (%zu bytes)", n);
    if (s->len + n + 1 > s->cap) s->at = vec_grow(s->at, &s->cap, s->len + n + 1, 1);
    memcpy(s->at + s->len, text, n);
    s->len += n;
    s->at[s->len] = 0;
}

void str_add(struct str *s, const char *text) { str_addn(s, text, strlen(text)); }
void str_addc(struct str *s, char c) { str_addn(s, &c, 1); }

void str_vprintf(struct str *s, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    if (n < 0) BUG("bad format %s", fmt);
    if (s->len + (size_t)n + 1 > s->cap) s->at = vec_grow(s->at, &s->cap, s->len + (size_t)n + 1, 1);
    vsnprintf(s->at + s->len, (size_t)n + 1, fmt, again);
    va_end(again);
    s->len += (size_t)n;
}

void str_printf(struct str *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(s, fmt, ap);
    va_end(ap);
}

void str_add_shell(struct str *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%^";
    if (word[0] == '-') str_add(s, "./"); /* or it would be taken for an option */
    if (*word && !word[strspn(word, plain)]) {
        str_add(s, word);
        return;
    }
    str_addc(s, '\'');
    for (; *word; word++)
        if (*word == '\'') str_add(s, "'\\''");
        else str_addc(s, *word);
    str_addc(s, '\'');
}

void str_add_visible(struct str *s, const char *text)
{
    for (; *text; text++)
        if (*text == '\n') str_add(s, "\\n");
        else if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            str_printf(s, "\\x%02x", (unsigned char)*text);
        else str_addc(s, *text);
}

const char *str_get(const struct str *s) { return s->at ? s->at : ""; }

void str_release(struct str *s)
{
    free(s->at);
    *s = (struct str){0};
}

static struct map_entry *map_slot(const struct map *m, const char *key)
{
    assert(key && !(m->cap & (m->cap - 1)) && m->len < m->cap); /* or the search below would not end */
    size_t i = hash_bytes(key, strlen(key), 0) & (m->cap - 1);
    while (m->slots[i].key && strcmp(m->slots[i].key, key)) i = (i + 1) & (m->cap - 1);
    return &m->slots[i];
}

void *map_get(const struct map *m, const char *key) { return m->cap ? map_slot(m, key)->value : NULL; }

void map_put(struct map *m, const char *key, void *value)
{
    if (2 * (m->len + 1) > m->cap) {
        struct map bigger = {.cap = m->cap ? 2 * m->cap : 16, .len = m->len};
        bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
        for (size_t i = 0; i < m->cap; i++)
            if (m->slots[i].key) *map_slot(&bigger, m->slots[i].key) = m->slots[i];
        free(m->slots);
        *m = bigger;
    }
    struct map_entry *e = map_slot(m, key);
    if (!e->key) m->len++;
    *e = (struct map_entry){key, value};
}

void map_release(struct map *m)
{
    free(m->slots);
    *m = (struct map){0};
}
