/* Litmus programs, the execution graphs that RC11 allows for them, and what each graph costs.
 *
 * The text of a program, on one line or several:
 *
 *     x=5 { x = 1 rlx; r0 = y acq } { fence sc; r1 = xchg x 2 ar; if r1 == 1 { y = r1 rel } else { r2 = y sc } }
 *
 * First the initial values that are not 0; then the threads in braces. Statements:
 *     x = V ORDER                     a store; V is a number or a register
 *     r0 = x ORDER                    a load
 *     r0 = xchg x V ORDER             an exchange
 *     r0 = add x V ORDER              a fetch_add
 *     r0 = cas x V W ORDER ORDER      a strong compare-exchange of V by W; r0 is the value that was found; the second
 *                                     order is the one of a failure
 *     fence ORDER
 *     lock m { ... }                  with the mutex m held; not one inside another
 *     if r0 == V { ... } else { ... }        also !=; the else may be missing
 *     until r0 == V { ... }           repeats the block until the condition holds, also !=; every round begins with the
 *                                     registers from before the first one. The block is made of loads, or is a
 *                                     compare-exchange that the condition asks to succeed: a round that is repeated
 *                                     leaves nothing behind. Not one inside another
 * Orders: na (a place that is not atomic), rlx, con, acq, rel, ar (acq_rel), sc. Registers are r0 to r7, of one
 * thread, 0 at first; places are the other names. A place is either atomic or not, in the whole program.
 *
 * A struct litmus owns nothing outside itself. */
#ifndef LITMUS_H
#define LITMUS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAX_THREADS = 6, MAX_PLACES = 6, MAX_REGISTERS = 8, MAX_CODE = 32, MAX_EVENTS = 64, MAX_NAME = 12 };

enum order { ORDER_NA, ORDER_RLX, ORDER_CON, ORDER_ACQ, ORDER_REL, ORDER_AR, ORDER_SC, ORDER_COUNT };

enum insn_kind {
    INSN_LOAD,
    INSN_STORE,
    INSN_XCHG,
    INSN_ADD,
    INSN_CAS,
    INSN_LOCK,
    INSN_UNLOCK,
    INSN_FENCE,
    INSN_IF,
    INSN_ELSE,
    INSN_END,
    INSN_LOOP,
    INSN_UNTIL,
};

/* A number, or the register of that number. */
struct operand {
    int n;
    bool is_register;
};

struct insn {
    enum insn_kind kind;
    enum order order, failure;
    int place, target_register;
    struct operand value, wanted; /* what is written or compared with; what a compare-exchange expects */
    int tested;                   /* the register of an if or until */
    bool is_equal;
    int otherwise; /* where an if or until goes on when its condition is false, and an else when it is reached */
};

struct litmus {
    int threads, places;
    int length[MAX_THREADS];
    struct insn code[MAX_THREADS][MAX_CODE];
    char place_name[MAX_PLACES][MAX_NAME];
    int initial[MAX_PLACES];
    bool is_plain[MAX_PLACES], is_mutex[MAX_PLACES];
    unsigned used[MAX_THREADS]; /* bit per register that some statement sets */
};

/* Reads one program and leaves *text behind it. NULL, or what is wrong with it. */
const char *litmus_parse(struct litmus *p, const char **text);
extern const char *const order_names[ORDER_COUNT];
/* All atomic accesses and fences are seq_cst: RC11 then promises interleavings only. */
bool litmus_is_all_sc(const struct litmus *p);
/* As a C program that adds a line with its outcome to the file that the environment names in WEAK_OUTCOMES. */
void litmus_print_c(const struct litmus *p, FILE *out);

/* ---- execution graphs ---- */

enum event_kind { EVENT_READ, EVENT_WRITE, EVENT_FENCE };

struct event {
    enum event_kind kind;
    enum order order;
    int thread; /* -1: initial */
    int place;  /* -1: a fence */
    int value;
    int from;          /* of a read: the write it reads from */
    bool is_exclusive; /* half of a read-modify-write; the read half comes directly before the write half */
    bool is_lock;      /* of a mutex: it waits until that is free */
};

/* A mutex is a place: locking it is a read-modify-write with acquire order that finds 0 and writes 1, unlocking it a
 * store of 0 with release order. Events are numbered in an order that extends program order and reads-from; the initial
 * writes come first. */
struct graph {
    int events;
    struct event event[MAX_EVENTS];
    int writes[MAX_PLACES];
    int mo[MAX_PLACES][MAX_EVENTS]; /* the writes of each place in modification order */
};

bool rc11_is_consistent(const struct graph *g);
/* If set, it is called with each graph that is coherent and atomic, its happens-before (a row of bits for each event),
 * and whether the order of seq_cst operations allows it. */
extern void (*rc11_watcher)(const struct graph *g, const uint64_t *happens_before, bool allowed);
/* A plain access and another of the same place, one of them a write, that happens-before does not order. */
bool rc11_has_race(const struct graph *g);

struct outcome {
    int registers[MAX_THREADS][MAX_REGISTERS];
    int final[MAX_PLACES];
};

/* Calls found once for each consistent graph. False if there are more than most. Called without an outcome: threads
 * wait for ever in this graph, for a mutex that is held or in a loop that has read the newest writes. */
typedef void found_graph(void *context, const struct graph *g, const struct outcome *o);
bool litmus_graphs(const struct litmus *p, uint64_t most, found_graph *found, void *context);

/* The fewest surprises with which the graph can be run, as cost.c defines them. Without surprises other than
 * preemptions allowed it may be impossible: -1. */
int graph_cost(const struct graph *g, bool only_preemptions);

#endif
