/* Pushdown systems: one line is one thing.
 *
 *   init P                     the shared state at the start
 *   thread NAME                what follows belongs to this thread
 *   stack A B C                its stack at the start, top first
 *   P A -> Q    P A -> Q B    P A -> Q B C    each with weight=N behind it, if wanted
 *   target P [NAME A]...       the question; with threads and the symbols on top of their stacks */
#include "boolprog/boolprog.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64 };

struct word { const char *text; struct pos pos; };
struct reader {
    struct pds *s;
    struct diags *d;
    int file, line;
    VEC(struct word) words;
    struct map states, symbols;
    bool init, target;
};

static bool word_char(char c) { return isalnum((unsigned char)c) || strchr("_.$#'<>[](),:+*/=!&|{}@%~^?;", c); }

/* Words of one line, without comments (// to the end of the line). */
static void split(struct reader *r, const char *line, size_t len)
{
    vec_clear(&r->words);
    for (size_t i = 0; i < len;) {
        struct pos pos = {r->file, r->line, (int)i + 1};
        if (line[i] == '/' && i + 1 < len && line[i + 1] == '/') return;
        if (isspace((unsigned char)line[i])) {
            i++;
            continue;
        }
        size_t start = i;
        if (line[i] == '-' && i + 1 < len && line[i + 1] == '>') i += 2;
        else
            while (i < len && line[i] && word_char(line[i])) i++;
        if (i == start) {
            diag_error(r->d, pos, isprint((unsigned char)line[i]) ? "unknown character '%c'" : "unknown byte 0x%02x",
                       (unsigned char)line[i]);
            i++;
            continue;
        }
        vec_push(&r->words, ((struct word){arena_strndup(&r->s->arena, line + start, i - start), pos}));
    }
}

static int number(struct map *m, name_list *names, const char *name)
{
    int known = (int)(intptr_t)map_get(m, name);
    if (known) return known - 1;
    vec_push(names, name);
    map_put(m, name, (void *)(intptr_t)names->len);
    return (int)names->len - 1;
}

static int state(struct reader *r, size_t i) { return number(&r->states, &r->s->states, r->words.at[i].text); }
static int symbol(struct reader *r, size_t i) { return number(&r->symbols, &r->s->symbols, r->words.at[i].text); }
static bool is(const struct reader *r, size_t i, const char *text)
{
    return i < r->words.len && !strcmp(r->words.at[i].text, text);
}

static bool in_thread(struct reader *r)
{
    if (r->s->threads.len) return true;
    diag_error(r->d, r->words.at[0].pos, "this belongs to a thread: start with 'thread NAME'");
    return false;
}

/* weight=N at the end of a rule; 1 without it, -1 after a message. */
static long read_weight(struct reader *r)
{
    const struct word *last = &vec_last(&r->words);
    if (r->words.len < 5 || strncmp(last->text, "weight=", 7)) return 1;
    const char *digits = last->text + 7;
    long n = *digits && strlen(digits) < 10 && strspn(digits, "0123456789") == strlen(digits) ? atol(digits) : -1;
    if (n < 0) diag_error(r->d, last->pos, "expected a weight from 0 to 999999999, not '%s'", digits);
    r->words.len--;
    r->s->weighted = true;
    return n;
}

static void read_rule(struct reader *r)
{
    long weight = read_weight(r);
    size_t n = r->words.len;
    if (n < 4 || n > 6 || !is(r, 2, "->")) {
        diag_error(r->d, r->words.at[0].pos, "expected init, thread, stack, target or a rule 'p a -> q b c'");
        diag_hint(r->d,
                  "a rule has one state and one symbol on the left, one state and at most two symbols on the right");
        return;
    }
    if (!in_thread(r)) return;
    struct pds_rule rule = {
        state(r, 0),       symbol(r, 1), state(r, 3), n > 4 ? symbol(r, 4) : -1, n > 5 ? symbol(r, 5) : -1,
        weight,            r->words.at[0].pos};
    vec_push(&vec_last(&r->s->threads).rules, rule);
}

