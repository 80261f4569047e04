/* Shapes: which processes and channels a state consists of. They form a tree, because frames are a stack: a child of a
 * shape has one frame more. So equal sequences of frames are one node, and the death of a process leads to an ancestor.
 */
#include "model/driver_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Two sequences with one number would be taken for each other. With 64 bits that does not happen; if it does, nothing
 * is claimed. */
static void add_to_bucket(struct shapes *t, struct shape_node *n)
{
    if (shapes_find(t, n->shape.id)) BUG("two shapes of states have the number %llx", n->shape.id);
    struct shape_node **bucket = &t->bucket[n->shape.id % SHAPE_BUCKETS];
    n->same_bucket = *bucket;
    __atomic_store_n(bucket, n, __ATOMIC_RELEASE);
}

static struct shape_node *node_new(struct shape_node *parent, int frame)
{
    struct shape_node *n = xcalloc(1, sizeof *n);
    n->parent = parent;
    n->frame = frame;
    u64 from[] = {parent ? parent->shape.id : 0, (u64)frame};
    n->shape.id = parent ? hash_bytes(from, sizeof from, 0) : 0;
    assert(!parent == (frame < 0));
    return n;
}

const struct shape *shapes_find(const struct shapes *t, u64 id)
{
    const struct shape_node *n = __atomic_load_n(&t->bucket[id % SHAPE_BUCKETS], __ATOMIC_ACQUIRE);
    while (n && n->shape.id != id) n = n->same_bucket;
    return n ? &n->shape : NULL;
}

static struct shape_node *child_with(const struct shape_node *parent, int frame)
{
    struct shape_node *n = __atomic_load_n(&parent->first_child, __ATOMIC_ACQUIRE);
    while (n && n->frame != frame) n = n->sibling;
    return n;
}

static void *extended(const void *old, size_t count, size_t item, const void *last)
{
    char *p = xmalloc((count + 1) * item);
    if (count) memcpy(p, old, count * item);
    memcpy(p + count * item, last, item);
    return p;
}

static struct shape_node *make_child(struct shapes *t, struct shape_node *parent, int frame)
{
    struct shape_node *n = node_new(parent, frame);
    const struct shape *old = &parent->shape;
    u64 id = n->shape.id;
    n->shape = *old;
    n->shape.id = id;
    n->shape.size = old->size + t->frame_sizes[frame];
    int number = frame < t->process_types ? frame : frame - t->process_types;
    u16 type = (u16)number;
    assert(type == number && n->shape.size > old->size);
    part_list parts = {0};
    for (u32 i = 0; i < parent->part_count; i++) vec_push(&parts, parent->parts[i]);
    int owner = frame < t->process_types ? (int)old->process_count : MODEL_NOBODY;
    parts_of_frame(&parts, old->size, t->frame_sizes[frame], owner);
    n->parts = parts.at;
    n->part_count = (u32)parts.len;
    if (frame < t->process_types) {
        n->shape.process_at = extended(old->process_at, old->process_count, sizeof(u32), &old->size);
        n->shape.process_type = extended(old->process_type, old->process_count, sizeof type, &type);
        n->shape.process_count++;
    } else {
        n->shape.channel_at = extended(old->channel_at, old->channel_count, sizeof(u32), &old->size);
        n->shape.channel_kind = extended(old->channel_kind, old->channel_count, sizeof type, &type);
        n->shape.channel_count++;
    }
    assert(n->shape.process_count + n->shape.channel_count == old->process_count + old->channel_count + 1);
    assert(n->shape.size <= MODEL_MOST_STATE);
    add_to_bucket(t, n);
    n->sibling = parent->first_child;
    __atomic_store_n(&parent->first_child, n, __ATOMIC_RELEASE);
    return n;
}

/* The node of `parent` with one more frame; frame numbers below process_types are proctypes, above kinds of channels.
 */
