/* From procedures as written to the program that is analysed: names, atomic sections, threads.
 *
 * Procedures are copied on demand, starting from the threads: one copy for calls outside of atomic sections, one for
 * calls inside, and one per label that `start_thread goto` names. Copies share variables. What nothing calls is left
 * out. A spawn becomes steps that set a hidden `started` variable, one step per thread that it may start. */
#include "boolprog/parse_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, UNBOUNDED = 1000 };

struct variant { int source; bool atomic; const char *label; };

struct linker {
    struct bp_program *from, *to;
    struct diags *d;
    int spawn_limit;
    bool views;                  /* threads of which any number are started have spawn_limit slots */
    int_list depth;              /* nesting of atomic sections per node of `from`, -1: not reached */
    VEC(struct variant) variants; /* one per procedure of `to` */
    int *plain, *inside;         /* by procedure of `from`: index + 1 of its variant without a label */
    struct map procs;            /* of `from`: name -> index + 1 */
    int *copy;                   /* by node of `from`: its copy in the procedure being copied, -1: none yet */
    const struct limits *limits;
    enum limit cut;
};

/* ---- names and arities ---- */

static int find_proc(const struct linker *l, const char *name) { return (int)(intptr_t)map_get(&l->procs, name) - 1; }

/* Whoever may take long asks. */
static bool stopped(struct linker *l, size_t count)
{
    if (!l->cut && count % 1024 == 0) l->cut = limits_reached_memory(l->limits);
    return l->cut != LIMIT_NONE;
}

static void unknown_proc(struct linker *l, const struct bp_edge *e)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < l->from->procs.len; i++) vec_push(&names, l->from->procs.at[i].name);
    diag_error(l->d, e->pos, "unknown procedure '%s'", e->target);
    const char *near = nearest_name(e->target, names.at, names.len);
    if (near) diag_hint(l->d, "did you mean '%s'?", near);
    vec_release(&names);
}

static void resolve_call(struct linker *l, struct bp_edge *e)
{
    e->callee = find_proc(l, e->target);
    if (e->callee < 0) {
        unknown_proc(l, e);
        return;
    }
    const struct bp_proc *f = &l->from->procs.at[e->callee];
    if (e->args.len != f->params.len)
        diag_error(l->d, e->pos, "'%s' takes %zu arguments, not %zu", f->name, f->params.len, e->args.len);
    if (e->results.len && (int)e->results.len != f->results)
        diag_error(l->d, e->pos, "'%s' returns %d values, not %zu", f->name, f->results, e->results.len);
}

static void resolve_names(struct linker *l)
{
    for (size_t i = 0; i < l->from->edges.len; i++) {
        struct bp_edge *e = &l->from->edges.at[i];
        if (!e->target) continue; /* a statement that was reported already */
        if (e->kind == EDGE_CALL || (e->kind == EDGE_SPAWN && !e->spawn_label)) resolve_call(l, e);
        if (e->kind == EDGE_SPAWN && e->spawn_label) e->callee = l->from->nodes.at[e->from].proc;
    }
}

/* ---- atomic sections ---- */

static void set_depth(struct linker *l, int node, int depth, int_list *work, struct pos pos)
{
    int *known = &l->depth.at[node];
    if (*known < 0) {
        *known = depth;
        vec_push(work, node);
    } else if (*known != depth) {
        diag_error(l->d, pos, "control comes here both inside and outside of an atomic section");
        diag_hint(l->d, "atomic_begin and atomic_end must match on every way through a procedure");
    }
}

static void atomic_edge(struct linker *l, const struct bp_edge *e, int_list *work)
{
    int depth = l->depth.at[e->from] + e->atomic;
    if (depth < 0) {
        diag_error(l->d, e->pos, "atomic_end without atomic_begin");
        depth = 0;
    }
    if (e->kind == EDGE_RETURN && depth > 0) diag_error(l->d, e->pos, "return from inside an atomic section");
    if (e->kind != EDGE_RETURN) set_depth(l, e->to, depth, work, e->pos);
}

static void atomic_depths(struct linker *l)
{
    int_list work = {0};
    for (size_t i = 0; i < l->from->nodes.len; i++) vec_push(&l->depth, -1);
    for (size_t i = 0; i < l->from->procs.len; i++)
        set_depth(l, l->from->procs.at[i].entry, 0, &work, l->from->procs.at[i].pos);
    while (work.len && !l->d->full) {
        int n = vec_pop(&work);
        for (size_t i = 0; i < l->from->nodes.at[n].out.len; i++)
            atomic_edge(l, &l->from->edges.at[l->from->nodes.at[n].out.at[i]], &work);
    }
    vec_release(&work);
}

