/* Small random programs: every seed is one program. A flavour decides which operations are likely, so that rare pairs
 * (a timed wait against a broadcast, a failing trylock against an unlock) meet often. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct maker {
    struct program *p;
    uint64_t state;
    int thread, budget, vars, objects;
    unsigned flavours;
};

static unsigned roll(struct maker *g, unsigned n)
{
    uint64_t z = g->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ (z >> 31)) >> 33) % n;
}

static void emit(struct maker *g, int kind, int a, int b, int c, int d)
{
    struct program *p = g->p;
    if (p->len[g->thread] == MAX_CODE)
        abort();
    p->code[g->thread][p->len[g->thread]++] =
        (struct insn){(uint8_t)kind, {(int8_t)a, (int8_t)b, (int8_t)c, (int8_t)d}};
}

static int var(struct maker *g) { return (int)roll(g, (unsigned)g->vars); }
static int object(struct maker *g) { return (int)roll(g, (unsigned)g->objects); }
static int reg(struct maker *g) { return (int)roll(g, REGS); }
static int value(struct maker *g) { return (int)roll(g, 3); }

static void emit_memory(struct maker *g)
{
    g->budget--;
    switch (roll(g, 9)) {
    case 0: case 1: case 2: emit(g, I_load, var(g), reg(g), 0, 0); break;
    case 3: case 4: emit(g, I_store, var(g), value(g), 0, 0); break;
    case 5: emit(g, I_storereg, var(g), reg(g), value(g), 0); break;
    case 6: emit(g, I_add, var(g), 1 + value(g), reg(g), 0); break;
    case 7: emit(g, I_cas, var(g), value(g), value(g), reg(g)); break;
    default:
        if (roll(g, 2))
            emit(g, I_load2, var(g), reg(g), 0, 0);
        else
            emit(g, I_store2, var(g), value(g), 0, 0);
    }
}

enum { MUTEX = 1, RWLOCK = 2, CONDITION = 4, SEMAPHORE = 8, BARRIER = 16, RARE = 32, LOCALS = 64, COMPARE = 128,
       CHANNEL = 256, WRITERS_FIRST = 512, WAITING = 1024, STORES = 2048, ROUND = 4096 };

static void emit_block(struct maker *g, int depth);

/* lock ... unlock, sometimes forgotten; the trylock's body is left out when it fails. */
static void emit_mutex(struct maker *g, int depth)
{
    int m = object(g), r = reg(g);
    g->budget -= 2;
    if (roll(g, 3)) {
        emit(g, I_lock, m, 0, 0, 0);
        emit_block(g, depth + 1);
        if (roll(g, 10))
            emit(g, I_unlock, m, 0, 0, 0);
        return;
    }
    emit(g, I_trylock, m, r, 0, 0);
    int at = g->p->len[g->thread];
    emit(g, I_skipeq, r, 0, 0, 0);
    emit_block(g, depth + 1);
    emit(g, I_unlock, m, 0, 0, 0);
    g->p->code[g->thread][at].arg[2] = (int8_t)(g->p->len[g->thread] - at - 1);
}

static void emit_rwlock(struct maker *g, int depth)
{
    int w = object(g), r = reg(g), writer = (int)roll(g, 2);
    bool first = g->flavours & WRITERS_FIRST;
    g->budget -= 2;
    if (roll(g, 3)) {
        emit(g, writer ? first ? I_wrlockfirst : I_wrlock : first ? I_rdlocklast : I_rdlock, w, 0, 0, 0);
        emit_block(g, depth + 1);
        emit(g, writer ? I_wrunlock : I_rdunlock, w, 0, 0, 0);
        return;
    }
    emit(g, writer ? I_trywrlock : first ? I_tryrdlocklast : I_tryrdlock, w, r, 0, 0);
    int at = g->p->len[g->thread];
    emit(g, I_skipeq, r, 0, 0, 0);
    emit_block(g, depth + 1);
    emit(g, writer ? I_wrunlock : I_rdunlock, w, 0, 0, 0);
    g->p->code[g->thread][at].arg[2] = (int8_t)(g->p->len[g->thread] - at - 1);
}

