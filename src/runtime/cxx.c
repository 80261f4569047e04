/* A function for each row of cxx.h. What is known of the layout of lists, trees, strings and streams is that of
 * libstdc++, which is part of its ABI. */
#include "runtime/announce_int.h"

enum { is_done = false }; /* all accesses are announced before the library runs */

#include "runtime/cxx.h"

enum { POINTER = sizeof(void *), OBJECT = 16 };

/* ---- promises ---- */

/* A list element with a weak pointer to the shared state: its virtual table, its result, and whether it is ready. The
 * control block has a virtual table and the number of its owners. */
struct make_ready { void (*call)(void *); void *next; char *state, *control; };

static void makes_ready(const struct make_ready *m)
{
    struct thread *t = rt.self;
    struct ready r = {(uintptr_t)m->state + 2 * POINTER, (uintptr_t)m->control + POINTER};
    if (t->ready_count < ARRAY_LEN(t->ready)) t->ready[t->ready_count++] = r;
    else rt_release(r.status); /* what the thread does from here to its end is not released */
}

#define MAKES_READY(m) makes_ready(m);

/* ---- lists ---- */

struct list_node { struct list_node *next, *previous; };

static void write_links(struct list_node *n, uintptr_t pc)
{
    W(&n->previous->next, POINTER)
    W(&n->next->previous, POINTER)
    W(n, sizeof *n)
}

static void hook(struct list_node *n, struct list_node *before, uintptr_t pc)
{
    W(n, sizeof *n)
    W(&before->previous->next, POINTER)
    W(&before->previous, POINTER)
}

static void unhook(const struct list_node *n, uintptr_t pc)
{
    R(n, sizeof *n)
    W(&n->previous->next, POINTER)
    W(&n->next->previous, POINTER)
}

static void transfer(struct list_node *to, struct list_node *first, struct list_node *last, uintptr_t pc)
{
    if (to == last) return;
    W(&last->previous->next, POINTER)
    W(&first->previous->next, POINTER)
    W(&to->previous->next, POINTER)
    W(&to->previous, POINTER)
    W(&last->previous, POINTER)
    W(&first->previous, POINTER)
}

static void reverse(struct list_node *list, uintptr_t pc)
{
    struct list_node *n = list;
    do {
        W(n, sizeof *n)
        n = n->next;
    } while (n != list);
}

#define HOOK(n, before) hook(n, before, pc);
#define UNHOOK(n) unhook(n, pc);
#define TRANSFER(to, first, last) transfer(to, first, last, pc);
#define REVERSE(list) reverse(list, pc);
#define SWAP(a, b) write_links(a, pc), write_links(b, pc);

/* ---- trees ---- */

struct tree_node { int color; struct tree_node *parent, *left, *right; };
enum { NODE = sizeof(struct tree_node) };

/* Rotations and colors go up to the root at most; the root, the leftmost and the rightmost node are in the header. */
static void write_path(const struct tree_node *n, const struct tree_node *header, uintptr_t pc)
{
    for (; n && n != header; n = n->parent) W(n, NODE)
    W(header, NODE)
}

static void read_up(const struct tree_node *n, bool from_right, uintptr_t pc)
{
    const struct tree_node *up = n->parent;
    R(&n->parent, POINTER)
    while (up && n == (from_right ? up->right : up->left)) {
        R(&up->right, POINTER)
        R(&up->parent, POINTER)
        if (up->parent == n) return; /* the header */
        n = up;
        up = n->parent;
    }
}

static void read_next(const struct tree_node *n, uintptr_t pc)
{
    R(&n->right, POINTER)
    if (!n->right) {
        read_up(n, true, pc);
        return;
    }
    for (n = n->right; n; n = n->left) R(&n->left, POINTER)
}

static void read_previous(const struct tree_node *n, uintptr_t pc)
{
    R(&n->left, POINTER)
    if (!n->left) {
        read_up(n, false, pc);
        return;
    }
    for (n = n->left; n; n = n->right) R(&n->right, POINTER)
}

#define PATH(n, header) write_path(n, header, pc);
#define NEXT(n) read_next(n, pc);
#define PREVIOUS(n) read_previous(n, pc);

/* ---- strings ---- */

static void read_text(const struct rt_cxx_string *s, uintptr_t pc)
{
    R(s, OBJECT)
    R(s->text, s->length)
}

static size_t room_of(const struct rt_cxx_string *s)
{
    size_t size;
    if (s->text == s->rest) return sizeof s->rest - 1;
    memcpy(&size, s->rest, sizeof size);
    return size;
}

/* In place, or all of the text moves. */
static void append(struct rt_cxx_string *s, size_t n, uintptr_t pc)
{
    R(s, OBJECT)
    bool fits = s->length + n <= room_of(s);
    if (fits) {
        W(s->text + s->length, n + 1)
        W(&s->length, sizeof s->length)
    } else {
        R(s->text, s->length)
        W(s, OBJECT)
    }
}

static void alter(struct rt_cxx_string *s, uintptr_t pc)
{
    W(s, OBJECT)
    W(s->text, s->length + 1)
}

static size_t copied(const struct rt_cxx_string *s, size_t n, size_t from)
{
    size_t there = from < s->length ? s->length - from : 0;
    return n < there ? n : there;
}

#define TEXT(s) read_text((const struct rt_cxx_string *)(s), pc);
#define LENGTH(s) (((const struct rt_cxx_string *)(s))->length)
#define COPIED(s, n, from) copied(s, n, from)
#define APPENDS(s, n) append(s, n, pc);
#define ALTERS(s) alter(s, pc);

