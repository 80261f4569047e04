/* What the stages of the Promela front end share: tokens, the parser's state, and the functions of each file.
 *
 * Order of the stages: preprocess.c, lexer.c, then one pass over the tokens (stream.c, parse.c, declarations.c,
 * statements.c, expressions.c, arguments.c) that resolves names as it reads (scope.c), because Promela wants a
 * declaration before its first use and because what a name is decides how it parses. inline.c feeds expanded calls into
 * the same stream. Labels, `run` and remote references may point forward: labels.c and messages.c resolve them at the
 * end. */
#ifndef HEDDLE_PROMELA_FRONTEND_H
#define HEDDLE_PROMELA_FRONTEND_H

#include "promela/promela.h"

/* Every keyword: token, spelling. */
#define KEYWORDS(X) \
    X(ACTIVE, "active") X(ASSERT, "assert") X(ATOMIC, "atomic") X(BIT, "bit") X(BOOL, "bool") X(BREAK, "break") \
    X(BYTE, "byte") X(C_CODE, "c_code") X(C_DECL, "c_decl") X(C_EXPR, "c_expr") X(C_STATE, "c_state") \
    X(C_TRACK, "c_track") X(CHAN, "chan") X(D_PROCTYPE, "D_proctype") X(D_STEP, "d_step") X(DO, "do") X(ELSE, "else") \
    X(EMPTY, "empty") X(ENABLED, "enabled") X(EVAL, "eval") X(FALSE, "false") X(FI, "fi") X(FOR, "for") \
    X(FULL, "full") X(GET_PRIORITY, "get_priority") X(GOTO, "goto") X(HIDDEN, "hidden") X(IF, "if") X(INIT, "init") \
    X(INLINE, "inline") X(INT, "int") X(LEN, "len") X(LOCAL, "local") X(LTL, "ltl") X(MTYPE, "mtype") \
    X(NEMPTY, "nempty") X(NEVER, "never") X(NFULL, "nfull") X(NOTRACE, "notrace") X(NP, "np_") X(OD, "od") \
    X(OF, "of") X(PC_VALUE, "pc_value") X(PID, "pid") X(PRINTF, "printf") X(PRINTM, "printm") \
    X(PRIORITY, "priority") X(PROCTYPE, "proctype") X(PROVIDED, "provided") X(RETURN, "return") X(RUN, "run") \
    X(SELECT, "select") X(SET_PRIORITY, "set_priority") X(SHORT, "short") X(SHOW, "show") X(SKIP, "skip") \
    X(TIMEOUT, "timeout") X(TRACE, "trace") X(TRUE, "true") X(TYPEDEF, "typedef") X(UNLESS, "unless") \
    X(UNSIGNED, "unsigned") X(XR, "xr") X(XS, "xs")

/* Signs, the longest first where one begins with another. */
#define SIGNS(X) \
    X(SEP, "::") X(ARROW, "->") X(DECR, "--") X(INCR, "++") X(SHL, "<<") X(SHR, ">>") X(LE, "<=") X(GE, ">=") \
    X(EQ, "==") X(NE, "!=") X(SEND_SORTED, "!!") X(RECEIVE_RANDOM, "??") X(AND, "&&") X(OR, "||") X(DOTDOT, "..") \
    X(SEMI, ";") X(COLON, ":") X(COMMA, ",") X(DOT, ".") X(AT, "@") X(LPAREN, "(") X(RPAREN, ")") X(LBRACE, "{") \
    X(RBRACE, "}") X(LBRACKET, "[") X(RBRACKET, "]") X(ASSIGN, "=") X(PLUS, "+") X(MINUS, "-") X(STAR, "*") \
    X(SLASH, "/") X(PERCENT, "%") X(BITAND, "&") X(BITOR, "|") X(BITXOR, "^") X(TILDE, "~") X(BANG, "!") \
    X(QUESTION, "?") X(LT, "<") X(GT, ">")