/* ---- copies ---- */

static int variant(struct linker *l, int source, bool atomic, const char *label)
{
    int *known = label ? NULL : atomic ? &l->inside[source] : &l->plain[source];
    if (known && *known) return *known - 1;
    for (size_t i = 0; label && i < l->variants.len; i++) {
        const struct variant *v = &l->variants.at[i];
        if (v->source == source && v->atomic == atomic && v->label && !strcmp(v->label, label)) return (int)i;
    }
    vec_push(&l->variants, ((struct variant){source, atomic, label}));
    if (known) *known = (int)l->variants.len;
    return (int)l->variants.len - 1;
}

static int label_node(const struct bp_program *p, int proc, const char *label)
{
    for (size_t i = 0; i < p->nodes.len; i++)
        if (p->nodes.at[i].proc == proc && boolprog_is_error_node(p, (int)i, (const char *[]){label, NULL}))
            return (int)i;
    return -1;
}

static void copy_list(int_list *to, const int_list *from)
{
    for (size_t i = 0; i < from->len; i++) vec_push(to, from->at[i]);
}

static void copy_edge(struct linker *l, const struct bp_edge *e, const struct variant *v, int from, int to)
{
    int id = bp_edge_new(l->to, e->kind, from, to, e->pos);
    struct bp_edge *c = &l->to->edges.at[id];
    c->guard = e->guard, c->assertion = e->assertion, c->constrain = e->constrain;
    c->target = e->target, c->text = e->text, c->spawn_label = e->spawn_label;
    for (size_t i = 0; i < e->assigns.len; i++) vec_push(&c->assigns, e->assigns.at[i]);
    copy_list(&c->args, &e->args);
    copy_list(&c->results, &e->results);
    copy_list(&c->values, &e->values);
    bool inside = v->atomic || l->depth.at[e->from] > 0;
    if (e->kind == EDGE_CALL) c->callee = variant(l, e->callee, inside, NULL);
    if (e->kind == EDGE_SPAWN) c->callee = variant(l, e->callee, false, e->spawn_label ? e->target : NULL);
    vec_push(&l->to->nodes.at[from].out, id);
}

static int copy_node(struct linker *l, const struct variant *v, int node, int_list *work)
{
    if (l->copy[node] >= 0) return l->copy[node];
    const struct bp_node *n = &l->from->nodes.at[node];
    int id = l->copy[node] = bp_node_new(l->to, (int)l->to->procs.len - 1, n->pos);
    bool dead_end = !n->out.len; /* the end of a thread frees whatever it held */
    l->to->nodes.at[id].atomic = !dead_end && (v->atomic || l->depth.at[node] > 0);
    for (size_t i = 0; i < n->labels.len; i++) vec_push(&l->to->nodes.at[id].labels, n->labels.at[i]);
    vec_push(work, node);
    return id;
}

static void copy_proc(struct linker *l, struct variant v)
{
    const struct bp_proc *f = &l->from->procs.at[v.source];
    struct bp_proc c = *f;
    c.params = c.locals = (int_list){0};
    c.from_label = v.label != NULL;
    copy_list(&c.locals, &f->locals);
    copy_list(&c.params, v.label ? &f->locals : &f->params);
    if (v.label) c.name = arena_printf(&l->to->arena, "%s$%s", f->name, v.label);
    if (v.atomic) c.name = arena_printf(&l->to->arena, "%s$atomic", f->name);
    vec_push(&l->to->procs, c);
    int_list work = {0};
    int start = v.label ? label_node(l->from, v.source, v.label) : f->entry;
    int entry = copy_node(l, &v, start, &work);
    vec_last(&l->to->procs).entry = entry;
    for (size_t i = 0; i < work.len && !stopped(l, l->to->edges.len); i++) {
        int node = work.at[i];
        for (size_t k = 0; k < l->from->nodes.at[node].out.len; k++) {
            const struct bp_edge *e = &l->from->edges.at[l->from->nodes.at[node].out.at[k]];
            int to = e->to >= 0 ? copy_node(l, &v, e->to, &work) : -1;
            copy_edge(l, e, &v, l->copy[node], to);
        }
    }
    for (size_t i = 0; i < work.len; i++) l->copy[work.at[i]] = -1;
    vec_release(&work);
}

/* ---- threads ---- */

