/* States without loss in a few bytes each: a state is a tree of numbers, and equal parts are stored once.
 *
 * The bytes of a state are cut into words of eight bytes. Every distinct word has a number; so has every distinct pair
 * of numbers, and pairs of those, up to the two numbers at the top, the *key*. Consecutive states differ in a word or
 * two, so nearly all of a new state is there already, and finding its key takes one lookup for each number on the way up
 * from what has changed. (Laarman, van de Pol, Weber, "Parallel recursive state compression for free", 2011; words and
 * pairs share one table here, and the top is cut in the middle, so that both halves repeat often.)
 *
 * Keys are mixed: their bits look random, and tables use them as they are. States of different lengths have trees of
 * different *forms*, and a key means a state only together with its form. */
#ifndef HEDDLE_TREE_H
#define HEDDLE_TREE_H

#include "search/store_int.h"

typedef uint64_t state_key;
enum { KEY_BITS = 62, NUMBER_BITS = 31, MOST_FORMS = 1 << 16 };
#define NO_KEY UINT64_MAX /* there was no memory for a number */

struct tree_form {
    uint32_t size, words, height; /* size in bytes */
    uint32_t *place;   /* of each word among the 2^height leaves; nodes are numbered as in a heap, the top is 1 */
    uint8_t *has_two;  /* by inner node: it has a right child as well */
    uint16_t number;
};

/* The table of words and pairs, which all threads share. */
struct tree;
struct tree *tree_new(struct budget *budget); /* NULL: the budget is too small */
void tree_free(struct tree *t);
uint64_t tree_numbers(const struct tree *t);  /* how many words and pairs there are */

/* What one thread needs: the state it works at, whose tree is known, and numbers that it has met lately. */
struct tree_reader {
    struct tree *tree;
    const struct tree_form *form; /* of the state; NULL: none */
    uint32_t *numbers;            /* by node of its tree */
    uint64_t *words;              /* its bytes, and zeros up to a whole word */
    size_t room;
    bool full;                    /* some number could not be had */
    struct { uint64_t value; uint32_t number; } *met;
    struct tree_change { uint32_t node, number; } *changes;
};
void tree_reader_init(struct tree_reader *r, struct tree *t);
void tree_reader_release(struct tree_reader *r);

/* The form of states of so many bytes; NULL: there are too many of them. */
const struct tree_form *tree_form_of(struct tree *t, uint32_t size);
const struct tree_form *tree_form_at(const struct tree *t, uint16_t number);

/* Makes `key` the state that the reader works at, and says where its bytes are. */
const uint8_t *tree_read(struct tree_reader *r, const struct tree_form *form, state_key key);
/* The key of a state that resembles the one that the reader works at. */
state_key tree_key(struct tree_reader *r, const uint8_t *state, uint32_t size, const struct tree_form **form);

#endif
