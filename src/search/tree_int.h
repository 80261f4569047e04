/* Long codes of states (codes_int.h) without loss in a few bytes each: a code is a tree of numbers, and equal parts are
 * stored once.
 *
 * The words of a code are cut into 2, 4, 8, ... blocks of at most four. Every distinct block has a number; so has every
 * distinct pair of numbers, and pairs of those, up to the two numbers at the top, the *key*. Consecutive states differ
 * in a block or two, so nearly all of a new one is there already, and finding its key takes one lookup for each number
 * on the way up from what has changed. (Laarman, van de Pol, Weber, "Parallel recursive state compression for free",
 * 2011. There the leaves are single variables. Wider ones make the tree two or three levels lower and cost little:
 * distinct blocks are few.)
 *
 * Keys are mixed: their bits look random, and tables use them as they are. */
#ifndef HEDDLE_TREE_H
#define HEDDLE_TREE_H

#include "base/archive.h"
#include "search/store_int.h"

typedef uint64_t state_key;
enum { KEY_BITS = 62, NUMBER_BITS = 31, BLOCK_WORDS = 4 };
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

/* The tables of blocks and pairs, which all threads share. */
struct tree;
/* For codes of so many words, a power of two and two at least. NULL: the budget is too small. */
struct tree *tree_new(struct budget *budget, uint32_t words);
void tree_free(struct tree *t);
void tree_save(const struct tree *t, struct archive *a);
bool tree_load(struct tree *t, struct archive *a); /* into a new one; false: no memory, or the archive is bad */

/* The code that a thread works at, with its tree. */
struct tree_reader {
    const struct tree *tree;
    bool reads;        /* there is one */
    uint32_t *numbers; /* by node of its tree */
    uint64_t *words;
};
void tree_reader_init(struct tree_reader *r, const struct tree *t);
void tree_reader_release(struct tree_reader *r);
/* Makes that of `key` the code that the reader works at; its words stay until it reads another one. */
const uint64_t *tree_read(struct tree_reader *r, state_key key);
void tree_prefetch(const struct tree *t, state_key key); /* it will be read soon */

/* Codes that are to have a key: looking up a number touches two random places of memory, so many are looked up side by
 * side, each step for all of them before the next. */
enum { TREE_BATCH = 32 };
struct tree_request {
    uint32_t *numbers;            /* by node; those above what has changed are still to be found */
    struct tree_lookup {
        uint32_t node, number;
        uint64_t hash, value[BLOCK_WORDS]; /* hash 0: the number is known */
    } *lookups;                   /* in the order of the nodes */
    uint32_t lookup_count;
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
/* Adds a code that resembles the one that the reader works at. */
void tree_ask(struct tree_batch *b, const struct tree_reader *r, const uint64_t *code);
/* Finds the keys of all, NO_KEY where there was no memory. The caller empties the batch. */
void tree_answer(struct tree_batch *b);

#endif
