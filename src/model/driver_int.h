/* Shared by the files that run compiled models: the driver, its shapes, and the naming of values. */
#ifndef HEDDLE_MODEL_DRIVER_H
#define HEDDLE_MODEL_DRIVER_H

#include "base/archive.h"
#include "model/internal.h"

#include <pthread.h>

/* Nodes never move and are never changed but for their lists, which only grow at the front: they are read by many
 * threads while one of them adds. */
struct shape_node {
    struct shape shape; /* first: a pointer to it is a pointer to the node */
    struct shape_node *parent;
    struct shape_node *first_child, *sibling; /* few: what can be started next */
    struct shape_node *same_bucket;
    struct model_part *parts;
    u32 part_count;
    int frame;
};

enum { SHAPE_BUCKETS = 1024 };
struct shapes {
    struct shape_node *root;                 /* no frames */
    struct shape_node *bucket[SHAPE_BUCKETS]; /* by id */
    pthread_mutex_t adding;
    int process_types, frame_kinds;
    u32 *frame_sizes;
};

typedef VEC(struct model_part) part_list;
void shapes_init(struct shapes *t, int process_types, const u32 *frame_sizes, int kinds,
                 const struct channel_kind *kind, part_list *globals);
struct shape_node *shapes_push(struct shapes *t, struct shape_node *parent, int frame);
struct shape_node *shapes_pop_process(struct shapes *t, struct shape_node *n);
const struct shape *shapes_find(const struct shapes *t, u64 id);
void shapes_save(const struct shapes *t, struct archive *a);
bool shapes_load(struct shapes *t, struct archive *a);
/* The frames of a shape as bytes (how many there are, whatever there is room for), and the shape made of them. */
size_t shapes_frames(const struct shape *shape, u8 *bytes, size_t room);
bool shapes_make(struct shapes *t, const u8 *bytes, size_t count);
void shapes_release(struct shapes *t);

/* A state inside a step, waiting for its process to go on; or one that waits only for its turn to be delivered. */
struct pending {
    u8 *state;
    u32 size, cap;
    const struct shape *shape;
    u32 depth;
    struct move moves[2];
    int move_count;
    int pid;
    bool complete, in_spite; /* in_spite: of an assertion that failed before */
    const char *problem; /* a complete one: the assertion that failed, or NULL */
    u32 edge;            /* where */
    char *output;        /* what the step printed so far, if that is wanted */
};

/* A state inside a step that was continued; compared in full, for a hash alone could lose one. */
struct inner_state { u8 *state; u32 size; int pid; uint64_t hash; };

/* Those of one step, open addressing; their bytes are in an arena that lives as long. The table has many small parts,
 * each of which grows by itself: one large table would grow for seconds in which nobody asks for limits, and take twice
 * its memory. */
enum { INNER_PARTS = 256 };
struct inner_states {
    struct inner_part { struct inner_state *at; size_t len, cap; } part[INNER_PARTS];
    size_t len;
    struct arena bytes;
};

/* What is known once a model is loaded; all steppers share it, and nothing but shapes and code changes any more. */
struct promela_model {
    struct program *program;
    struct flow flow;
    struct layout layout;
    unsigned without;           /* analyses left out */
    struct merging merging;
    struct arena arena;
    struct loader *loader;
    const struct code *code;    /* of the loader; better code may take its place while others run */
    u64 code_hash;              /* of its text: decides what the bytes of a state mean */
    struct shapes shapes;
    struct transition *transitions;
    u32 transition_count;
    u8 **reached;               /* [proctype][state], of the steppers that have ended */
    pthread_mutex_t adding_reached;
    bool **ends;                /* [proctype][state]: each first statement of a step from there begins at least one
                                   step: inside of it, no way leads back to where it was */
    struct independence *independence;
    const struct automaton **claims; /* of the flow, by number */
    int claim_count;
    u32 buffer_size;            /* of the largest state that may be */
    u8 *nothing;
    const struct limits *limits; /* of building the model; may be NULL */
    u32 looks;
    enum limit limit;           /* which one was reached */
    bool over;                  /* one of them was reached: what was built is not complete */
    bool restricted;            /* provided clauses or priorities keep processes from moving that could */
};

