/* All execution graphs of a litmus program, each once. A loop is run once, and there is no graph if it would be
 * repeated: rounds before the last one leave nothing behind, and without them a graph is allowed if it is with them.
 *
 * Since program order and reads-from together have no cycle, the threads can be run: always the first that can go on. A
 * read takes one of the writes that are there, or its thread waits; a thread that waits is offered every write that is
 * added to its place from then on, and takes it or refuses it for ever. A write is put at every position of the
 * modification order. For a given graph each of these choices is forced, so no graph is made twice; a branch in which
 * somebody waits in vain makes none. The axioms are asked after every event: what they forbid stays forbidden when
 * events are added, since no relation gets smaller by that. */
#include <string.h>

#include "litmus.h"

struct thread {
    int pc, registers[MAX_REGISTERS];
    bool is_waiting;
    int offered; /* a waiting thread has been offered all writes with smaller numbers */
    bool spins;  /* it would repeat a loop, whose last round began with the event of that number */
    int round;
};

struct state {
    struct graph g;
    struct thread thread[MAX_THREADS];
};

struct search {
    const struct litmus *p;
    found_graph *found;
    void *context;
    uint64_t left;
    bool is_cut;
};

static int value_of(const struct thread *t, struct operand v)
{
    return v.is_register ? t->registers[v.n] : v.n;
}

/* Goes on to the next access or fence of the thread; NULL at its end. */
static const struct insn *advance(const struct litmus *p, struct thread *t, int number, int events)
{
    while (t->pc < p->length[number] && !t->spins) {
        const struct insn *c = &p->code[number][t->pc];
        if (c->kind < INSN_FENCE || (c->kind == INSN_FENCE && c->order != ORDER_RLX))
            return c;
        bool differs = (t->registers[c->tested] == value_of(t, c->value)) != c->is_equal;
        bool jumps = c->kind == INSN_ELSE || (c->kind == INSN_IF && differs);
        t->spins = c->kind == INSN_UNTIL && differs;
        if (c->kind == INSN_LOOP)
            t->round = events;
        t->pc = jumps ? c->otherwise : t->pc + 1;
    }
    return NULL;
}

static void run(struct search *s, const struct state *before);

static struct event *add_event(struct state *st, struct event e)
{
    st->g.event[st->g.events] = e;
    return &st->g.event[st->g.events++];
}

static void go_on(struct search *s, const struct state *st)
{
    if (rc11_is_consistent(&st->g))
        run(s, st);
}

/* Puts the write that was added last at this position of the modification order. */
static void place_write(struct graph *g, int place, int position)
{
    int *mo = g->mo[place];
    memmove(mo + position + 1, mo + position, (size_t)(g->writes[place] - position) * sizeof *mo);
    mo[position] = g->events - 1;
    g->writes[place]++;
}

static void do_store(struct search *s, const struct state *before, int t, const struct insn *c)
{
    /* 0 is the position of the initial write, which is before all others */
    for (int position = 1; position <= before->g.writes[c->place]; position++) {
        struct state st = *before;
        add_event(&st, (struct event){EVENT_WRITE, c->order, t, c->place, value_of(&st.thread[t], c->value)});
        place_write(&st.g, c->place, position);
        st.thread[t].pc++;
        go_on(s, &st);
    }
}

/* What is written by a read-modify-write that finds this value; false if nothing is. */
static bool replaces(const struct insn *c, const struct thread *t, int found, int *written)
{
    *written = value_of(t, c->value);
    if (c->kind == INSN_ADD)
        *written = (int)((unsigned)found + (unsigned)*written);
    return c->kind != INSN_LOAD && (c->kind != INSN_CAS || found == value_of(t, c->wanted));
}

static int position_of(const struct graph *g, int place, int write)
{
    int i = 0;
    while (g->mo[place][i] != write)
        i++;
    return i;
}

static void do_read(struct search *s, const struct state *before, int t, const struct insn *c, int from)
{
    struct state st = *before;
    struct thread *me = &st.thread[t];
    int found = st.g.event[from].value, written;
    bool writes = replaces(c, me, found, &written);
    enum order order = c->kind == INSN_CAS && !writes ? c->failure : c->order;
    bool is_lock = c->kind == INSN_LOCK;
    add_event(&st, (struct event){EVENT_READ, order, t, c->place, found, from, writes, is_lock});
    if (writes) {
        add_event(&st, (struct event){EVENT_WRITE, order, t, c->place, written, -1, true});
        place_write(&st.g, c->place, position_of(&st.g, c->place, from) + 1);
    }
    if (!is_lock)
        me->registers[c->target_register] = found;
    me->is_waiting = false;
    me->pc++;
    go_on(s, &st);
}

