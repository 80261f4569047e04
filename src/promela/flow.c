/* Building the automata. First pass: statements become *elements*, linked in execution order, in the order in which
 * Spin's parser would create them, since their numbers are visible in trails. Second pass (flow_edges.c): elements
 * that are places become control states with edges. */
#include "promela/flow_int.h"

#include <assert.h>
#include <string.h>

static struct element *element_new(struct builder *b, enum element_kind kind, struct stmt *s, struct pos pos)
{
    struct element *e = arena_alloc(&b->program->arena, sizeof *e);
    e->kind = kind;
    e->stmt = s;
    e->pos = pos;
    e->seqno = b->next_seqno++;
    e->spin_id = b->next_id++;
    vec_push(&b->elements, e);
    return e;
}

static struct sequence *sequence_new(struct builder *b)
{
    return arena_alloc(&b->program->arena, sizeof(struct sequence));
}

static struct stmt *stmt_new(struct builder *b, enum stmt_kind kind, struct pos pos)
{
    struct stmt *s = arena_alloc(&b->program->arena, sizeof *s);
    s->kind = kind;
    s->pos = pos;
    return s;
}

static struct expr *expr_new(struct builder *b, enum expr_kind kind, struct pos pos)
{
    struct expr *e = arena_alloc(&b->program->arena, sizeof *e);
    e->kind = kind;
    e->pos = pos;
    return e;
}

static struct expr *constant(struct builder *b, int value, struct pos pos)
{
    struct expr *e = expr_new(b, EXPR_CONST, pos);
    e->value = value;
    return e;
}

static struct expr *binary(struct builder *b, enum op op, struct expr *l, struct expr *r)
{
    struct expr *e = expr_new(b, EXPR_BINARY, l->pos);
    e->op = op;
    e->a = l;
    e->b = r;
    return e;
}

static struct expr *variable(struct builder *b, struct ref ref, struct pos pos)
{
    struct expr *e = expr_new(b, EXPR_VAR, pos);
    e->ref = ref;
    return e;
}

static expr_list single(struct builder *b, struct expr *e)
{
    expr_list list = {.at = arena_alloc(&b->program->arena, sizeof *list.at), .len = 1};
    list.at[0] = e;
    return list;
}

static struct stmt *skip_stmt(struct builder *b, struct pos pos)
{
    struct stmt *s = stmt_new(b, STMT_EXPR, pos);
    s->a = constant(b, 1, pos);
    return s;
}

static bool label_is(const struct label *l, const char *prefix) { return !strncmp(l->name, prefix, strlen(prefix)); }

static bool label_is_special(const struct label *l)
{
    return label_is(l, "accept") || label_is(l, "end") || label_is(l, "progress");
}

static void append_plain(struct sequence *q, struct element *e)
{
    if (!q->first) q->first = e;
    else q->last->next = e;
    q->last = e;
}

/* A special label in front of a goto needs a place of its own, or it would be passed through and lost. */
static void append(struct builder *b, struct sequence *q, struct element *e)
{
    if (e->kind == ELEMENT_GOTO)
        for (size_t i = 0; i < e->labels.len; i++)
            if (label_is_special(e->labels.at[i])) {
                struct element *place = element_new(b, ELEMENT_STMT, skip_stmt(b, e->pos), e->pos);
                vec_push(&place->labels, e->labels.at[i]);
                e->labels.at[i]->backend = place;
                e->labels.at[i] = vec_last(&e->labels);
                e->labels.len--;
                append_plain(q, place);
                break;
            }
    append_plain(q, e);
}

static struct sequence *close_sequence(struct sequence *q)
{
    assert(q->first && !q->last->next);
    q->extent = q->last;
    return q;
}

static void build_list(struct builder *b, const stmt_list *list, struct sequence *q);
static void show_labels(struct builder *b, const struct stmt *s);
static struct plan prepare(struct builder *b, struct stmt *s, struct sequence *q);
static struct element *realise(struct builder *b, struct plan *p, struct sequence *q);

static struct sequence *build_sequence(struct builder *b, const stmt_list *list)
{
    struct sequence *q = sequence_new(b);
    build_list(b, list, q);
    return close_sequence(q);
}

