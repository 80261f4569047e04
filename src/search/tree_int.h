/* States without loss in a few bytes each: a state is a tree of numbers, and equal parts are stored once.
 *
 * The bytes of a state are cut into 2, 4, 8, ... blocks of at most 32 bytes. Every distinct block has a number; so has
 * every distinct pair of numbers, and pairs of those, up to the two numbers at the top, the *key*. Consecutive states
 * differ in a block or two, so nearly all of a new state is there already, and finding its key takes one lookup for
 * each number on the way up from what has changed. (Laarman, van de Pol, Weber, "Parallel recursive state compression
 * for free", 2011. There the leaves are single variables. Wider ones make the tree two or three levels lower and
 * cost little: distinct blocks are few.)
 *
 * Keys are mixed: their bits look random, and tables use them as they are. States of different lengths have trees of
 * different *forms*, and a key means a state only together with its form. */
#ifndef HEDDLE_TREE_H
#define HEDDLE_TREE_H

#include "search/store_int.h"

typedef uint64_t state_key;
enum { KEY_BITS = 62, NUMBER_BITS = 31, MOST_FORMS = 1 << 14, BLOCK_WORDS = 4 };
#define NO_KEY UINT64_MAX /* there was no memory for a number */

/* A one-to-one map of 62 bits. */
#define KEY_MASK ((UINT64_C(1) << KEY_BITS) - 1)
static inline state_key key_mix(uint64_t top)
{
    top = (top ^ top >> 31) * UINT64_C(0x2545f4914f6cdd1d) & KEY_MASK;
    top = (top ^ top >> 31) * UINT64_C(0x2d5d5d6c5a3c1335) & KEY_MASK;
    return top ^ top >> 31;
}

static inline uint64_t key_unmix(state_key key)
{
    key ^= key >> 31; /* of 62 bits, this undoes itself */
    key = key * UINT64_C(0xd0c5e62cf109e71d) & KEY_MASK; /* the inverse modulo 2^64 */
    key ^= key >> 31;
    key = key * UINT64_C(0x59071d96d81ecd35) & KEY_MASK;
    return key ^ key >> 31;
}

/* Nodes are numbered as in a heap: the top is 1, the blocks are blocks .. 2 * blocks - 1. */
struct tree_form {
    uint32_t size;        /* of a state, in bytes */
    uint32_t blocks;      /* a power of two, 2 at least */
    uint32_t block_words; /* of eight bytes each */
    uint16_t number;
};

/* The tables of blocks and pairs, which all threads share. */
struct tree;
struct tree *tree_new(struct budget *budget); /* NULL: the budget is too small */
void tree_free(struct tree *t);
uint64_t tree_memory(const struct tree *t);

/* The state that a thread works at, with its tree. */
struct tree_reader {
    const struct tree *tree;
    const struct tree_form *form; /* of the state; NULL: none */
    uint32_t *numbers;            /* by node of its tree */
    uint64_t *words;              /* its bytes, and zeros up to the end of the last block */
    size_t room;                  /* blocks */
};
void tree_reader_init(struct tree_reader *r, const struct tree *t);
void tree_reader_release(struct tree_reader *r);
/* Makes `key` the state that the reader works at, and says where its bytes are, until it reads another one. */
const uint8_t *tree_read(struct tree_reader *r, const struct tree_form *form, state_key key);
void tree_prefetch(const struct tree *t, const struct tree_form *form, state_key key); /* it will be read soon */

/* States that are to have a key: looking up a number touches two random places of memory, so many are looked up side by
 * side, each step for all of them before the next. */
enum { TREE_BATCH = 32 };
struct tree_request {
    const struct tree_form *form;
    uint32_t *numbers;            /* by node; those above what has changed are still to be found */
    struct tree_lookup {
        uint32_t node, number;
        uint64_t hash, value[BLOCK_WORDS]; /* hash 0: the number is known */
    } *lookups;                   /* in the order of the nodes */
    uint32_t lookup_count, room;
    state_key key;
};
struct tree_batch {
    struct tree *tree;
    struct tree_request requests[TREE_BATCH];
    uint32_t len;
    struct tree_met { uint64_t value; uint32_t number; } *met; /* pairs that were looked up lately */
};
void tree_batch_init(struct tree_batch *b, struct tree *t);
void tree_batch_release(struct tree_batch *b);
/* Adds a state that resembles the one that the reader works at. False: there are too many forms. */
bool tree_ask(struct tree_batch *b, const struct tree_reader *r, const uint8_t *state, uint32_t size);
/* Finds the keys of all, NO_KEY where there was no memory. The caller empties the batch. */
void tree_answer(struct tree_batch *b);

/* The form of states of so many bytes; NULL: there are too many of them. */
const struct tree_form *tree_form_of(struct tree *t, uint32_t size);
const struct tree_form *tree_form_at(const struct tree *t, uint16_t number);

#endif
