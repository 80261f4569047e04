/* A compiled model as searches see it: made of a program, and asked about its states. stepper.c takes the steps. */
#include "model/driver_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int process_count(struct model *base, const uint8_t *state)
{
    return (int)state_shape(model_of(base), state)->process_count;
}

static int process_type(struct model *base, const uint8_t *state, int pid)
{
    assert_costly(pid >= 0 && pid < (int)state_shape(model_of(base), state)->process_count);
    return state_shape(model_of(base), state)->process_type[pid];
}

static int control_state(struct model *base, const uint8_t *state, int pid)
{
    struct stepper *m = (struct stepper *)base;
    assert_costly(pid >= 0 && pid < (int)state_shape(m->model, state)->process_count);
    return state_pc(m->model, state_shape(m->model, state), state, pid);
}

/* A trace automaton must have seen everything that it waits for. */
static bool event_may_end(const struct promela_model *m, const u8 *state)
{
    if (!m->layout.event_offset) return true;
    int event = ((const struct packed_u16 *)(state + m->layout.event_offset))->v;
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        enum proctype_kind kind = m->program->proctypes.at[i]->kind;
        assert((kind != PROC_TRACE && kind != PROC_NOTRACE) || (event > 0 && event < m->flow.automata.at[i].count));
        if (kind == PROC_TRACE || kind == PROC_NOTRACE) return m->flow.automata.at[i].at[event].end;
    }
    return true;
}

static bool valid_end(struct model *base, const uint8_t *state)
{
    const struct promela_model *m = model_of(base);
    const struct shape *h = state_shape(m, state);
    for (u32 i = 0; i < h->process_count; i++)
        if (!m->flow.automata.at[h->process_type[i]].at[state_pc(m, h, state, (int)i)].end) return false;
    return h->process_count == 0 || event_may_end(m, state);
}

static const struct transition *transition(struct model *base, uint32_t id)
{
    assert(id < model_of(base)->transition_count);
    return &model_of(base)->transitions[id];
}

static const char *proctype_name(struct model *base, int type)
{
    assert(type >= 0 && (size_t)type < model_of(base)->program->proctypes.len);
    return model_of(base)->program->proctypes.at[type]->name;
}

static const char *output(struct model *base) { return str_get(&((struct stepper *)base)->output); }

static bool is_reached(const struct promela_model *m, const struct automaton *a, int state)
{
    const u8 *reached = m->reached[a->proctype->index];
    if (reached[state]) return true;
    for (int c = 1; c < a->count; c++) /* the first statement of an option is tried wherever the selection is */
        for (size_t k = 0; k < a->at[c].edges.len; k++)
            if (reached[c] && a->at[c].edges.at[k].from == state) return true;
    return false;
}

/* What this thread has reached counts for the model. */
static void add_reached(struct stepper *m)
{
    struct promela_model *all = m->model;
    pthread_mutex_lock(&all->adding_reached);
    for (size_t i = 0; i < all->flow.automata.len; i++)
        for (int c = 0; c < all->flow.automata.at[i].count; c++) all->reached[i][c] |= m->reached[i][c];
    pthread_mutex_unlock(&all->adding_reached);
}

static void unreached(struct model *base, value_fn *fn, void *ctx)
{
    struct promela_model *m = model_of(base);
    add_reached((struct stepper *)base);
    struct str line = {0};
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        if (a->proctype->kind != PROC_PROCTYPE && a->proctype->kind != PROC_INIT) continue;
        for (int c = 1; c < a->count; c++) {
            if (!a->at[c].needs_reaching || is_reached(m, a, c)) continue;
            line.len = 0;
            str_printf(&line, "%s:%d, state %d, \"%s\"", path_basename(m->transitions ? m->program->path : ""),
                       a->at[c].pos.line, c, a->at[c].text);
            fn(ctx, a->proctype->name, str_get(&line));
        }
    }
    str_release(&line);
}

static void save(struct model *base, struct archive *a)
{
    struct promela_model *m = model_of(base);
    add_reached((struct stepper *)base);
    if (!a) return;
    archive_put_word(a, m->code_hash);
    shapes_save(&m->shapes, a);
    for (size_t i = 0; i < m->flow.automata.len; i++)
        archive_put(a, m->reached[i], (size_t)m->flow.automata.at[i].count);
    archive_put_word(a, base->max_state);
    archive_put_word(a, base->met_inside);
}

