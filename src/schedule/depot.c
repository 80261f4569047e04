/* The table through which parts go from those who give them away to those who explore them, and their answers back. It
 * is in memory that all of them share; schedule.h says how it is used.
 *
 * A slot is a part on its way. What it is and whose it is are one word that is exchanged as a whole: a member that goes
 * away is cleaned up after by another one, and must not take with it what a third is just beginning. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

enum slot_state {
    SLOT_FREE, SLOT_WRITING, SLOT_POSTED, SLOT_TAKEN, SLOT_DONE, SLOT_READ, SLOT_GIVEN_UP, SLOT_CANCELLED
};
struct holding { enum slot_state state; int giver, taker; };
struct slot {
    uint32_t holding; /* packed */
    size_t part_size, answer_size, failed_steps; /* the schedule that failed is after the answer */
    uint64_t executions, blocked, steps; /* so far */
};

struct depot_table {
    uint32_t bell;
    int32_t idle;
    uint8_t is_idle[DEPOT_MEMBERS];
    struct slot slots[DEPOT_SLOTS];
};

enum { GIVER_AT = 8, TAKER_AT = 20, MEMBER_MASK = (1 << (TAKER_AT - GIVER_AT)) - 1, FIRST_ROOM = 1 << 16 };
_Static_assert((int)DEPOT_MEMBERS <= (int)MEMBER_MASK + 1, "a member has twelve bits");
_Static_assert(sizeof(struct depot_table) <= FIRST_ROOM, "rooms come after the table");

size_t depot_size(void)
{
    return FIRST_ROOM + DEPOT_ROOM * 2 * DEPOT_SLOTS;
}

void *depot_part_room(const struct depot *d, uint32_t number)
{
    assert(number < DEPOT_SLOTS);
    return (char *)d->table + FIRST_ROOM + DEPOT_ROOM * 2 * number;
}

void *depot_answer_room(const struct depot *d, uint32_t number)
{
    return (char *)depot_part_room(d, number) + DEPOT_ROOM;
}

uint32_t *depot_bell(const struct depot *d)
{
    return &d->table->bell;
}

static void ring(const struct depot *d)
{
    __atomic_add_fetch(&d->table->bell, 1, __ATOMIC_SEQ_CST);
    d->wake(&d->table->bell);
}

/* A slot that is free is nobody's. */
static uint32_t packed(struct holding h)
{
    return h.state == SLOT_FREE ? 0 : h.state | (uint32_t)h.giver << GIVER_AT | (uint32_t)h.taker << TAKER_AT;
}

static struct holding look(const struct depot *d, uint32_t number)
{
    assert(number < DEPOT_SLOTS);
    uint32_t h = __atomic_load_n(&d->table->slots[number].holding, __ATOMIC_SEQ_CST);
    return (struct holding){(enum slot_state)(h & ((1 << GIVER_AT) - 1)), (int)(h >> GIVER_AT & MEMBER_MASK),
                            (int)(h >> TAKER_AT)};
}

