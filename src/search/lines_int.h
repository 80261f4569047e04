/* A sorted table of keys, each with a mark, in cache lines. Internal to src/search.
 *
 * A key says in which line it belongs if all are spread evenly; it is there or, if that line is full, a little further
 * on, and all keys are in order. So a lookup nearly always reads one line and nothing else, a table grows where it is
 * (all keys move up, in order), and there is never a second one beside it. A line has as many keys as fit into it with
 * their marks.
 *
 * The line that a key is in says much of it. In a large table a place has only its distance from the least key that may
 * be in its line, in six bytes: there are eight keys with the smallest marks in a line instead of six, and ten without
 * marks. A key can then be a few lines behind its own at most, and a table in which one would have to be further behind
 * grows. */
#ifndef HEDDLE_LINES_H
#define HEDDLE_LINES_H

#include "base/archive.h"
#include "search/pages_int.h"

enum { LINE = 64 };
struct lines {
    struct field field;
    uint8_t *at;
    uint32_t bits;      /* of keys, but for those that all have in common */
    uint32_t mark;      /* bytes of a mark, 0: there are none */
    uint64_t least;     /* key */
    /* these follow from how many lines there are: */
    uint32_t width;     /* bytes of a key */
    uint32_t per_line;
    uint64_t word_mask; /* of so many bytes */
    uint64_t step;      /* the least keys of two lines differ by so much; 0: whole keys are kept */
    uint64_t before;    /* the least key that could be in line 0, if there were some below the least of all */
    uint32_t spread;    /* lines that keys are spread over; behind them there are some more, the last one empty */
    uint32_t room;      /* all lines */
    uint64_t count;     /* keys */
};

/* Where a key is, or would be; behind the last slot of a line: it cannot be anywhere. */
struct place { uint8_t *line; uint32_t slot; };

void lines_init(struct lines *t, uint32_t bits, uint32_t mark, uint64_t least);
void lines_release(struct lines *t, struct budget *b);
/* Of a key that lines_find() has not found, which left *p where it belongs unless the table is empty. False: no memory,
 * and the table is as it was. Else there is room for it at the place returned; its mark is to be set. */
bool lines_add(struct lines *t, uint64_t key, struct budget *b, struct place *p);
bool lines_make_room(struct lines *t, uint64_t more, struct budget *b); /* for so many, that come in order */
void lines_clear(struct lines *t);
/* In order: the first key that is not below `key`, and the first one that is not before `p`, whose slot was one less
 * before. False: there is none. */
bool lines_from(const struct lines *t, uint64_t key, struct place *p);
bool lines_here(const struct lines *t, struct place *p);
void lines_save(const struct lines *t, struct archive *a);
bool lines_load(struct lines *t, struct archive *a, struct budget *b); /* into a new one of the same kind */

/* What stands in a place: one more than the key's distance from the line's least, 0: nothing. */
static inline uint64_t line_word(const struct lines *t, const uint8_t *line, uint32_t slot)
{
    return load64(line + (size_t)t->width * slot) & t->word_mask;
}

static inline uint64_t line_least(const struct lines *t, const uint8_t *line)
{
    return t->before + (uint64_t)(line - t->at) / LINE * t->step;
}

static inline uint64_t place_key(const struct lines *t, struct place p)
{
    return line_least(t, p.line) + line_word(t, p.line, p.slot) - 1;
}

static inline uint8_t *place_mark(const struct lines *t, struct place p)
{
    return p.line + (size_t)t->width * t->per_line + (size_t)t->mark * p.slot;
}

static inline uint32_t lines_home(const struct lines *t, uint64_t key)
{
    return (uint32_t)((uint64_t)(uint32_t)(key >> (t->bits - 32)) * t->spread >> 32);
}

static inline __attribute__((always_inline)) void lines_prefetch(const struct lines *t, uint64_t key)
{
    __builtin_prefetch(t->at + (size_t)LINE * lines_home(t, key));
}

/* How many words of a line are not above `distance`; empty places count as above. No branches: where that ends is
 * nothing that a processor could foresee. */
static inline __attribute__((always_inline)) uint32_t line_below(const uint8_t *line, uint64_t distance,
                                                                 uint32_t width, uint64_t mask, uint32_t per_line)
{
    uint32_t n = 0;
#pragma GCC unroll 10
    for (uint32_t i = 0; i < per_line; i++) n += (load64(line + (size_t)width * i) & mask) - 1 < distance;
    return n;
}

static inline __attribute__((always_inline)) bool lines_find_by(const struct lines *t, uint64_t key, struct place *p,
                                                                uint32_t width, uint32_t per_line)
{
    uint32_t home = lines_home(t, key);
    uint8_t *line = t->at + (size_t)LINE * home;
    uint64_t distance = key - t->before - home * t->step, mask = UINT64_MAX >> (64 - 8 * width);
    for (;; line += LINE, distance -= t->step) {
        uint32_t slot = line_below(line, distance, width, mask, per_line);
        if (slot == per_line && distance >= t->step) continue;
        *p = (struct place){line, slot};
        return slot < per_line && (load64(line + (size_t)width * slot) & mask) == distance + 1;
    }
}

/* True: it is there. The table is not empty of lines. */
static inline bool lines_find(const struct lines *t, uint64_t key, struct place *p)
{
    if (t->width == 6 && t->per_line == 8) return lines_find_by(t, key, p, 6, 8);
    if (t->width == 6 && t->per_line == 10) return lines_find_by(t, key, p, 6, 10);
    return lines_find_by(t, key, p, t->width, t->per_line);
}

#endif
