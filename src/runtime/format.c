/* printf, scanf and their families: what the format says of the arguments is announced. Numbered arguments (%2$s) are
 * fetched in their order before the conversions are looked at. */
#include "runtime/announce_int.h"
#include "runtime/descriptor_int.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* One conversion: %, flags, width, precision, length, and the character that says what it is. */
enum length { INT, CHAR, SHORT, LONG, LONG_DOUBLE };
struct conversion {
    enum length length;
    char kind;
    bool is_skipped, has_width, has_precision;
    size_t width, precision;
    size_t position, width_at, precision_at; /* numbers of arguments, from 1 on; 0: not numbered */
};

union argument { long number; long double real; void *pointer; };
enum { MOST_NUMBERED = 64 };
struct numbered {
    size_t count;
    struct conversion by[MOST_NUMBERED + 1]; /* one that uses the argument */
    union argument value[MOST_NUMBERED + 1];
};

static const char *read_number(const char *p, size_t *n)
{
    for (*n = 0; *p >= '0' && *p <= '9'; p++) *n = *n * 10 + (size_t)(*p - '0');
    return p;
}

/* "2$"; without it the position is 0 and nothing is read. */
static const char *read_position(const char *p, size_t *position)
{
    const char *end = read_number(p, position);
    if (*end == '$') return end + 1;
    *position = 0;
    return p;
}

static bool is_numbered(const char *format)
{
    const char *first = strchr(format, '%');
    size_t position = 0;
    while (first && first[1] == '%') first = strchr(first + 2, '%');
    if (first) read_position(first + 1, &position);
    return position;
}

static const char *read_length(const char *p, enum length *length)
{
    *length = INT;
    for (; *p && strchr("hlLqjzt", *p); p++)
        switch (*p) {
        case 'h': *length = *length == SHORT ? CHAR : SHORT; break;
        case 'L': case 'q': *length = LONG_DOUBLE; break;
        default: *length = LONG;
        }
    return p;
}

static size_t size_of(const struct conversion *c)
{
    static const size_t sizes[] = {[INT] = sizeof(int), [CHAR] = 1, [SHORT] = sizeof(short), [LONG] = sizeof(long)};
    bool is_real = strchr("aAeEfFgG", c->kind);
    if (c->length == LONG_DOUBLE) return is_real ? sizeof(long double) : sizeof(long long);
    if (is_real) return c->length == LONG ? sizeof(double) : sizeof(float);
    return sizes[c->length];
}

/* ---- printf ---- */

/* From behind the '%'; takes widths and precisions that are arguments. */
static const char *read_print(const char *p, struct conversion *c, va_list *ap)
{
    *c = (struct conversion){0};
    p += strspn(p, "-+ #0'I");
    if (*p == '*') p++, (void)va_arg(*ap, int);
    else p = read_number(p, &c->width);
    if (*p == '.') {
        c->has_precision = true;
        if (*++p == '*') {
            int n = va_arg(*ap, int);
            p++;
            c->has_precision = n >= 0;
            c->precision = n >= 0 ? (size_t)n : 0;
        } else p = read_number(p, &c->precision);
    }
    p = read_length(p, &c->length);
    c->kind = *p;
    return *p ? p + 1 : p;
}

static void print_string(const struct conversion *c, const void *s, uintptr_t pc)
{
    size_t most = c->has_precision ? c->precision : SIZE_MAX;
    if (!s) return;
    if (c->length == INT && c->kind == 's') rt_string(s, most, pc);
    else rt_range((uintptr_t)s, rt_wide_part(s, most), false, pc);
}

static union argument fetch(const struct conversion *c, va_list *ap)
{
    union argument value = {0};
    switch (c->kind) {
    case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': case 'c': case 'C': case 'b': case 'B':
        if (c->length == INT || c->length == CHAR || c->length == SHORT) value.number = va_arg(*ap, int);
        else value.number = va_arg(*ap, long);
        break;
    case 'a': case 'A': case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        if (c->length == LONG_DOUBLE) value.real = va_arg(*ap, long double);
        else value.real = va_arg(*ap, double);
        break;
    case 's': case 'S': case 'p': case 'n': value.pointer = va_arg(*ap, void *); break;
    }
    return value;
}