static bool is_plain_skip(const struct element *e)
{
    return e->kind == ELEMENT_STMT && e->stmt->kind == STMT_EXPR && e->stmt->a->kind == EXPR_CONST &&
           e->stmt->a->value == 1;
}

static bool is_print(const struct element *e)
{
    return e->kind == ELEMENT_STMT && (e->stmt->kind == STMT_PRINTF || e->stmt->kind == STMT_PRINTM);
}

/* Of several skips in a row inside an option one is enough; a print counts as one but is never removed. */
static void drop_repeated_skips(struct sequence *q)
{
    int run = 0;
    struct element *before = NULL;
    for (struct element *e = q->first; e; e = e->next) {
        bool skip = (is_plain_skip(e) || is_print(e)) && !e->labels.len;
        run = skip ? run + 1 : 0;
        if (run > 1 && !is_print(e) && e != q->first && e != q->last && e != q->extent) before->next = e->next;
        else before = e;
    }
}

static struct plan prepare_choice(struct builder *b, struct stmt *s)
{
    struct plan p = {.stmt = s, .kind = s->kind == STMT_IF ? ELEMENT_IF : ELEMENT_DO};
    if (s->kind == STMT_DO) {
        p.exit = arena_alloc(&b->program->arena, sizeof *p.exit);
        vec_push(&b->breaks, p.exit);
    }
    for (size_t i = 0; i < s->options.len; i++) {
        struct sequence *q = build_sequence(b, &s->options.at[i]);
        drop_repeated_skips(q);
        vec_push(&p.subs, q);
    }
    assert(p.subs.len == s->options.len && (s->kind != STMT_DO || vec_last(&b->breaks) == p.exit));
    if (s->kind == STMT_DO) b->breaks.len--;
    return p;
}

static struct stmt *assignment(struct builder *b, struct ref ref, struct expr *value, struct pos pos)
{
    struct stmt *s = stmt_new(b, STMT_ASSIGN, pos);
    s->ref = ref;
    s->a = value;
    return s;
}

static struct stmt *condition(struct builder *b, struct expr *e)
{
    struct stmt *s = stmt_new(b, STMT_EXPR, e->pos);
    s->a = e;
    return s;
}

static void add_basic(struct builder *b, struct stmt *s, struct sequence *q)
{
    struct plan p = prepare(b, s, q);
    realise(b, &p, q);
}

static struct sequence *leave_sequence(struct builder *b, struct stmt *s, struct exit *to, bool with_else)
{
    struct sequence *q = sequence_new(b);
    if (with_else) append(b, q, element_new(b, ELEMENT_ELSE, s, s->pos));
    struct element *go = element_new(b, ELEMENT_GOTO, s, s->pos);
    go->exit = to;
    append(b, q, go);
    return close_sequence(q);
}

/* for and select are loops: start value; do :: condition -> body; step :: else -> break od. The start value is a
 * statement of the enclosing sequence, so that a label in front of the loop names the loop and not the start. */
static struct plan prepare_loop(struct builder *b, struct stmt *s, struct sequence *q, struct ref counter,
                                struct expr *from, struct expr *guard, bool select)
{
    struct plan p = {.stmt = s, .kind = ELEMENT_DO};
    struct pos pos = s->pos;
    p.exit = arena_alloc(&b->program->arena, sizeof *p.exit);
    if (!select) vec_push(&b->breaks, p.exit);
    add_basic(b, assignment(b, counter, from, pos), q);
    struct sequence *body = sequence_new(b);
    add_basic(b, condition(b, guard), body);
    if (s->kind == STMT_FOR_CHANNEL) {
        struct stmt *take = stmt_new(b, STMT_RECEIVE, pos), *put = stmt_new(b, STMT_SEND, pos);
        take->a = put->a = s->a;
        take->args = single(b, variable(b, s->ref, pos));
        put->args = single(b, variable(b, s->ref, pos));
        add_basic(b, take, body);
        add_basic(b, put, body);
    }
    build_list(b, &s->body, body);
    add_basic(b, assignment(b, counter, binary(b, OP_ADD, variable(b, counter, pos), constant(b, 1, pos)), pos), body);
    close_sequence(body);
    vec_push(&p.subs, leave_sequence(b, s, p.exit, !select));
    vec_push(&p.subs, body);
    assert(select || vec_last(&b->breaks) == p.exit);
    if (!select) b->breaks.len--;
    return p;
}