static bool turn(const struct depot *d, uint32_t number, struct holding from, struct holding to)
{
    uint32_t expected = packed(from);
    return __atomic_compare_exchange_n(&d->table->slots[number].holding, &expected, packed(to), false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

static bool turn_state(const struct depot *d, uint32_t number, struct holding from, enum slot_state to)
{
    return turn(d, number, from, (struct holding){to, from.giver, from.taker});
}

/* ---- giving ---- */

int depot_wanted(const struct depot *d)
{
    int n = __atomic_load_n(&d->table->idle, __ATOMIC_RELAXED);
    for (uint32_t i = 0; n > 0 && i < DEPOT_SLOTS; i++)
        n -= look(d, i).state == SLOT_POSTED;
    return n;
}

bool depot_open(const struct depot *d, uint32_t *number)
{
    struct holding own = {SLOT_WRITING, d->member, 0};
    for (*number = 0; *number < DEPOT_SLOTS; ++*number)
        if (turn(d, *number, (struct holding){0}, own))
            return true;
    return false;
}

void depot_post(const struct depot *d, uint32_t number, size_t size)
{
    assert(size <= DEPOT_ROOM);
    d->table->slots[number].part_size = size;
    turn_state(d, number, look(d, number), size ? SLOT_POSTED : SLOT_FREE);
    if (size)
        ring(d);
}

/* One who has it in hand frees it. */
static void withdraw_of(const struct depot *d, uint32_t number, int giver)
{
    for (;;) {
        struct holding h = look(d, number);
        if (h.state == SLOT_FREE || h.state == SLOT_CANCELLED || h.giver != giver)
            return;
        if (turn_state(d, number, h, h.state == SLOT_TAKEN ? SLOT_CANCELLED : SLOT_FREE))
            return;
    }
}

void depot_withdraw(const struct depot *d, uint32_t number)
{
    withdraw_of(d, number, d->member);
}

/* ---- exploring ---- */

static void drop_of(const struct depot *d, uint32_t number, int taker)
{
    for (;;) {
        struct holding h = look(d, number);
        if ((h.state != SLOT_TAKEN && h.state != SLOT_CANCELLED) || h.taker != taker)
            return;
        if (turn_state(d, number, h, h.state == SLOT_TAKEN ? SLOT_GIVEN_UP : SLOT_FREE))
            return;
    }
}

void depot_drop(const struct depot *d, uint32_t number)
{
    drop_of(d, number, d->member);
    ring(d);
}

bool depot_take(const struct depot *d, uint32_t *number, size_t *size)
{
    for (*number = 0; *number < DEPOT_SLOTS; ++*number) {
        struct slot *s = &d->table->slots[*number];
        struct holding h = look(d, *number);
        if (h.state != SLOT_POSTED || h.giver == d->member)
            continue;
        if (!turn(d, *number, h, (struct holding){SLOT_TAKEN, h.giver, d->member}))
            continue;
        s->executions = s->blocked = s->steps = 0;
        *size = s->part_size <= DEPOT_ROOM ? s->part_size : 0; /* the program may have written there */
        return true;
    }
    return false;
}

bool depot_is_wanted(const struct depot *d, uint32_t number)
{
    return look(d, number).state == SLOT_TAKEN;
}

void depot_note(const struct depot *d, uint32_t number, const struct sched_stats *stats)
{
    struct slot *s = &d->table->slots[number];
    s->executions = stats->executions;
    s->blocked = stats->blocked;
    s->steps = stats->steps;
}

static size_t rounded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static struct sched_step *failed_schedule(const struct depot *d, uint32_t number, size_t answer_size)
{
    return (struct sched_step *)((char *)depot_answer_room(d, number) + rounded(answer_size));
}

void depot_answer(const struct depot *d, uint32_t number, size_t size, const struct sched_step *failed,
                     size_t failed_steps)
{
    struct slot *s = &d->table->slots[number];
    struct holding h = look(d, number);
    bool fits = size && rounded(size) + failed_steps * sizeof *failed <= DEPOT_ROOM;
    s->answer_size = size;
    s->failed_steps = failed_steps;
    if (fits && failed_steps)
        memmove(failed_schedule(d, number, size), failed, failed_steps * sizeof *failed);
    assert(h.taker == d->member);
    if (!fits || h.state != SLOT_TAKEN || !turn_state(d, number, h, SLOT_DONE))
        drop_of(d, number, d->member);
    ring(d);
}

/* ---- collecting ---- */

enum depot_news depot_ask(const struct depot *d, uint32_t number)
{
    enum slot_state state = look(d, number).state;
    return state == SLOT_DONE ? DEPOT_ANSWERED : state == SLOT_TAKEN ? DEPOT_IN_HAND : DEPOT_NO_ANSWER;
}

struct depot_answer depot_look(const struct depot *d, uint32_t number)
{
    const struct slot *s = &d->table->slots[number];
    assert(look(d, number).state == SLOT_DONE);
    return (struct depot_answer){depot_answer_room(d, number), s->answer_size,
                                 failed_schedule(d, number, s->answer_size), s->failed_steps};
}

struct depot_answer depot_read(const struct depot *d, uint32_t number)
{
    struct holding h = look(d, number);
    struct depot_answer a = depot_look(d, number);
    assert(h.giver == d->member);
    turn_state(d, number, h, SLOT_READ);
    return a;
}

void depot_add_unfinished(const struct depot *d, struct sched_stats *stats)
{
    struct sched_level *level = &stats->level[stats->levels ? stats->levels - 1 : 0];
    for (uint32_t i = 0; i < DEPOT_SLOTS; i++) {
        const struct slot *s = &d->table->slots[i];
        enum slot_state state = look(d, i).state;
        if (state != SLOT_TAKEN && state != SLOT_DONE)
            continue;
        stats->executions += s->executions;
        stats->blocked += s->blocked;
        stats->steps += s->steps;
        level->executions += s->executions;
        level->blocked += s->blocked;
        level->steps += s->steps;
    }
}

/* ---- who is there ---- */

static void set_idle_of(const struct depot *d, int member, bool is_idle)
{
    assert(member >= 0 && member < DEPOT_MEMBERS);
    uint8_t was = __atomic_exchange_n(&d->table->is_idle[member], is_idle, __ATOMIC_SEQ_CST);
    if (was != is_idle)
        __atomic_add_fetch(&d->table->idle, is_idle ? 1 : -1, __ATOMIC_SEQ_CST);
}

void depot_set_idle(const struct depot *d, bool is_idle)
{
    set_idle_of(d, d->member, is_idle);
    if (is_idle)
        ring(d);
}

bool depot_is_idle(const struct depot *d, int member)
{
    return __atomic_load_n(&d->table->is_idle[member], __ATOMIC_SEQ_CST);
}

void depot_forget(const struct depot *d, int member)
{
    for (uint32_t i = 0; i < DEPOT_SLOTS; i++) {
        withdraw_of(d, i, member);
        drop_of(d, i, member);
    }
    set_idle_of(d, member, false);
    ring(d);
}