static void announce_print(const struct conversion *c, union argument value, uintptr_t pc)
{
    if (c->kind == 's' || c->kind == 'S') print_string(c, value.pointer, pc);
    if (c->kind == 'n') rt_range((uintptr_t)value.pointer, size_of(c), true, pc);
}

static const char *read_numbered_print(const char *p, struct conversion *c)
{
    *c = (struct conversion){0};
    p = read_position(p, &c->position);
    p += strspn(p, "-+ #0'I");
    p = *p == '*' ? read_position(p + 1, &c->width_at) : read_number(p, &c->width);
    if (*p == '.') {
        c->has_precision = true;
        p = p[1] == '*' ? read_position(p + 2, &c->precision_at) : read_number(p + 1, &c->precision);
    }
    p = read_length(p, &c->length);
    c->kind = *p;
    return *p ? p + 1 : p;
}

static void learn_argument(struct numbered *n, size_t position, struct conversion c)
{
    if (!position || position > MOST_NUMBERED) return;
    n->by[position] = c;
    if (position > n->count) n->count = position;
}

static void fetch_numbered(struct numbered *n, const char *format, va_list *ap)
{
    static const struct conversion number = {.kind = 'd'}, word = {.kind = 'p'};
    struct conversion c;
    *n = (struct numbered){0};
    for (const char *p = format; (p = strchr(p, '%'));) {
        p = read_numbered_print(p + 1, &c);
        learn_argument(n, c.position, c);
        learn_argument(n, c.width_at, number);
        learn_argument(n, c.precision_at, number);
    }
    for (size_t i = 1; i <= n->count; i++) n->value[i] = fetch(n->by[i].kind ? &n->by[i] : &word, ap);
}

static void reads_numbered(const char *format, va_list *ap, uintptr_t pc)
{
    struct numbered n;
    struct conversion c;
    fetch_numbered(&n, format, ap);
    for (const char *p = format; (p = strchr(p, '%'));) {
        p = read_numbered_print(p + 1, &c);
        if (!c.position || c.position > MOST_NUMBERED) continue;
        long precision = c.precision_at && c.precision_at <= MOST_NUMBERED ? n.value[c.precision_at].number : -1;
        if (c.precision_at) c.has_precision = precision >= 0, c.precision = precision >= 0 ? (size_t)precision : 0;
        announce_print(&c, n.value[c.position], pc);
    }
}

static void reads_format(const char *format, va_list list, uintptr_t pc)
{
    va_list ap;
    struct conversion c;
    rt_string(format, SIZE_MAX, pc);
    va_copy(ap, list);
    if (is_numbered(format)) reads_numbered(format, &ap, pc);
    else
        for (const char *p = format; (p = strchr(p, '%'));) {
            p = read_print(p + 1, &c, &ap);
            announce_print(&c, fetch(&c, &ap), pc);
        }
    va_end(ap);
}

/* Bytes that it prints with its end; 1 where it fails. */
static size_t printed(const char *format, va_list list)
{
    va_list ap;
    va_copy(ap, list);
    int n = ((__typeof__(&vsnprintf))rt_real_once(CALL_vsnprintf, "vsnprintf"))(NULL, 0, format, ap);
    va_end(ap);
    return n < 0 ? 1 : (size_t)n + 1;
}

static size_t at_most(size_t n, size_t most) { return n < most ? n : most; }

/* ---- scanf ---- */