/* A mutex can be locked only where it was unlocked. */
static bool may_read(const struct graph *g, int i, const struct insn *c)
{
    const struct event *e = &g->event[i];
    return e->kind == EVENT_WRITE && e->place == c->place && (c->kind != INSN_LOCK || e->value == 0);
}

static void choose_read(struct search *s, const struct state *before, int t, const struct insn *c)
{
    for (int i = 0; i < before->g.events; i++)
        if (may_read(&before->g, i, c))
            do_read(s, before, t, c, i);
    struct state st = *before;
    st.thread[t].is_waiting = true;
    st.thread[t].offered = st.g.events;
    run(s, &st);
}

/* Offers a new write to a waiting thread; false if there is none to be offered. */
static bool make_offer(struct search *s, const struct state *before)
{
    for (int t = 0; t < s->p->threads; t++) {
        const struct thread *w = &before->thread[t];
        const struct insn *c = &s->p->code[t][w->pc];
        for (int i = w->offered; w->is_waiting && i < before->g.events; i++)
            if (may_read(&before->g, i, c)) {
                do_read(s, before, t, c, i);
                struct state st = *before;
                st.thread[t].offered = i + 1;
                run(s, &st);
                return true;
            }
    }
    return false;
}

static void do_insn(struct search *s, const struct state *before, int t, const struct insn *c)
{
    if (c->kind == INSN_STORE || c->kind == INSN_UNLOCK) {
        do_store(s, before, t, c);
    } else if (c->kind == INSN_FENCE) {
        struct state st = *before;
        add_event(&st, (struct event){EVENT_FENCE, c->order, t, -1});
        st.thread[t].pc++;
        go_on(s, &st);
    } else {
        choose_read(s, before, t, c);
    }
}

static void complete(struct search *s, const struct state *st)
{
    if (!s->left--) {
        s->is_cut = true;
        return;
    }
    struct outcome o = {{{0}}};
    for (int t = 0; t < s->p->threads; t++)
        memcpy(o.registers[t], st->thread[t].registers, sizeof o.registers[t]);
    for (int i = 0; i < s->p->places; i++)
        o.final[i] = st->g.event[st->g.mo[i][st->g.writes[i] - 1]].value;
    s->found(s->context, &st->g, &o);
}

static bool is_newest(const struct graph *g, int place, int write)
{
    return g->mo[place][g->writes[place] - 1] == write;
}

/* A thread that waits for a mutex that can be locked, or has not looked at the newest writes, could go on. */
static bool waits_for_ever(const struct search *s, const struct state *st, int number)
{
    const struct thread *t = &st->thread[number];
    const struct graph *g = &st->g;
    for (int i = t->round; t->spins && i < g->events; i++)
        if (g->event[i].thread == number && g->event[i].kind == EVENT_READ &&
            !is_newest(g, g->event[i].place, g->event[i].from))
            return false;
    const struct insn *c = &s->p->code[number][t->pc];
    if (t->is_waiting && c->kind != INSN_LOCK)
        return false;
    return !t->is_waiting || g->event[g->mo[c->place][g->writes[c->place] - 1]].value != 0;
}

static void notice_stuck(struct search *s, const struct state *st)
{
    bool spins = false;
    for (int t = 0; t < s->p->threads; t++) {
        spins |= st->thread[t].spins;
        if (!waits_for_ever(s, st, t))
            return;
    }
    if (spins)
        s->found(s->context, &st->g, NULL);
}

static void run(struct search *s, const struct state *before)
{
    if (s->is_cut || make_offer(s, before))
        return;
    struct state st = *before;
    bool somebody_waits = false;
    for (int t = 0; t < s->p->threads; t++) {
        if (st.thread[t].is_waiting) {
            somebody_waits = true;
            continue;
        }
        const struct insn *c = advance(s->p, &st.thread[t], t, st.g.events);
        somebody_waits |= st.thread[t].spins;
        if (c && st.g.events + 2 > MAX_EVENTS) {
            s->is_cut = true;
            return;
        }
        if (c) {
            do_insn(s, &st, t, c);
            return;
        }
    }
    if (somebody_waits)
        notice_stuck(s, &st);
    else
        complete(s, &st);
}

bool litmus_graphs(const struct litmus *p, uint64_t most, found_graph *found, void *context)
{
    struct search s = {p, found, context, most, false};
    struct state st = {0};
    for (int i = 0; i < p->places; i++) {
        add_event(&st, (struct event){EVENT_WRITE, ORDER_NA, -1, i, p->initial[i]});
        place_write(&st.g, i, 0);
    }
    run(&s, &st);
    return !s.is_cut;
}