/* By edge: whether control can come back to it inside its procedure. component: by node. */
static bool *find_loops(const struct bp_program *p, int **component)
{
    int_list *next = xcalloc(p->nodes.len + 1, sizeof *next);
    bool *looping = xcalloc(p->edges.len + 1, 1);
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].to >= 0) vec_push(&next[p->edges.at[i].from], p->edges.at[i].to);
    *component = bp_components(next, p->nodes.len);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        looping[i] = e->to >= 0 && (*component)[e->from] == (*component)[e->to];
    }
    for (size_t i = 0; i < p->nodes.len; i++) vec_release(&next[i]);
    free(next);
    return looping;
}

/* How often each procedure of `to` may be entered in one run, UNBOUNDED if there is no small bound. */
static int *count_entries(struct linker *l, const bool *looping)
{
    struct bp_program *p = l->to;
    int *entries = xcalloc(p->procs.len, sizeof *entries), *next = xcalloc(p->procs.len, sizeof *next);
    for (bool changed = true; changed && !stopped(l, 0);) {
        memset(next, 0, p->procs.len * sizeof *next);
        for (size_t i = 0; i < p->threads.len; i++) next[p->threads.at[i].proc]++;
        if (p->init >= 0) next[p->init]++;
        for (size_t i = 0; i < p->edges.len; i++) {
            const struct bp_edge *e = &p->edges.at[i];
            if (e->kind != EDGE_CALL && e->kind != EDGE_SPAWN) continue;
            int times = entries[p->nodes.at[e->from].proc];
            if (times && looping[i]) times = UNBOUNDED;
            if (e->kind == EDGE_SPAWN && times >= UNBOUNDED && l->spawn_limit && !l->views) times = l->spawn_limit;
            next[e->callee] = MIN(UNBOUNDED, next[e->callee] + times);
        }
        changed = memcmp(entries, next, p->procs.len * sizeof *next) != 0;
        memcpy(entries, next, p->procs.len * sizeof *next);
    }
    free(next);
    return entries;
}

static int new_thread(struct linker *l, const struct bp_edge *e, int number)
{
    struct bp_program *p = l->to;
    const struct bp_proc *f = &p->procs.at[e->callee];
    struct bp_thread t = {.proc = e->callee};
    t.name = arena_printf(&p->arena, "%s#%d", l->from->procs.at[f->source].name, number);
    t.started = bp_var_new(p, arena_printf(&p->arena, "started#%d", number), -1, e->pos);
    p->vars.at[t.started].init = 0;
    p->vars.at[t.started].hidden = true;
    for (size_t i = 0; i < f->params.len; i++) {
        const char *name = arena_printf(&p->arena, "arg#%d$%s", number, p->vars.at[f->params.at[i]].name);
        int var = bp_var_new(p, name, -1, e->pos);
        p->vars.at[var].init = 0;
        p->vars.at[var].hidden = true;
        vec_push(&t.args, var);
    }
    vec_push(&p->threads, t);
    return (int)p->threads.len - 1;
}

static int var_expr(struct bp_program *p, int var) { return bp_expr_new(p, EXPR_VAR, var, 0, 0); }

/* The step that starts this very thread: it is the first of its group that does not run yet. */
static void spawn_step(struct linker *l, int edge, int thread, int previous, bool several)
{
    struct bp_program *p = l->to;
    const struct bp_thread *t = &p->threads.at[thread];
    const struct bp_proc *f = &p->procs.at[t->proc];
    struct bp_edge *e = &p->edges.at[edge];
    e->kind = EDGE_STEP;
    e->spawn = thread;
    int yes = bp_const(p, true);
    vec_push(&e->assigns, ((struct bp_assign){t->started, yes}));
    for (size_t i = 0; i < t->args.len; i++) {
        int value = f->from_label ? var_expr(p, f->params.at[i]) : e->args.at[i];
        vec_push(&e->assigns, ((struct bp_assign){t->args.at[i], value}));
    }
    if (!several) return;
    int free_slot = bp_expr_new(p, EXPR_NOT, var_expr(p, t->started), 0, 0);
    if (previous >= 0) free_slot = bp_and(p, free_slot, var_expr(p, p->threads.at[previous].started));
    int guard = bp_and(p, e->guard, free_slot);
    p->edges.at[edge].guard = guard;
}

static int clone_edge(struct bp_program *p, int edge)
{
    const struct bp_edge e = p->edges.at[edge];
    int id = bp_edge_new(p, e.kind, e.from, e.to, e.pos);
    struct bp_edge *c = &p->edges.at[id];
    *c = e;
    c->args = (int_list){0};
    copy_list(&c->args, &e.args);
    vec_push(&p->nodes.at[e.from].out, id);
    return id;
}

