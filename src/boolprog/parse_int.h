/* Inside src/boolprog: tokens, and the stages between text and program. */
#ifndef HEDDLE_BOOLPROG_PARSE_INT_H
#define HEDDLE_BOOLPROG_PARSE_INT_H

#include "boolprog/boolprog.h"

enum token_kind {
    TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_ASSIGN /* := */, TOKEN_IMPLIES, TOKEN_EQ, TOKEN_NE, TOKEN_AND, TOKEN_OR,
    TOKEN_LE, TOKEN_GE,
    TOKEN_PUNCT, /* one character, in `text` */
};
struct bp_token { enum token_kind kind; struct pos pos; const char *text; size_t begin, end; };
typedef VEC(struct bp_token) token_list;

/* All tokens of a text up to a limit, the last one TOKEN_END; unknown characters are reported and left out. */
enum limit boolprog_lex(const char *text, int file, const struct limits *limits, struct arena *arena, struct diags *d,
                        token_list *out);

/* What a procedure takes and gives, known before any call of it is read: widths, 0: Boolean. */
struct bp_signature { int_list params; int results, result_width; };

enum { MOST_WIDTH = 16, MOST_ELEMENTS = 256 };
/* An expression as it is read. star: nothing but a choice, which takes any type; choice: depends on one. size: of the
 * trees, at most. digit: Boolean or a number, both made of the literals 0 and 1. */
enum bp_value_kind { VALUE_BOOL, VALUE_NUMBER, VALUE_LITERAL };
struct bp_value { enum bp_value_kind kind; int width, bits[MOST_WIDTH]; long literal, size; bool star, choice, digit; };

struct bp_parser {
    struct bp_program *p;
    const char *text;
    token_list tokens;
    size_t at;
    struct diags *d;
    struct map globals, locals, procs; /* name -> index + 1 as a pointer */
    int proc;      /* the procedure being read, -1: none */
    int cur;       /* node where the next statement starts, -1: control does not get here */
    bool panic;    /* after an error, until the next statement */
    bool next_allowed; /* inside `constrain`: 'x is the value after the step */
    int in_range;  /* condition for all indices of the statement being read, -1: none can be wrong */
    VEC(struct bp_signature) signatures;
    struct map signature_map; /* name -> index + 1 */
    int depth;     /* nesting of expressions and statements */
    VEC(struct bp_label) labels;
    struct map label_map;     /* name -> index + 1 */
    VEC(struct bp_jump) jumps;
    const struct limits *limits;
    enum limit cut;           /* reading ended there */
    int_list alias; /* node -> node it was merged into, per node of the program */
    int_list head_decls; /* initial values at the head of a body: variable, value, ... */
};
struct bp_label { const char *name; int node; struct pos pos; };
struct bp_jump { int edge; const char *name; struct pos pos; };

enum { MOST_NESTING = 500, MOST_EXPR_DEPTH = 2000 };

const struct bp_token *bp_peek(const struct bp_parser *s);
bool bp_at_punct(const struct bp_parser *s, char c);
bool bp_at_word(const struct bp_parser *s, const char *word);
bool bp_accept_punct(struct bp_parser *s, char c);
bool bp_accept_word(struct bp_parser *s, const char *word);
void bp_expect_punct(struct bp_parser *s, char c, const char *after);
void bp_parse_error(struct bp_parser *s, struct pos at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool bp_is_keyword(const char *name);
int bp_find_var(struct bp_parser *s, const struct bp_token *t); /* -1 after a message */
bool bp_is_declared(const struct bp_parser *s, const char *name);
int bp_unwanted_var(struct bp_parser *s, size_t number, struct pos pos); /* the local for `_` number so many */
int bp_parse_expr(struct bp_parser *s);                      /* always an expression */

struct bp_value bp_parse_value(struct bp_parser *s);
bool bp_is_reserved(const char *name); /* keywords and constants */
/* signatures.c */
bool bp_at_int(const struct bp_parser *s); /* int(N) */
int bp_parse_type(struct bp_parser *s);    /* bool, int(N) or nothing: a width, 0: Boolean */
void bp_read_signatures(struct bp_parser *s);
const struct bp_signature *bp_signature_of(const struct bp_parser *s, const char *name); /* NULL: unknown */
void bp_signatures_release(struct bp_parser *s);

/* numbers.c: values of both kinds, elements of arrays. */
enum bp_relation { RELATION_EQ, RELATION_NE, RELATION_LT, RELATION_GT, RELATION_LE, RELATION_GE };
struct bp_value bp_bool(int expr);
struct bp_value bp_literal(long n);
int bp_bits_for(long n);
const char *bp_type_words(struct bp_parser *s, const struct bp_value *v);
bool bp_convert(struct bp_parser *s, struct bp_value *v, int width, struct pos pos); /* false after a message */
struct bp_value bp_add(struct bp_parser *s, struct bp_value a, struct bp_value b, bool minus, struct pos pos);
struct bp_value bp_compare(struct bp_parser *s, enum bp_relation relation, struct bp_value a, struct bp_value b,
                           struct pos pos);
struct bp_value bp_choose(struct bp_parser *s, struct bp_value c, struct bp_value a, struct bp_value b, struct pos pos);
const struct bp_number *bp_number_of(const struct bp_program *p, int var); /* NULL: a Boolean variable */
struct bp_value bp_element(struct bp_parser *s, int var, int element, enum bp_op op);
struct bp_value bp_select(struct bp_parser *s, int var, const struct bp_value *index);
int bp_index_is(struct bp_parser *s, const struct bp_value *index, int element);
bool bp_take_index(struct bp_parser *s, const struct bp_number *n, struct bp_value *index, struct pos pos);
/* A step that fails if an index of the statement at this node is out of range. Returns what the statement's own steps
 * need to be possible: that none is; -1: nothing. */
int bp_check_indices(struct bp_parser *s, int node, size_t first);

/* Nodes: the current one, a fresh one, two that become one (either may be -1). */
int bp_current(struct bp_parser *s);
int bp_node_add(struct bp_parser *s, struct pos pos);
int bp_merge(struct bp_parser *s, int a, int b);
/* Steps whose text starts at token `first`; bp_advance() goes from the current node to a fresh one. */
int bp_step_add(struct bp_parser *s, enum bp_kind kind, int from, int to, size_t first);
int bp_advance(struct bp_parser *s, enum bp_kind kind, size_t first);
struct bp_edge *bp_edge_at(struct bp_parser *s, int edge);
const char *bp_source_text(struct bp_parser *s, size_t first);
void bp_parse_decl(struct bp_parser *s, bool head);
void bp_parse_statements(struct bp_parser *s, const char *const *ends);
void bp_recover(struct bp_parser *s); /* after an error: on to the next statement */

/* Graphs of all procedures as written: names of callees not yet resolved. */
enum limit boolprog_parse_procs(struct bp_program *p, const char *text, const struct limits *limits, struct diags *d);
/* By node of a graph (lists of successors): nodes that reach each other have the same number. Caller frees. */
int *bp_components(const int_list *next, size_t n);

#endif
