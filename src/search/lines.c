#include "search/lines_int.h"

#include <assert.h>
#include <string.h>

enum {
    FIRST_LINES = 8,
    SMALL = 1 << 12,
    WHOLE = 8, SHORT = 6,          /* bytes of a key */
    LEAST_BEHIND = 7, MOST_BEHIND = 31, /* lines that a short key may be behind its own */
    LONGEST_MARK = LINE - WHOLE,
};

static uint32_t room_for(uint32_t spread) { return spread + 8 + spread / 64; }

/* What follows from the number of lines. A key that belongs in line h is not below h steps, and above h + 1 of them by
 * no more than is rounded off: one for each line, and the bits that do not say in which line it belongs. */
static void shape(struct lines *t, uint32_t spread)
{
    uint64_t step = (UINT64_C(1) << t->bits) / spread, rounded = spread + (UINT64_C(1) << (t->bits - 32));
    uint64_t steps = ((UINT64_C(1) << 8 * SHORT) - 2 - rounded) / step, behind = MIN(steps, MOST_BEHIND + 1) - 1;
    bool is_short = steps > LEAST_BEHIND;
    t->spread = spread;
    t->room = room_for(spread);
    t->width = is_short ? SHORT : WHOLE;
    t->word_mask = UINT64_MAX >> (64 - 8 * t->width);
    t->per_line = LINE / (t->width + t->mark);
    t->step = is_short ? step : 0;
    t->before = is_short ? t->least - behind * step : t->least;
}

void lines_init(struct lines *t, uint32_t bits, uint32_t mark, uint64_t least)
{
    assert(mark <= LONGEST_MARK && bits >= 32 && bits <= 62 && !(least & ((UINT64_C(1) << bits) - 1)));
    *t = (struct lines){.bits = bits, .mark = mark, .least = least};
    shape(t, FIRST_LINES);
    t->spread = t->room = 0;
}

void lines_release(struct lines *t, struct budget *b)
{
    field_release(&t->field, b);
    t->at = NULL;
}

static uint8_t *line_at(const struct lines *t, uint32_t i) { return t->at + (size_t)LINE * i; }

static inline void put_word(const struct lines *t, uint8_t *line, uint32_t slot, uint64_t word)
{
    assert_costly(!(word & ~t->word_mask));
    if (t->width == WHOLE) store64(line + WHOLE * slot, word);
    else memcpy(line + SHORT * slot, &word, SHORT);
}

static inline void copy_mark(const struct lines *t, const uint8_t *from, uint8_t *to)
{
    if (t->mark == 2) memcpy(to, from, 2);
    else if (t->mark) memmove(to, from, t->mark);
}

/* ---- growing ----
 *
 * In a field that is large enough, all keys go to its end, whole, one behind the other; from there they go to their
 * places, from the first on. What is not read yet must not be written over: that is looked at before anything is
 * moved. */

static size_t record_size(const struct lines *t) { return WHOLE + t->mark; }

/* Where the record of key number i would begin. */
static uint64_t record_begins(const struct lines *to, uint64_t i, uint64_t count)
{
    return (uint64_t)LINE * to->room - record_size(to) * (count - i);
}

/* Whether all keys of t have a place in `to`, which has more lines. */
static bool fits(const struct lines *t, const struct lines *to)
{
    uint32_t next = 0, slot = 0;
    uint64_t i = 0;
    if ((uint64_t)LINE * to->room < record_size(to) * t->count) return false;
    for (uint32_t l = 0; l < t->room && i < t->count; l++) {
        if (record_begins(to, i, t->count) < (uint64_t)LINE * l) return false;
        for (uint32_t k = 0; k < t->per_line && line_word(t, line_at(t, l), k); k++, i++) {
            uint64_t key = place_key(t, (struct place){line_at(t, l), k});
            uint32_t home = lines_home(to, key);
            if (home > next) next = home, slot = 0;
            if (key - to->before < next * to->step) return false;
            if (next + 1 >= to->room || LINE * (uint64_t)(next + 1) > record_begins(to, i + 1, t->count)) return false;
            if (++slot == to->per_line) next++, slot = 0;
        }
    }
    return true;
}

/* Returns where they begin. A line is out of the way before what is in it is written. */
static uint8_t *pack(const struct lines *t, uint8_t *end)
{
    for (uint32_t l = t->room; l-- > 0;) {
        uint8_t line[LINE];
        uint64_t least = line_least(t, line_at(t, l));
        memcpy(line, line_at(t, l), LINE);
        for (uint32_t k = t->per_line; k-- > 0;) {
            uint64_t word = line_word(t, line, k);
            if (!word) continue;
            end -= record_size(t);
            store64(end, least + word - 1);
            copy_mark(t, place_mark(t, (struct place){line, k}), end + WHOLE);
        }
    }
    return end;
}

static void clear_lines(struct lines *t, uint32_t *from, uint32_t to)
{
    if (*from < to) memset(line_at(t, *from), 0, (size_t)LINE * (to - *from));
    *from = MAX(*from, to);
}