enum token_kind {
    T_END, T_NAME, T_NUMBER, T_STRING,
    T_PRECONDITION, T_CODE, /* the [..] and {..} after c_code, c_expr and c_decl */
    /* operators of formulas, lexed only inside ltl { } */
    T_ALWAYS, T_EVENTUALLY, T_NEXT, T_UNTIL, T_WEAK_UNTIL, T_RELEASE, T_IMPLIES, T_EQUIVALENT,
#define X(token, spelling) T_##token,
    KEYWORDS(X) SIGNS(X)
#undef X
};

struct token {
    const char *text;  /* interned name or keyword, string, C code; the } of an ltl block: the formula; else NULL */
    int value;         /* T_NUMBER */
    struct pos pos;
    uint8_t kind;      /* enum token_kind */
    bool line_before;  /* a line ends between the token before and this one */
    bool literal;      /* T_NUMBER written with digits */
};
typedef VEC(struct token) token_list;

/* A stretch of tokens being read: the file, or the body of an inline that is expanded. */
struct inline_def {
    const char *name;
    struct pos pos;
    VEC(const char *) params;
    token_list body;           /* from { to } */
    bool active;               /* being expanded now */
    int number;                /* identity in the rule about labels */
};
struct stream {
    const struct token *at;
    size_t len, next;
    struct inline_def *from;   /* NULL: the file */
    struct pos call;
    struct expr *result;       /* x of `x = f(..)`, for `return` */
};

/* A block, an open one while the parser is inside it. */
struct scope {
    struct scope *parent;
    int number;                /* unique in the program */
    int depth;                 /* braces around it within its proctype; 1: the body */
    int count;                 /* which block of its depth this is */
    bool open;
};

/* A name in a scope: the first mention makes it, as variable or as label. */
struct symbol {
    const char *name;
    struct scope *scope;
    struct symbol *next;       /* older one of the same name */
    struct var *var;
    bool is_label;
    struct label_def *defined; /* the newest label of this symbol */
};

struct label_mention { struct symbol *symbol; struct pos pos; };
struct label_def { struct symbol *symbol; struct label *label; int inline_number, d_step;
                   struct label_def *same_symbol, *same_name; /* older ones */ };
struct goto_use { struct symbol *symbol; struct stmt *stmt; struct pos pos; int d_step; };
struct mtype_constant { struct mtype_set *set; int value; };
struct mtype_entry { struct mtype_set set; size_t index; };
/* What is known of a typedef without walking it again, which could take exponential time. */
struct typedef_entry { struct user_type type; int depth; int64_t elements; bool has_array, has_channel; };

/* A use of a name that may be declared later. */
struct reference { struct expr *expr; struct token name; struct expr *index; };
/* A send, receive or poll, checked when all channels are known. */
enum message_kind { MESSAGE_SEND, MESSAGE_RECEIVE, MESSAGE_LOOK };
struct message_use { const struct var *channel; size_t args; struct pos pos; enum message_kind kind; };

enum {
    MAX_NESTING = 1000,       /* of statements */
    MAX_BRACKETS = 10000,     /* and statements around them, and what the stack must have for each level */
    STACK_PER_LEVEL = 8192,
    MAX_OPERATORS = 100000,   /* in one statement, and the same for each operator */
    STACK_PER_OPERATOR = 2048,
    MAX_ARGUMENTS = 1024,     /* after expansion of typedefs */
    MAX_TYPEDEF_DEPTH = 64,
    MAX_ELEMENTS = 1 << 24,   /* of one variable */
    MAX_INLINE_DEPTH = 64,
    MAX_CAPACITY = 65535,     /* of a channel */
    MAX_EXPANDED = 4000000,   /* tokens that inlines may produce */
    MAX_SCOPE_DEPTH = MAX_NESTING + 8,
};

struct parser {
    struct program *program;
    struct arena *arena;
    struct diags *diags;
    const struct promela_options *options;

    VEC(struct stream) streams;
    struct token token;        /* the current one, perhaps an implied semicolon */
    struct token held;         /* what follows an implied semicolon */
    bool holding;
    struct token previous;
    int parens;                /* open ( at this point */
    bool in_sequence;          /* line ends may imply semicolons */
    size_t expanded;           /* tokens made by inlines so far */
    bool expansion_ended;      /* too many, and it was said */
    int nesting, most_brackets;
    int operators, most_operators; /* in this statement so far */
    bool panic;                /* an error was reported here: say nothing until the parser has recovered */