static struct plan prepare_for_channel(struct builder *b, struct stmt *s, struct sequence *q)
{
    struct ref counter = {0};
    counter.parts.at = arena_alloc(&b->program->arena, sizeof *counter.parts.at);
    counter.parts.len = 1;
    counter.parts.at[0].var = s->var;
    struct expr *len = expr_new(b, EXPR_LEN, s->pos);
    len->a = s->a;
    return prepare_loop(b, s, q, counter, constant(b, 0, s->pos),
                        binary(b, OP_LT, variable(b, counter, s->pos), len), false);
}

enum { MOST_REWRITTEN = 33 }; /* values */

/* Spin's lexer rewrites select (x : 3 .. 7), with a plain name and digits on one line, into a selection of assignments;
 * all other selects count up until they stop. */
static bool is_rewritten_select(const struct stmt *s)
{
    return s->select_literal && s->b->value - s->a->value < MOST_REWRITTEN;
}

static struct plan prepare_rewritten_select(struct builder *b, struct stmt *s)
{
    struct plan p = {.stmt = s, .kind = ELEMENT_IF};
    assert(s->a->kind == EXPR_CONST && s->b->kind == EXPR_CONST);
    for (int v = s->a->value; v <= s->b->value; v++) {
        struct sequence *q = sequence_new(b);
        add_basic(b, assignment(b, s->ref, constant(b, v, s->pos), s->pos), q);
        vec_push(&p.subs, close_sequence(q));
    }
    return p;
}

static struct plan prepare_for(struct builder *b, struct stmt *s, struct sequence *q)
{
    struct expr *counter = variable(b, s->ref, s->pos);
    if (s->kind == STMT_SELECT && is_rewritten_select(s)) return prepare_rewritten_select(b, s);
    switch (s->kind) {
    case STMT_FOR_RANGE: return prepare_loop(b, s, q, s->ref, s->a, binary(b, OP_LE, counter, s->b), false);
    case STMT_SELECT: return prepare_loop(b, s, q, s->ref, s->a, binary(b, OP_LT, counter, s->b), true);
    case STMT_FOR_ARRAY: {
        int top = vec_last(&s->array_ref.parts).var->length - 1;
        return prepare_loop(b, s, q, s->ref, constant(b, 0, s->pos),
                            binary(b, OP_LE, counter, constant(b, top, s->pos)), false);
    }
    default: return prepare_for_channel(b, s, q);
    }
}

static const stmt_list *block_contents(const stmt_list *list)
{
    if (list->len == 1 && list->at[0]->kind == STMT_BLOCK && !list->at[0]->labels.len) return &list->at[0]->body;
    return list->len == 1 ? NULL : list;
}

static struct element *unless_element(struct builder *b, struct stmt *s, struct sequence *main, struct sequence *escape,
                                      struct sequence *q);

static bool is_labelled_group(const struct stmt *s)
{
    return s->labels.len && (s->kind == STMT_BLOCK || s->kind == STMT_ATOMIC || s->kind == STMT_D_STEP);
}

/* `L: { a } unless { b }` means L: { { a } unless { b } }. */
static struct plan prepare_labelled_unless(struct builder *b, struct stmt *s, struct plan group,
                                           struct sequence *escape)
{
    struct sequence *wrapper = sequence_new(b);
    unless_element(b, s, group.subs.at[0], escape, wrapper);
    close_sequence(wrapper);
    group.stmt = s->body.at[0];
    group.subs.at[0] = wrapper;
    return group;
}

