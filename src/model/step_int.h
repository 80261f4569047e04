/* What generated models and the program that runs them have in common.
 *
 * This file is compiled twice: here, and as the first part of every generated model (its text is embedded in heddle),
 * so it includes nothing and uses only C that both tcc and gcc take.
 *
 * A state is  [u64 shape][globals][frame][frame]...  A frame is a process (control state, then parameters and locals)
 * or a channel (length, then slots). Frames are a stack: `run` and local channels push, the death of the youngest
 * process pops. The sequence of frames is the state's *shape*; a state names it by a number that is
 * computed from the sequence, and a table gives for each shape the offsets of its frames, so that a state needs no
 * bookkeeping of its own, and equal states are equal bytes in every run. */
#ifndef HEDDLE_STEP_H
#define HEDDLE_STEP_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef short i16;

void *memcpy(void *to, const void *from, unsigned long size);
void *memmove(void *to, const void *from, unsigned long size);
void *memset(void *to, int byte, unsigned long size);

struct packed_i16 { i16 v; } __attribute__((packed));
struct packed_u16 { u16 v; } __attribute__((packed));
struct packed_i32 { int v; } __attribute__((packed));
struct packed_u32 { u32 v; } __attribute__((packed));
struct packed_u64 { u64 v; } __attribute__((packed));

enum { FIELD_U8, FIELD_I16, FIELD_U16, FIELD_I32, FIELD_U32 };
enum {
    MOST_FRAMES = 255,    /* channels: their numbers are bytes in the state */
    MOST_FIELDS = 1024,   /* of a message */
    MOST_TYPES = 65535,   /* proctypes, and kinds of channels: two bytes in a shape */
    MOST_CONTROL = 65535, /* control states of a proctype: at most two bytes in a frame */
    NO_PID = 255,
    ROUNDS_PER_LOOK = 65536, /* jumps back inside a d_step between two questions whether to go on */
};

struct channel_field { u8 kind, bits; u16 at; }; /* at: offset in the slot */
struct channel_kind {
    u32 capacity;   /* 0: rendezvous */
    u32 slot_size, length_size, frame_size;
    u32 field_count;
    const struct channel_field *fields;
};

struct shape {
    u64 id; /* made from the frames alone: the same in every run */
    u32 size;
    u32 process_count, channel_count;
    const u32 *process_at;   /* offsets in the state, by pid */
    const u16 *process_type;
    const u32 *channel_at;   /* by channel number - 1 */
    const u16 *channel_kind;
};

struct stepping;
struct services {
    /* The state in r->next is the successor after edge `edge` of process pid. chain: the process goes on at once. */
    void (*emit)(struct stepping *r, int pid, u32 edge, int chain);
    /* A rendezvous was offered: r->next is the state after the send, r->message the message. Returns whether any
     * process took it. */
    int (*offer)(struct stepping *r, int pid, u32 edge, u32 channel);
    /* A fault with no state to go on from; message is a literal. */
    void (*fault)(struct stepping *r, int pid, u32 edge);
    int (*start)(struct stepping *r, u8 *state, int proctype);  /* pushes a zeroed frame: its pid, or -1 */
    int (*channel)(struct stepping *r, u8 *state, int kind);    /* pushes an empty channel: its number, or 0 */
    void (*die)(struct stepping *r, u8 *state, int pid);        /* pops the youngest process */
    int (*enabled)(struct stepping *r, const u8 *state, int pid);
    /* Every so many jumps back inside a d_step; `place` tells them apart. True: leave the statement, without a state.
     */
    int (*goes_round)(struct stepping *r, const u8 *state, int place);
    void (*print)(struct stepping *r, int pid, const char *format, const int *args, int count);
    void (*printm)(struct stepping *r, const char *set, int value);
    void (*truncated)(struct stepping *r, const char *name, int value, int stored);
};

/* One enumeration of steps in progress. */
struct stepping {
    const struct shape *shape;      /* of the state being expanded */
    const struct shape *next_shape; /* of the state being built */
    u8 *next;
    int timeout;
    const char *problem;            /* set by whatever went wrong while a statement was evaluated */
    int fatal;                      /* the statement has no meaning: there is no state after it */
    int last;                       /* who moved before, for _last */
    int message[MOST_FIELDS];
    const struct services *host;
    const u8 *nothing;              /* zeros, as many as the largest frame has bytes */
    u32 rounds;                     /* jumps back in this d_step so far */
};

/* A compiled model. */
typedef void step_function(struct stepping *r, const u8 *s, u32 off, int pid);
typedef void offer_function(struct stepping *r, const u8 *s, u32 off, int pid, u32 channel);
typedef int claim_function(struct stepping *r, const u8 *s, int pc, int *to);
struct code {
    step_function *const *step;    /* by proctype */
    offer_function *const *offer;
    void (*start)(struct stepping *r, u8 *state);                   /* globals and active processes */
    int (*allowed)(struct stepping *r, const u8 *s, int pid);       /* provided and priorities */
    claim_function *const *claim;  /* by proctype: only never claims have one */
    u32 globals_size;              /* with what c_state and c_track added */
    const u32 *frame_sizes;        /* by proctype */
};

