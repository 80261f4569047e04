/* Foreign code: what the program's own file contains and Heddle does not observe. Executable sections are compared with
 * the marks of `heddle cc` (marks.c); what is left, and is neither the runtime nor part of the compiler and the C
 * library, was built by something else. The names of objects come from the linker's map, of which `heddle cc` keeps the
 * lines that matter in a section that the runtime reserves. */
#define _GNU_SOURCE
#include "native/assembly_int.h"
#include "native/native.h"

#include <assert.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INPUTS_SECTION "heddle_inputs"
#define KEPT_BEGIN "!ranges"
#define KEPT_CUT "!cut"

struct span { uint64_t low, high; };
struct marked { struct span span; uint64_t kind; };
struct input { struct span span; const char *path; };
struct function { uint64_t low; const char *name; bool hidden, typed; };

struct code {
    int fd;
    Elf *elf;
    size_t names;
    bool failed;                  /* libelf could not read a part of the file, or had no memory for it */
    uint64_t bias;
    VEC(struct marked) marked;    /* sorted */
    VEC(struct function) functions; /* sorted */
    VEC(struct input) inputs;
    char *input_text;
    struct native_foreign kept;   /* what heddle cc found when it linked the file: strip removes the marks */
    bool has_kept;
};

static int by_low(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b; /* every one of these structs begins with its address */
    return (*x > *y) - (*x < *y);
}

/* The section after `section`, or the first one. NULL: there is none, or it cannot be read. */
static Elf_Scn *next_section(struct code *c, Elf_Scn *section, GElf_Shdr *header, const char **name)
{
    section = c->failed ? NULL : elf_nextscn(c->elf, section);
    if (!section) return NULL;
    *name = gelf_getshdr(section, header) ? elf_strptr(c->elf, c->names, header->sh_name) : NULL;
    c->failed = !*name;
    return c->failed ? NULL : section;
}

static Elf_Data *contents(struct code *c, Elf_Scn *section)
{
    Elf_Data *data = elf_getdata(section, NULL);
    c->failed |= !data;
    return data;
}

static void read_marks(struct code *c, Elf_Scn *section, const GElf_Shdr *header)
{
    if (header->sh_flags & SHF_COMPRESSED) c->failed |= elf_compress(section, 0, 0) < 0;
    Elf_Data *data = contents(c, section);
    uint64_t entry[3];
    for (size_t at = 0; data && at + sizeof entry <= data->d_size; at += sizeof entry) {
        memcpy(entry, (char *)data->d_buf + at, sizeof entry);
        struct marked m = {{entry[0], entry[1]}, entry[2]};
        if (entry[0] && entry[0] < entry[1]) vec_push(&c->marked, m);
    }
}

static void read_functions(struct code *c, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = contents(c, section);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        const char *name = elf_strptr(c->elf, header->sh_link, symbol.st_name);
        c->failed |= !name;
        int type = GELF_ST_TYPE(symbol.st_info);
        bool global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
        bool code = type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && global);
        bool defined = symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE;
        if (!name || !*name || *name == '$' || !code || !defined) continue;
        bool hidden = GELF_ST_VISIBILITY(symbol.st_other) == STV_HIDDEN;
        vec_push(&c->functions, ((struct function){symbol.st_value, name, hidden, type == STT_FUNC}));
    }
}

/* A line of write_ranges(). */
static void read_kept(struct code *c, const char *line)
{
    unsigned long long low, high;
    unsigned kind, has_entry;
    int name = 0;
    c->has_kept |= !strcmp(line, KEPT_BEGIN);
    c->kept.is_cut |= !strcmp(line, KEPT_CUT);
    if (sscanf(line, "!%llx %llx %u %u %n", &low, &high, &kind, &has_entry, &name) < 4 || !name) return;
    if (low >= high || kind > RT_FOREIGN_ASSEMBLY) return;
    struct native_range r = {.low = low, .high = high, .kind = (uint8_t)kind, .has_entry = has_entry != 0,
                             .function = line[name] ? xstrdup(line + name) : NULL};
    vec_push(&c->kept.ranges, r);
}