static struct plan prepare_unless(struct builder *b, struct stmt *s, struct sequence *q)
{
    struct plan p = {.stmt = s, .kind = ELEMENT_UNLESS};
    const stmt_list *main_block = block_contents(&s->body), *escape_block = block_contents(&s->escape);
    struct sequence *main = NULL, *escape = NULL;
    struct plan main_plan = {0}, escape_plan = {0};
    if (main_block) main = build_sequence(b, main_block);
    else main_plan = prepare(b, s->body.at[0], q);
    if (escape_block) escape = build_sequence(b, escape_block);
    else escape_plan = prepare(b, s->escape.at[0], q);
    if (!escape) {
        escape = sequence_new(b);
        realise(b, &escape_plan, escape);
        close_sequence(escape);
    }
    if (!main && is_labelled_group(s->body.at[0])) return prepare_labelled_unless(b, s, main_plan, escape);
    if (!main) {
        main = sequence_new(b);
        realise(b, &main_plan, main);
        close_sequence(main);
    }
    vec_push(&p.subs, main);
    vec_push(&p.subs, escape);
    return p;
}

static void mark_atomic(struct sequence *q, unsigned added);

static struct plan prepare_group(struct builder *b, struct stmt *s)
{
    struct plan p = {.stmt = s};
    p.kind = s->kind == STMT_ATOMIC ? ELEMENT_ATOMIC : s->kind == STMT_D_STEP ? ELEMENT_D_STEP : ELEMENT_BLOCK;
    vec_push(&p.subs, build_sequence(b, &s->body));
    if (s->kind == STMT_ATOMIC) mark_atomic(p.subs.at[0], 0);
    if (s->kind == STMT_D_STEP) mark_atomic(p.subs.at[0], IN_D_STEP);
    return p;
}

/* The parts of a statement come into being before the statement itself, as in a bottom-up parser. */
static struct plan prepare(struct builder *b, struct stmt *s, struct sequence *q)
{
    switch (s->kind) {
    case STMT_IF:
    case STMT_DO: return prepare_choice(b, s);
    case STMT_ATOMIC:
    case STMT_D_STEP:
    case STMT_BLOCK: return prepare_group(b, s);
    case STMT_UNLESS: return prepare_unless(b, s, q);
    case STMT_FOR_RANGE:
    case STMT_FOR_ARRAY:
    case STMT_FOR_CHANNEL:
    case STMT_SELECT: return prepare_for(b, s, q);
    case STMT_GOTO: return (struct plan){.stmt = s, .kind = ELEMENT_GOTO};
    case STMT_BREAK: return (struct plan){.stmt = s, .kind = ELEMENT_GOTO, .exit = vec_last(&b->breaks)};
    case STMT_ELSE: return (struct plan){.stmt = s, .kind = ELEMENT_ELSE};
    default: return (struct plan){.stmt = s, .kind = ELEMENT_STMT};
    }
}

static void else_goes_last(struct plan *p)
{
    for (size_t i = 0; i + 1 < p->subs.len; i++)
        if (p->subs.at[i]->first->kind == ELEMENT_ELSE) {
            struct sequence *last = p->subs.at[i];
            memmove(&p->subs.at[i], &p->subs.at[i + 1], (p->subs.len - i - 1) * sizeof *p->subs.at);
            vec_last(&p->subs) = last;
            return;
        }
}

static struct element *choice_element(struct builder *b, struct plan *p, struct sequence *q)
{
    struct element *e = element_new(b, p->kind, p->stmt, p->stmt->pos);
    struct element *join = element_new(b, ELEMENT_JOIN, NULL, p->stmt->pos);
    else_goes_last(p);
    e->subs.at = p->subs.at, e->subs.len = p->subs.len, e->subs.cap = p->subs.cap;
    for (size_t i = 0; i < e->subs.len; i++) append(b, e->subs.at[i], join);
    if (p->kind == ELEMENT_DO) {
        append(b, q, join); /* the end of each option leads back to the loop */
        join = element_new(b, ELEMENT_BREAK, NULL, p->stmt->pos);
        p->exit->to = join;
    }
    append(b, q, e);
    append(b, q, join);
    return e;
}

static void attach_escape(struct sequence *main, struct sequence *escape);

