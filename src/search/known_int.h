/* The states that a search knows, by key, and what it has to remember of those that are still active.
 *
 * A state is a key in a sorted table (lines_int.h). In an ordered search it has a mark beside the key (marks_int.h):
 * the processes that have arrived in it or were executed in it, and a few flags. Those of the present level in which
 * some process is still to be executed are the states with which the next level begins.
 *
 * With lossy stores and with a log, states of the present level have records beside the table (records_int.h) and the
 * table has no marks.
 *
 * Everything is in parts by the first bits of the key, each with a lock. Arrivals come many at a time for one part, so
 * that two threads rarely wait for each other, and that the lines they need are on their way before they are looked
 * at.
 *
 * With a field of bits the table has only as many states as are few, and those of the present round. Each of the others
 * is three bits in one cache line of the field, and a state whose bits are all set counts as known: rightly
 * or not, but it does not depend on who came first, for the bits do not change while threads look at them. */
#ifndef HEDDLE_KNOWN_H
#define HEDDLE_KNOWN_H

#include "search/marks_int.h"
#include "search/tree_int.h"

struct known;
enum { PARTS_LOG = 4, KNOWN_PARTS = 1 << PARTS_LOG };
struct known_plan {
    struct budget *budget;
    int processes; /* there is room for so many in marks; 0: everybody may always move, and there are none */
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

/* From another one of the same plan, but for the field of bits, what belongs here: key_here() says which key a state
 * has here, NO_KEY: it does not belong here. `code` is given if records have it. False: no memory. */
typedef state_key key_here_fn(void *ctx, state_key key, const uint8_t *code);
bool known_take(struct known *k, const struct known *from, key_here_fn *key_here, void *ctx);

/* What it means that somebody arrives in a state. */
enum arrived {
    ARRIVED_KNOWN, /* nothing new */
    ARRIVED_NEW,   /* a new state with a mark, to be expanded for whoever arrived */
    ARRIVED_WHOLE, /* a new state, to be expanded for everybody, that is done with otherwise */
    ARRIVED_ALSO,  /* a state of this level, to be expanded for whoever arrived, too */
    ARRIVED_ALSO_NO_AMPLE, /* the same, and it arrived with no_ample at first */
    ARRIVED_UNSETTLED, /* an unsettled arrival in what is no known state: nothing has changed */
    ARRIVED_FULL,  /* no memory is left */
};
/* last: a process, or one of these; processes: that there are in the state; unsettled: it may be a forced state, which
 * is never kept unless a way ends there; no_ample: it is known that no process is independent in it. */
struct arriving { state_key key; uint16_t last, processes; bool unsettled, no_ample; };
enum {
    ARRIVES_FREE = MODEL_NOBODY,     /* everybody may move there */
    ARRIVES_BLOCKED = MODEL_NOBODY + 1, /* the same, in a state with a mark, because who had arrived there cannot */
};
struct arrivals {
    const struct arriving *at;
    uint32_t count;
    bool odd;              /* the number of the round is */
    const uint64_t *codes; /* if records have them */
    uint64_t log;
};
static inline uint32_t known_part(state_key key) { return (uint32_t)(key >> (KEY_BITS - PARTS_LOG)); }
/* All of one part; with a log only one. If there is no memory for one, those behind it have no answer. */
void known_arrive(struct known *k, uint32_t part, const struct arrivals *a, uint8_t *answers);
void known_prefetch(const struct known *k, state_key key);
/* To be called before a forced state arrives: unsettled arrivals there are answered as such though it is known. */
void known_distrust(struct known *k, state_key key);

/* For states of this level with a mark. */
struct mask known_claim(struct known *k, state_key key); /* takes all that are left */
/* True: it was not marked before. */
bool known_mark(struct known *k, state_key key, enum mark_flag flag);

/* With a field of bits: the states of a part that have no record become bits, if they are many. */
void known_blur(struct known *k, uint32_t part);
double known_omission(const struct known *k); /* the chance that a new state is taken for a known one, at present */

/* The end of a level, in parts that threads can do side by side: the states of a part are put aside. Returns how many
 * of them have processes left, or UINT64_MAX: no memory. */
uint64_t known_settle(struct known *k, uint32_t part);
void known_begin_level(struct known *k, int64_t level); /* when all parts are settled, or after known_load() */
/* Calls fn with the states of a part that were put aside with processes left, and those that are done, a few at a
 * time, until it says false: the next call goes on behind these. */
struct known_rest { state_key key; struct mask done; uint64_t log; const uint8_t *code; };
typedef bool known_rest_fn(void *ctx, const struct known_rest *rests, uint32_t count);
void known_each_rest(struct known *k, uint32_t part, known_rest_fn *fn, void *ctx);

#endif
