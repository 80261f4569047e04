/* A sorted table of keys, each with a mark, in cache lines. Internal to src/search.
 *
 * A key says in which line it belongs if all are spread evenly; it is there or, if that line is full, a little further
 * on, and all keys are in order. So a lookup nearly always reads one line and nothing else, a table grows where it is
 * (all keys move up, in order), and there is never a second one beside it. A line has as many keys as fit into it with
 * their marks. */
#ifndef HEDDLE_LINES_H
#define HEDDLE_LINES_H

#include "base/archive.h"
#include "search/pages_int.h"

enum { LINE = 64 };
struct lines {
    struct field field;
    uint8_t *at;
    uint32_t bits;      /* of keys */
    uint32_t mark;      /* bytes of a mark, 0: there are none */
    uint32_t per_line;
    uint32_t spread;    /* lines that keys are spread over; behind them there are some more, the last one empty */
    uint32_t room;      /* all lines */
    uint64_t count;     /* keys */
};

/* Where a key is, or would be. */
struct place { uint8_t *line; uint32_t slot; };

void lines_init(struct lines *t, uint32_t bits, uint32_t mark);
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

static inline uint64_t line_word(const uint8_t *line, uint32_t slot) { return load64(line + 8 * slot); }
static inline uint64_t place_key(struct place p) { return line_word(p.line, p.slot) - 1; }
static inline uint8_t *place_mark(const struct lines *t, struct place p)
{
    return p.line + 8 * t->per_line + (size_t)t->mark * p.slot;
}

static inline uint32_t lines_home(const struct lines *t, uint64_t key)
{
    return (uint32_t)((uint64_t)(uint32_t)(key >> (t->bits - 32)) * t->spread >> 32);
}

static inline __attribute__((always_inline)) void lines_prefetch(const struct lines *t, uint64_t key)
{
    __builtin_prefetch(t->at + (size_t)LINE * lines_home(t, key));
}

/* True: it is there. The table is not empty of lines. */
static inline bool lines_find(const struct lines *t, uint64_t key, struct place *p)
{
    uint32_t per_line = t->per_line;
    for (uint8_t *line = t->at + (size_t)LINE * lines_home(t, key);; line += LINE)
        for (uint32_t i = 0; i < per_line; i++) {
            uint64_t word = line_word(line, i);
            if (word && word <= key) continue;
            *p = (struct place){line, i};
            return word == key + 1;
        }
}

#endif