static void read_thread(struct reader *r)
{
    if (r->words.len != 2) {
        diag_error(r->d, r->words.at[0].pos, "expected 'thread NAME'");
        return;
    }
    for (size_t i = 0; i < r->s->threads.len; i++)
        if (is(r, 1, r->s->threads.at[i].name))
            diag_error(r->d, r->words.at[1].pos, "thread '%s' is defined twice", r->words.at[1].text);
    struct pds_thread t = {.name = r->words.at[1].text, .target_symbol = -1, .pos = r->words.at[1].pos};
    vec_push(&r->s->threads, t);
}

static void read_stack(struct reader *r)
{
    if (!in_thread(r)) return;
    struct pds_thread *t = &vec_last(&r->s->threads);
    if (t->stack.len) diag_error(r->d, r->words.at[0].pos, "thread '%s' has a stack already", t->name);
    if (r->words.len < 2) diag_error(r->d, r->words.at[0].pos, "expected the symbols of the stack, top first");
    for (size_t i = 1; i < r->words.len; i++) vec_push(&t->stack, symbol(r, i));
}

/* A thread, and what is on top of its stack. */
static void read_top(struct reader *r, size_t at)
{
    int thread = -1;
    for (size_t i = 0; i < r->s->threads.len; i++)
        if (is(r, at, r->s->threads.at[i].name)) thread = (int)i;
    if (thread < 0) {
        diag_error(r->d, r->words.at[at].pos, "unknown thread '%s'", r->words.at[at].text);
        return;
    }
    struct pds_thread *t = &r->s->threads.at[thread];
    if (t->target_symbol >= 0) diag_error(r->d, r->words.at[at].pos, "thread '%s' is named twice", t->name);
    t->target_symbol = symbol(r, at + 1);
    r->s->target_thread = thread;
}

static void read_target(struct reader *r)
{
    if (r->words.len < 2 || r->words.len % 2) {
        diag_error(r->d, r->words.at[0].pos, "expected 'target P', then any number of 'THREAD A'");
        return;
    }
    if (r->target) diag_error(r->d, r->words.at[0].pos, "there is a target already");
    r->target = true;
    r->s->target_pos = r->words.at[1].pos;
    r->s->target = state(r, 1);
    for (size_t i = 2; i < r->words.len; i += 2) read_top(r, i);
}

static void read_line(struct reader *r)
{
    if (!r->words.len) return;
    if (is(r, 0, "init") && !is(r, 2, "->")) {
        if (r->words.len != 2) diag_error(r->d, r->words.at[0].pos, "expected 'init P'");
        else if (r->init) diag_error(r->d, r->words.at[0].pos, "there is an init already");
        else r->s->init = state(r, 1), r->init = true;
    } else if (is(r, 0, "thread") && !is(r, 2, "->")) read_thread(r);
    else if (is(r, 0, "stack") && !is(r, 2, "->")) read_stack(r);
    else if (is(r, 0, "target") && !is(r, 2, "->")) read_target(r);
    else read_rule(r);
}

static void check_complete(struct reader *r)
{
    struct pos at = {r->file, r->line, 0};
    if (!r->init) diag_error(r->d, at, "no 'init P'");
    if (!r->target) diag_error(r->d, at, "no 'target P'");
    if (!r->s->threads.len) diag_error(r->d, at, "no thread");
    if (r->s->threads.len > MOST_THREADS) diag_error(r->d, at, "more than %d threads", MOST_THREADS);
    for (size_t i = 0; i < r->s->threads.len; i++)
        if (!r->s->threads.at[i].stack.len)
            diag_error(r->d, r->s->threads.at[i].pos, "thread '%s' has no stack", r->s->threads.at[i].name);
}

/* The thread whose stack the target looks at takes the last turn of a round: so it sees, within the round, whatever
 * state the others can leave while it waits. */