static void emit_condition(struct maker *g)
{
    int m = object(g), c = object(g), v = var(g), r = reg(g);
    switch (roll(g, 6)) {
    case 0: case 1: emit(g, roll(g, 3) ? I_signal : I_broadcast, c, 0, 0, 0); g->budget--; break;
    case 2: /* lock; change; signal; unlock */
        emit(g, I_lock, m, 0, 0, 0);
        if (roll(g, 2))
            emit(g, I_store, v, 1, 0, 0);
        emit(g, roll(g, 2) ? I_signal : I_broadcast, c, 0, 0, 0);
        emit(g, I_unlock, m, 0, 0, 0);
        g->budget -= 3;
        break;
    default: /* lock; [if (v == 0)] wait; unlock */
        emit(g, I_lock, m, 0, 0, 0);
        if (roll(g, 2)) {
            emit(g, I_load, v, r, 0, 0);
            emit(g, I_skipne, r, 0, 1, 0);
        }
        switch (roll(g, 6)) {
        case 0: emit(g, I_timedwait, c, m, r, 0); break;
        case 1: emit(g, I_earlywait, c, m, r, 0); break;
        default: emit(g, I_wait, c, m, 0, 0);
        }
        emit(g, I_unlock, m, 0, 0, 0);
        g->budget -= 4;
    }
}

static void emit_semaphore(struct maker *g)
{
    int s = object(g);
    g->budget--;
    switch (roll(g, 8)) {
    case 0: case 1: case 2: emit(g, I_semwait, s, 0, 0, 0); break;
    case 3: case 4: emit(g, I_sempost, s, 0, 0, 0); break;
    case 5: case 6: emit(g, I_semtry, s, reg(g), 0, 0); break;
    default:
        if (roll(g, 2))
            emit(g, I_semread, s, reg(g), 0, 0);
        else
            emit(g, I_seminit, s, value(g), 0, 0);
    }
}

static void emit_local(struct maker *g)
{
    switch (roll(g, 6)) {
    case 5: emit(g, I_assume, reg(g), value(g), 0, 0); break;
    case 0: emit(g, I_assert, reg(g), value(g), 0, 0); break;
    case 1: emit(g, I_set, reg(g), value(g), 0, 0); break;
    default: { /* a conditional over the next piece */
        int at = g->p->len[g->thread];
        emit(g, roll(g, 2) ? I_skipeq : I_skipne, reg(g), value(g), 0, 0);
        emit_memory(g);
        g->p->code[g->thread][at].arg[2] = (int8_t)(g->p->len[g->thread] - at - 1);
    }
    }
}

static void emit_rare(struct maker *g)
{
    g->budget--;
    switch (roll(g, 9)) {
    case 0: case 1: emit(g, I_yield, 0, 0, 0, 0); break;
    case 2: case 3: emit(g, I_choose, 2 + (int)roll(g, 2), reg(g), 0, 0); break;
    case 4: case 5: emit(g, I_await, var(g), 1 + (int)roll(g, 2), 0, 0); break;
    case 6: emit(g, I_global, 0, 0, 0, 0); break;
    default: emit(g, I_quit, 0, 0, 0, 0); break;
    }
}

static void emit_channel(struct maker *g)
{
    int q = (int)roll(g, CHANNELS), n = 1 + (int)roll(g, 3);
    g->budget--;
    switch (roll(g, 8)) {
    case 0: case 1: emit(g, I_put, q, value(g), n, 0); break;
    case 2: emit(g, I_putsome, q, value(g), n, reg(g)); break;
    case 3: case 4: emit(g, I_take, q, n, reg(g), 0); break;
    case 5: case 6: emit(g, I_taketry, q, n, reg(g), 0); break;
    default:
        if (roll(g, 2))
            emit(g, I_peek, q, reg(g), 0, 0);
        else
            emit(g, I_peekwait, q, 0, 0, 0);
    }
}