static void read_inputs(struct code *c, Elf_Scn *section)
{
    Elf_Data *data = contents(c, section);
    if (!data || !data->d_buf || c->input_text) return;
    struct str text = {0};
    str_addn(&text, data->d_buf, data->d_size);
    c->input_text = text.at;
    for (char *line = text.at, *end; *line && (end = strchr(line, '\n')); line = end + 1) {
        unsigned long long low, high;
        int path = 0;
        *end = 0;
        if (*line == '!') read_kept(c, line);
        if (sscanf(line, "%llx %llx %n", &low, &high, &path) < 2 || !path) continue;
        vec_push(&c->inputs, ((struct input){{low, high}, line + path}));
    }
}

/* False: the file is not an ELF file, or it cannot be read (failed). */
static bool open_code(struct code *c, const char *executable, uint64_t base)
{
    GElf_Ehdr head;
    elf_version(EV_CURRENT);
    c->fd = open(executable, O_RDONLY | O_CLOEXEC);
    c->elf = elf_begin(c->fd, ELF_C_READ_MMAP, NULL);
    c->failed = !c->elf;
    if (c->failed || elf_kind(c->elf) != ELF_K_ELF) return false;
    c->failed = !gelf_getehdr(c->elf, &head) || elf_getshdrstrndx(c->elf, &c->names);
    if (c->failed) return false;
    c->bias = head.e_type == ET_DYN ? base : 0;
    GElf_Shdr header;
    const char *name;
    for (Elf_Scn *s = NULL; (s = next_section(c, s, &header, &name));) {
        if (!strcmp(name, MARKS_SECTION)) read_marks(c, s, &header);
        else if (!strcmp(name, INPUTS_SECTION)) read_inputs(c, s);
        else if (header.sh_type == SHT_SYMTAB) read_functions(c, s, &header);
    }
    if (c->marked.len) qsort(c->marked.at, c->marked.len, sizeof c->marked.at[0], by_low);
    if (c->functions.len) qsort(c->functions.at, c->functions.len, sizeof c->functions.at[0], by_low);
    return !c->failed;
}

static void close_code(struct code *c)
{
    elf_end(c->elf);
    if (c->fd >= 0) close(c->fd);
    vec_release(&c->marked);
    vec_release(&c->functions);
    vec_release(&c->inputs);
    free(c->input_text);
    native_foreign_release(&c->kept);
}

/* ---- what has no mark ---- */

typedef void visit_span(void *context, const struct code *c, struct span piece, const uint8_t *bytes);

/* The length of an instruction that does nothing, as assemblers fill gaps with; 0: it is another one. */
static size_t padding_at(const uint8_t *p, size_t len)
{
#if defined __aarch64__
    static const uint8_t nop[] = {0x1f, 0x20, 0x03, 0xd5};
    return len >= 4 && !memcmp(p, nop, 4) ? 4 : !*p;
#else
    size_t prefixes = 0;
    while (prefixes < len && (p[prefixes] == 0x66 || p[prefixes] == 0x2e)) prefixes++;
    const uint8_t *q = p + prefixes;
    size_t left = len - prefixes;
    if (*p == 0xcc || *p == 0) return 1;
    if (left && *q == 0x90) return prefixes + 1;
    if (left < 3 || q[0] != 0x0f || q[1] != 0x1f) return 0;
    bool index = (q[2] & 7) == 4 && q[2] >> 6 != 3;
    size_t size = prefixes + 3 + index + (q[2] >> 6 == 1 ? 1 : q[2] >> 6 == 2 ? 4 : 0);
    return size <= len ? size : 0;
#endif
}

static void visit_piece(const struct code *c, struct span piece, const uint8_t *bytes, visit_span *visit, void *context)
{
    while (piece.low < piece.high) {
        size_t n = padding_at(bytes, piece.high - piece.low);
        if (!n) break;
        piece.low += n;
        bytes += n;
    }
    if (piece.low < piece.high) visit(context, c, piece, bytes);
}

static bool holds_program_code(const GElf_Shdr *header, const char *name)
{
    static const char *const others[] = {"heddle_text", ".init", ".fini", ".plt", ".plt.got", ".plt.sec", ".iplt"};
    bool code = header->sh_type == SHT_PROGBITS && header->sh_flags & SHF_ALLOC && header->sh_flags & SHF_EXECINSTR;
    for (size_t i = 0; i < ARRAY_LEN(others); i++) code &= strcmp(name, others[i]) != 0;
    return code;
}

