/* Arenas: allocation by lifetime. */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(16) char data[];
};

void *arena_alloc(struct arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) die("out of memory (%zu bytes)", size);
    size = (size + 15) & ~(size_t)15;
    struct arena_block *b = a->head;
    assert(!b || b->used <= b->size);
    if (!b || b->size - b->used < size) {
        size_t want = MAX(size, (size_t)32768);
        b = xmalloc(sizeof *b + want);
        b->used = 0;
        b->size = want;
        b->next = a->head;
        a->head = b;
    }
    void *p = b->data + b->used;
    b->used += size;
    return memset(p, 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *copy = arena_alloc(a, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct str s = {0};
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    char *copy = arena_strdup(a, str_get(&s));
    str_release(&s);
    return copy;
}

void arena_release(struct arena *a)
{
    while (a->head) {
        struct arena_block *next = a->head->next;
        free(a->head);
        a->head = next;
    }
}