/* Blind stores, exchanges and compare-exchanges of two values, and what looks at them. */
static void emit_store(struct maker *g)
{
    int v = var(g), few = (int)roll(g, 2), other = (int)roll(g, 2), r = reg(g);
    g->budget--;
    switch (roll(g, 11)) {
    case 10: emit(g, I_cas2, v & ~1, few, other, r); break;
    case 0: case 1: case 2: case 3: emit(g, I_store, v, few, 0, 0); break;
    case 4: emit(g, I_exchange, v, few, r, 0); break;
    case 5: emit(g, I_cas, v, few, other, r); break;
    case 6: emit(g, I_storereg, v, r, other, 0); break;
    case 7: emit(g, I_store2, v, few, 0, 0); break;
    default: emit(g, I_load, v, r, 0, 0);
    }
}

static void emit_barrier(struct maker *g)
{
    if (roll(g, 2))
        emit(g, I_barrier, 0, reg(g), 0, 0);
    else
        emit(g, I_arrive, 0, 0, 0, 0);
    g->budget -= 2;
}

static void emit_one(struct maker *g, int depth)
{
    if ((g->flavours & ROUND) && depth == 0 && roll(g, 2)) {
        emit_barrier(g);
        return;
    }
    if ((g->flavours & STORES) && roll(g, 4)) {
        emit_store(g);
        return;
    }
    if ((g->flavours & CHANNEL) && roll(g, 4)) {
        emit_channel(g);
        return;
    }
    if ((g->flavours & WRITERS_FIRST) && depth < 2 && roll(g, 2)) {
        emit_rwlock(g, depth);
        return;
    }
    if ((g->flavours & WAITING) && depth == 0 && roll(g, 3)) {
        emit_condition(g);
        return;
    }
    unsigned which = 1u << roll(g, 8);
    if (!(g->flavours & which))
        which = 0;
    switch (which) {
    case MUTEX: if (depth < 2) { emit_mutex(g, depth); return; } break;
    case RWLOCK: if (depth < 2) { emit_rwlock(g, depth); return; } break;
    case CONDITION: if (depth == 0) { emit_condition(g); return; } break;
    case SEMAPHORE: emit_semaphore(g); return;
    case BARRIER: if (depth == 0) { emit_barrier(g); return; } break;
    case RARE: emit_rare(g); return;
    case LOCALS: emit_local(g); return;
    case COMPARE: emit(g, I_cas, var(g), value(g), value(g), reg(g)); g->budget--; return;
    }
    emit_memory(g);
}

static void emit_block(struct maker *g, int depth)
{
    for (unsigned n = roll(g, 3); n-- > 0 && g->budget > 0;)
        emit_one(g, depth);
}

static void generate(struct program *p, uint64_t seed, const int *most, unsigned flavours)
{
    struct maker g = {.p = p, .state = seed * UINT64_C(0x2545f4914f6cdd1d) + 1};
    memset(p, 0, sizeof *p);
    p->threads = 2 + (int)roll(&g, 3);
    g.vars = 1 + (int)roll(&g, 3);
    p->vars = g.vars + 1; /* accesses of two variables reach one further */
    g.objects = 1 + (int)roll(&g, 2);
    g.flavours = roll(&g, 256) | flavours;
    for (int i = 0; i < OBJECTS; i++) {
        p->sem[i] = (int)roll(&g, 3);
        p->barrier[i] = 2 + (int)roll(&g, 2);
    }
    bool create = roll(&g, 4) == 0;
    for (g.thread = 0; g.thread < p->threads; g.thread++) {
        g.budget = 1 + (int)roll(&g, (unsigned)most[p->threads]);
        if (create && g.thread == 0) {
            int child = 1 + (int)roll(&g, (unsigned)p->threads - 1);
            p->created |= 1u << child;
            emit_block(&g, 1);
            emit(&g, I_create, child, 0, 0, 0);
            if (roll(&g, 2))
                emit_one(&g, 1);
            if (roll(&g, 2))
                emit(&g, I_join, child, 0, 0, 0);
            g.budget -= 2;
        }
        if (g.flavours & RARE) /* a thread that may do nothing at all would end at a time of its own */
            emit(&g, I_yield, 0, 0, 0, 0);
        while (g.budget > 0)
            emit_one(&g, 0);
        if (roll(&g, 3) == 0)
            emit(&g, I_assert, reg(&g), value(&g), 0, 0);
    }
}

