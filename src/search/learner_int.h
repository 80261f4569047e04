/* Steps by code: what a thread has learnt about the steps of processes, and about who may go first. Internal to
 * src/search.
 *
 * What steps a process can make, and how each changes a state, is decided by a few parts of the state
 * (model_ops.touched). The first time that these have certain values, the model is asked; from then on the steps are
 * differences of codes that are looked up. */
#ifndef HEDDLE_LEARNER_H
#define HEDDLE_LEARNER_H

#include "search/codes_int.h"
#include "search/memo_int.h"

/* For codes of one word, in front of the memory: what was looked up lately, each in one cache line at most. */
struct quick_mask {
    uint64_t own, mask;
    uint16_t pid, place; /* where pid is, which decides which process may go first */
    uint8_t first;       /* enum first_move */
    bool is_set, decidable, may_depend;
};
enum { QUICK_WORDS = 6 };
struct quick_steps {
    uint64_t deciding;
    uint32_t slot;      /* + 1; 0: empty */
    uint32_t length;    /* words of steps here; 0: they are elsewhere */
    union { uint64_t steps[QUICK_WORDS]; const uint64_t *elsewhere; };
} __attribute__((aligned(64)));

/* Who is independent, by the parts that decide that; a table of what was asked lately. */
struct quick_independence {
    const struct code_form *form; /* that the mask is of */
    uint64_t *mask, *deciding;
    uint64_t *table;              /* in each place a code, who was asked about, who is */
    bool is_refused;              /* there was no memory for it */
};

/* Who may go first, by places (model.h): each place in which a process may be independent has a bit, if 64 suffice. */
enum { FIRST_BITS = 64, NO_BIT = 0xff };
struct first_movers {
    int places;               /* 0: not used */
    uint64_t *lets;           /* by place: the bits of those places that it does not hinder */
    uint8_t *bit;             /* by place */
    int bits;                 /* that are in use */
};

struct learner {
    struct coder coder;       /* with the state at work */
    struct memo masks;        /* by process and its own bits: the mask of what decides about its steps */
    struct memo steps;        /* by process and that: the steps */
    struct quick_mask *quick_masks;
    struct quick_steps *quick;
    uint32_t quick_log;       /* how many there are of these */
    struct first_movers movers;
    struct quick_independence independence;
    uint64_t *deciding;       /* what the last question was about */
    bool decidable;
};
void learner_init(struct learner *n, struct codebook *b, struct model *m, struct budget *budget);
void learner_release(struct learner *n);
void learner_refresh(struct learner *n); /* coder_refresh() */
/* The steps of pid (MODEL_NOBODY: of everybody) in a state with this code, which resembles the one at work, will be
 * asked for soon. Codes of one word only. */
void learner_prefetch(const struct learner *n, uint64_t code, int pid);

/* Beside the difference of codes that a step makes: who moved last, and how many processes there are afterwards. */
static inline uint64_t step_word(int last, int processes) { return (uint64_t)processes << 16 | (uint16_t)last; }
static inline int step_last(uint64_t word) { return (uint16_t)word; }
static inline int step_processes(uint64_t word) { return (int)(word >> 16); }

/* The steps of pid in the state at work: how many, then for each the difference of codes (as many words as a code) and
 * a step_word(). NULL: they are not known. Valid until something is learnt. */
const uint64_t *learner_steps(struct learner *n, int pid, bool timeout);
/* What the last question was about has these steps, in `length` words; no more than `most` bytes are remembered. */
void learner_learn(struct learner *n, int pid, bool timeout, const uint64_t *steps, uint32_t length, size_t most);

/* Whether pid can move in the state at work may depend on a step with which an independent process went first. */
bool learner_may_depend(struct learner *n, int pid);

/* The highest process below that one which is independent in the state at work, -1: none. */
int learner_independent(struct learner *n, int below);

#endif