    struct map symbols;        /* name -> newest struct symbol */
    struct map proctypes, typedefs, inlines, mtype_constants, mtype_sets;
    struct map claim_names;
    struct map unknown;        /* names already reported as undeclared */
    struct scope *scope;
    struct scope *global_scope;
    int scopes;                /* made so far */
    int scope_counts[MAX_SCOPE_DEPTH]; /* blocks opened so far at each depth */
    int braces;

    struct proctype *proctype; /* NULL outside */
    struct user_type *user_type; /* the typedef being declared */
    bool in_parameters, in_ltl, seen_init, seen_trace;
    bool hoist;                /* declarations are at the head of a proctype */
    stmt_list *sequence;       /* where declarations and statements go */
    int loops;                 /* a break is inside this many */
    int d_steps, d_step;       /* made so far; the one we are in, or 0 */
    int d_step_loops;          /* loops around that one */
    int claims, formulas;
    struct map labels;         /* of the proctype: name -> newest struct label_def */
    /* "index@label", "index:variable": by the index of the proctype, since a claim can have the name of a proctype. */
    struct map remote_labels, remote_vars;
    struct map field_index;    /* "typedef.field" */
    struct map receivers, senders; /* channel -> proctype that claims it by xr, xs */
    VEC(struct goto_use) gotos;
    VEC(struct reference) remote_uses, run_uses;
    VEC(struct message_use) messages;
    size_t most_fields;        /* of any channel */
    int inline_count;
    VEC(size_t) deferred;      /* where the ltl blocks start in the file's tokens */
};

/* Adds to a VEC whose memory is an arena's. */
#define arena_push(arena, v, x) \
    ((v)->len < (v)->cap ? (void)0 \
                         : (void)((v)->at = arena_regrow((arena), (v)->at, &(v)->cap, sizeof *(v)->at)), \
     (v)->at[(v)->len++] = (x))
void *arena_regrow(struct arena *arena, void *at, size_t *cap, size_t item);

/* preprocess.c */
char *preprocess(const char *path, const char *text, size_t len, const struct promela_options *options,
                 struct diags *diags);

/* lexer.c */
void lex(const char *path, const char *text, struct arena *arena, struct diags *diags, token_list *out);
const char *token_spelling(enum token_kind kind);
char *decode_string(struct arena *arena, const char *written);

