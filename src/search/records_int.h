/* Records of states of the present level, for searches whose table cannot say enough about them: with lossy stores,
 * which do not keep what a state was, and with a log. Internal to src/search. */
#ifndef HEDDLE_RECORDS_H
#define HEDDLE_RECORDS_H

#include "base/archive.h"
#include "search/marks_int.h"

/* key + 1, mark, code, number in the log. */
struct record_form { uint32_t bits, mark, code_words, stride; bool log; };
void record_form_init(struct record_form *f, uint32_t bits, uint32_t mark, uint32_t code_words, bool log);

/* Open addressing, roughly in the order of the keys, so that whoever goes through them comes to the sorted table in
 * order, too. */
struct records { uint8_t *at; uint32_t mask, count, shift; };
/* A new one, with an empty set of the present processes; NULL: no memory. */
uint8_t *records_add(struct records *r, const struct record_form *f, struct budget *b, uint64_t key, int processes);
void records_drop(struct records *r, const struct record_form *f, struct budget *b);
void records_save(const struct records *r, const struct record_form *f, struct archive *a);
bool records_load(struct records *r, const struct record_form *f, struct budget *b, struct archive *a);

static inline uint8_t *record_at(const struct records *r, const struct record_form *f, uint32_t i)
{
    return r->at + (size_t)i * f->stride;
}
static inline uint8_t *record_mark(uint8_t *record) { return record + 8; }
static inline uint8_t *record_code(const struct record_form *f, uint8_t *record) { return record + 8 + f->mark; }
static inline uint8_t *record_log(const struct record_form *f, uint8_t *record) { return record + f->stride - 8; }

static inline uint32_t record_home(const struct records *r, uint64_t key)
{
    return (uint32_t)(key >> r->shift) & r->mask;
}

/* The record of the key, or the empty one where it belongs. */
static inline uint8_t *records_find(const struct records *r, const struct record_form *f, uint64_t key)
{
    for (uint32_t i = record_home(r, key);; i = (i + 1) & r->mask) {
        uint8_t *record = record_at(r, f, i);
        uint64_t word = load64(record);
        if (!word || word == key + 1) return record;
    }
}

#endif
