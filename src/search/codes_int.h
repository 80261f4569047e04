/* States without loss in a few bits for each of their parts. Internal to src/search.
 *
 * Every distinct value of a part (a global variable, the frame of a process) has a number, and the *code* of a state is
 * made of the bits of these numbers. How many bits a part will need is not known beforehand: when its numbers outgrow
 * those it has, it is given the next one that nobody has, and all codes made so far are right as they are, with a zero
 * there. So a code is the exclusive or of what its parts contribute, a step that changes some parts adds the same
 * *difference* to the code of every state in which it is made, and the bits of some parts, taken out with a mask, say
 * everything about them.
 *
 * A code has a fixed number of words. When they do not suffice, the book is full, and a search begins again with more
 * of them.
 *
 * Which numbers values have depends on who came first. So a code may have one word more, the exclusive or of the hashes
 * of all values: a hash of the state that is the same in every run. */
#ifndef HEDDLE_CODES_H
#define HEDDLE_CODES_H

#include "base/archive.h"
#include "model/model.h"
#include "search/store_int.h"

enum { CODE_BITS_OF_ONE_WORD = 62 }; /* a code of one word is a key (tree_int.h) once it is mixed */

/* All values of all parts; shared by threads. Values are only added. */
struct codebook;
/* words: for numbers; hashed: codes have one more. */
struct codebook *codebook_new(struct budget *budget, uint32_t words, bool hashed);
void codebook_free(struct codebook *b);
bool codebook_is_full(const struct codebook *b); /* of bits: begin again with more words */
void codebook_save(const struct codebook *b, struct archive *a);
bool codebook_load(struct codebook *b, struct archive *a); /* into a new one; false: no memory, or the archive is bad */

/* For a book that several processes have, each its own copy: from now on coder_encode() adds no values. It says false
 * of a state with new ones and notes what they are (coder.wanted). What all coders of all processes have noted is then
 * added by each of them with codebook_add(), in an order that depends on nothing else, so that a code means the same
 * everywhere. False: no memory, the book is full, or the notes are bad. */
void codebook_close(struct codebook *b);
typedef VEC(uint8_t) value_notes;
bool codebook_add(struct codebook *b, struct model *m, const uint8_t *notes, size_t bytes);

/* What states with the same first part have in common, as one thread knows it. */
struct code_form {
    const struct model_part *parts;
    uint32_t count, size;
    int processes;
    uint64_t *head;  /* the code of the first part alone */
    uint64_t *own;   /* by process: a mask of the first part's and its own bits */
    uint64_t *masks; /* by part, if codes have one word: its bits */
    struct code_form *next;
};

/* One thread's access to the book, and the state that it works at. */
struct coder {
    struct codebook *book;
    struct model *m;
    uint32_t words;
    uint32_t bits;              /* that were in use when its masks were made */
    uint64_t *head_mask;        /* of the first part */
    struct code_form *forms;
    struct coder_seen *seen;    /* values that were looked up lately */
    struct seen_word *words_of; /* the same of short values, by value and by code, where codes have one word */
    struct seen_word *values_of;
    /* the state */
    uint64_t *code;
    const struct code_form *form;
    uint8_t *state;             /* its bytes, if has_state; else maybe those of an earlier state of the form, */
    uint64_t state_code;        /* which had this code, */
    const struct code_form *state_form; /* if this is the form. For codes of one word */
    uint32_t room;
    bool has_state;
    struct model_part *pieces;  /* of states whose model names no parts */
    uint32_t piece_room;
    /* of a closed book */
    value_notes wanted;         /* values that it does not have */
    uint64_t *noted;            /* hashes of values that were noted lately */
    bool missed;                /* the last state had such values */
};
void coder_init(struct coder *c, struct codebook *b, struct model *m);
void coder_release(struct coder *c);
/* To be called before codes are entered that other threads have made since. True: masks have changed. */
bool coder_refresh(struct coder *c);
void coder_enter(struct coder *c, const uint64_t *code);
const uint8_t *coder_state(struct coder *c);
/* The code of a state, most quickly of one that resembles the one at work. False: no memory is left, the book is full,
 * or (`missed`) it is closed and does not have all values. */
bool coder_encode(struct coder *c, const uint8_t *state, uint32_t size, uint64_t *code);
void coder_forget_wanted(struct coder *c);
/* A mask of the parts with these numbers, in states of the present form. */
void coder_mask(const struct coder *c, const uint32_t *numbers, int count, uint64_t *mask);

#endif