static void spawn_in_loop(struct linker *l, const struct bp_edge *e, const bool *looping, const int *component)
{
    int line = 0;
    diag_error(l->d, e->pos, "a thread is started in a loop: the number of threads has no bound");
    for (size_t i = 0; looping[e - l->to->edges.at] && i < l->to->edges.len; i++) {
        const struct bp_edge *c = &l->to->edges.at[i];
        if (looping[i] && component[c->from] == component[e->from] && (!line || c->pos.line < line)) line = c->pos.line;
    }
    if (line) diag_hint(l->d, "the loop starts at line %d; --threads N starts at most N threads here", line);
    else diag_hint(l->d, "its procedure is entered again and again; --threads N starts at most N threads here");
}

static void expand_spawn(struct linker *l, int edge, int count, bool several)
{
    int previous = -1;
    int_list edges = {0};
    vec_push(&edges, edge);
    for (int i = 1; i < count; i++) vec_push(&edges, clone_edge(l->to, edge));
    for (int i = 0; i < count; i++) {
        int thread = new_thread(l, &l->to->edges.at[edges.at[i]], (int)l->to->threads.len);
        spawn_step(l, edges.at[i], thread, previous, several);
        previous = thread;
    }
    vec_release(&edges);
}

/* Any free slot may be taken, and threads are started that have none: see struct bp_slots. */
static void expand_into_slots(struct linker *l, int edge)
{
    struct bp_program *p = l->to;
    int_list edges = {0};
    vec_push(&edges, edge);
    for (int i = 0; i < l->spawn_limit; i++) vec_push(&edges, clone_edge(p, edge));
    vec_push(&p->slots, ((struct bp_slots){(int)p->threads.len, l->spawn_limit}));
    for (int i = 0; i < l->spawn_limit; i++) {
        int thread = new_thread(l, &p->edges.at[edges.at[i]], (int)p->threads.len);
        spawn_step(l, edges.at[i], thread, -1, true);
    }
    p->edges.at[vec_last(&edges)].kind = EDGE_STEP;
    vec_release(&edges);
}

static void expand_spawns(struct linker *l)
{
    struct bp_program *p = l->to;
    size_t edges = p->edges.len;
    int *component;
    bool *looping = find_loops(p, &component);
    int *entries = count_entries(l, looping);
    for (size_t i = 0; i < edges && !l->d->full && !l->cut; i++) {
        if (p->edges.at[i].kind != EDGE_SPAWN) continue;
        int count = entries[p->nodes.at[p->edges.at[i].from].proc];
        assert(count > 0); /* what nothing calls was not copied */
        if (looping[i]) count = UNBOUNDED;
        bool limited = count >= UNBOUNDED;
        if (limited && l->spawn_limit) count = l->spawn_limit;
        if (limited && l->spawn_limit && !l->views) p->starts_limited = l->spawn_limit;
        if (count >= UNBOUNDED) spawn_in_loop(l, &p->edges.at[i], looping, component);
        else if (p->threads.len + (size_t)count > MOST_THREADS)
            diag_error(l->d, p->edges.at[i].pos, "more than %d threads", MOST_THREADS);
        else if (limited && l->views) expand_into_slots(l, (int)i);
        else expand_spawn(l, (int)i, count, count > 1 || limited);
    }
    free(looping);
    free(component);
    free(entries);
}

static void add_thread(struct linker *l, int source)
{
    struct bp_thread t = {.name = l->from->procs.at[source].name, .started = -1};
    t.proc = variant(l, source, false, NULL);
    vec_push(&l->to->threads, t);
}

static bool has_spawn(const struct bp_program *p)
{
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].kind == EDGE_SPAWN) return true;
    return false;
}

/* With a spawn anywhere main is the first thread. Otherwise all procedures called thread... are threads, after init. */
static void find_threads(struct linker *l)
{
    struct bp_program *p = l->from;
    int main_proc = find_proc(l, "main"), init = find_proc(l, "init"), threads = 0;
    struct pos nowhere = {diags_file(l->d, p->file), 1, 0};
    for (size_t i = 0; i < p->procs.len; i++) threads += !strncmp(p->procs.at[i].name, "thread", 6);
    if (has_spawn(p) || !threads) {
        if (main_proc >= 0) add_thread(l, main_proc);
        else diag_error(l->d, nowhere, "there is no procedure 'main', and none whose name starts with 'thread'");
        return;
    }
    if (main_proc >= 0 && init >= 0)
        diag_error(l->d, p->procs.at[main_proc].pos,
                   "both 'init' and 'main' beside procedures called thread...: which one runs first?");
    int first = init >= 0 ? init : main_proc;
    if (first >= 0) l->to->init = variant(l, first, false, NULL);
    for (size_t i = 0; i < p->procs.len; i++)
        if (!strncmp(p->procs.at[i].name, "thread", 6)) add_thread(l, (int)i);
    if (l->to->threads.len > MOST_THREADS) diag_error(l->d, nowhere, "more than %d threads", MOST_THREADS);
}