/* From behind the '%'. */
static const char *read_scan(const char *p, struct conversion *c)
{
    *c = (struct conversion){0};
    p = read_position(p, &c->position);
    if (*p == '*') c->is_skipped = true, p++;
    const char *digits = p;
    p = read_number(p, &c->width);
    c->has_width = p > digits;
    if (*p == 'm') p++;
    p = read_length(p, &c->length);
    c->kind = *p;
    if (!*p) return p;
    if (*p++ != '[') return p;
    if (*p == '^') p++;
    if (*p == ']') p++;
    p += strcspn(p, "]");
    return *p ? p + 1 : p;
}

static size_t scanned_size(const struct conversion *c, const void *to)
{
    bool wide = c->length == LONG;
    switch (c->kind) {
    case 'c': return (c->has_width ? c->width : 1) * (wide ? sizeof(wchar_t) : 1);
    case 's': case '[': return wide ? rt_wide_part(to, SIZE_MAX) : rt_part(to, SIZE_MAX);
    case 'p': return sizeof(void *);
    default: return size_of(c);
    }
}

static bool allocates(const char *from, const char *upto) { return memchr(from, 'm', (size_t)(upto - from)); }

/* Where the conversion puts what it reads; the next argument, or a numbered one. */
static void *next_target(const struct conversion *c, va_list ap, va_list *next)
{
    void *to = NULL;
    va_list from;
    if (!c->position) return va_arg(*next, void *);
    va_copy(from, ap);
    for (size_t i = 0; i < c->position; i++) to = va_arg(from, void *);
    va_end(from);
    return to;
}

/* After the call, which assigned to so many arguments, and to those of %n among them. */
static void writes_scanned(const char *format, va_list list, int assigned, uintptr_t pc)
{
    va_list ap;
    struct conversion c;
    rt_string(format, SIZE_MAX, pc);
    if (assigned < 0) return;
    va_copy(ap, list);
    for (const char *p = format, *from; (p = strchr(p, '%'));) {
        p = read_scan(from = p + 1, &c);
        if (c.kind == '%' || c.is_skipped) continue;
        if (!assigned && c.kind != 'n') break;
        void *to = next_target(&c, list, &ap);
        bool makes = strchr("cs[", c.kind) && allocates(from, from + 4 < p ? from + 4 : p);
        rt_call_changes(to, makes ? sizeof(void *) : scanned_size(&c, to), true, pc);
        assigned -= c.kind != 'n';
    }
    va_end(ap);
}

/* ---- the functions ---- */

