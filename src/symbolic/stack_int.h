/* Inside src/symbolic: how joint states represent the threads.
 *
 * A procedure has one level in each thread: the length of the longest chain of calls to it, those that can call each
 * other having the same one. So frames of one level are never active together, and a stack is one frame per level:
 * locals, and a code for the call that made it. Codes and positions are numbers in binary. What is not active is not
 * constrained. */
#ifndef HEDDLE_SYMBOLIC_STACK_INT_H
#define HEDDLE_SYMBOLIC_STACK_INT_H

#include "symbolic/facts_int.h"
#include "symbolic/joint_int.h"

enum { RETURNS_NOWHERE = -1, RETURNS_INSIDE = -2 }; /* codes that are no call: the thread ends; to a covered frame */

struct frame_level {
    int width, code_bits;
    bool recursive, remembers; /* remembers: how it was entered */
    struct local_slot *slots;  /* entry and arg: of parameters, if it remembers */
    int_list code;             /* BDD variables */
    int *entry_shared, *arg_shared; /* by slot of shared; NULL unless it remembers */
};

/* Frames that a call inside a recursion has covered: frames = exists quant. state and rel. */
struct covered { int edge; BDD rel, quant, args, frames; };

/* after = rename(exists quant. before and rel) and add; then what it uncovers. */
struct move {
    int from, to, edge;       /* places; edge -1: the start of the thread */
    BDD rel, quant, add;
    bddPair *rename;
    int_list dropped, added, renamed, names; /* BDD variables: quant, of add, renamed[i] -> names[i] */
    int covers, uncovers;     /* index into covered, -1: none */
    int returns_to;           /* edge of the call, -1: none */
};

/* What a procedure does from its entry to its returns, see calls.c. */
struct proc_facts {
    bool whole;
    BDD entered;              /* shared variables and parameters with which it was called */
    BDD same, frame, others;  /* as at the entry; cubes: shared variables and frame, and all but them */
    bddPair *to_exit, *to_now;
};

struct place_error { int place, edge; BDD bad; }; /* edge -1: a label */

struct joint_thread {
    int number, root;         /* root: procedure */
    int *level;               /* by procedure, -1: cannot run here */
    int level_count;
    struct frame_level *levels;
    int_list *codes;          /* by procedure: edges of calls, or RETURNS_... */
    int_list nodes;           /* by place; -1: start and done */
    int *place;               /* by node, -1 */
    int start, done;
    int_list pc;              /* BDD variables */
    struct encoding e;        /* variables as this thread sees them */
    VEC(struct move) moves;
    int_list *moves_from;     /* by place */
    VEC(struct covered) covered;
    VEC(struct place_error) errors;
    int position_count;
    int *position;            /* by place: its number, -1: inside of an atomic section, where no turn ends */
    bool *passing;            /* by place: no turn ends there unless the thread is stuck */
    bool *remembered;         /* by place: all of its states of this turn are kept */
    BDD *at, *rests, pc_cube; /* by place; rests: where a turn can end */
    struct fact_cell *cells;  /* by place: one of the following; whoever leaves in between owns nothing */
    struct fact_cell *states; /* during a turn: joint states without the position of this thread */
    struct fact_cell *facts;  /* in all turns: what the thread alone can do, see turns.c */
    struct proc_facts *procs; /* NULL: calls are not taken as one move */
    struct fact_cell *inside; /* by place: since the entry of its procedure, which is what started */
    BDD *exits;               /* by place: before it returns; now is at the entry, next is here */
    int_list own, own_start;  /* BDD variables of its position and frames, and what they were when the turn started */
    BDD own_cube, others, same; /* own and shared ones; all but them; as when the turn started */
    bool partial;             /* facts know only some of the shared variables; then: */
    BDD frames, strangers;    /* cubes: own variables; all but own and shared ones */
    BDD passed;               /* from the start of a turn to shared states in it */
    bddPair *exchange, *start_to_now; /* start and now, of own and shared ones */
    BDD explored, whole_turn; /* (own, shared) that facts start from; now is before, start is after the turn */
    BDD closed;               /* nothing that this thread does leads out of these */
};

struct turn { int thread, round; BDD before; };
struct joint_layer { int place; BDD facts; size_t first_reason, reasons; };
struct reason { int layer, move; };
struct joint_hit { int thread, place, edge, round; }; /* thread -1: none */

struct joint {
    struct joint_request q;
    const struct bp_program *p;
    struct bdds b;
    struct joint_result *r;
    struct bp_liveness live;
    int count, var_count;     /* threads, then init */
    int *now, *next, *start;  /* of shared variables, by variable; start: when a turn started */
    int *choice, choice_count;
    int_list block_starts;    /* what stays together when variables are reordered */
    struct joint_thread *threads;
    BDD states;               /* in which turns end */
    BDD reached;              /* shared states */
    BDD shared_cube, not_shared, next_cube;
    VEC(struct turn) turns;
    struct joint_hit hit;
    bool keep_layers;         /* during a turn: for the way back */
    VEC(struct joint_layer) layers;
    VEC(struct reason) reasons;
    VEC(struct reason) *waiting; /* by place */
    struct crowd *crowds;
    int crowd_count;
    BDD *reached_at;          /* want_points: by node */
    double started;
};

/* stacks.c */
void stacks_init(struct joint *j);
void stacks_release(struct joint *j);
/* Sets, by variable of the program, what the thread reads or writes in any of its steps. */
void stacks_touched(const struct joint *j, const struct joint_thread *t, bool *touched);
BDD code_is(struct joint *j, const struct joint_thread *t, int proc, int code);
/* moves.c */
void moves_init(struct joint *j, struct joint_thread *t);
/* joint.c */
void joint_turn(struct joint *j, int thread); /* with the joint states themselves: to find the way back */
void joint_saturate(struct joint *j, struct joint_thread *t); /* t->cells, until nothing is fresh or there is a hit */
void joint_cell_add(struct joint *j, const struct joint_thread *t, int place, BDD x);
BDD joint_image(struct joint *j, const struct joint_thread *t, const struct move *m, BDD states);
/* calls.c: a call together with all that follows up to its return */
void calls_init(struct joint *j, struct joint_thread *t);
bool calls_is_whole(const struct joint *j, const struct joint_thread *t, const struct move *m);
int calls_to(const struct joint *j, const struct joint_thread *t, const struct move *call);
BDD calls_image(struct joint *j, struct joint_thread *t, const struct move *call, BDD states);
/* turns.c */
void turns_init(struct joint *j, struct joint_thread *t);
void turns_take(struct joint *j, struct joint_thread *t);
/* views.c */
bool views_widen(struct joint *j); /* true if that added anything */
bool views_agree(struct joint *j); /* about all slots of a group */
/* crowd.c */
void crowds_number(struct joint *j);
BDD crowds_initial(struct joint *j);
bool crowds_mix(struct joint *j, int thread); /* another one may take its place */
bool crowds_count_all(const struct joint *j);
void crowds_release(struct joint *j);
/* joint_run.c */
void joint_build_run(struct joint *j);

#endif