/* Variables, expressions and strings move over as they are; graphs are copied. */
static void take_data(struct bp_program *to, struct bp_program *from)
{
    to->file = from->file;
    to->vars.at = from->vars.at, to->vars.len = from->vars.len, to->vars.cap = from->vars.cap;
    to->exprs.at = from->exprs.at, to->exprs.len = from->exprs.len, to->exprs.cap = from->exprs.cap;
    to->numbers.at = from->numbers.at, to->numbers.len = from->numbers.len, to->numbers.cap = from->numbers.cap;
    from->numbers.at = NULL, from->numbers.len = 0;
    to->shared = from->shared;
    to->arena = from->arena;
    from->vars.at = NULL, from->exprs.at = NULL, from->shared.at = NULL;
    from->vars.len = from->exprs.len = from->shared.len = 0;
    from->arena.head = NULL;
}

static void index_procs(struct linker *l)
{
    size_t procs = l->from->procs.len, nodes = l->from->nodes.len;
    for (size_t i = procs; i-- > 0;) map_put(&l->procs, l->from->procs.at[i].name, (void *)(intptr_t)(i + 1));
    l->plain = xcalloc(procs + 1, sizeof *l->plain);
    l->inside = xcalloc(procs + 1, sizeof *l->inside);
    l->copy = xcalloc(nodes + 1, sizeof *l->copy);
    for (size_t i = 0; i < nodes; i++) l->copy[i] = -1;
}

static struct bp_program *boolprog_link(struct bp_program *source, int spawn_limit, bool views,
                                        const struct limits *limits, enum limit *cut, struct diags *d)
{
    struct linker l = {.from = source, .to = xcalloc(1, sizeof *l.to), .d = d, .spawn_limit = spawn_limit,
                       .views = views, .limits = limits};
    l.to->init = -1;
    index_procs(&l);
    resolve_names(&l);
    if (!d->errors) atomic_depths(&l);
    find_threads(&l);
    if (!d->errors) {
        take_data(l.to, source);
        for (size_t i = 0; i < l.variants.len && !stopped(&l, 0); i++) copy_proc(&l, l.variants.at[i]);
        if (!l.cut) expand_spawns(&l);
    }
    map_release(&l.procs);
    free(l.plain), free(l.inside), free(l.copy);
    vec_release(&l.depth);
    vec_release(&l.variants);
    *cut = l.cut;
    if (!d->errors && !l.cut) {
        boolprog_assert_valid(l.to);
        return l.to;
    }
    boolprog_free(l.to);
    return NULL;
}

static struct bp_program *parse(const char *file, const char *text, int spawn_limit, bool views,
                                const struct limits *limits, enum limit *cut, struct diags *d)
{
    struct bp_program *source = xcalloc(1, sizeof *source), *p = NULL;
    source->file = arena_strdup(&source->arena, file);
    *cut = boolprog_parse_procs(source, text, limits, d);
    if (!d->full && !*cut) p = boolprog_link(source, spawn_limit, views, limits, cut, d);
    boolprog_free(source);
    return p;
}

struct bp_program *boolprog_parse_within(const char *file, const char *text, int spawn_limit,
                                         const struct limits *limits, enum limit *cut, struct diags *d)
{
    return parse(file, text, spawn_limit, false, limits, cut, d);
}

struct bp_program *boolprog_parse_slots(const char *file, const char *text, int slots, const struct limits *limits)
{
    enum limit cut;
    struct diags d = {0};
    struct bp_program *p = parse(file, text, slots, true, limits, &cut, &d);
    diags_release(&d);
    return p;
}

struct bp_program *boolprog_parse(const char *file, const char *text, int spawn_limit, struct diags *d)
{
    enum limit cut;
    struct bp_program *p = boolprog_parse_within(file, text, spawn_limit, NULL, &cut, d);
    if (cut) diag_error(d, (struct pos){diags_file(d, file), 0, 0}, "interrupted");
    return p;
}
