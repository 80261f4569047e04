/* Shared inside src/model: where variables live, what the analyses found, and the stages of making a model. */
#ifndef HEDDLE_MODEL_INTERNAL_H
#define HEDDLE_MODEL_INTERNAL_H

#include "model/model.h"
#include "promela/promela.h"
#include "model/step_int.h"

/* A basic value inside a variable: x, a[3], s.f[1].g are leaves. */
struct leaf { u32 offset; struct channel_field field; struct type type; };

/* In `var->backend`. Offsets are relative to the struct the variable is a member of. */
struct placing {
    u32 offset, size;      /* of the whole array */
    u32 element_size;
    const char *c_name;
    bool constant_channel; /* a global channel variable that is never assigned: its number is known */
    int channel_number;    /* of its first element */
    bool assigned;         /* some statement changes it after its declaration */
};

struct frame_layout { u32 size; }; /* by proctype */

struct layout {
    struct arena arena;
    u32 pc_size;           /* 1 or 2, the same in all proctypes */
    u32 globals_size;      /* with the shape word in front */
    u32 last_offset;       /* of _last, if used */
    u32 event_offset;      /* of the trace automaton's state, if there is one */
    u32 priority_offset;   /* in a process frame, if used */
    struct frame_layout *frames;
    VEC(struct channel_kind) kinds;
    VEC(int) global_channels;  /* kinds of the channels that exist from the start, in order */
    VEC(u32) global_channel_at;
    const struct var *too_large, *too_many_channels; /* the first that does not fit, or NULL */
};

static inline struct placing *placing_of(const struct var *v) { return v->backend; }
int layout_build(struct program *p, const struct flow *flow, struct layout *out, struct diags *diags);
void layout_release(struct layout *l);
u32 layout_type_size(const struct type *t);
struct channel_field layout_field(const struct type *t);
bool layout_has_initial(
    const struct var *v); /* its declaration, or that of a field in it, gives a value or a channel */
int layout_kind_of(struct layout *l, const struct channel_type *t);
/* Calls fn for every basic value in a variable of type t (one element). */
typedef void leaf_fn(void *ctx, const char *path, u32 offset, const struct type *t);
void layout_leaves(const struct type *t, u32 offset, const char *path, leaf_fn *fn, void *ctx);
int layout_leaf_count(const struct type *t);

/* precedence.c: in this control state it matters for other statements whether a send or receive can be executed. */
bool precedence_at(const struct control *c);
/* Somewhere it matters whether a receiver is ready for a rendezvous, so every step of the receiver may be noticed. */
bool precedence_by_handshake(const struct flow *flow, const struct layout *layout);
bool sends_rendezvous_in_atomic(const struct flow *flow, const struct layout *layout);
bool receives_at(const struct control *c);

/* After the edge the process may have to wait where it is, though it may be inside an atomic sequence. */
bool edge_may_rest(const struct automaton *a, const struct edge *e);

/* Asked for each proctype, and in loops without a small bound, while the model is built: what is built after a limit
 * was reached need not be right, since it is thrown away. */
struct promela_model;
bool model_is_over(struct promela_model *m);

/* liveness.c: values that are not read again before they are written. */
struct liveness {
    u8 ***live; /* [proctype][state]: bytes of the frame that may be read again, then of the globals; NULL: all */
    u8 *shared; /* globals that may be read in a state, by somebody; the others are scratch. NULL: all */
};
void liveness_build(struct promela_model *m, const struct program *p, const struct flow *flow,
                    const struct layout *l, unsigned without, struct arena *arena, struct liveness *out);
/* The bytes that an edge may write; globals may be NULL. */
void liveness_written(const struct layout *l, const struct automaton *a, const struct edge *e, u8 *frame, u8 *globals);

/* What may be done besides the plain interleaving semantics. */
struct merging {
    bool **transient;       /* [proctype][state]: left at once, never stored */
    struct liveness liveness; /* all NULL: nothing is cleared */
};
void merging_build(struct promela_model *built, struct program *p, const struct flow *flow,
                   const struct layout *layout, unsigned without, struct arena *arena, struct merging *out);

/* The model as C. */
struct generator {
    struct program *program;
    const struct flow *flow;
    struct layout *layout;
    const struct merging *merging;
    bool warn;              /* report values that do not fit */
    struct str out;         /* the functions being written */
    struct str helpers;     /* what must stand in front of them */
    /* while an expression or statement is written: */
    struct proctype *proctype;
    char state;             /* 's': the state before, 'n': the one being made */
    bool only_asks;         /* a provided clause, which is no step of the process */
    bool may_fail;          /* something written since this was cleared can call hd_problem */
    bool edge_may_fail;     /* the same for the whole edge */
    const char *begin;      /* C that makes n from s once the guard holds */
    const char *failed;     /* C that reports a problem and leaves the edge */
    const char *offer;      /* C that offers a rendezvous, NULL where there can be none */
    const char *taken;      /* C behind it */
    int unique;             /* for C labels and helper functions */
};
void generate_model(struct generator *g);
void generate_expr(struct generator *g, const struct expr *e);
void generate_ref(struct generator *g, const struct ref *ref, char state);
void generate_store(struct generator *g, const struct ref *ref, const char *value);
/* The same where the place is already C text; v is the last variable of it. */
void generate_store_at(struct generator *g, const char *place, const struct var *v, const char *value);
/* One basic statement: guard (C `blocked` if it does not hold), g->begin, effect on n. */
void generate_effect(struct generator *g, const struct stmt *s, const char *blocked);
/* The effect of a receive whose message is in r->message. */
void generate_taken_message(struct generator *g, const struct stmt *s, const char *blocked);
void generate_d_step(struct generator *g, const struct stmt *s, const char *blocked, bool first_is_done);
void generate_edge(struct generator *g, const struct automaton *a, const struct edge *e, int state);
void generate_offered_edge(struct generator *g, const struct automaton *a, const struct edge *e, int state);
void generate_exclusive(struct generator *g); /* the function `exclusive`, if has_exclusive() */
void generate_look(struct generator *g, const struct expr *channel, bool receives, bool sends);
bool has_exclusive(const struct program *p);  /* there are xr or xs to be checked */
void generate_event(struct generator *g); /* the function `event`, if there is a trace or notrace */
void generate_clear_local(struct generator *g, const struct var *v, const u8 *bytes); /* the bytes of its frame in n */
void generate_clear_global(struct generator *g, const struct var *v, const u8 *bytes);
void generate_literal(struct generator *g, const char *text);
int generate_c_function(struct generator *g, const char *type, const char *text); /* its number, in c_text_%d */
const struct stmt *first_basic(const struct stmt *s); /* what a d_step begins with, NULL: a choice */
bool expr_contains(const struct expr *e, enum expr_kind kind);
struct type ref_type(const struct ref *r);
int channel_constant(const struct expr *e, const struct layout *l, u32 *at, int *kind);

/* Compiled code. */
void libtcc_exits(int status) __attribute__((noreturn));
struct loader;
/* background: cc as well, if the run lasts; cache: what it made before is used, and what it makes kept. */
struct loading { bool background, cache; };
struct loader *loader_new(const char *c_text, bool has_c_code, struct loading how, const struct limits *limits,
                          const char **error, struct arena *arena);
const struct code *loader_code(struct loader *l);
bool loader_poll(struct loader *l, u32 calls); /* true once: better code is there now */
void loader_free(struct loader *l);
const char *model_step_text(void);

#endif