void program_generate(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 6, [3] = 4, [4] = 2};
    generate(p, seed, most, 0);
}

/* With compare-exchanges, assumptions and ends of the program among the rest. */
void program_generate_compare(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 6, [3] = 4, [4] = 2};
    generate(p, seed, most, COMPARE | LOCALS | RARE);
}

/* With things that happen for no reason, which cost as much as preemptions. */
void program_generate_surprises(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 6, [3] = 4, [4] = 2};
    generate(p, seed, most, RARE);
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->len[t]; i++)
            if (p->code[t][i].kind == I_choose || p->code[t][i].kind == I_yield)
                p->code[t][i] = (struct insn){I_surprise, {(int8_t)(i % REGS)}};
}

/* With reader-writer locks for which writers that wait hold readers back. */
void program_generate_writers_first(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 8, [3] = 5, [4] = 3};
    generate(p, seed, most, WRITERS_FIRST);
}

/* With stores of few values: a store may write what is there already. */
void program_generate_stores(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 6, [3] = 4, [4] = 2};
    generate(p, seed, most, STORES);
    p->tells_stores = true;
}

/* With barriers: in half of the programs they are for as many threads as there are, so that rounds cannot overlap. */
void program_generate_rounds(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 9, [3] = 6, [4] = 4};
    generate(p, seed, most, ROUND);
    p->tells_rounds = true;
    if (seed % 2)
        p->barrier[0] = p->threads;
}

/* With several threads that wait for conditions and several that signal. */
void program_generate_waiting(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 12, [3] = 9, [4] = 7};
    generate(p, seed, most, WAITING);
}

/* On one channel or on several. */
void program_generate_channels(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 7, [3] = 4, [4] = 3};
    generate(p, seed, most, CHANNEL);
    for (int t = 0; t < p->threads && seed % 4; t++)
        for (int i = 0; i < p->len[t]; i++)
            if (p->code[t][i].kind >= I_put && p->code[t][i].kind <= I_peekwait)
                p->code[t][i].arg[0] = (int8_t)(seed % 4 - 1);
}

void program_generate_large(struct program *p, uint64_t seed)
{
    static const int most[] = {[2] = 9, [3] = 7, [4] = 5};
    generate(p, seed, most, 0);
}

/* Waits, yielding, until a variable has a value; or does something and yields for no reason. */
static void emit_yielding(struct maker *g)
{
    int v = var(g), r = reg(g), k = 1 + (int)roll(g, 2);
    g->budget -= 2;
    if (roll(g, 3) == 0) {
        emit(g, I_yield, 0, 0, 0, 0);
        return;
    }
    emit(g, I_load, v, r, 0, 0);
    emit(g, I_skipeq, r, k, 2, 0);
    emit(g, I_yield, 0, 0, 0, 0);
    emit(g, I_backne, r, k, 3, 0);
}

static void generate_cyclic(struct program *p, uint64_t seed, unsigned flavours)
{
    struct maker g = {.p = p, .state = seed * UINT64_C(0x9fb21c651e98df25) + 7};
    memset(p, 0, sizeof *p);
    p->threads = 2 + (int)roll(&g, 2);
    g.vars = 1 + (int)roll(&g, 2);
    p->vars = g.vars + 1;
    g.objects = 1;
    g.flavours = ((MUTEX | SEMAPHORE | CONDITION | COMPARE) & roll(&g, 256)) | flavours;
    p->sem[0] = (int)roll(&g, 2);
    for (g.thread = 0; g.thread < p->threads; g.thread++) {
        g.budget = 2 + (int)roll(&g, p->threads == 2 ? 4 : 2);
        while (g.budget > 0)
            if (roll(&g, 3) == 0)
                emit_yielding(&g);
            else
                emit_one(&g, 0);
    }
}

void program_generate_cyclic(struct program *p, uint64_t seed) { generate_cyclic(p, seed, 0); }

void program_generate_cyclic_rounds(struct program *p, uint64_t seed)
{
    generate_cyclic(p, seed, ROUND);
    p->barrier[0] = p->threads;
    p->tells_rounds = true;
}
