#include "search/lines_int.h"

#include <assert.h>
#include <string.h>

enum { FIRST_LINES = 8, SMALL = 1 << 12 };

void lines_init(struct lines *t, uint32_t bits, uint32_t mark)
{
    *t = (struct lines){.bits = bits, .mark = mark, .per_line = LINE / (8 + mark)};
    assert(t->per_line >= 1 && bits >= 32);
}

void lines_release(struct lines *t, struct budget *b)
{
    field_release(&t->field, b);
    t->at = NULL;
}

static uint32_t room_for(uint32_t spread) { return spread + 8 + spread / 64; }

/* ---- places, one after another ---- */

static bool is_before(struct place a, struct place b) { return a.line != b.line ? a.line < b.line : a.slot < b.slot; }

static inline void go_on(const struct lines *t, struct place *p)
{
    if (++p->slot < t->per_line) return;
    p->slot = 0;
    p->line += LINE;
}

static inline void go_back(const struct lines *t, struct place *p)
{
    if (p->slot--) return;
    p->slot = t->per_line - 1;
    p->line -= LINE;
}

static uint8_t *line_at(const struct lines *t, uint32_t i) { return t->at + (size_t)LINE * i; }

static inline void copy_mark(const struct lines *t, struct place from, struct place to)
{
    const uint8_t *mark = place_mark(t, from);
    uint8_t *copy = place_mark(t, to);
    if (t->mark == 2) memcpy(copy, mark, 2);
    else if (t->mark) memmove(copy, mark, t->mark);
}

/* The key and mark of one place go to another, which may be the same; the first is empty then. */
static inline void move_key(const struct lines *t, struct place from, struct place to)
{
    uint64_t word = line_word(from.line, from.slot);
    store64(from.line + 8 * from.slot, 0);
    store64(to.line + 8 * to.slot, word);
    copy_mark(t, from, to);
}

/* ---- growing ---- */

/* All keys to the end of the table, in order. Returns where they begin. */
static struct place move_to_end(struct lines *t, uint32_t used)
{
    struct place to = {line_at(t, t->room - 1), 0}, from = {line_at(t, used), 0};
    while (is_before((struct place){t->at, 0}, from)) {
        go_back(t, &from);
        if (!line_word(from.line, from.slot)) continue;
        go_back(t, &to);
        move_key(t, from, to);
    }
    return to;
}

/* All keys to their places, in order. False if the last ones do not fit: then all are still there, in order. */
static bool spread_keys(struct lines *t, struct place from)
{
    struct place next = {t->at, 0};
    for (uint64_t i = 0; i < t->count; i++, go_on(t, &from)) {
        struct place home = {line_at(t, lines_home(t, line_word(from.line, from.slot) - 1)), 0};
        if (is_before(next, home)) next = home;
        if (is_before(from, next)) return false;
        move_key(t, from, next);
        go_on(t, &next);
    }
    return true;
}

static bool in_order(const struct lines *t)
{
    uint64_t before = 0, n = 0;
    for (struct place p = {t->at, 0}; p.line < line_at(t, t->room); go_on(t, &p)) {
        uint64_t word = line_word(p.line, p.slot);
        if (!word) continue;
        if (word <= before || line_at(t, lines_home(t, word - 1)) > p.line) return false;
        if (p.slot && !line_word(p.line, p.slot - 1)) return false;
        before = word, n++;
    }
    return n == t->count && (!t->room || !line_word(line_at(t, t->room - 1), 0));
}

static bool grow(struct lines *t, struct budget *b, uint64_t least)
{
    uint64_t more = t->spread < SMALL ? t->spread : t->spread / 4, spread = t->at ? t->spread + more : FIRST_LINES;
    for (spread = MAX(spread, least);; spread += spread / 4) {
        uint32_t used = t->room;
        if (spread > UINT32_MAX / 2) return false;
        if (!field_grow(&t->field, b, (size_t)LINE * room_for((uint32_t)spread))) return false;
        t->at = t->field.at;
        t->spread = (uint32_t)spread;
        t->room = room_for(t->spread);
        if (!spread_keys(t, move_to_end(t, used))) continue;
        assert_costly(in_order(t));
        return true;
    }
}

