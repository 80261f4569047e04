#include "search/learner_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { INDEPENDENCE_LOG = 14, MASKS_LOG = 10, FIRST_QUICK_LOG = 6, MOST_QUICK_LOG = 16, QUICK_SHARE = 16 };

/* ---- what was looked up lately ---- */

static size_t quick_bytes(uint32_t log) { return sizeof(struct quick_steps) << log; }

static void forget_quick(struct learner *n)
{
    if (n->quick) memset(n->quick, 0, quick_bytes(n->quick_log));
}

/* As many as there are things remembered, in a small share of the memory: nothing is lost without. */
static void grow_quick(struct learner *n)
{
    uint32_t log = n->quick ? n->quick_log + 2 : FIRST_QUICK_LOG;
    size_t limit = n->steps.budget->limit;
    if (log > MOST_QUICK_LOG || (limit && quick_bytes(log) > limit / QUICK_SHARE)) return;
    if (!budget_take_if_any(n->steps.budget, quick_bytes(log))) return;
    if (n->quick) budget_give(n->steps.budget, quick_bytes(n->quick_log));
    free(n->quick);
    n->quick = aligned_alloc(64, quick_bytes(log));
    if (!n->quick) die("out of memory");
    n->quick_log = log;
    forget_quick(n);
}