#define OPEN(...) __VA_ARGS__
/* A pair: with arguments (name) and with a list of them (vector). */
#define FAMILY(name, vector, parameters, last, arguments, state, before, after) \
    static inline int do_##vector(OPEN parameters, va_list ap, uintptr_t pc, const char *label) \
    { \
        struct rt_use use = {0}; \
        (void)label; \
        state \
        const bool watched = rt_watches(pc); \
        if (watched) BEFORE(before) \
        va_list own; \
        va_copy(own, ap); \
        int (*real)(OPEN parameters, va_list) = rt_audited(#vector, rt_real_once(CALL_##vector, #vector), pc); \
        int r = real(OPEN arguments, own); \
        va_end(own); \
        if (watched) AFTER(after) \
        if (use.stream) rt_stream_leave(&use); \
        return r; \
    } \
    int call_##vector(OPEN parameters, va_list ap) __asm__(#vector); \
    EXPORT int call_##vector(OPEN parameters, va_list ap) { return do_##vector(OPEN arguments, ap, CALLER, #vector); } \
    int call_##name(OPEN parameters, ...) __asm__(#name); \
    EXPORT int call_##name(OPEN parameters, ...) \
    { \
        va_list ap; \
        va_start(ap, last); \
        int r = do_##vector(OPEN arguments, ap, CALLER, #name); \
        va_end(ap); \
        return r; \
    }

#define FORMAT(f) reads_format(f, ap, pc);
FAMILY(printf, vprintf, (const char *f), f, (f), PRINTS(stdout), FORMAT(f), )
FAMILY(__printf_chk, __vprintf_chk, (int a, const char *f), f, (a, f), PRINTS(stdout), FORMAT(f), )
FAMILY(fprintf, vfprintf, (void *a, const char *f), f, (a, f), PRINTS(a), FORMAT(f), )
FAMILY(__fprintf_chk, __vfprintf_chk, (void *a, int b, const char *f), f, (a, b, f), PRINTS(a), FORMAT(f), )
FAMILY(sprintf, vsprintf, (char *a, const char *f), f, (a, f), , FORMAT(f) W(a, printed(f, ap)), )
FAMILY(__sprintf_chk, __vsprintf_chk, (char *a, int b, size_t c, const char *f), f, (a, b, c, f), ,
       FORMAT(f) W(a, printed(f, ap)), )
FAMILY(snprintf, vsnprintf, (char *a, size_t b, const char *f), f, (a, b, f), ,
       FORMAT(f) if (b) W(a, at_most(printed(f, ap), b)), )
FAMILY(__snprintf_chk, __vsnprintf_chk, (char *a, size_t b, int c, size_t d, const char *f), f, (a, b, c, d, f), ,
       FORMAT(f) if (b) W(a, at_most(printed(f, ap), b)), )
FAMILY(asprintf, vasprintf, (char **a, const char *f), f, (a, f), , FORMAT(f) W(a, sizeof *a), )
FAMILY(__asprintf_chk, __vasprintf_chk, (char **a, int b, const char *f), f, (a, b, f), , FORMAT(f) W(a, sizeof *a), )
FAMILY(syslog, vsyslog, (int a, const char *f), f, (a, f), , FORMAT(f), )
FAMILY(__syslog_chk, __vsyslog_chk, (int a, int b, const char *f), f, (a, b, f), , FORMAT(f), )
FAMILY(warn, vwarn, (const char *f), f, (f), PRINTS(stderr), if (f) FORMAT(f), )
FAMILY(warnx, vwarnx, (const char *f), f, (f), PRINTS(stderr), if (f) FORMAT(f), )

#define SCANS(prefix) \
    FAMILY(prefix##scanf, prefix##vscanf, (const char *f), f, (f), READS(stdin), , writes_scanned(f, ap, r, pc);) \
    FAMILY(prefix##fscanf, prefix##vfscanf, (void *a, const char *f), f, (a, f), READS(a), , \
           writes_scanned(f, ap, r, pc);) \
    FAMILY(prefix##sscanf, prefix##vsscanf, (const char *a, const char *f), f, (a, f), , S(a), \
           writes_scanned(f, ap, r, pc);)
SCANS()
SCANS(__isoc99_)
SCANS(__isoc23_)

/* A descriptor of the runtime gets the text in one piece. */
static int print_to(int fd, const char *format, va_list ap, uintptr_t pc, const char *label)
{
    if (rt_watches(pc)) reads_format(format, ap, pc);
    if (rt_file(fd)) return rt_print_to(fd, format, ap, pc);
    rt_cancellable_call(pc, label);
    rt_contents_use(fd, RT_HERE, printed(format, ap), true, pc, label);
    return ((__typeof__(&vdprintf))rt_real_once(CALL_vdprintf, "vdprintf"))(fd, format, ap);
}

#define PRINTS_TO(name, vector, parameters, last) \
    int call_##vector(OPEN parameters, va_list ap) __asm__(#vector); \
    EXPORT int call_##vector(OPEN parameters, va_list ap) { return print_to(fd, last, ap, CALLER, #vector); } \
    int call_##name(OPEN parameters, ...) __asm__(#name); \
    EXPORT int call_##name(OPEN parameters, ...) \
    { \
        va_list ap; \
        va_start(ap, last); \
        int r = print_to(fd, last, ap, CALLER, #name); \
        va_end(ap); \
        return r; \
    }
PRINTS_TO(dprintf, vdprintf, (int fd, const char *f), f)
PRINTS_TO(__dprintf_chk, __vdprintf_chk, (int fd, __attribute__((unused)) int a, const char *f), f)