static bool load(struct model *base, struct archive *a)
{
    struct promela_model *m = model_of(base);
    if (archive_get_word(a) != m->code_hash || !shapes_load(&m->shapes, a)) return false;
    for (size_t i = 0; i < m->flow.automata.len; i++)
        for (int c = 0; c < m->flow.automata.at[i].count; c++) {
            uint8_t reached_then = 0;
            archive_get(a, &reached_then, 1);
            m->reached[i][c] |= reached_then;
        }
    uint32_t largest = (uint32_t)archive_get_below(a, (uint64_t)MODEL_MOST_STATE + 1);
    base->max_state = MAX(base->max_state, largest);
    base->met_inside |= archive_get_word(a) != 0;
    return !archive_is_bad(a);
}

static size_t reached(struct model *base, uint8_t *bytes, size_t room)
{
    struct promela_model *m = model_of(base);
    size_t at = 0;
    add_reached((struct stepper *)base);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        size_t count = (size_t)m->flow.automata.at[i].count;
        if (at + count <= room) memcpy(bytes + at, m->reached[i], count);
        at += count;
    }
    return at;
}

static void add_reached_elsewhere(struct model *base, const uint8_t *bytes, size_t count)
{
    struct promela_model *m = model_of(base);
    assert(count == reached(base, NULL, 0));
    for (size_t i = 0; i < m->flow.automata.len; i++)
        for (int c = 0; c < m->flow.automata.at[i].count; c++) m->reached[i][c] |= *bytes++;
}

static size_t explain(struct model *base, const uint8_t *state, uint8_t *bytes, size_t room)
{
    return shapes_frames(state_shape(model_of(base), state), bytes, room);
}

static bool understand(struct model *base, const uint8_t *bytes, size_t count)
{
    return shapes_make(&model_of(base)->shapes, bytes, count);
}

static void model_free(struct promela_model *m)
{
    if (m->loader) loader_free(m->loader);
    free(m->nothing);
    if (m->shapes.root) shapes_release(&m->shapes);
    independence_release(m);
    layout_release(&m->layout);
    flow_release(&m->flow);
    arena_release(&m->arena);
    promela_free(m->program);
    pthread_mutex_destroy(&m->adding_reached);
    free(m);
}

static void free_stepper(struct model *base)
{
    struct stepper *m = (struct stepper *)base;
    struct promela_model *model = m->first ? m->model : NULL;
    if (m->reached) {
        if (!m->base.apart) add_reached(m);
        for (size_t i = 0; i < m->model->flow.automata.len; i++) free(m->reached[i]);
        free(m->reached);
    }
    stepper_release(m);
    free(m);
    if (model) model_free(model);
}

static struct stepper *stepper_new(struct promela_model *model);

/* C code of the user's has variables that there is only one of. */
static struct model *another(struct model *base)
{
    struct promela_model *model = model_of(base);
    if (model->program->uses_c_code) return NULL;
    struct model *m = &stepper_new(model)->base;
    m->max_state = base->max_state;
    return m;
}

static const struct model_ops ops = {.initial = stepper_initial,
                                     .successors = stepper_successors,
                                     .first_statements = stepper_first_statements,
                                     .process_count = process_count,
                                     .valid_end = valid_end,
                                     .transition = transition,
                                     .proctype_name = proctype_name,
                                     .process_type = process_type,
                                     .values = model_values,
                                     .want_output = stepper_want_output,
                                     .output = output,
                                     .unreached = unreached,
                                     .free = free_stepper,
                                     .another = another,
                                     .control_state = control_state,
                                     .claim_count = claim_count,
                                     .claim_name = claim_name,
                                     .claim_initial = claim_initial,
                                     .claim_states = claim_states,
                                     .claim_width = claim_width,
                                     .claim_accepts = claim_accepts,
                                     .claim_at_end = claim_at_end,
                                     .claim_step = claim_step,
                                     .accepts = state_accepts,
                                     .progresses = state_progresses,
                                     .commutes = state_commutes,
                                     .independent = state_independent,
                                     .independence_parts = state_independence_parts,
                                     .places = model_places,
                                     .place = state_place,
                                     .hinders = place_hinders,
                                     .invisible = state_invisible,
                                     .may_depend = state_may_depend,
                                     .parts = state_parts,
                                     .touched = state_touched,
                                     .reached = reached,
                                     .add_reached = add_reached_elsewhere,
                                     .explain = explain,
                                     .understand = understand,
                                     .save = save,
                                     .load = load};

/* ---- making one ---- */

