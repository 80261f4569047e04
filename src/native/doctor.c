/* heddle check --doctor: the calls of a program that are outside control, with their places, from its relocations; and
 * its inline assembly. */
#include "native/native.h"

#include "runtime/uncontrolled.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *meaning;
} calls[] = {
#define ROW(result, name, parameters, arguments, meaning) {#name, meaning},
    UNCONTROLLED_CALLS(ROW)
#undef ROW
};

static const char *meaning_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        if (!strcmp(calls[i].name, name)) return calls[i].meaning;
    return NULL;
}

enum { ORDERS = __ATOMIC_SEQ_CST + 1, MOST_BACK = 48 };

struct doctor {
    struct symbols *symbols;
    FILE *out;
    Elf *elf;
    int found;
    int orders[ORDERS];
    struct str places[ORDERS]; /* where the weaker ones are */
};

/* A call of __tsan_atomic32_load and so on, or of libatomic. */
struct atomic_call { char operation[32]; bool wide, library; };

static bool is_atomic_call(const char *name, struct atomic_call *c)
{
    c->library = !strncmp(name, "__atomic_", 9);
    if (!c->library && strncmp(name, "__tsan_atomic", 13)) return false;
    c->wide = c->library || strstr(name, "128");
    name += c->library ? 9 : 13 + strspn(name + 13, "0123456789_");
    size_t length = strlen(name);
    if (c->library && length > 3 && !strcmp(name + length - 3, "_16")) length -= 3;
    snprintf(c->operation, sizeof c->operation, "%.*s", (int)length, name);
    return strcmp(c->operation, "signal_fence");
}

/* The register that the order is passed in, as in the encoding of mov. Sixteen bytes take two registers. */
static int order_register(const struct atomic_call *c)
{
    enum { CX = 1, DX = 2, SI = 6, DI = 7, R8 = 8, R9 = 9 };
    bool compares = !strncmp(c->operation, "compare_exchange", 16);
    if (!strcmp(c->operation, "thread_fence")) return DI;
    if (!strcmp(c->operation, "load")) return c->library ? CX : SI;
    if (!strcmp(c->operation, "compare_exchange_val") && c->wide) return R9;
    if (c->library && !strcmp(c->operation, "exchange")) return R8;
    if (compares) return c->wide ? R8 : CX;
    return c->wide ? CX : DX;
}

/* What was put there last before the call; -1: not found. Compilers pass it as a constant directly before the call. */
static int constant_before(const uint8_t *code, size_t at, int reg)
{
    bool extended = reg > 7;
    for (size_t back = 2; back <= MOST_BACK && back <= at; back++) {
        const uint8_t *p = code + at - back, prefix = back < at ? p[-1] : 0, low = reg & 7;
        uint32_t value;
        if (p[0] == 0x31 && p[1] == (0xc0 | low << 3 | low) && (prefix == 0x45) == extended) return 0; /* xor */
        if (back < 5 || p[0] != (0xb8 | low) || (prefix == 0x41) != extended) continue;
        memcpy(&value, p + 1, sizeof value);
        if (value < ORDERS) return (int)value;
    }
    return -1;
}

/* On x86-64 the order is read off the code. */
static void look_at_order(struct doctor *d, const GElf_Shdr *header, uint64_t offset, const struct atomic_call *call)
{
    GElf_Shdr text;
    struct source_place p;
    Elf_Scn *section = elf_getscn(d->elf, header->sh_info);
    Elf_Data *code = section ? elf_getdata(section, NULL) : NULL;
    if (!code || !code->d_buf || !gelf_getshdr(section, &text) || offset < text.sh_addr + 1) return;
    uint64_t at = offset - text.sh_addr - 1; /* the call */
    if (at >= code->d_size) return;
    int order = constant_before(code->d_buf, at, order_register(call));
    if (order < 0 || !symbols_place(d->symbols, offset + 3, &p)) return;
    d->orders[order]++;
    if (order != __ATOMIC_SEQ_CST)
        str_printf(&d->places[order], "%s:%d: %s: %s\n", p.file, p.line, call->operation, native_order_name(order));
}

static void show_orders(struct doctor *d)
{
    struct str counts = {0};
    for (int i = 0; i < ORDERS; i++) {
        fputs(str_get(&d->places[i]), d->out);
        str_release(&d->places[i]);
        if (!d->orders[i]) continue;
        str_printf(&counts, "%s%d %s", counts.len ? ", " : "", d->orders[i], native_order_name(i));
    }
    if (counts.len) fprintf(d->out, "memory orders: %s\n", counts.at);
    str_release(&counts);
}

static void look_at_relocation(struct doctor *d, uint64_t offset, const char *name)
{
    struct source_place p;
    const char *meaning = meaning_of(name);
    if (!meaning || !symbols_place(d->symbols, offset + 3, &p)) return;
    fprintf(d->out, "%s:%d: %s: %s\n", p.file, p.line, name, meaning);
    d->found++;
}

static void look_at_section(struct doctor *d, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *symbol_section = elf_getscn(d->elf, header->sh_link);
    GElf_Shdr symbol_header;
    if (!data || !gelf_getshdr(symbol_section, &symbol_header)) return;
    Elf_Data *symbol_data = elf_getdata(symbol_section, NULL);
    for (size_t i = 0; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Rela r;
        GElf_Sym symbol;
        if (!gelf_getrela(data, (int)i, &r) || !gelf_getsym(symbol_data, (int)GELF_R_SYM(r.r_info), &symbol)) continue;
        const char *name = elf_strptr(d->elf, symbol_header.sh_link, symbol.st_name);
        if (!name) continue;
        char plain[64];
        snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "@"), name);
        look_at_relocation(d, r.r_offset, plain);
        struct atomic_call call;
        if (is_atomic_call(plain, &call)) look_at_order(d, header, r.r_offset, &call);
    }
}

static void show_foreign_code(void *context, const char *file, int line, const char *meaning)
{
    struct doctor *d = context;
    const char *way_out = native_way_out(file);
    fprintf(d->out, "%s:%d: %s", file, line, meaning);
    fprintf(d->out, "%s%s\n", way_out ? "; " : "", way_out ? way_out : "");
    d->found++;
}

static void show_foreign_functions(struct doctor *d, const char *executable)
{
    struct native_foreign f;
    if (!native_foreign_ranges(executable, 0, &f)) die("%s: its sections cannot be read", executable);
    for (size_t i = 0; i < f.ranges.len; i++) {
        struct str words = {0};
        native_foreign_words(d->symbols, &f.ranges.at[i], &words);
        const char *object = f.ranges.at[i].object;
        fprintf(d->out, "%s%s%s, %s\n", words.at, object ? " in " : "", object ? object : "",
                native_foreign_reason(f.ranges.at[i].kind));
        str_release(&words);
    }
    d->found += (int)f.ranges.len;
    native_foreign_release(&f);
}

int native_doctor(const char *executable, FILE *out)
{
    struct doctor d = {.symbols = symbols_new(executable, 0), .out = out};
    int fd = open(executable, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    d.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    for (Elf_Scn *section = NULL; d.elf && (section = elf_nextscn(d.elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && !(header.sh_flags & SHF_ALLOC) &&
            header.sh_entsize)
            look_at_section(&d, section, &header);
    }
    native_foreign_code(executable, show_foreign_code, &d);
    show_foreign_functions(&d, executable);
    if (!d.found) fprintf(out, "no call outside control\n");
    show_orders(&d);
    elf_end(d.elf);
    close(fd);
    symbols_free(d.symbols);
    return d.found;
}
