/* The parts of a state, and which of them a step can touch.
 *
 * A search that knows what a step depends on need not make it twice: in two states that agree in the parts which decide
 * it, it is the same step (footprint.c has what statements touch). */
#include "model/footprint_int.h"

#include <assert.h>

enum {
    GLOBAL_PIECE = 4, /* bytes of small global variables, or of elements of an array, that make a part */
    FRAME_PIECE = 64,
    MOST_PIECES = 256, /* of one variable or frame */
};

static u32 piece_for(u32 size, u32 least) { return MAX(least, (size + MOST_PIECES - 1) / MOST_PIECES); }

static void add_part(part_list *to, u32 at, u32 size, int owner)
{
    assert(!to->len || vec_last(to).at + vec_last(to).size == at);
    if (size) vec_push(to, ((struct model_part){at, size, owner}));
}

void parts_of_frame(part_list *to, u32 at, u32 size, int owner)
{
    u32 piece = piece_for(size, FRAME_PIECE);
    for (u32 done = 0; done < size; done += piece) add_part(to, at + done, MIN(piece, size - done), owner);
}

/* An array is cut between its elements. */
static void add_variable(part_list *to, const struct placing *v)
{
    u32 piece = piece_for(v->size, GLOBAL_PIECE), element = MAX(v->element_size, 1u);
    piece = MAX(piece / element, 1u) * element;
    for (u32 done = 0; done < v->size; done += piece)
        add_part(to, v->offset + done, MIN(piece, v->size - done), MODEL_NOBODY);
}

/* The first part says which frames there are. Where C code of the user's adds to the globals, their layout is the
 * compiler's. */
void parts_of_globals(const struct promela_model *m, part_list *to)
{
    u32 end = m->code->globals_size;
    add_part(to, 0, sizeof(u64), MODEL_NOBODY);
    if (!m->program->uses_c_code)
        for (size_t i = 0; i < m->program->globals.len; i++) {
            const struct placing *v = placing_of(m->program->globals.at[i]);
            u32 at = vec_last(to).at + vec_last(to).size;
            assert(v->offset >= at && v->offset + v->size <= end);
            add_part(to, at, v->offset - at, MODEL_NOBODY);
            add_variable(to, v);
        }
    u32 at = vec_last(to).at + vec_last(to).size;
    parts_of_frame(to, at, end - at, MODEL_NOBODY);
}

uint32_t state_parts(struct model *base, const uint8_t *state, const struct model_part **parts)
{
    const struct shape_node *n = (const struct shape_node *)state_shape(model_of(base), state);
    *parts = n->parts;
    return n->part_count;
}

static bool touches_globals(const struct footprint *f, const struct model_part *p)
{
    for (u32 byte = p->at; byte < p->at + p->size; byte++)
        if ((f->reads[byte / 64] | f->writes[byte / 64]) >> byte % 64 & 1) return true;
    return false;
}

/* The channel whose frame has the part, by its number; 0: none. */
static int channel_of(const struct shape *h, const struct model_part *p)
{
    for (u32 i = h->channel_count; i-- > 0;)
        if (h->channel_at[i] <= p->at) return p->owner == MODEL_NOBODY ? (int)i + 1 : 0;
    return 0;
}

static bool is_among(const struct channel_ref *r, int number)
{
    return !r->count || (number >= r->number && number < r->number + r->count);
}

static bool touches_channel(const struct moment *t, const struct footprint *f, int pid, int number)
{
    for (size_t i = 0; i < f->channels.len; i++) {
        struct channel_ref r = channel_resolve(t, &f->channels.at[i].ref, pid);
        if (is_among(&r, number)) return true;
    }
    return false;
}

/* A step that meets another process. */
static bool may_meet(const struct moment *t, const struct footprint *f, int pid)
{
    for (size_t i = 0; i < f->channels.len; i++) {
        struct channel_ref r = channel_resolve(t, &f->channels.at[i].ref, pid);
        if (!(f->channels.at[i].ops & OP_SENDS)) continue;
        for (u32 k = 0; k < t->shape->channel_count; k++)
            if (is_among(&r, (int)k + 1) && !t->m->layout.kinds.at[t->shape->channel_kind[k]].capacity) return true;
    }
    return false;
}

/* Where processes are, the channels that they know, and how full these are. */
int state_independence_parts(struct model *base, const uint8_t *state, uint32_t *numbers)
{
    struct promela_model *m = model_of(base);
    const struct shape_node *n = (const struct shape_node *)state_shape(m, state);
    int count = 0;
    for (u32 i = 0; i < n->part_count; i++)
        if (!i || n->parts[i].at + n->parts[i].size > m->layout.globals_size) numbers[count++] = i;
    return count;
}

int state_touched(struct model *base, const uint8_t *state, int pid, uint32_t *numbers)
{
    struct promela_model *m = model_of(base);
    const struct independence *d = m->independence;
    struct moment t = {m, state_shape(m, state), state};
    if (!d->possible || d->traces || m->restricted) return -1;
    const struct footprint *f = &d->next[t.shape->process_type[pid]][state_pc(m, t.shape, state, pid)];
    if (f->runs || may_meet(&t, f, pid)) return -1;
    bool may_die = f->ends && pid == (int)t.shape->process_count - 1; /* with the frames above its own */
    const struct shape_node *n = (const struct shape_node *)t.shape;
    int count = 0;
    for (u32 i = 0; i < n->part_count; i++) {
        const struct model_part *p = &n->parts[i];
        int channel = channel_of(t.shape, p);
        bool global = p->at + p->size <= m->layout.globals_size;
        bool touched = !i || p->owner == pid || (may_die && p->at >= t.shape->process_at[pid]) ||
                       (global && touches_globals(f, p)) || (channel && touches_channel(&t, f, pid, channel));
        if (touched) numbers[count++] = i;
    }
    return count;
}