struct shape_node *shapes_push(struct shapes *t, struct shape_node *parent, int frame)
{
    assert(frame >= 0 && frame < t->frame_kinds);
    struct shape_node *n = child_with(parent, frame);
    if (n) return n;
    pthread_mutex_lock(&t->adding);
    n = child_with(parent, frame);
    if (!n) n = make_child(t, parent, frame);
    pthread_mutex_unlock(&t->adding);
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
                 const struct channel_kind *kind, part_list *globals)
{
    assert(!t->root && process_types > 0 && globals->len);
    assert(globals->at[0].size == sizeof(u64)); /* the number of the shape is in front */
    t->process_types = process_types;
    t->frame_kinds = process_types + kinds;
    t->frame_sizes = xcalloc((size_t)t->frame_kinds + 1, sizeof *t->frame_sizes);
    for (int i = 0; i < process_types; i++) t->frame_sizes[i] = frame_sizes[i];
    for (int i = 0; i < kinds; i++) t->frame_sizes[process_types + i] = kind[i].frame_size;
    pthread_mutex_init(&t->adding, NULL);
    t->root = node_new(NULL, -1);
    t->root->shape.size = vec_last(globals).at + vec_last(globals).size;
    t->root->parts = globals->at;
    t->root->part_count = (u32)globals->len;
    add_to_bucket(t, t->root);
}

/* In the order of a tree: parents come first. */
static const struct shape_node *next_node(const struct shape_node *n)
{
    if (n->first_child) return n->first_child;
    while (n && !n->sibling) n = n->parent;
    return n ? n->sibling : NULL;
}

void shapes_save(const struct shapes *t, struct archive *a)
{
    uint64_t count = 0;
    for (const struct shape_node *n = next_node(t->root); n; n = next_node(n)) count++;
    archive_put_word(a, count);
    for (const struct shape_node *n = next_node(t->root); n; n = next_node(n)) {
        archive_put_word(a, n->parent->shape.id);
        archive_put_word(a, (uint64_t)n->frame);
    }
}

bool shapes_load(struct shapes *t, struct archive *a)
{
    uint64_t count = archive_get_word(a);
    for (uint64_t i = 0; i < count; i++) {
        struct shape_node *parent = (struct shape_node *)shapes_find(t, archive_get_word(a));
        uint64_t frame = archive_get_below(a, (uint64_t)t->frame_kinds);
        if (archive_is_bad(a) || !parent || parent->shape.size + t->frame_sizes[frame] > MODEL_MOST_STATE) return false;
        shapes_push(t, parent, (int)frame);
    }
    return !archive_is_bad(a);
}

size_t shapes_frames(const struct shape *shape, u8 *bytes, size_t room)
{
    size_t count = 0, i = 0;
    for (const struct shape_node *n = (const struct shape_node *)shape; n->parent; n = n->parent) count++;
    for (const struct shape_node *n = (const struct shape_node *)shape; n->parent; n = n->parent, i++) {
        u32 frame = (u32)n->frame;
        size_t at = (count - 1 - i) * sizeof frame;
        if (at + sizeof frame <= room) memcpy(bytes + at, &frame, sizeof frame);
    }
    return count * sizeof(u32);
}

bool shapes_make(struct shapes *t, const u8 *bytes, size_t count)
{
    struct shape_node *n = t->root;
    for (u32 frame; count >= sizeof frame; bytes += sizeof frame, count -= sizeof frame) {
        memcpy(&frame, bytes, sizeof frame);
        if (frame >= (u32)t->frame_kinds || n->shape.size + t->frame_sizes[frame] > MODEL_MOST_STATE) return false;
        n = shapes_push(t, n, (int)frame);
    }
    return !count;
}

static void free_node(struct shape_node *n)
{
    if (n->parent && n->shape.process_at != n->parent->shape.process_at) {
        free((void *)n->shape.process_at);
        free((void *)n->shape.process_type);
    }
    if (n->parent && n->shape.channel_at != n->parent->shape.channel_at) {
        free((void *)n->shape.channel_at);
        free((void *)n->shape.channel_kind);
    }
    free(n->parts);
    free(n);
}

/* Children first: a node owns the tables that it does not share with its parent. */
void shapes_release(struct shapes *t)
{
    struct shape_node *n = t->root;
    while (n) {
        if (n->first_child) {
            n = n->first_child;
            continue;
        }
        struct shape_node *parent = n->parent;
        assert(!parent || parent->first_child == n);
        if (parent) parent->first_child = n->sibling;
        free_node(n);
        n = parent;
    }
    pthread_mutex_destroy(&t->adding);
    free(t->frame_sizes);
}
