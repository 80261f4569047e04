/* The states that a search knows, by key, and what it has to remember of those that are still active.
 *
 * A state that is done with is a number in a sorted table and nothing else. A state of the present level of an ordered
 * search has a record as well: the processes that have arrived in it or were executed in it, and a few flags. At the
 * end of the level its records are put aside; those in which some process is still to be executed are the states with
 * which the next level begins.
 *
 * The sorted table: a state's key says where in the array it belongs if all are spread evenly; it is there or, if that
 * place is taken, a little further on, and all keys are in order. So a lookup reads one place of memory, a table grows
 * where it is (all keys move up, in order), and there is never a second one beside it.
 *
 * Everything is in stripes by the first bits of the key, each with a lock; two threads rarely want the same.
 *
 * With a field of bits the table has only as many states as are few, and those of the present round. Each of the others
 * is three bits in one cache line of the field, and a state whose bits are all set counts as known: rightly
 * or not, but it does not depend on who came first, for the bits do not change while threads look at them. */
#ifndef HEDDLE_KNOWN_H
#define HEDDLE_KNOWN_H

#include "search/pages_int.h"
#include "search/tree_int.h"

/* A set of processes. */
enum { MASK_WORDS = 4 };
struct mask { uint64_t word[MASK_WORDS]; };
struct mask mask_rest(const struct mask *m, int processes); /* 0 .. processes-1 without those in m */
int mask_take(struct mask *m); /* takes out the highest, as the model orders them; -1: none is left */

enum record_flag {
    RECORD_TIMEOUT = 1, /* nobody can move unless timeout is true */
    RECORD_ENDED = 2,   /* it was reported that nobody can move */
    RECORD_AMPLE = 4,   /* the steps of one process may do, and somebody sees to that */
    RECORD_FREE = 8,    /* everybody may move, and somebody sees to that in the round after the one that marked it, */
    RECORD_FREE_ODD = 16, /* which was even or odd */
};

struct known;
struct known_plan {
    struct budget *budget;
    int processes; /* there is room for so many in records */
    bool log;      /* records remember a number of the search's */
    bool alone;    /* there is one thread only, and it needs no locks */
    uint32_t code_words; /* records remember the code of the state, of so many words; 0: the key says it */
    size_t bits;   /* bytes of a field of bits, 0: none */
};
struct known *known_new(struct known_plan plan); /* NULL: the budget is too small */
void known_free(struct known *k);
void known_save(const struct known *k, struct archive *a);
/* Into a new one of the same plan, but for its threads. False: no memory, or the archive is bad. */
bool known_load(struct known *k, struct archive *a);
int known_processes(const struct known *k);      /* for how many there is room */
enum { RECORD_FLAG_BITS = 5, MOST_RECORDED = 9 * 32 - RECORD_FLAG_BITS };

/* What it means that `pid` arrives in a state (MODEL_NOBODY: everybody may move there). */
enum arrived {
    ARRIVED_KNOWN, /* nothing new */
    ARRIVED_NEW,   /* a new state with a record, to be expanded for pid */
    ARRIVED_WHOLE, /* a new state, to be expanded for everybody, that has no record */
    ARRIVED_ALSO,  /* a state of this level, to be expanded for pid, too */
    ARRIVED_FULL,  /* no memory is left */
};
struct arrival_of {
    int pid, processes; /* processes: that there are in the state */
    bool odd;           /* the number of the round */
    uint64_t log;
    const uint64_t *code; /* if records have it */
};
enum arrived known_arrive(struct known *k, state_key key, struct arrival_of who);
void known_prefetch(const struct known *k, state_key key);

/* For states with a record. */
struct mask known_claim(struct known *k, state_key key); /* takes all that are left */
/* True: it was not marked before. */
bool known_mark(struct known *k, state_key key, enum record_flag flag);
/* Everybody may move. Those that arrive in this round still count as having arrived, those in later ones do not, so
 * that it makes no difference who comes first. True: nobody has said so before. */
bool known_set_free(struct known *k, state_key key, bool odd);
unsigned known_flags(struct known *k, state_key key);

/* The end of a level, in parts that threads can do side by side: puts the records of a part aside. Returns how many
 * states have processes left, or UINT64_MAX: no memory. */
uint32_t known_parts(void);
/* With a field of bits: the states of a part that have no record become bits, if they are many. */
void known_blur(struct known *k, uint32_t part);
double known_omission(const struct known *k); /* the chance that a new state is taken for a known one, at present */
uint64_t known_settle(struct known *k, uint32_t part);
/* Calls fn for each state of a part that was put aside with processes left, with those that are done, until it says
 * false: the next call goes on behind that state. After the last one the part's records are forgotten. */
struct known_rest { state_key key; struct mask done; unsigned flags; uint64_t log; const uint8_t *code; };
void known_each_rest(struct known *k, uint32_t part, bool (*fn)(void *ctx, const struct known_rest *r), void *ctx);

#endif