/* stream.c */
void advance(struct parser *p);
struct token raw_next(struct parser *p);
bool accept(struct parser *p, enum token_kind kind);
bool expect(struct parser *p, enum token_kind kind, const char *where);
struct token peek(const struct parser *p, size_t ahead);
void syntax_error(struct parser *p, const char *wanted);
void error_at(struct parser *p, struct pos at, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool enter(struct parser *p, int most);
void leave(struct parser *p);

/* parse.c */
int parse_priority(struct parser *p);
bool c_code_allowed(struct parser *p);

/* scope.c */
void scope_open(struct parser *p);
void scope_close(struct parser *p);
void scope_open_parameters(struct parser *p);
void scope_reset(struct parser *p);
char *scoped_name(struct parser *p, const char *before, const char *after);
struct symbol *symbol_find(struct parser *p, const char *name);
struct symbol *symbol_make(struct parser *p, const char *name);
void hint_nearest(struct parser *p, const char *name, const char *const *known, size_t count);
void hint_name(struct parser *p, const char *name);

/* inline.c */
void parse_inline_definition(struct parser *p);
struct inline_def *inline_named(const struct parser *p, const char *name);
struct stmt *parse_inline_call(struct parser *p, struct expr *result);

/* declarations.c */
bool starts_declaration(const struct parser *p);
void parse_declaration(struct parser *p);
void parse_parameters(struct parser *p, struct proctype *t);
void parse_typedef(struct parser *p);
int parse_const_expr(struct parser *p);
int parse_active_count(struct parser *p);
struct var *make_for_counter(struct parser *p, const struct expr *channel);

/* statements.c */
void parse_sequence(struct parser *p, stmt_list *out);
void parse_body(struct parser *p, struct proctype *owner);
struct stmt *parse_expanded_inline(struct parser *p);

/* expressions.c */
struct expr *expr_new(struct parser *p, enum expr_kind kind, struct pos pos);
struct expr *expr_const(struct parser *p, int value, struct pos pos);
struct expr *expr_binary(struct parser *p, enum op op, struct expr *a, struct expr *b);
struct expr *parse_full_expr(struct parser *p); /* full(q) and its kin allowed */
struct expr *parse_expr(struct parser *p);
struct expr *parse_expr_after(struct parser *p, struct expr *left);
struct expr *parse_varref(struct parser *p);
struct expr *parse_varref_or_struct(struct parser *p);
struct expr *parse_collection(struct parser *p);
struct expr *scalar_index(struct parser *p, const struct var *v, struct expr *index, struct pos at);
struct expr *parse_after_varref(struct parser *p, struct expr *ref);
void reject_probe(struct parser *p, const struct expr *e);
struct var *expr_var(const struct expr *e);
bool is_predefined(const char *name);

/* arguments.c */
void parse_send_args(struct parser *p, expr_list *out);
void parse_receive_args(struct parser *p, expr_list *out);
void parse_args(struct parser *p, expr_list *out);

/* checks.c */
bool in_trace(const struct parser *p);
void check_variable(struct parser *p, const struct var *v);
void check_initializer(struct parser *p, const struct var *v);
void check_channel(struct parser *p, const struct expr *channel);
void check_constant_index(struct parser *p, const struct var *v, const struct expr *index);
void check_complete(struct parser *p, const struct expr *ref);
void check_readable(struct parser *p, const struct expr *e);
void check_arithmetic(struct parser *p, const struct expr *target);
void check_assignment(struct parser *p, const struct expr *target, const struct expr *value);
void check_condition(struct parser *p, const struct expr *e);
void check_no_run(struct parser *p, const expr_list *args);
void check_receive_targets(struct parser *p, const expr_list *args);
void check_else(struct parser *p, const struct stmt *s);
void check_loop_index(struct parser *p, const struct expr *index, bool in);
void check_for_channel(struct parser *p, const struct var *x, const struct expr *channel);
void check_printf(struct parser *p, const struct stmt *s);
void check_exclusive(struct parser *p, const struct exclusive *x);
void check_place(struct parser *p, const struct stmt *s, bool label_alone);
void check_claim_word(struct parser *p, const struct token *word);
void check_provided(struct parser *p, const struct expr *e);
void check_c_expr(struct parser *p, const struct expr *e);

/* messages.c */
void channel_declared(struct parser *p, const struct channel_type *c);
void message_use(struct parser *p, const struct expr *channel, const expr_list *args, enum message_kind kind);
void messages_check(struct parser *p);
void check_runnable(struct parser *p);

/* labels.c: labels of a proctype; and what may point forward across the program */
struct label_mention label_mention(struct parser *p, struct token name);
void label_define(struct parser *p, struct stmt *stmt, struct label_mention name);
void goto_use(struct parser *p, struct stmt *stmt, struct token name);
void labels_resolve(struct parser *p);
void references_resolve(struct parser *p);

/* invariants.c, for builds that check everything */
void assert_program(const struct program *p);

/* print.c and print_program.c */
struct printer {
    struct str *out;
    bool source;                      /* reads back in; otherwise as in Spin's traces */
    const struct program *program;
    const struct relabelled *relabelled;
    int indent;
};
/* Labels that inlines brought into a proctype twice, with the names that make them distinct. */
struct relabelled { const struct label *label; const char *name; const struct relabelled *next; };
void print_expr(const struct printer *w, const struct expr *e);
void print_signed(const struct printer *w, const struct expr *e);
void print_ref(const struct printer *w, const struct ref *ref);
void print_stmt_head(const struct printer *w, const struct stmt *s);
const char *label_text(const struct printer *w, const struct label *l);

#endif