static void escape_from(struct element *f, struct sequence *escape)
{
    for (size_t i = 0; i < f->escapes.len; i++)
        if (f->escapes.at[i] == escape) return;
    for (size_t i = f->escapes.len; i-- > 0;) attach_escape(f->escapes.at[i], escape);
    vec_push(&f->escapes, escape); /* the last one is the outermost */
    switch (f->kind) {
    case ELEMENT_UNLESS: attach_escape(f->subs.at[0], escape); break;
    case ELEMENT_IF:
    case ELEMENT_DO:
        for (size_t i = 0; i < f->subs.len; i++) attach_escape(f->subs.at[i], escape);
        break;
    case ELEMENT_D_STEP: escape_from(f->subs.at[0]->first, escape); break;
    case ELEMENT_ATOMIC:
    case ELEMENT_BLOCK: attach_escape(f->subs.at[0], escape); break;
    default: break;
    }
}

static void attach_escape(struct sequence *main, struct sequence *escape)
{
    for (struct element *f = main->first; f; f = f->next) {
        escape_from(f, escape);
        if (f == main->extent) break;
    }
}

static struct element *unless_element(struct builder *b, struct stmt *s, struct sequence *main, struct sequence *escape,
                                      struct sequence *q)
{
    struct element *e = element_new(b, ELEMENT_UNLESS, s, s->pos);
    struct element *join = element_new(b, ELEMENT_JOIN, NULL, s->pos);
    vec_push(&e->subs, main);
    vec_push(&e->subs, escape);
    append(b, main, join);
    append(b, escape, join);
    attach_escape(main, escape);
    append(b, q, e);
    append(b, q, join);
    return e;
}

static struct element *realise(struct builder *b, struct plan *p, struct sequence *q)
{
    struct element *e;
    bool linked = true;
    switch (p->kind) {
    case ELEMENT_IF:
    case ELEMENT_DO: e = choice_element(b, p, q); break;
    case ELEMENT_UNLESS:
        e = unless_element(b, p->stmt, p->subs.at[0], p->subs.at[1], q);
        vec_release(&p->subs);
        break;
    default:
        e = element_new(b, p->kind, p->stmt, p->stmt->pos);
        e->subs.at = p->subs.at, e->subs.len = p->subs.len, e->subs.cap = p->subs.cap;
        e->exit = p->exit;
        linked = false;
        break;
    }
    for (size_t i = 0; i < p->stmt->labels.len; i++) {
        struct label *l = p->stmt->labels.at[i];
        l->backend = e;
        vec_push(&e->labels, l);
    }
    if (!linked) append(b, q, e);
    return e;
}

static void build_list(struct builder *b, const stmt_list *list, struct sequence *q)
{
    for (size_t i = 0; i < list->len; i++) {
        show_labels(b, list->at[i]);
        struct plan p = prepare(b, list->at[i], q);
        realise(b, &p, q);
    }
}

static void walk_atomic(struct element *from, struct element *to, unsigned added)
{
    for (struct element *f = from;; f = f->next) {
        f->status |= IN_ATOMIC | added;
        bool nested = f->kind == ELEMENT_ATOMIC || (f->kind == ELEMENT_D_STEP && added) || f->kind == ELEMENT_BLOCK;
        if (nested) f->kind = ELEMENT_BLOCK;
        if (nested || f->kind == ELEMENT_IF || f->kind == ELEMENT_DO || f->kind == ELEMENT_UNLESS)
            for (size_t i = 0; i < f->subs.len; i++) walk_atomic(f->subs.at[i]->first, f->subs.at[i]->last, added);
        if (f == to) break;
    }
}

/* Every element but the last keeps the exclusive right to move. */
static void mark_atomic(struct sequence *q, unsigned added)
{
    walk_atomic(q->first, q->last, added);
    struct element *f = q->last;
    if (f->kind == ELEMENT_BLOCK || f->kind == ELEMENT_ATOMIC || f->kind == ELEMENT_UNLESS) {
        mark_atomic(f->subs.at[0], added);
    } else {
        f->status &= ~(unsigned)IN_ATOMIC;
        f->status |= LAST_OF_ATOMIC;
    }
}

/* The last element of a group leads to what follows the group. */
static void tie_ends(struct builder *b)
{
    for (size_t i = b->elements.len; i-- > 0;) {
        struct element *e = b->elements.at[i];
        if (!e->next || (e->kind != ELEMENT_ATOMIC && e->kind != ELEMENT_BLOCK && e->kind != ELEMENT_D_STEP)) continue;
        struct element *f = e->next;
        while (f && f->kind == ELEMENT_JOIN && f->next) f = f->next;
        struct sequence *q = e->subs.at[0];
        if (!q->last->next) q->last->next = f;
        else if (q->last->next->kind == ELEMENT_GOTO) q->last = q->last->next;
    }
}