static void visit_unmarked(struct code *c, visit_span *visit, void *context)
{
    GElf_Shdr header;
    const char *name;
    for (Elf_Scn *s = NULL; (s = next_section(c, s, &header, &name));) {
        Elf_Data *data = holds_program_code(&header, name) ? contents(c, s) : NULL;
        if (!data || !data->d_buf) continue;
        uint64_t at = header.sh_addr, end = header.sh_addr + data->d_size;
        const uint8_t *bytes = data->d_buf;
        for (size_t i = 0; i < c->marked.len && at < end; i++) {
            struct span m = c->marked.at[i].span;
            if (m.high <= at || m.low >= end) continue;
            if (m.low > at) visit_piece(c, (struct span){at, m.low}, bytes + (at - header.sh_addr), visit, context);
            at = m.high;
        }
        if (at < end) visit_piece(c, (struct span){at, end}, bytes + (at - header.sh_addr), visit, context);
    }
}

/* ---- what of it is foreign ---- */

static const char *input_at(const struct code *c, uint64_t address)
{
    for (size_t i = 0; i < c->inputs.len; i++)
        if (address >= c->inputs.at[i].span.low && address < c->inputs.at[i].span.high) return c->inputs.at[i].path;
    return NULL;
}

/* Parts of the compiler and of the C and C++ libraries that are linked into every program. */
static bool is_system_input(const char *path)
{
    static const char *const files[] = {"crt1.o",  "crti.o",       "crtn.o",      "crtbegin",  "crtend",    "libgcc",
                                        "libc++",  "libclang_rt.", "libstdc++",   "libsupc++", "libatomic", "libm-",
                                        "libmvec", "libc_nonshared.a", "libpthread_nonshared.a"};
    if (*path != '/') return false;
    const char *end = strchr(path, '('), *name = path;
    for (const char *p = path; *p && p != end; p++)
        if (*p == '/') name = p + 1;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        size_t len = strlen(files[i]);
        if (!strncmp(name, files[i], len) || (len == 6 && *name && !strncmp(name + 1, files[i], len))) return true;
    }
    return false;
}

/* The same where the linker wrote no map that can be read: by name. Functions of libgcc are hidden, and their names are
 * reserved. */
static bool is_system_function(const struct function *f)
{
    static const char *const names[] = {"_start", "deregister_tm_clones", "register_tm_clones", "frame_dummy",
                                        "__do_global_dtors_aux", "_dl_relocate_static_pie", "atexit",
                                        "at_quick_exit", "pthread_atfork", "__popcountdi2"};
    for (size_t i = 0; f && i < ARRAY_LEN(names); i++)
        if (!strcmp(f->name, names[i])) return true;
    return f && f->hidden && !strncmp(f->name, "__", 2);
}

static bool is_foreign(const struct code *c, uint64_t at, const struct function *f)
{
    const char *path = input_at(c, at);
    return path ? !is_system_input(path) : !is_system_function(f);
}

struct collection { struct native_foreign *list; enum rt_foreign_kind kind; };

static void add_range(struct collection *l, const struct code *c, struct span s, const struct function *f)
{
    bool unmarked = l->kind == RT_FOREIGN_OBJECT;
    if (unmarked && !is_foreign(c, s.low, f)) return;
    const char *object = unmarked ? input_at(c, s.low) : NULL; /* others have lines of source text */
    struct native_range r = {.low = s.low + c->bias, .high = s.high + c->bias, .kind = (uint8_t)l->kind,
                             .has_entry = f && f->typed && f->low == s.low,
                             .function = f ? xstrdup(f->name) : NULL, .object = object ? xstrdup(object) : NULL};
    vec_push(&l->list->ranges, r);
}

/* One range for each function, which is entered where it begins. */
static void add_piece(void *context, const struct code *c, struct span piece, const uint8_t *bytes)
{
    const struct function *f = NULL;
    (void)bytes;
    for (size_t i = 0; i < c->functions.len && c->functions.at[i].low < piece.high; i++) {
        const struct function *next = &c->functions.at[i];
        if (next->low < piece.low) continue;
        if (next->low > piece.low) add_range(context, c, (struct span){piece.low, next->low}, f);
        if (!f || f->low != next->low || next->typed) f = next;
        piece.low = next->low;
    }
    add_range(context, c, piece, f);
}

