#include "search/learner_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void learner_init(struct learner *n, struct codebook *b, struct model *m, struct budget *budget)
{
    memset(n, 0, sizeof *n);
    coder_init(&n->coder, b, m);
    memo_init(&n->masks, n->coder.words, budget);
    memo_init(&n->steps, n->coder.words, budget);
    n->deciding = xcalloc(n->coder.words, sizeof *n->deciding);
}

void learner_release(struct learner *n)
{
    memo_release(&n->masks);
    memo_release(&n->steps);
    coder_release(&n->coder);
    free(n->deciding);
    n->deciding = NULL;
}

static void forget_habits(struct learner *n) { memset(n->habits, 0, sizeof n->habits); }

void learner_refresh(struct learner *n)
{
    if (!coder_refresh(&n->coder)) return;
    memo_forget(&n->masks);
    forget_habits(n);
}

/* A mask of what decides, with a word in front that says whether less than everything does. */
static const uint64_t *find_mask(struct learner *n, int pid, const uint64_t *own)
{
    struct coder *c = &n->coder;
    const uint64_t *found = memo_find(&n->masks, c->words, (uint32_t)pid, own);
    if (found) return found;
    uint32_t *numbers = xmalloc(c->form->count * sizeof *numbers);
    int count = c->m->ops->touched(c->m, coder_state(c), pid, numbers);
    uint64_t *mask = memo_add(&n->masks, (uint32_t)pid, own, 1 + c->words, SIZE_MAX);
    if (mask) {
        mask[0] = count >= 0;
        coder_mask(c, numbers, MAX(count, 0), mask + 1);
    }
    free(numbers);
    return mask;
}

static uint32_t slot_of(int pid, bool timeout) { return (uint32_t)pid << 1 | timeout; }

static const uint64_t *steps_of_one_word(struct learner *n, int pid, bool timeout)
{
    struct habit *h = &n->habits[timeout][pid];
    uint64_t code = *n->coder.code, own = code & n->coder.form->own[pid];
    if (!h->has_mask || h->own != own) {
        const uint64_t *mask = find_mask(n, pid, &own);
        if (!mask || !mask[0]) {
            n->decidable = false;
            return NULL;
        }
        *h = (struct habit){.own = own, .mask = mask[1], .has_mask = true};
    }
    uint64_t deciding = code & h->mask;
    if (h->steps && h->deciding == deciding) return h->steps;
    *n->deciding = h->deciding = deciding;
    n->decidable = true;
    return h->steps = memo_find(&n->steps, 1, slot_of(pid, timeout), &deciding);
}

const uint64_t *learner_steps(struct learner *n, int pid, bool timeout)
{
    struct coder *c = &n->coder;
    n->decidable = false;
    if (!c->m->ops->touched) return NULL;
    if (c->words == 1) return steps_of_one_word(n, pid, timeout);
    const uint64_t *own = c->form->own + (size_t)pid * c->words;
    for (uint32_t i = 0; i < c->words; i++) n->deciding[i] = c->code[i] & own[i];
    const uint64_t *mask = find_mask(n, pid, n->deciding);
    if (!mask || !mask[0]) return NULL;
    for (uint32_t i = 0; i < c->words; i++) n->deciding[i] = c->code[i] & mask[1 + i];
    n->decidable = true;
    return memo_find(&n->steps, c->words, slot_of(pid, timeout), n->deciding);
}

void learner_learn(struct learner *n, int pid, bool timeout, const uint64_t *steps, uint32_t length, size_t most)
{
    assert(n->decidable && length % (n->coder.words + 1) == 0);
    uint64_t *memory = memo_add(&n->steps, slot_of(pid, timeout), n->deciding, 1 + length, most);
    if (n->steps.moved) forget_habits(n);
    n->steps.moved = false;
    if (!memory) return;
    memory[0] = length / (n->coder.words + 1);
    if (length) memcpy(memory + 1, steps, length * sizeof *memory);
}