static void list_transitions(struct promela_model *m, struct diags *diags)
{
    m->transition_count = (u32)m->flow.edge_count;
    m->transitions = arena_alloc(&m->arena, (size_t)m->flow.edge_count * sizeof *m->transitions);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        for (int c = 1; c < a->count; c++)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                const struct edge *e = &a->at[c].edges.at[k];
                assert(e->id >= 0 && e->id < m->flow.edge_count && !m->transitions[e->id].file); /* its own number */
                m->transitions[e->id] =
                    (struct transition){.proctype = (int)i,
                                        .from = c,
                                        .to = e->to,
                                        .spin_id = e->spin_id,
                                        .line = e->pos.line,
                                        .text = e->text,
                                        .keeps_atomic = e->keeps_atomic,
                                        .file = arena_strdup(&m->arena, diags_file_name(diags, e->pos.file))};
            }
    }
}

bool model_is_over(struct promela_model *m)
{
    enum { LOOKS_PER_MEMORY_LOOK = 256 };
    if (m->over) return true;
    bool memory = ++m->looks % LOOKS_PER_MEMORY_LOOK == 0;
    m->limit = memory ? limits_reached_memory(m->limits) : limits_reached(m->limits);
    return m->over = m->limit != LIMIT_NONE;
}

static bool is_complete(struct promela_model *m, const struct model_options *options, struct diags *diags)
{
    if (!model_is_over(m)) return true;
    if (options->reached) *options->reached = m->limit;
    diag_error(diags, (struct pos){.file = diags_file(diags, m->program->path)}, "stopped while the model was built");
    return false;
}

static bool translate(struct promela_model *m, const struct model_options *options, struct diags *diags,
                      struct str *text)
{
    if (!flow_build(m->program, &m->flow, diags)) return false;
    if (layout_build(m->program, &m->flow, &m->layout, diags)) return false;
    if (CHECKS_EVERYTHING) assert_layout(m->program, &m->flow, &m->layout);
    m->without = options->without | (options->exact ? ANALYSIS_DEAD | ANALYSIS_MERGING : 0);
    merging_build(m, m->program, &m->flow, &m->layout, m->without, &m->arena, &m->merging);
    if (CHECKS_EVERYTHING) assert_merging(m->program, &m->flow, &m->layout, &m->merging);
    struct generator g = {.program = m->program, .flow = &m->flow, .layout = &m->layout, .merging = &m->merging,
                          .warn = options->warn};
    generate_model(&g);
    *text = g.out;
    return true;
}

static bool compile(struct promela_model *m, const struct model_options *options, struct diags *diags, const char *text)
{
    const char *error = NULL;
    struct loading how = {.background = !options->no_compiler, .cache = options->cache};
    m->loader = loader_new(text, m->program->uses_c_code, how, options->limits, &error, &m->arena);
    if (!m->loader) {
        diag_error(diags, (struct pos){.file = diags_file(diags, m->program->path)}, "%s", error);
        return false;
    }
    m->code = loader_code(m->loader);
    m->code_hash = hash_bytes(text, strlen(text), 0);
    if (CHECKS_EVERYTHING) assert_code(m);
    return true;
}

static bool check_initial(struct stepper *m, struct diags *diags)
{
    u8 *state = xmalloc(m->model->buffer_size);
    stepper_initial(&m->base, state);
    if (CHECKS_EVERYTHING && !m->run.fatal) assert_state(m->model, state, m->base.max_state);
    free(state);
    if (!m->run.fatal) return true;
    diag_error(diags, (struct pos){.file = diags_file(diags, m->model->program->path)}, "in the initial values: %s",
               m->run.problem);
    return false;
}

/* The largest state that the processes and channels of the model can make, or that is allowed. */
static u32 largest_state(const struct promela_model *m, u32 *largest_frame)
{
    u32 process = 0, channel = 0;
    for (size_t i = 0; i < m->program->proctypes.len; i++) process = MAX(process, m->code->frame_sizes[i]);
    for (size_t i = 0; i < m->layout.kinds.len; i++) channel = MAX(channel, m->layout.kinds.at[i].frame_size);
    *largest_frame = process;
    uint64_t all = m->code->globals_size + (uint64_t)MODEL_MOST_PROCESSES * process + (uint64_t)MOST_FRAMES * channel;
    return (u32)MIN(all, (uint64_t)MODEL_MOST_STATE);
}

/* c_state and c_track add what only the compiler knows the size of. */
static bool check_sizes(struct promela_model *m, struct diags *diags)
{
    uint64_t all = m->code->globals_size;
    for (size_t i = 0; i < m->layout.global_channels.len; i++)
        all += m->layout.kinds.at[m->layout.global_channels.at[i]].frame_size;
    if (all <= MODEL_MOST_STATE) return true;
    diag_error(diags, (struct pos){.file = diags_file(diags, m->program->path)},
               "a state of this model has more than %d bytes", (int)MODEL_MOST_STATE);
    return false;
}