/* Of a file that was stripped after heddle cc had linked it. */
static void take_kept(struct code *c, struct native_foreign *out)
{
    *out = c->kept;
    c->kept = (struct native_foreign){0};
    for (size_t i = 0; i < out->ranges.len; i++) {
        struct native_range *r = &out->ranges.at[i];
        const char *object = r->kind == RT_FOREIGN_OBJECT ? input_at(c, r->low) : NULL;
        r->object = object ? xstrdup(object) : NULL;
        r->low += c->bias;
        r->high += c->bias;
    }
}

bool native_foreign_ranges(const char *executable, uint64_t base, struct native_foreign *out)
{
    struct code c = {.fd = -1};
    *out = (struct native_foreign){0};
    bool is_open = open_code(&c, executable, base);
    if (is_open && !c.marked.len && c.has_kept) take_kept(&c, out);
    else if (is_open) visit_unmarked(&c, add_piece, &(struct collection){out, RT_FOREIGN_OBJECT});
    out->has_marks = c.marked.len || c.has_kept;
    for (size_t i = 0; i < c.marked.len; i++) {
        const struct marked *m = &c.marked.at[i];
        enum rt_foreign_kind kind = m->kind == MARK_FUNCTION ? RT_FOREIGN_FUNCTION : RT_FOREIGN_ASSEMBLY;
        if (m->kind != MARK_OBSERVED) add_piece(&(struct collection){out, kind}, &c, m->span, NULL);
    }
    close_code(&c);
    if (out->ranges.len) qsort(out->ranges.at, out->ranges.len, sizeof out->ranges.at[0], by_low);
    return !c.failed;
}

const char *native_foreign_reason(enum rt_foreign_kind kind)
{
    static const char *const reasons[] = {
        [RT_FOREIGN_OBJECT] = "built without heddle cc",
        [RT_FOREIGN_FUNCTION] = "which is not instrumented",
        [RT_FOREIGN_ASSEMBLY] = "written in assembly",
    };
    return reasons[kind];
}

void native_foreign_words(struct symbols *s, const struct native_range *r, struct str *out)
{
    struct source_place p;
    bool known = symbols_place(s, r->low, &p);
    if (known && p.function && r->kind != RT_FOREIGN_ASSEMBLY)
        str_printf(out, "%s%s", p.function, strchr(p.function, '(') ? "" : "()"); /* C++ has its parameters */
    else if (r->function) str_printf(out, "%.*s()", (int)strcspn(r->function, "."), r->function);
    else str_add(out, "code");
    if (known && r->kind != RT_FOREIGN_OBJECT) str_printf(out, " at %s:%d", path_basename(p.file), p.line);
}

void native_foreign_release(struct native_foreign *f)
{
    for (size_t i = 0; i < f->ranges.len; i++) {
        free(f->ranges.at[i].function);
        free(f->ranges.at[i].object);
    }
    vec_release(&f->ranges);
}

/* Where there are too many, neighbours share an entry; then it is not known which of them was entered. */
void native_tell_foreign(const struct native_foreign *f, struct rt_shared *to)
{
    size_t share = (f->ranges.len + RT_MAX_FOREIGN - 1) / RT_MAX_FOREIGN;
    to->foreign_count = 0;
    for (size_t i = 0; i < f->ranges.len; i += share) {
        size_t last = MIN(i + share, f->ranges.len) - 1;
        const struct native_range *r = &f->ranges.at[i];
        assert(to->foreign_count < RT_MAX_FOREIGN && r->low < f->ranges.at[last].high);
        to->foreign[to->foreign_count++] = (struct rt_foreign){
            .low = r->low, .high = f->ranges.at[last].high, .kind = r->kind, .has_entry = r->has_entry,
            .merged = last > i};
    }
}

/* ---- after linking ---- */

struct kept { struct str text; VEC(struct input) inputs; };

/* One line of the map for each section of an input, behind the line of the section of the program that it became part
 * of, which has no path. GNU ld and gold write NAME ADDRESS SIZE PATH, lld ADDRESS ADDRESS SIZE ALIGNMENT
 * PATH:(SECTION). */