/* A goto that somebody looks at (P@label) must be a place of its own: the goto moves behind a skip. */
static void make_place(struct builder *b, struct element *e)
{
    assert(e->kind == ELEMENT_GOTO);
    struct element *jump = element_new(b, ELEMENT_GOTO, e->stmt, e->pos);
    jump->exit = e->exit;
    jump->status = e->status;
    jump->next = e->next;
    e->kind = ELEMENT_STMT;
    e->stmt = skip_stmt(b, e->pos);
    e->next = jump;
}

static void show_label(struct builder *b, struct label *l)
{
    struct element *e = l->backend;
    if (!e || e->kind != ELEMENT_GOTO) return;
    int seqno = b->next_seqno;
    b->next_seqno = l->owner == b->proctype ? seqno : b->counts[l->owner->index];
    make_place(b, e);
    if (l->owner == b->proctype) return;
    b->counts[l->owner->index] = b->next_seqno;
    b->next_seqno = seqno;
}

static void show_labels_in(struct builder *b, const struct expr *e)
{
    if (!e) return;
    show_labels_in(b, e->a);
    show_labels_in(b, e->b);
    show_labels_in(b, e->c);
    for (size_t i = 0; i < e->args.len; i++) show_labels_in(b, e->args.at[i]);
    if (e->kind == EXPR_REMOTE_LABEL) show_label(b, e->label);
}

static void show_labels(struct builder *b, const struct stmt *s)
{
    show_labels_in(b, s->a);
    show_labels_in(b, s->b);
    for (size_t i = 0; i < s->args.len; i++) show_labels_in(b, s->args.at[i]);
}

static struct sequence *build_elements(struct builder *b, struct proctype *p)
{
    b->proctype = p;
    b->next_seqno = 1;
    struct sequence *body = sequence_new(b);
    build_list(b, &p->body, body);
    append(b, body, element_new(b, ELEMENT_END, NULL, p->pos));
    b->counts[p->index] = b->next_seqno;
    assert(!b->breaks.len && body->last->kind == ELEMENT_END);
    return close_sequence(body);
}

/* Those that only a formula looks at. */
static void show_remaining_labels(struct builder *b)
{
    b->proctype = NULL;
    for (size_t i = 0; i < b->program->proctypes.len; i++)
        for (size_t k = 0; k < b->program->proctypes.at[i]->labels.len; k++)
            if (b->program->proctypes.at[i]->labels.at[k]->remote)
                show_label(b, b->program->proctypes.at[i]->labels.at[k]);
}

bool flow_build(struct program *p, struct flow *flow, struct diags *diags)
{
    struct builder b = {.program = p, .diags = diags};
    int errors = diags->errors;
    assert(!flow->automata.len);
    struct sequence **bodies = arena_alloc(&p->arena, p->proctypes.len * sizeof *bodies);
    b.counts = arena_alloc(&p->arena, p->proctypes.len * sizeof *b.counts);
    for (size_t i = 0; i < p->proctypes.len; i++) bodies[i] = build_elements(&b, p->proctypes.at[i]);
    show_remaining_labels(&b);
    tie_ends(&b);
    for (size_t i = 0; i < p->proctypes.len; i++) {
        vec_push(&flow->automata, ((struct automaton){.proctype = p->proctypes.at[i]}));
        flow_build_edges(&b, p->proctypes.at[i], bodies[i], &vec_last(&flow->automata));
    }
    flow->edge_count = b.edge_count;
    for (size_t i = 0; i < b.elements.len; i++) flow_element_release(b.elements.at[i]);
    vec_release(&b.elements);
    vec_release(&b.breaks);
    if (CHECKS_EVERYTHING && diags->errors == errors) assert_flow(p, flow);
    return diags->errors == errors;
}

int flow_label_state(const struct label *l)
{
    assert(l->backend); /* by flow_build() */
    return ((const struct element *)l->backend)->seqno;
}