static u8 **reached_new(const struct promela_model *m)
{
    u8 **reached = xcalloc(m->flow.automata.len + 1, sizeof *reached);
    for (size_t i = 0; i < m->flow.automata.len; i++)
        reached[i] = xcalloc((size_t)m->flow.automata.at[i].count + 1, 1);
    return reached;
}

static struct stepper *stepper_new(struct promela_model *model)
{
    struct stepper *m = xcalloc(1, sizeof *m);
    m->base.ops = &ops;
    m->base.transition_count = model->transition_count;
    m->base.uses_timeout = model->program->uses_timeout;
    m->base.is_portable = !model->program->uses_c_code; /* which may keep addresses */
    m->reached = reached_new(model);
    stepper_init(m, model);
    return m;
}

static bool goes_back_inside(const struct promela_model *m, const struct automaton *a, int c, const bool *ends)
{
    for (size_t k = 0; k < a->at[c].edges.len; k++) {
        const struct edge *e = &a->at[c].edges.at[k];
        bool goes_on = e->to && (e->keeps_atomic || m->merging.transient[a->proctype->index][e->to]);
        if (goes_on && !ends[e->to]) return true;
    }
    return false;
}

/* enabled() counts how deep it is asked, and C code may have effects. */
static void find_ends(struct promela_model *m)
{
    bool possible = !m->program->uses_enabled && !m->program->uses_c_code;
    m->ends = arena_alloc(&m->arena, m->flow.automata.len * sizeof *m->ends);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        bool *ends = m->ends[i] = arena_alloc(&m->arena, (size_t)a->count * sizeof *ends);
        for (bool changed = possible; changed;) {
            changed = false;
            for (int c = a->count - 1; c > 0; c--)
                if (!ends[c] && !goes_back_inside(m, a, c, ends)) ends[c] = changed = true;
        }
    }
}

static void prepare_run(struct promela_model *m)
{
    u32 largest_frame;
    m->buffer_size = largest_state(m, &largest_frame);
    m->restricted = m->program->uses_provided || m->program->uses_priority;
    m->nothing = xcalloc(1, largest_frame);
    part_list globals = {0};
    parts_of_globals(m, &globals);
    shapes_init(&m->shapes, (int)m->program->proctypes.len, m->code->frame_sizes, (int)m->layout.kinds.len,
                m->layout.kinds.at, &globals);
    m->reached = arena_alloc(&m->arena, m->flow.automata.len * sizeof *m->reached);
    for (size_t i = 0; i < m->flow.automata.len; i++)
        m->reached[i] = arena_alloc(&m->arena, (size_t)m->flow.automata.at[i].count);
    find_ends(m);
}

struct model *promela_model(struct program *p, const struct model_options *options, struct diags *diags)
{
    double started = seconds_now();
    struct promela_model *m = xcalloc(1, sizeof *m);
    struct str text = {0};
    m->program = p;
    m->limits = options->limits;
    pthread_mutex_init(&m->adding_reached, NULL);
    bool good = translate(m, options, diags, &text) && is_complete(m, options, diags) &&
                compile(m, options, diags, str_get(&text)) && is_complete(m, options, diags);
    str_release(&text);
    good = good && check_sizes(m, diags);
    if (!good) {
        model_free(m);
        return NULL;
    }
    prepare_run(m);
    list_transitions(m, diags);
    independence_build(m);
    if (!is_complete(m, options, diags)) {
        model_free(m);
        return NULL;
    }
    if (CHECKS_EVERYTHING) assert_independence(m);
    claims_list(m);
    struct stepper *first = stepper_new(m);
    first->first = true;
    if (!check_initial(first, diags)) {
        free_stepper(&first->base);
        return NULL;
    }
    first->base.compile_seconds = seconds_now() - started;
    return &first->base;
}

void promela_print_automata(struct program *p, FILE *out, struct diags *diags)
{
    struct flow flow = {0};
    if (flow_build(p, &flow, diags)) flow_print(&flow, out);
    flow_release(&flow);
}

void promela_print_c(struct program *p, const struct model_options *options, FILE *out, struct diags *diags)
{
    struct promela_model m = {.program = p};
    struct str text = {0};
    if (translate(&m, options, diags, &text)) fputs(str_get(&text), out);
    str_release(&text);
    layout_release(&m.layout);
    flow_release(&m.flow);
    arena_release(&m.arena);
}
