/* Inside src/boolprog: tokens, and the stages between text and program. */
#ifndef HEDDLE_BOOLPROG_PARSE_INT_H
#define HEDDLE_BOOLPROG_PARSE_INT_H

#include "boolprog/boolprog.h"

enum token_kind {
    TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_ASSIGN /* := */, TOKEN_IMPLIES, TOKEN_EQ, TOKEN_NE, TOKEN_AND, TOKEN_OR,
    TOKEN_PUNCT, /* one character, in `text` */
};
struct bp_token { enum token_kind kind; struct pos pos; const char *text; size_t begin, end; };
typedef VEC(struct bp_token) token_list;

/* All tokens of a text up to a limit, the last one TOKEN_END; unknown characters are reported and left out. */
enum limit boolprog_lex(const char *text, int file, const struct limits *limits, struct arena *arena, struct diags *d,
                        token_list *out);

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

bool bp_is_reserved(const char *name); /* keywords and constants */

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