/* What one thread needs to enumerate steps. The first one belongs to the model and frees it. */
struct stepper {
    struct model base;
    struct promela_model *model;
    bool first;
    const struct code *code;
    struct stepping run;
    u8 **reached;               /* [proctype][state] */
    /* the enumeration in progress */
    successor_fn *fn;
    void *ctx;
    int starter;                /* whose step it is */
    const u8 *expanded;         /* the state whose statements are tried now: inside of a step, unless it is the first */
    u32 expanded_size;
    u32 delivered, emitted;
    bool stopped;
    int dry;                    /* > 0: only asking whether something is enabled */
    bool offering;              /* r->next holds what a receiver made of an offer */
    const char *offered_problem; /* the trace assertion that the send violates, or NULL */
    struct move send;
    VEC(struct move) path;      /* of the step so far */
    VEC(struct pending *) pending; /* on a stack: their order changes often, and they are large */
    size_t pending_before;      /* how many were there before the statement being executed */
    bool in_spite;              /* an assertion has failed on the way to it */
    VEC(struct pending *) spare;
    struct inner_states visited; /* states inside a long step */
    u32 calls, work;            /* work: since it was asked whether to go on */
    VEC(u8 *) buffers;          /* of buffer_size: the successor, a rendezvous, two more per level of enabled() */
    size_t buffer_level;
    bool asks_itself;           /* enabled() went round in circles */
    struct round { VEC(u8) state; int place; } kept_round; /* a look at a long d_step */
    struct str output;          /* of the step being made */
    size_t output_before;       /* how much of it was there before the statement being executed */
    struct str fault_text;
};

/* stepper.c */
void stepper_init(struct stepper *m, struct promela_model *model); /* of one that is zero */
void stepper_release(struct stepper *m);
uint32_t stepper_initial(struct model *base, uint8_t *state);
uint32_t stepper_successors(struct model *base, const uint8_t *state, uint32_t size, int pid, bool timeout,
                            successor_fn *fn, void *ctx);
int stepper_first_statements(struct model *base, const uint8_t *state, uint32_t size, int pid);
void stepper_want_output(struct model *base, bool wanted);

static inline struct promela_model *model_of(struct model *base) { return ((struct stepper *)base)->model; }

static inline const struct shape *state_shape(const struct promela_model *m, const u8 *state)
{
    return shapes_find(&m->shapes, ((const struct packed_u64 *)state)->v);
}

static inline int state_pc(const struct promela_model *m, const struct shape *h, const u8 *state, int pid)
{
    const u8 *p = state + h->process_at[pid];
    return m->layout.pc_size == 1 ? *p : ((const struct packed_u16 *)p)->v;
}

void model_values(struct model *base, const uint8_t *state, value_fn *fn, void *ctx);
void model_print(struct stepping *r, int pid, const char *format, const int *args, int count);
void model_print_mtype(struct stepping *r, const char *set, int value);
void model_truncated(struct stepping *r, const char *name, int value, int stored);
void claims_list(struct promela_model *m); /* before any of the following */
int claim_count(struct model *base);
const char *claim_name(struct model *base, int claim);
int claim_initial(struct model *base, int claim);
int claim_states(struct model *base, int claim);
int claim_width(struct model *base, int claim);
bool claim_accepts(struct model *base, int claim, int control);
bool claim_at_end(struct model *base, int claim, int control);
int claim_step(struct model *base, int claim, int control, const uint8_t *state, bool timeout, int *to,
               const char **fault);
bool state_accepts(struct model *base, const uint8_t *state);
bool state_progresses(struct model *base, const uint8_t *state);
void independence_build(struct promela_model *m);
void parts_of_globals(const struct promela_model *m, part_list *to);
void parts_of_frame(part_list *to, u32 at, u32 size, int owner);
uint32_t state_parts(struct model *base, const uint8_t *state, const struct model_part **parts);
int state_touched(struct model *base, const uint8_t *state, int pid, uint32_t *numbers);
int state_independence_parts(struct model *base, const uint8_t *state, uint32_t *numbers);
void independence_release(struct promela_model *m);
bool state_commutes(struct model *base, const uint8_t *state, int pid);
bool state_independent(struct model *base, const uint8_t *state, int pid);
int model_places(struct model *base);
int state_place(struct model *base, const uint8_t *state, int pid, enum first_move *first);
bool place_hinders(struct model *base, int place, int other);
bool state_invisible(struct model *base, const uint8_t *state, int pid);
bool state_may_depend(struct model *base, const uint8_t *state, int pid);

/* invariants.c, for builds that check everything */
struct watched_step {
    const struct promela_model *model;
    const u8 *state;      /* being expanded */
    u32 size;
    u64 hash;             /* of it */
    int pid, latest;      /* who was asked for; who made the step before */
    successor_fn *fn;     /* who asks */
    void *ctx;
};
void assert_layout(const struct program *p, const struct flow *flow, const struct layout *l);
void assert_merging(const struct program *p, const struct flow *flow, const struct layout *l, const struct merging *m);
void assert_independence(const struct promela_model *m);
void assert_code(const struct promela_model *m);
void assert_state(const struct promela_model *m, const u8 *state, u32 size);
bool assert_step(void *ctx, const struct successor *s);

#endif