/* Places that may be taken before it grows. */
static uint64_t most_keys(const struct lines *t) { return (uint64_t)t->spread * t->per_line / 8 * 7; }

bool lines_make_room(struct lines *t, uint64_t more, struct budget *b)
{
    if (t->count + more <= most_keys(t)) return true;
    uint64_t places = (t->count + more) * 8 / 7 + 64;
    return grow(t, b, places / t->per_line + places / t->per_line / 16);
}

/* ---- one more ---- */

/* One place further on, from `slot` to the end of the line; what was last is lost. */
static void shift_line(const struct lines *t, uint8_t *line, uint32_t slot)
{
    uint8_t *marks = line + 8 * t->per_line;
    for (uint32_t i = t->per_line - 1; i > slot; i--) store64(line + 8 * i, line_word(line, i - 1));
    if (t->mark == 2) {
        for (uint32_t i = t->per_line - 1; i > slot; i--) memcpy(marks + 2 * i, marks + 2 * (i - 1), 2);
    } else if (t->mark) {
        size_t size = t->mark;
        memmove(marks + size * (slot + 1), marks + size * slot, size * (t->per_line - 1 - slot));
    }
}

/* False: there is no empty place before the end. */
static bool insert_at(struct lines *t, struct place p, uint64_t key)
{
    uint32_t last = t->per_line - 1;
    uint8_t *end = p.line, *sentinel = line_at(t, t->room - 1);
    while (end < sentinel && line_word(end, last)) end += LINE;
    if (end == sentinel) return false;
    for (; end > p.line; end -= LINE) {
        struct place first = {end, 0}, before = {end - LINE, last};
        shift_line(t, end, 0);
        store64(end, line_word(before.line, last));
        copy_mark(t, before, first);
    }
    shift_line(t, p.line, p.slot);
    store64(p.line + 8 * p.slot, key + 1);
    t->count++;
    return true;
}

bool lines_add(struct lines *t, uint64_t key, struct budget *b, struct place *p)
{
    if (t->count >= most_keys(t)) {
        if (!grow(t, b, 0)) return false;
        lines_find(t, key, p);
    }
    assert_costly(line_word(p->line, p->slot) != key + 1);
    while (!insert_at(t, *p, key)) {
        if (!grow(t, b, 0)) return false;
        lines_find(t, key, p);
    }
    assert_costly(place_key(*p) == key);
    return true;
}

void lines_clear(struct lines *t)
{
    if (t->at) memset(t->at, 0, (size_t)LINE * t->room);
    t->count = 0;
}

bool lines_from(const struct lines *t, uint64_t key, struct place *p)
{
    if (!t->at) return false;
    lines_find(t, key, p);
    return lines_here(t, p);
}

bool lines_here(const struct lines *t, struct place *p)
{
    if (p->slot == t->per_line) p->line += LINE, p->slot = 0;
    while (p->line < line_at(t, t->room)) {
        if (line_word(p->line, p->slot)) return true;
        p->line += LINE; /* there is nothing behind an empty place of a line */
        p->slot = 0;
    }
    return false;
}

/* ---- saved and loaded ---- */

void lines_save(const struct lines *t, struct archive *a)
{
    archive_put_word(a, t->spread);
    archive_put_word(a, t->count);
    archive_put(a, t->at, (size_t)LINE * t->room);
}

bool lines_load(struct lines *t, struct archive *a, struct budget *b)
{
    uint64_t spread = archive_get_below(a, UINT32_MAX / 2), count = archive_get_word(a);
    if (!spread) return !count;
    uint32_t room = room_for((uint32_t)spread);
    if (!field_grow(&t->field, b, (size_t)LINE * room)) return false;
    t->at = t->field.at;
    t->spread = (uint32_t)spread;
    t->room = room;
    t->count = count;
    archive_get(a, t->at, (size_t)LINE * room);
    return !archive_is_bad(a) && in_order(t);
}
