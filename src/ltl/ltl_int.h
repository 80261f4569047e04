/* Shared inside src/ltl: generalised automata. */
#ifndef HEDDLE_LTL_INTERNAL_H
#define HEDDLE_LTL_INTERNAL_H

#include "base/components.h"
#include "ltl/ltl.h"

#define LTL_OUT_OF_TIME "a limit was reached before the automaton of the formula was made"

enum { SET_WORDS = 8 };
struct element_set { uint64_t w[SET_WORDS]; };
struct step { struct cube label; struct element_set to; uint64_t marks; };

/* Marks sit on edges: a run is accepted if it takes edges of every mark infinitely often. */
struct general_edge { struct cube label; uint64_t marks; int to, no_padding; }; /* compared as bytes */
struct general_state { struct element_set set; VEC(struct general_edge) edges; };
struct general { VEC(struct general_state) states; int initial, mark_count; };

void general_simplify(struct general *g);
void general_to_buchi(const struct general *g, struct buchi *out);
void general_release(struct general *g);

struct graph buchi_graph(const struct buchi *b);
/* [p * states + q]: q can follow every step of p with a state that simulates where p goes; whether p and q themselves
 * are accepting is left out. NULL: too many states. The caller frees it. */
bool *buchi_followers(const struct buchi *b);
/* Does every letter of `c` occur in one of the cubes? */
bool cube_covered(struct cube c, const struct cube *by, size_t count);

/* Costly: the initial state and all targets are there, and every label is one that some letter has. */
bool buchi_is_sound(const struct buchi *b);

#endif