static void target_thread_last(struct pds *s)
{
    if (s->target_thread < 0) return;
    struct pds_thread t = s->threads.at[s->target_thread];
    for (size_t i = (size_t)s->target_thread; i + 1 < s->threads.len; i++) s->threads.at[i] = s->threads.at[i + 1];
    vec_last(&s->threads) = t;
    s->target_thread = (int)s->threads.len - 1;
}

struct pds *pds_parse_within(const char *file, const char *text, const struct limits *limits, enum limit *cut,
                             struct diags *d)
{
    *cut = LIMIT_NONE;
    struct pds *s = xcalloc(1, sizeof *s);
    *s = (struct pds){.target_thread = -1};
    s->file = arena_strdup(&s->arena, file);
    struct reader r = {.s = s, .d = d, .file = diags_file(d, file)};
    for (const char *at = text; *at && !d->full && !*cut;) {
        if (r.line % 1024 == 0) *cut = limits_reached_memory(limits);
        size_t len = strcspn(at, "\n");
        r.line++;
        split(&r, at, len);
        read_line(&r);
        at += len + (at[len] == '\n');
    }
    if (!d->full && !*cut) check_complete(&r);
    vec_release(&r.words);
    map_release(&r.states);
    map_release(&r.symbols);
    if (!d->errors && !*cut) {
        target_thread_last(s);
        return s;
    }
    pds_free(s);
    return NULL;
}

struct pds *pds_parse(const char *file, const char *text, struct diags *d)
{
    enum limit cut;
    struct pds *s = pds_parse_within(file, text, NULL, &cut, d);
    if (cut) diag_error(d, (struct pos){diags_file(d, file), 0, 0}, "interrupted");
    return s;
}

void pds_free(struct pds *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->threads.len; i++) {
        vec_release(&s->threads.at[i].rules);
        vec_release(&s->threads.at[i].stack);
    }
    vec_release(&s->threads);
    vec_release(&s->states);
    vec_release(&s->symbols);
    arena_release(&s->arena);
    free(s);
}

static const char *rule_text(const struct pds *s, const struct pds_rule *r, struct arena *arena)
{
    const char *weight = s->weighted ? arena_printf(arena, " weight=%ld", r->weight) : "";
    return arena_printf(arena, "%s %s -> %s%s%s%s%s%s", s->states.at[r->p], s->symbols.at[r->a], s->states.at[r->q],
                        r->b >= 0 ? " " : "", r->b >= 0 ? s->symbols.at[r->b] : "", r->c >= 0 ? " " : "",
                        r->c >= 0 ? s->symbols.at[r->c] : "", weight);
}

void pds_print(const struct pds *s, FILE *out)
{
    struct arena arena = {0};
    fprintf(out, "init %s\n", s->states.at[s->init]);
    for (size_t i = 0; i < s->threads.len; i++) {
        const struct pds_thread *t = &s->threads.at[i];
        fprintf(out, "thread %s\n  stack", t->name);
        for (size_t k = 0; k < t->stack.len; k++) fprintf(out, " %s", s->symbols.at[t->stack.at[k]]);
        fputc('\n', out);
        for (size_t k = 0; k < t->rules.len; k++) fprintf(out, "  %s\n", rule_text(s, &t->rules.at[k], &arena));
    }
    fprintf(out, "target %s", s->states.at[s->target]);
    for (size_t i = 0; i < s->threads.len; i++)
        if (s->threads.at[i].target_symbol >= 0)
            fprintf(out, " %s %s", s->threads.at[i].name, s->symbols.at[s->threads.at[i].target_symbol]);
    fputc('\n', out);
    arena_release(&arena);
}

/* ---- as a Boolean program ---- */

/* there: shared variables of the threads before the last that the target looks at: their top is the wanted one. */
struct pds_translation { const struct pds *s; struct bp_program *p; int_list shared, top, there; int proc, loop; };

