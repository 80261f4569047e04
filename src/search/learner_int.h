/* Steps by code: what a thread has learnt about the steps of processes. Internal to src/search.
 *
 * What steps a process can make, and how each changes a state, is decided by a few parts of the state
 * (model_ops.touched). The first time that these have certain values, the model is asked; from then on the steps are
 * differences of codes that are looked up. */
#ifndef HEDDLE_LEARNER_H
#define HEDDLE_LEARNER_H

#include "search/codes_int.h"
#include "search/memo_int.h"

/* The last that was looked up for a process; often the next state has the same. Codes of one word only. */
struct habit { uint64_t own, mask, deciding; const uint64_t *steps; bool has_mask; };

struct learner {
    struct coder coder;       /* with the state at work */
    struct memo masks;        /* by process and its own bits: the mask of what decides about its steps */
    struct memo steps;        /* by process and that: the steps */
    struct habit habits[2][MODEL_MOST_PROCESSES]; /* by whether timeout is true */
    uint64_t *deciding;       /* what the last question was about */
    bool decidable;
};
void learner_init(struct learner *n, struct codebook *b, struct model *m, struct budget *budget);
void learner_release(struct learner *n);
void learner_refresh(struct learner *n); /* coder_refresh() */

/* The steps of pid in the state at work: how many, then for each the difference of codes (as many words as a code) and
 * who moved last. NULL: they are not known. Valid until something is learnt. */
const uint64_t *learner_steps(struct learner *n, int pid, bool timeout);
/* What the last question was about has these steps, in `length` words; no more than `most` bytes are remembered. */
void learner_learn(struct learner *n, int pid, bool timeout, const uint64_t *steps, uint32_t length, size_t most);

#endif
