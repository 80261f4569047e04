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

static bool has_control(const char *word)
{
    for (; *word; word++)
        if ((unsigned char)*word < ' ' || *word == 0x7f) return true;
    return false;
}

/* Such a word stays on one line, and is harmless to a terminal; every shell knows this form. */
static void add_printed(struct str *s, const char *word)
{
    str_add(s, "\"$(printf '");
    for (; *word; word++)
        if ((unsigned char)*word < ' ' || strchr("'\\%\177", *word)) str_printf(s, "\\%03o", (unsigned char)*word);
        else str_addc(s, *word);
    str_add(s, "')\"");
}

void str_add_shell_word(struct str *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%^";
    if (*word && !word[strspn(word, plain)]) {
        str_add(s, word);
        return;
    }
    if (has_control(word)) {
        add_printed(s, word);
        return;
    }
    str_addc(s, '\'');
    for (; *word; word++)
        if (*word == '\'') str_add(s, "'\\''");
        else str_addc(s, *word);
    str_addc(s, '\'');
}

void str_add_shell(struct str *s, const char *path)
{
    if (path[0] == '-') str_add(s, "./"); /* or it would be taken for an option */
    str_add_shell_word(s, path);
}

void str_add_visible(struct str *s, const char *text)
{
    for (; *text; text++)
        if (*text == '\n') str_add(s, "\\n");
        else if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            str_printf(s, "\\x%02x", (unsigned char)*text);
        else str_addc(s, *text);
}

size_t utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f)) return 0;
    if ((*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f)) return 0;
    return n;
}

static const char REPLACEMENT[] = "\xef\xbf\xbd";

void str_add_utf8(struct str *s, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = utf8_length(text);
        if (n) str_addn(s, text, n);
        else str_add(s, REPLACEMENT);
    }
}

/* XML has no way to write most control characters, nor U+FFFE and U+FFFF. */
static bool is_xml(const char *p, size_t n)
{
    if (!n || (n == 3 && (!memcmp(p, "\xef\xbf\xbe", 3) || !memcmp(p, "\xef\xbf\xbf", 3)))) return false;
    return (unsigned char)*p >= ' ' ? *p != 0x7f : *p == '\t' || *p == '\n';
}

void str_add_xml(struct str *s, const char *text)
{
    for (size_t n; *text; text += n ? n : 1) {
        n = utf8_length(text);
        if (!is_xml(text, n)) str_add(s, REPLACEMENT);
        else if (strchr("&<>\"'", *text)) str_printf(s, "&#%d;", *text);
        else str_addn(s, text, n);
    }
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
