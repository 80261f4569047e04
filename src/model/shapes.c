/* Shapes: which processes and channels a state consists of. They form a tree, because frames are a stack: a child of a
 * shape has one frame more. So equal sequences of frames are one node, and the death of a process leads to an ancestor.
 */
#include "model/driver_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static struct shape_node *node_new(struct shapes *t, struct shape_node *parent, int frame)
{
    struct shape_node *n = xcalloc(1, sizeof *n);
    n->parent = parent;
    n->frame = frame;
    n->shape.id = (u32)t->all.len;
    vec_push(&t->all, n);
    return n;
}

static struct shape_node *child_with(const struct shape_node *parent, int frame)
{
    for (size_t i = 0; i < parent->children.len; i++)
        if (parent->children.at[i]->frame == frame) return parent->children.at[i];
    return NULL;
}

static void *extended(const void *old, size_t count, size_t item, const void *last)
{
    char *p = xmalloc((count + 1) * item);
    if (count) memcpy(p, old, count * item);
    memcpy(p + count * item, last, item);
    return p;
}

/* The node of `parent` with one more frame; frame numbers below process_types are proctypes, above kinds of channels.
 */
struct shape_node *shapes_push(struct shapes *t, struct shape_node *parent, int frame)
{
    assert(frame >= 0 && frame < t->frame_kinds);
    struct shape_node *known = child_with(parent, frame), *n = known ? known : node_new(t, parent, frame);
    if (known) return known;
    const struct shape *old = &parent->shape;
    u32 id = n->shape.id;
    n->shape = *old;
    n->shape.id = id;
    n->shape.size = old->size + t->frame_sizes[frame];
    int number = frame < t->process_types ? frame : frame - t->process_types;
    u16 type = (u16)number;
    assert(type == number && n->shape.size > old->size);
    if (frame < t->process_types) {
        n->shape.process_at = extended(old->process_at, old->process_count, sizeof(u32), &old->size);
        n->shape.process_type = extended(old->process_type, old->process_count, sizeof type, &type);
        n->shape.process_count++;
    } else {
        n->shape.channel_at = extended(old->channel_at, old->channel_count, sizeof(u32), &old->size);
        n->shape.channel_kind = extended(old->channel_kind, old->channel_count, sizeof type, &type);
        n->shape.channel_count++;
    }
    vec_push(&parent->children, n);
    return n;
}

/* The shape without the youngest process and everything above it. */
struct shape_node *shapes_pop_process(struct shapes *t, struct shape_node *n)
{
    while (n->frame >= t->process_types) n = n->parent;
    assert(n->parent);
    return n->parent;
}

void shapes_init(struct shapes *t, int process_types, const u32 *frame_sizes, int kinds,
                 const struct channel_kind *kind, u32 globals_size)
{
    t->process_types = process_types;
    t->frame_kinds = process_types + kinds;
    t->frame_sizes = xcalloc((size_t)t->frame_kinds + 1, sizeof *t->frame_sizes);
    for (int i = 0; i < process_types; i++) t->frame_sizes[i] = frame_sizes[i];
    for (int i = 0; i < kinds; i++) t->frame_sizes[process_types + i] = kind[i].frame_size;
    node_new(t, NULL, -1)->shape.size = globals_size;
}

void shapes_release(struct shapes *t)
{
    for (size_t i = 0; i < t->all.len; i++) {
        struct shape_node *n = t->all.at[i];
        if (n->parent && n->shape.process_at != n->parent->shape.process_at) {
            free((void *)n->shape.process_at);
            free((void *)n->shape.process_type);
        }
        if (n->parent && n->shape.channel_at != n->parent->shape.channel_at) {
            free((void *)n->shape.channel_at);
            free((void *)n->shape.channel_kind);
        }
        vec_release(&n->children);
    }
    for (size_t i = 0; i < t->all.len; i++) free(t->all.at[i]);
    vec_release(&t->all);
    free(t->frame_sizes);
}