static void unpack(struct lines *t, const uint8_t *records)
{
    uint32_t next = 0, slot = 0, clear = 0;
    for (uint64_t i = 0; i < t->count; i++, records += record_size(t)) {
        uint8_t mark[LONGEST_MARK];
        uint64_t key = load64(records);
        uint32_t home = lines_home(t, key);
        copy_mark(t, records + WHOLE, mark);
        if (home > next) next = home, slot = 0;
        clear_lines(t, &clear, next + 1);
        struct place p = {line_at(t, next), slot};
        put_word(t, p.line, slot, key - line_least(t, p.line) + 1);
        copy_mark(t, mark, place_mark(t, p));
        if (++slot == t->per_line) next++, slot = 0;
    }
    clear_lines(t, &clear, t->room);
}

static bool in_order(const struct lines *t)
{
    uint64_t before = 0, n = 0;
    for (uint32_t l = 0; l < t->room; l++)
        for (uint32_t k = 0; k < t->per_line; k++) {
            struct place p = {line_at(t, l), k};
            if (!line_word(t, p.line, k)) continue;
            uint64_t key = place_key(t, p);
            if ((n && key <= before) || key < t->least || (key - t->least) >> t->bits) return false;
            if (lines_home(t, key) > l || (k && !line_word(t, p.line, k - 1))) return false;
            before = key, n++;
        }
    return n == t->count && (!t->room || !line_word(t, line_at(t, t->room - 1), 0));
}

static bool grow(struct lines *t, struct budget *b, uint64_t least)
{
    struct lines to = *t;
    uint64_t more = t->spread < SMALL ? t->spread : t->spread / 4, spread = t->at ? t->spread + more : FIRST_LINES;
    for (spread = MAX(spread, least);; spread += spread / 4) {
        if (spread > UINT32_MAX / 2) return false;
        shape(&to, (uint32_t)spread);
        if (fits(t, &to)) break;
    }
    if (!field_grow(&t->field, b, (size_t)LINE * to.room)) return false;
    t->at = to.at = t->field.at;
    to.field = t->field;
    const uint8_t *records = pack(t, line_at(&to, to.room));
    *t = to;
    unpack(t, records);
    assert_costly(in_order(t));
    return true;
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
    uint8_t *marks = place_mark(t, (struct place){line, 0});
    for (uint32_t i = t->per_line - 1; i > slot; i--) put_word(t, line, i, line_word(t, line, i - 1));
    if (t->mark == 2) {
        for (uint32_t i = t->per_line - 1; i > slot; i--) memcpy(marks + 2 * i, marks + 2 * (i - 1), 2);
    } else if (t->mark) {
        size_t size = t->mark;
        memmove(marks + size * (slot + 1), marks + size * slot, size * (t->per_line - 1 - slot));
    }
}

/* The first line from there on with an empty place. NULL: there is none before the end, or one of the keys on the way
 * cannot be in the line behind its own. */
static uint8_t *line_with_room(const struct lines *t, uint8_t *line)
{
    uint8_t *sentinel = line_at(t, t->room - 1);
    for (uint64_t last; (last = line_word(t, line, t->per_line - 1)); line += LINE)
        if (last <= t->step || line + LINE == sentinel) return NULL;
    return line;
}

/* False: there is no place for it. */
static bool insert_at(struct lines *t, struct place p, uint64_t key)
{
    uint32_t last = t->per_line - 1;
    uint8_t *end = p.slot > last ? NULL : line_with_room(t, p.line);
    if (!end) return false;
    for (; end > p.line; end -= LINE) {
        struct place first = {end, 0}, before = {end - LINE, last};
        shift_line(t, end, 0);
        put_word(t, end, 0, line_word(t, before.line, last) - t->step);
        copy_mark(t, place_mark(t, before), place_mark(t, first));
    }
    shift_line(t, p.line, p.slot);
    put_word(t, p.line, p.slot, key - line_least(t, p.line) + 1);
    t->count++;
    return true;
}

bool lines_add(struct lines *t, uint64_t key, struct budget *b, struct place *p)
{
    assert_costly(key >= t->least && !((key - t->least) >> t->bits));
    if (t->count >= most_keys(t)) {
        if (!grow(t, b, 0)) return false;
        lines_find(t, key, p);
    }
    while (!insert_at(t, *p, key)) {
        if (!grow(t, b, 0)) return false;
        lines_find(t, key, p);
    }
    assert_costly(place_key(t, *p) == key);
    return true;
}

void lines_clear(struct lines *t)
{
    if (t->at) memset(t->at, 0, (size_t)LINE * t->room);
    t->count = 0;
}

bool lines_from(const struct lines *t, uint64_t key, struct place *p)
{
    key = MAX(key, t->least);
    if (!t->at || (key - t->least) >> t->bits) return false;
    lines_find(t, key, p);
    return lines_here(t, p);
}

bool lines_here(const struct lines *t, struct place *p)
{
    if (p->slot == t->per_line) p->line += LINE, p->slot = 0;
    while (p->line < line_at(t, t->room)) {
        if (line_word(t, p->line, p->slot)) return true;
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
    if (!field_grow(&t->field, b, (size_t)LINE * room_for((uint32_t)spread))) return false;
    t->at = t->field.at;
    shape(t, (uint32_t)spread);
    t->count = count;
    archive_get(a, t->at, (size_t)LINE * t->room);
    return !archive_is_bad(a) && in_order(t);
}