static int bits_for(size_t n)
{
    int bits = 1;
    while ((size_t)1 << bits < n) bits++;
    return bits;
}

static int equals(struct bp_program *p, const int_list *vars, int value)
{
    int all = -1;
    for (size_t i = 0; i < vars->len; i++) {
        int x = bp_expr_new(p, EXPR_VAR, vars->at[i], 0, 0);
        all = bp_and(p, all, value >> i & 1 ? x : bp_expr_new(p, EXPR_NOT, x, 0, 0));
    }
    return all;
}

static void assign_number(struct bp_program *p, int edge, const int_list *vars, int value)
{
    for (size_t i = 0; i < vars->len; i++) {
        int bit = bp_const(p, value >> i & 1);
        vec_push(&p->edges.at[edge].assigns, ((struct bp_assign){vars->at[i], bit}));
    }
}

static int add_edge(struct pds_translation *t, enum bp_kind kind, int from, int to, struct pos pos)
{
    int e = bp_edge_new(t->p, kind, from, to, pos);
    vec_push(&t->p->nodes.at[from].out, e);
    return e;
}

static void call_with(struct pds_translation *t, int from, int to, int value, struct pos pos, const char *text)
{
    int e = add_edge(t, EDGE_CALL, from, to, pos);
    t->p->edges.at[e].callee = t->proc;
    t->p->edges.at[e].text = text;
    for (size_t i = 0; i < t->top.len; i++) {
        int bit = bp_const(t->p, value >> i & 1);
        vec_push(&t->p->edges.at[e].args, bit);
    }
}

static int atomic_node(struct pds_translation *t, struct pos pos)
{
    int n = bp_node_new(t->p, t->proc, pos);
    t->p->nodes.at[n].atomic = true;
    return n;
}

/* A frame is one symbol of the stack: a push calls the procedure for the new top and keeps the symbol below. */
static void add_rule(struct pds_translation *t, const struct pds_rule *r)
{
    struct bp_program *p = t->p;
    int to = r->b >= 0 && r->c < 0 ? t->loop : atomic_node(t, r->pos);
    int e = add_edge(t, EDGE_STEP, t->loop, to, r->pos);
    int guard = bp_and(p, equals(p, &t->shared, r->p), equals(p, &t->top, r->a));
    p->edges.at[e].guard = guard;
    p->edges.at[e].text = rule_text(t->s, r, &p->arena);
    assign_number(p, e, &t->shared, r->q);
    if (r->b >= 0) assign_number(p, e, &t->top, r->c >= 0 ? r->c : r->b);
    if (r->c >= 0) call_with(t, to, t->loop, r->b, r->pos, arena_printf(&p->arena, "push %s", t->s->symbols.at[r->b]));
    if (r->b >= 0) return;
    int pop = add_edge(t, EDGE_RETURN, to, -1, r->pos);
    p->edges.at[pop].text = arena_printf(&p->arena, "pop %s", t->s->symbols.at[r->a]);
}

static void add_target(struct pds_translation *t, int from, int guard)
{
    int n = bp_node_new(t->p, t->p->nodes.at[from].proc, t->s->target_pos);
    vec_push(&t->p->nodes.at[n].labels, "TARGET");
    int e = add_edge(t, EDGE_STEP, from, n, t->s->target_pos);
    t->p->edges.at[e].guard = guard;
    t->p->edges.at[e].text = "target";
}

/* Such a thread may say that its top is the wanted one, and does nothing more. */
static void add_there(struct pds_translation *t, const struct pds_thread *x)
{
    struct bp_program *p = t->p;
    int var = bp_var_new(p, arena_printf(&p->arena, "there$%s", x->name), -1, x->pos);
    p->vars.at[var].init = 0;
    p->vars.at[var].hidden = true;
    vec_push(&t->there, var);
    int n = bp_node_new(p, t->proc, t->s->target_pos), e = add_edge(t, EDGE_STEP, t->loop, n, t->s->target_pos);
    int guard = equals(p, &t->top, x->target_symbol), yes = bp_const(p, true);
    p->edges.at[e].guard = guard;
    p->edges.at[e].text = arena_printf(&p->arena, "%s is on top", t->s->symbols.at[x->target_symbol]);
    vec_push(&p->edges.at[e].assigns, ((struct bp_assign){var, yes}));
}