/* ---- streams ---- */

enum { TO_BASE = -3, WIDTH_AT = 16, STATE_AT = 32, BUFFER_AT = 232, INPUT_AT = 16, OUTPUT_AT = 40 };
#pragma weak _ZSt4cout
#pragma weak _ZSt4cerr
#pragma weak _ZSt4clog
#pragma weak _ZSt3cin
extern char _ZSt4cout[], _ZSt4cerr[], _ZSt4clog[], _ZSt3cin[];

bool rt_in_standard_stream(uintptr_t address)
{
    enum { MOST_BYTES = 280 }; /* of an istream */
    const char *const all[] = {_ZSt4cout, _ZSt4cerr, _ZSt4clog, _ZSt3cin};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i] && address - (uintptr_t)all[i] < MOST_BYTES) return true;
    return false;
}

static bool is_standard(const void *s) { return s == _ZSt4cout || s == _ZSt4cerr || s == _ZSt4clog || s == _ZSt3cin; }

/* Where the class that all streams are derived from begins. */
static char *base_of(const void *stream)
{
    long offset;
    const char *table;
    memcpy(&table, stream, sizeof table);
    memcpy(&offset, table + TO_BASE * (long)sizeof offset, sizeof offset);
    return (char *)stream + offset;
}

/* Every formatted call resets the width, and the first one sets the fill character. The standard allows this to several
 * threads at once. The memory may be protected, so that the base class is not looked up: it begins behind the pointer
 * to the table, and in cin behind a count as well. */
bool rt_is_standard_state(uintptr_t address)
{
    enum { OUTPUT = 8, INPUT = 16, FILL_AT = 224, FILL_SIZE = 2 };
    const char *const bases[] = {_ZSt4cout + OUTPUT, _ZSt4cerr + OUTPUT, _ZSt4clog + OUTPUT, _ZSt3cin + INPUT};
    for (size_t i = 0; i < ARRAY_LEN(bases); i++) {
        uintptr_t at = address - (uintptr_t)bases[i]; /* of a stream that is not there: nothing has such an address */
        if (at - WIDTH_AT < sizeof(long) || at - FILL_AT < FILL_SIZE) return true;
    }
    return false;
}

/* std::ctype<char> of the "C" locale keeps results of narrow() and widen(), by code that is inlined in programs. Two
 * threads may fill its tables at once: both write the same. */
const void *facet_of_classic(const void *locale) __asm__("_ZSt9use_facetISt5ctypeIcEERKT_RKSt6locale");
const void *classic_locale(void) __asm__("_ZNSt6locale7classicEv");
#pragma weak facet_of_classic
#pragma weak classic_locale

void rt_cxx_init(void)
{
    if (facet_of_classic && classic_locale) rt.character_cache = (uintptr_t)facet_of_classic(classic_locale());
}

bool rt_is_character_cache(uintptr_t address)
{
    enum { FROM = 56, UPTO = 570 }; /* _M_widen_ok to _M_narrow_ok */
    return rt.character_cache && address - rt.character_cache - FROM < UPTO - FROM;
}

/* Calls that put or get do not race with each other on a standard stream as long as it is synchronised with the C
 * library's, but they do with anything else: setting the width or the buffer, or another state. */
static void use_standard_stream(const void *stream, uintptr_t pc)
{
    uintptr_t base = (uintptr_t)base_of(stream);
    if (!rt.check_plain || !rt_is_program_code(pc)) return;
    rt_access(base + WIDTH_AT, sizeof(long), false, true, pc); /* which code in headers may read as well */
    rt_access(base + STATE_AT, sizeof(int), false, true, pc);
    rt_access(base + BUFFER_AT, POINTER, false, true, pc);
}

static void synchronise(bool yes) { rt.streams_unsynchronised |= !yes; }

static void use_stream(const void *stream, int at, uintptr_t pc)
{
    char *buffer;
    if (!rt.active) return;
    if (is_standard(stream) && !rt.streams_unsynchronised) {
        use_standard_stream(stream, pc);
        return;
    }
    R(stream, POINTER)
    char *base = base_of(stream);
    W(base + WIDTH_AT, sizeof(long))
    memcpy(&buffer, base + BUFFER_AT, sizeof buffer);
    if (buffer) W(buffer + at, POINTER)
}

#define SYNCHRONISED(yes) synchronise(yes);
#define STATE(s) W((const char *)(s) + STATE_AT, sizeof(int))
#define BUFFER_OF(s) W((const char *)(s) + BUFFER_AT, POINTER)
#define PUTS(s) use_stream(s, OUTPUT_AT, pc);
#define TAKES(s) use_stream(s, INPUT_AT, pc);
#define TEXT_BEHIND(s, n) R((const char *)(s) + (n) + INPUT_AT, OUTPUT_AT + POINTER - INPUT_AT)

/* The library's own function is there if the program calls it. Here it may be missing. */
#define DEFINE(result, name, parameters, arguments, accesses) \
    __typeof__(result) __real_##name parameters __attribute__((weak)); \
    __typeof__(result) __wrap_##name parameters; \
    EXPORT __typeof__(result) __wrap_##name parameters \
    { \
        const uintptr_t pc = CALLER; \
        if (rt.active) { accesses } \
        return ((__typeof__(&__real_##name))rt_audited(#name, __real_##name, pc))arguments; \
    }
CXX_CALLS(DEFINE)