static inline uint64_t spread_of(uint64_t bits, uint32_t what)
{
    return (bits ^ what * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
}

static inline struct quick_mask *quick_mask_of(const struct learner *n, int pid, uint64_t own)
{
    return &n->quick_masks[spread_of(own, (uint32_t)pid + 1) >> (64 - MASKS_LOG)];
}

static inline struct quick_steps *quick_steps_of(const struct learner *n, uint32_t slot, uint64_t deciding)
{
    return &n->quick[spread_of(deciding, slot + 1) >> (64 - n->quick_log)];
}

static void forget_masks(struct learner *n)
{
    if (n->quick_masks) memset(n->quick_masks, 0, sizeof *n->quick_masks << MASKS_LOG);
}

static size_t independence_bytes(const struct learner *n)
{
    return (n->coder.words + 2) * sizeof *n->independence.table << INDEPENDENCE_LOG;
}

static void movers_init(struct first_movers *f, struct model *m)
{
    f->places = m->ops->places ? m->ops->places(m) : 0;
    if (!f->places) return;
    f->lets = xcalloc((size_t)f->places, sizeof *f->lets);
    f->bit = memset(xmalloc((size_t)f->places), NO_BIT, (size_t)f->places);
}

void learner_init(struct learner *n, struct codebook *b, struct model *m, struct budget *budget)
{
    memset(n, 0, sizeof *n);
    coder_init(&n->coder, b, m);
    memo_init(&n->masks, n->coder.words, budget);
    memo_init(&n->steps, n->coder.words, budget);
    n->deciding = xcalloc(n->coder.words, sizeof *n->deciding);
    n->independence.mask = xcalloc(2 * n->coder.words, sizeof(uint64_t));
    n->independence.deciding = n->independence.mask + n->coder.words;
    if (n->coder.words > 1) return;
    n->quick_masks = xcalloc((size_t)1 << MASKS_LOG, sizeof *n->quick_masks);
    movers_init(&n->movers, m);
}

void learner_release(struct learner *n)
{
    if (n->quick) budget_give(n->steps.budget, quick_bytes(n->quick_log));
    free(n->quick);
    free(n->quick_masks);
    free(n->movers.lets);
    free(n->movers.bit);
    if (n->independence.table) budget_give(n->masks.budget, independence_bytes(n));
    free(n->independence.table);
    free(n->independence.mask);
    memo_release(&n->masks);
    memo_release(&n->steps);
    coder_release(&n->coder);
    free(n->deciding);
    n->deciding = NULL;
}

void learner_refresh(struct learner *n)
{
    if (!coder_refresh(&n->coder)) return;
    memo_forget(&n->masks);
    forget_masks(n);
    n->independence.form = NULL;
}

/* ---- what is asked for ---- */

/* The word beside a mask: these bits, then what may go first (enum first_move), then where the process is. */
enum { IS_DECIDABLE = 1, MAY_DEPEND = 2, FLAGS_LOG = 2, FIRST_LOG = 8 };

/* A new bit, for a place where some process may go first. */
static void add_bit(struct first_movers *f, struct model *m, int place)
{
    if (f->bits == FIRST_BITS) {
        f->places = 0;
        return;
    }
    f->bit[place] = (uint8_t)f->bits;
    for (int other = 0; other < f->places; other++)
        f->lets[other] |= (uint64_t)!m->ops->hinders(m, place, other) << f->bits;
    f->bits++;
}

/* Where pid is, and whether it may go first there. */
static uint64_t find_place(struct learner *n, int pid)
{
    struct coder *c = &n->coder;
    struct first_movers *f = &n->movers;
    enum first_move first = FIRST_NEVER;
    if (!f->places) return 0;
    int place = c->m->ops->place(c->m, coder_state(c), pid, &first);
    if (first != FIRST_NEVER && f->bit[place] == NO_BIT) add_bit(f, c->m, place);
    return (uint64_t)place << FIRST_LOG | first;
}

/* A mask of what decides, with a word in front that says the rest. */
static const uint64_t *find_mask(struct learner *n, int pid, const uint64_t *own)
{
    struct coder *c = &n->coder;
    const uint64_t *found = memo_find(&n->masks, c->words, (uint32_t)pid, own);
    if (found) return found;
    uint32_t *numbers = xmalloc(c->form->count * sizeof *numbers);
    int count = c->m->ops->touched(c->m, coder_state(c), pid, numbers);
    uint64_t *mask = memo_add(&n->masks, (uint32_t)pid, own, 1 + c->words, SIZE_MAX);
    if (mask) {
        bool depends = c->m->ops->may_depend && c->m->ops->may_depend(c->m, coder_state(c), pid);
        mask[0] = find_place(n, pid) << FLAGS_LOG | (count >= 0 ? IS_DECIDABLE : 0) | (depends ? MAY_DEPEND : 0);
        coder_mask(c, numbers, MAX(count, 0), mask + 1);
    }
    free(numbers);
    return mask;
}

static uint32_t slot_of(int pid, bool timeout) { return (uint32_t)pid << 1 | timeout; }

static bool look_up_mask(struct learner *n, struct quick_mask *q, int pid, uint64_t own)
{
    const uint64_t *mask = find_mask(n, pid, &own);
    if (!mask) return false;
    *q = (struct quick_mask){.own = own, .mask = mask[1], .pid = (uint16_t)pid,
                             .first = (uint8_t)(mask[0] >> FLAGS_LOG),
                             .place = (uint16_t)(mask[0] >> (FLAGS_LOG + FIRST_LOG)), .is_set = true,
                             .decidable = mask[0] & IS_DECIDABLE, .may_depend = mask[0] & MAY_DEPEND};
    return true;
}

/* NULL: there is no memory for it. */
static inline const struct quick_mask *mask_of(struct learner *n, int pid)
{
    uint64_t own = *n->coder.code & n->coder.form->own[pid];
    struct quick_mask *m = quick_mask_of(n, pid, own);
    bool is_it = m->own == own && m->pid == pid && m->is_set;
    return is_it || look_up_mask(n, m, pid, own) ? m : NULL;
}

static const uint64_t *look_up_steps(struct learner *n, uint32_t slot, uint64_t deciding, uint64_t hash)
{
    const uint64_t *steps = memo_find_hashed(&n->steps, 1, slot, &deciding, hash);
    if (!steps) return NULL;
    if (!n->quick || n->steps.count >> n->quick_log > 1) grow_quick(n);
    if (!n->quick) return steps;
    struct quick_steps *q = quick_steps_of(n, slot, deciding);
    uint64_t length = 1 + 2 * steps[0];
    *q = (struct quick_steps){.deciding = deciding, .slot = slot + 1, .length = length <= QUICK_WORDS};
    if (!q->length) q->elsewhere = steps;
    else memcpy(q->steps, steps, length * sizeof *steps);
    return steps;
}

static const uint64_t *steps_of_one_word(struct learner *n, int pid, bool timeout)
{
    const struct quick_mask *m = mask_of(n, pid);
    if (!m || !m->decidable) return NULL;
    uint64_t deciding = *n->coder.code & m->mask;
    uint32_t slot = slot_of(pid, timeout);
    uint64_t hash = memo_hash(1, slot, &deciding);
    n->decidable = true;
    *n->deciding = deciding;
    if (n->quick) {
        const struct quick_steps *q = quick_steps_of(n, slot, deciding);
        memo_prefetch(&n->steps, hash); /* both may be far away */
        if (q->deciding == deciding && q->slot == slot + 1) return q->length ? q->steps : q->elsewhere;
    }
    return look_up_steps(n, slot, deciding, hash);
}

static inline __attribute__((always_inline)) void prefetch_steps(const struct learner *n, uint64_t code, int pid)
{
    uint64_t own = code & n->coder.form->own[pid];
    const struct quick_mask *m = quick_mask_of(n, pid, own);
    if (m->own == own) __builtin_prefetch(quick_steps_of(n, slot_of(pid, false), code & m->mask));
}

void learner_prefetch(const struct learner *n, uint64_t code, int pid)
{
    if (!n->quick || !n->coder.form) return;
    if (pid != MODEL_NOBODY && pid < n->coder.form->processes) prefetch_steps(n, code, pid);
    if (pid != MODEL_NOBODY) return;
    for (pid = 0; pid < n->coder.form->processes; pid++) prefetch_steps(n, code, pid);
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
    if (!mask || !(mask[0] & IS_DECIDABLE)) return NULL;
    for (uint32_t i = 0; i < c->words; i++) n->deciding[i] = c->code[i] & mask[1 + i];
    n->decidable = true;
    return memo_find(&n->steps, c->words, slot_of(pid, timeout), n->deciding);
}

void learner_learn(struct learner *n, int pid, bool timeout, const uint64_t *steps, uint32_t length, size_t most)
{
    assert(n->decidable && length % (n->coder.words + 1) == 0);
    uint64_t *memory = memo_add(&n->steps, slot_of(pid, timeout), n->deciding, 1 + length, most);
    if (n->steps.moved) forget_quick(n); /* they point there */
    n->steps.moved = false;
    if (!memory) return;
    memory[0] = length / (n->coder.words + 1);
    if (length) memcpy(memory + 1, steps, length * sizeof *memory);
}

bool learner_may_depend(struct learner *n, int pid)
{
    struct coder *c = &n->coder;
    if (!c->m->ops->may_depend) return false;
    if (!c->m->ops->touched) return c->m->ops->may_depend(c->m, coder_state(c), pid);
    if (c->words == 1) {
        const struct quick_mask *m = mask_of(n, pid);
        return m ? m->may_depend : c->m->ops->may_depend(c->m, coder_state(c), pid);
    }
    const uint64_t *own = c->form->own + (size_t)pid * c->words;
    for (uint32_t i = 0; i < c->words; i++) n->deciding[i] = c->code[i] & own[i];
    const uint64_t *mask = find_mask(n, pid, n->deciding);
    return mask ? mask[0] & MAY_DEPEND : c->m->ops->may_depend(c->m, coder_state(c), pid);
}

/* ---- who may go first ---- */

/* What is in the table stays right when the mask gets more bits: until then they were zero. */
static void mask_independence(struct learner *n)
{
    struct quick_independence *x = &n->independence;
    struct coder *c = &n->coder;
    if (x->form == c->form) return;
    uint32_t *numbers = xmalloc(c->form->count * sizeof *numbers);
    int count = c->m->ops->independence_parts(c->m, coder_state(c), numbers);
    memset(x->mask, 0, c->words * sizeof *x->mask);
    coder_mask(c, numbers, count, x->mask);
    x->form = c->form;
    free(numbers);
}

/* Nothing is lost without, if there is no memory for it. */
static bool has_table(struct learner *n)
{
    struct quick_independence *x = &n->independence;
    if (x->table || x->is_refused) return x->table;
    x->is_refused = !budget_take_if_any(n->masks.budget, independence_bytes(n));
    if (!x->is_refused) x->table = xcalloc(1, independence_bytes(n));
    return x->table;
}

static uint64_t *place_of_independence(struct learner *n)
{
    struct quick_independence *x = &n->independence;
    uint32_t words = n->coder.words;
    uint64_t differs = 0;
    mask_independence(n);
    for (uint32_t i = 0; i < words; i++) x->deciding[i] = n->coder.code[i] & x->mask[i];
    uint64_t *place = x->table + (words + 2) * (memo_hash(words, 0, x->deciding) >> (64 - INDEPENDENCE_LOG));
    for (uint32_t i = 0; i < words; i++) differs |= place[i] ^ x->deciding[i];
    if (differs) {
        memcpy(place, x->deciding, words * sizeof *place);
        place[words] = place[words + 1] = 0;
    }
    return place + words;
}

static bool ask_whether_independent(struct coder *c, int pid)
{
    return c->m->ops->independent(c->m, coder_state(c), pid);
}

/* Those that are asked about, the highest first. */
static int first_independent(struct learner *n, uint64_t about)
{
    struct coder *c = &n->coder;
    uint64_t *asked = place_of_independence(n), *are = asked + 1;
    for (; about; about &= ~(UINT64_C(1) << (63 - __builtin_clzll(about)))) {
        int pid = 63 - __builtin_clzll(about);
        uint64_t bit = UINT64_C(1) << pid;
        if (!(*asked & bit) && ask_whether_independent(c, pid)) *are |= bit;
        *asked |= bit;
        assert_costly(!(*are & bit) == !ask_whether_independent(c, pid));
        if (*are & bit) return pid;
    }
    return -1;
}

/* Which bits no process hinders, and which one process at most does. False: not known. */
static bool find_free_places(struct learner *n, int processes, uint64_t *for_all, uint64_t *for_one)
{
    const struct first_movers *f = &n->movers;
    int bits = f->bits;
    *for_all = *for_one = ~UINT64_C(0);
    for (int pid = 0; pid < processes; pid++) {
        const struct quick_mask *m = mask_of(n, pid);
        if (!m || !f->places) return false;
        if (f->bits != bits) return find_free_places(n, processes, for_all, for_one); /* there is a new one */
        uint64_t lets = f->lets[m->place];
        *for_one = (*for_one & lets) | *for_all;
        *for_all &= lets;
    }
    uint64_t used = bits == FIRST_BITS ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    *for_all &= used, *for_one &= used;
    return true;
}

/* The processes that no other one hinders: those that surely are independent, and those that may be. */
static bool find_first_movers(struct learner *n, uint64_t *surely, uint64_t *maybe)
{
    const struct first_movers *f = &n->movers;
    int processes = n->coder.form->processes;
    uint64_t for_all, for_one;
    if (!f->places || processes < 0 || processes > 64 || !find_free_places(n, processes, &for_all, &for_one))
        return false;
    *surely = *maybe = 0;
    for (int pid = 0; pid < processes && for_one; pid++) {
        const struct quick_mask *m = mask_of(n, pid);
        if (!m) return false;
        if (m->first == FIRST_NEVER) continue;
        uint64_t bit = UINT64_C(1) << f->bit[m->place];
        bool is_free = for_all & bit || (for_one & bit && !(f->lets[m->place] & bit));
        if (is_free) *(m->first == FIRST_SURELY ? surely : maybe) |= UINT64_C(1) << pid;
    }
    return true;
}

int learner_independent(struct learner *n, int below)
{
    struct coder *c = &n->coder;
    if (!c->m->ops->independence_parts || below > 64 || !has_table(n)) {
        while (--below >= 0 && !ask_whether_independent(c, below)) {}
        return below;
    }
    uint64_t about = below == 64 ? ~UINT64_C(0) : (UINT64_C(1) << below) - 1, surely = 0, maybe = about;
    if (find_first_movers(n, &surely, &maybe)) surely &= about, maybe &= about;
    else surely = 0, maybe = about;
    int pid = surely ? 63 - __builtin_clzll(surely) : -1;
    if (pid >= 0) maybe &= -(UINT64_C(2) << pid); /* the others are below it */
    assert_costly(pid < 0 || ask_whether_independent(c, pid));
    return MAX(pid, maybe ? first_independent(n, maybe) : -1);
}