static inline int hd_problem(struct stepping *r, const char *what)
{
    if (!r->fatal) r->problem = what;
    r->fatal = 1;
    return 0;
}

/* A failing assertion is reported, and the execution goes on behind it. */
static inline void hd_assert(struct stepping *r, int holds, const char *text)
{
    if (!holds && !r->problem) r->problem = text;
}

static inline u8 *hd_begin(struct stepping *r, const u8 *s)
{
    memcpy(r->next, s, r->shape->size);
    r->next_shape = r->shape;
    return r->next;
}

static inline int hd_index(struct stepping *r, int i, int length)
{
    if ((u32)i < (u32)length) return i;
    return hd_problem(r, "array index out of range");
}

static inline int hd_divide(struct stepping *r, int a, int b)
{
    if (b == 0) return hd_problem(r, "division by zero");
    return b == -1 ? (int)(0u - (u32)a) : a / b;
}

static inline int hd_modulo(struct stepping *r, int a, int b)
{
    if (b == 0) return hd_problem(r, "remainder of a division by zero");
    return b == -1 ? 0 : a % b;
}

static inline int hd_shift(int a, int by, int left)
{
    by &= 31; /* as the machine does */
    return left ? (int)((u32)a << by) : a >> by;
}

static inline int hd_load(const u8 *p, const struct channel_field *f)
{
    switch (f->kind) {
    case FIELD_I16: return ((const struct packed_i16 *)p)->v;
    case FIELD_U16: return ((const struct packed_u16 *)p)->v;
    case FIELD_I32: return ((const struct packed_i32 *)p)->v;
    case FIELD_U32: return (int)((const struct packed_u32 *)p)->v;
    }
    return *p;
}

static inline u32 hd_mask(const struct channel_field *f)
{
    return f->bits && f->bits < 32 ? (1u << f->bits) - 1 : 0xffffffffu;
}

static inline void hd_save(u8 *p, const struct channel_field *f, int value)
{
    u32 mask = hd_mask(f);
    switch (f->kind) {
    case FIELD_I16: ((struct packed_i16 *)p)->v = (i16)value; return;
    case FIELD_U16: ((struct packed_u16 *)p)->v = (u16)((u32)value & mask); return;
    case FIELD_I32: ((struct packed_i32 *)p)->v = value; return;
    case FIELD_U32: ((struct packed_u32 *)p)->v = (u32)value & mask; return;
    }
    *p = (u8)((u32)value & mask);
}

/* What is left of a value after a trip through a field. */
static inline int hd_fit(const struct channel_field *f, int value)
{
    switch (f->kind) {
    case FIELD_I16: return (i16)value;
    case FIELD_I32: return value;
    case FIELD_U16: return (int)((u32)value & hd_mask(f) & 0xffff);
    case FIELD_U32: return (int)((u32)value & hd_mask(f));
    }
    return (int)((u32)value & hd_mask(f) & 0xff);
}

/* The channel's frame in a state of the given shape, or 0 with a problem noted. */
static inline u8 *hd_channel(struct stepping *r, const struct shape *shape, const u8 *state, int number)
{
    if ((u32)(number - 1) < shape->channel_count) return (u8 *)state + shape->channel_at[number - 1];
    hd_problem(r, number ? "this channel no longer exists" : "this channel was never initialised");
    return 0;
}

static inline u32 hd_length(const u8 *frame, const struct channel_kind *k)
{
    return k->length_size == 1 ? *frame : ((const struct packed_u16 *)frame)->v;
}

static inline void hd_set_length(u8 *frame, const struct channel_kind *k, u32 length)
{
    if (k->length_size == 1) *frame = (u8)length;
    else ((struct packed_u16 *)frame)->v = (u16)length;
}

static inline u8 *hd_slot(const u8 *frame, const struct channel_kind *k, u32 slot)
{
    return (u8 *)frame + k->length_size + slot * k->slot_size;
}

static inline int hd_field(const u8 *frame, const struct channel_kind *k, u32 slot, u32 field)
{
    return hd_load(hd_slot(frame, k, slot) + k->fields[field].at, &k->fields[field]);
}

/* Where a sorted send puts the message: in front of the first that is greater. */
static inline u32 hd_sorted_slot(const u8 *frame, const struct channel_kind *k, const int *message)
{
    u32 n = hd_length(frame, k), slot = 0;
    for (; slot < n; slot++)
        for (u32 i = 0; i < k->field_count; i++) {
            int there = hd_field(frame, k, slot, i);
            if (message[i] > there) break;
            if (message[i] < there) return slot;
        }
    return slot;
}