/* The state, the top of the last thread, and what the others said. */
static int at_target(struct pds_translation *t, int symbol)
{
    int all = bp_and(t->p, equals(t->p, &t->shared, t->s->target), equals(t->p, &t->top, symbol));
    for (size_t i = 0; i < t->there.len; i++)
        all = bp_and(t->p, all, bp_expr_new(t->p, EXPR_VAR, t->there.at[i], 0, 0));
    return all;
}

static int new_proc(struct bp_program *p, const char *name, struct pos pos)
{
    int proc = (int)p->procs.len;
    vec_push(&p->procs, ((struct bp_proc){.name = name, .source = proc, .enforce = -1, .pos = pos}));
    return proc;
}

/* The stack at the start: one call after another, the top first. */
static void add_start(struct pds_translation *t, int thread)
{
    const struct pds_thread *x = &t->s->threads.at[thread];
    struct bp_program *p = t->p;
    int start = new_proc(p, x->name, x->pos), node = bp_node_new(p, start, x->pos);
    p->procs.at[start].entry = node;
    for (size_t i = 0; i < x->stack.len; i++) {
        int next = bp_node_new(p, start, x->pos);
        bool between = i + 1 < x->stack.len;
        p->nodes.at[next].atomic = between;
        call_with(t, node, next, x->stack.at[i], x->pos,
                  arena_printf(&p->arena, "start with %s", t->s->symbols.at[x->stack.at[i]]));
        node = next;
    }
    if (t->s->target_thread < 0) add_target(t, node, equals(p, &t->shared, t->s->target));
    vec_push(&p->threads, ((struct bp_thread){.name = arena_strdup(&p->arena, x->name), .proc = start, .started = -1}));
}

static void add_thread(struct pds_translation *t, int thread)
{
    struct bp_program *p = t->p;
    const struct pds_thread *x = &t->s->threads.at[thread];
    t->proc = new_proc(p, arena_printf(&p->arena, "%s$stack", x->name), x->pos);
    vec_clear(&t->top);
    for (int i = 0; i < bits_for(t->s->symbols.len); i++) {
        int var = bp_var_new(p, arena_printf(&p->arena, "top$%d", i), t->proc, x->pos);
        vec_push(&t->top, var);
        vec_push(&p->procs.at[t->proc].params, var);
    }
    t->loop = p->procs.at[t->proc].entry = bp_node_new(p, t->proc, x->pos);
    for (size_t i = 0; i < x->rules.len; i++) add_rule(t, &x->rules.at[i]);
    if (t->s->target_thread < 0) add_target(t, t->loop, equals(p, &t->shared, t->s->target));
    else if (t->s->target_thread == thread) add_target(t, t->loop, at_target(t, x->target_symbol));
    else if (x->target_symbol >= 0) add_there(t, x);
    add_start(t, thread);
}

struct bp_program *pds_to_program(const struct pds *s)
{
    struct bp_program *p = xcalloc(1, sizeof *p);
    p->init = -1;
    p->file = arena_strdup(&p->arena, s->file);
    struct pds_translation t = {.s = s, .p = p};
    for (int i = 0; i < bits_for(s->states.len); i++) {
        int var = bp_var_new(p, arena_printf(&p->arena, "state$%d", i), -1, (struct pos){0});
        p->vars.at[var].init = s->init >> i & 1;
        vec_push(&t.shared, var);
    }
    for (size_t i = 0; i < s->threads.len; i++) add_thread(&t, (int)i);
    vec_release(&t.shared);
    vec_release(&t.top);
    vec_release(&t.there);
    boolprog_assert_valid(p);
    return p;
}