static bool parse_line(const char *line, struct span *span, const char **path)
{
    unsigned long long low, size, other, align;
    int at = 0;
    const char *number = strstr(line, " 0x");
    if (number && sscanf(number, " 0x%llx 0x%llx %n", &low, &size, &at) == 2 && at)
        *path = number[at] ? number + at : NULL;
    else if (sscanf(line, "%llx %llx %llx %llu %n", &low, &other, &size, &align, &at) == 4 && at)
        *path = strstr(line, ":(") ? line + at : NULL;
    else return false;
    *span = (struct span){low, low + size};
    return !strstr(line, "*fill*");
}

static void read_map(struct kept *k, char *map)
{
    bool loaded = false; /* sections that are not, such as debugging information, have the address 0 */
    for (char *line = map, *end; line && *line; line = end ? end + 1 : NULL) {
        struct input input;
        end = strchr(line, '\n');
        if (end) *end = 0;
        if (!parse_line(line, &input.span, &input.path)) continue;
        if (!input.path) loaded = input.span.low != 0;
        else if (loaded && input.span.low < input.span.high) vec_push(&k->inputs, input);
    }
}

static void keep_inputs(void *context, const struct code *c, struct span piece, const uint8_t *bytes)
{
    struct kept *k = context;
    (void)c, (void)bytes;
    for (size_t i = 0; i < k->inputs.len; i++) {
        struct span s = k->inputs.at[i].span;
        if (s.low < piece.high && s.high > piece.low)
            str_printf(&k->text, "%llx %llx %s\n", (unsigned long long)MAX(s.low, piece.low),
                       (unsigned long long)MIN(s.high, piece.high), k->inputs.at[i].path);
    }
}

static void write_inputs(struct code *c, const char *executable, const struct str *text)
{
    GElf_Shdr header;
    const char *name;
    for (Elf_Scn *s = NULL; (s = next_section(c, s, &header, &name));) {
        if (strcmp(name, INPUTS_SECTION) || !text->len) continue;
        int fd = open(executable, O_WRONLY | O_CLOEXEC);
        size_t len = MIN(text->len, header.sh_size - 1); /* objects for which there is no room have no name */
        if (fd >= 0 && pwrite(fd, text->at, len, (off_t)header.sh_offset) != (ssize_t)len)
            die("%s: cannot be written", executable);
        if (fd >= 0) close(fd);
    }
}

/* What is foreign, because strip removes the marks and the names of functions. */
static void write_ranges(struct code *c, const char *executable, const struct str *inputs)
{
    enum { ROOM = 1 << 15, LONGEST = 512 };
    struct native_foreign f;
    struct str text = {0};
    if (!native_foreign_ranges(executable, 0, &f)) c->failed = true;
    str_add(&text, KEPT_BEGIN "\n");
    for (size_t i = 0; i < f.ranges.len; i++) {
        const struct native_range *r = &f.ranges.at[i];
        if (text.len > ROOM - LONGEST) {
            str_add(&text, KEPT_CUT "\n");
            break;
        }
        str_printf(&text, "!%llx %llx %u %u %.*s\n", (unsigned long long)r->low, (unsigned long long)r->high, r->kind,
                   r->has_entry, LONGEST / 2, r->function ? r->function : "");
    }
    str_add(&text, str_get(inputs));
    if (!c->failed) write_inputs(c, executable, &text);
    native_foreign_release(&f);
    str_release(&text);
}

static void keep_ranges(const char *executable, const struct str *inputs)
{
    struct code c = {.fd = -1};
    if (open_code(&c, executable, 0)) write_ranges(&c, executable, inputs);
    if (c.failed) die("%s: its sections cannot be read", executable);
    close_code(&c);
}

void native_keep_inputs(const char *executable, const char *map)
{
    struct code c = {.fd = -1};
    struct kept k = {0};
    size_t len = 0;
    char *lines = map ? read_file(map, &len) : NULL;
    read_map(&k, lines);
    if (k.inputs.len && open_code(&c, executable, 0)) {
        visit_unmarked(&c, keep_inputs, &k);
        if (!c.failed) write_inputs(&c, executable, &k.text);
    }
    if (c.failed) die("%s: its sections cannot be read", executable);
    close_code(&c);
    keep_ranges(executable, &k.text);
    vec_release(&k.inputs);
    str_release(&k.text);
    free(lines);
}
