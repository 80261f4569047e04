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

struct doctor {
    struct symbols *symbols;
    FILE *out;
    Elf *elf;
    int found;
};

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
    }
}

static void show_foreign_code(void *context, const char *file, int line, const char *meaning)
{
    struct doctor *d = context;
    const char *way_out = native_way_out(file);
    fprintf(d->out, "%s:%d: inline assembly: %s", file, line, meaning);
    fprintf(d->out, "%s%s\n", way_out ? "; " : "", way_out ? way_out : "");
    d->found++;
}

int native_doctor(const char *executable, FILE *out)
{
    struct doctor d = {.symbols = symbols_new(executable, 0), .out = out};
    int fd = open(executable, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    d.elf = elf_begin(fd, ELF_C_READ, NULL);
    for (Elf_Scn *section = NULL; d.elf && (section = elf_nextscn(d.elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && !(header.sh_flags & SHF_ALLOC) &&
            header.sh_entsize)
            look_at_section(&d, section, &header);
    }
    native_foreign_code(executable, show_foreign_code, &d);
    if (!d.found) fprintf(out, "no call outside control\n");
    elf_end(d.elf);
    close(fd);
    symbols_free(d.symbols);
    return d.found;
}