static inline void hd_send(u8 *frame, const struct channel_kind *k, const int *message, int sorted)
{
    u32 n = hd_length(frame, k), slot = sorted ? hd_sorted_slot(frame, k, message) : n;
    u8 *p = hd_slot(frame, k, slot);
    if (slot < n) memmove(p + k->slot_size, p, (n - slot) * k->slot_size);
    for (u32 i = 0; i < k->field_count; i++) hd_save(p + k->fields[i].at, &k->fields[i], message[i]);
    hd_set_length(frame, k, n + 1);
}

static inline void hd_remove(u8 *frame, const struct channel_kind *k, u32 slot)
{
    u32 n = hd_length(frame, k);
    u8 *p = hd_slot(frame, k, slot);
    memmove(p, p + k->slot_size, (n - slot - 1) * k->slot_size);
    memset(hd_slot(frame, k, n - 1), 0, k->slot_size);
    hd_set_length(frame, k, n - 1);
}

/* The first slot (from 1) whose fields have the wanted values, looking at the oldest message only unless `any`; 0:
 * none. compare[i] says whether field i matters. Fields that the messages do not have are not compared. */
static inline u32 hd_find(const u8 *frame, const struct channel_kind *k, int any, u32 count, const u8 *compare,
                          const int *wanted)
{
    u32 n = hd_length(frame, k);
    if (count > k->field_count) count = k->field_count;
    for (u32 slot = 0; slot < n && (any || slot == 0); slot++) {
        u32 i = 0;
        while (i < count && (!compare[i] || hd_field(frame, k, slot, i) == wanted[i])) i++;
        if (i == count) return slot + 1;
    }
    return 0;
}

static inline int hd_goes_round(struct stepping *r, const u8 *state, int place)
{
    return ++r->rounds % ROUNDS_PER_LOOK == 0 && r->host->goes_round(r, state, place);
}

/* ---- channels that are named by a number; `kinds` is the model's table ---- */

static inline const struct channel_kind *hd_kind(const struct channel_kind *kinds, const struct shape *h, int channel)
{
    return &kinds[h->channel_kind[channel - 1]];
}

static inline int hd_channel_length(struct stepping *r, const struct channel_kind *kinds, const struct shape *h,
                                    const u8 *s, int c)
{
    u8 *f = hd_channel(r, h, s, c);
    return f ? (int)hd_length(f, hd_kind(kinds, h, c)) : 0;
}

static inline int hd_channel_full(struct stepping *r, const struct channel_kind *kinds, const struct shape *h,
                                  const u8 *s, int c)
{
    u8 *f = hd_channel(r, h, s, c);
    if (!f) return 0;
    const struct channel_kind *k = hd_kind(kinds, h, c);
    return k->capacity && hd_length(f, k) >= k->capacity;
}

static inline int hd_channel_poll(struct stepping *r, const struct channel_kind *kinds, const struct shape *h,
                                  const u8 *s, int c, int any, u32 count, const u8 *compare, const int *wanted)
{
    u8 *f = hd_channel(r, h, s, c);
    if (!f) return 0;
    const struct channel_kind *k = hd_kind(kinds, h, c);
    if (k->capacity == 0) return hd_problem(r, "a rendezvous channel cannot be polled");
    if (!hd_find(f, k, any, count, compare, wanted)) return 0;
    return k->field_count < count ? hd_problem(r, "too many message fields") : 1;
}

/* ---- other processes; a frame begins with the control state, then the priority if the model has any ---- */

static inline int hd_pc(const struct shape *h, const u8 *s, int pid, u32 pc_size)
{
    if ((u32)pid >= h->process_count) return 0;
    const u8 *frame = s + h->process_at[pid];
    return pc_size == 1 ? *frame : ((const struct packed_u16 *)frame)->v;
}

static inline int hd_first_of(const struct shape *h, int type)
{
    for (u32 i = 0; i < h->process_count; i++)
        if (h->process_type[i] == type) return (int)i;
    return -1;
}

static inline int hd_is_of(const struct shape *h, int type, int pid)
{
    return (u32)pid < h->process_count && h->process_type[pid] == type;
}

static inline int hd_remote_pc(const struct shape *h, const u8 *s, int type, int pid, u32 pc_size)
{
    return hd_is_of(h, type, pid) ? hd_pc(h, s, pid, pc_size) : 0;
}

static inline const u8 *hd_remote_frame(struct stepping *r, const struct shape *h, const u8 *s, int type, int pid)
{
    return hd_is_of(h, type, pid) ? s + h->process_at[pid] : r->nothing;
}

static inline int hd_priority(const struct shape *h, const u8 *s, int pid, u32 pc_size)
{
    return (u32)pid < h->process_count ? s[h->process_at[pid] + pc_size] : 0;
}

static inline void hd_set_priority(struct stepping *r, u8 *n, int pid, int value, u32 pc_size)
{
    if ((u32)pid >= r->next_shape->process_count) return;
    if (value < 1 || value > 255) hd_problem(r, "priority out of range");
    else n[r->next_shape->process_at[pid] + pc_size] = (u8)value;
}

#endif
