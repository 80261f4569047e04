/* Code addresses as the author of the program knows them: the calls that the compiler put in place of functions, and
 * names with their classes. From DWARF by way of libdw. */
#include "native/symbols_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 16, LONGEST_NAME = 60 };

static bool is_cxx(Dwarf_Die *die)
{
    Dwarf_Die unit;
    Dwarf_Attribute attr;
    Dwarf_Word language = 0;
    if (!dwarf_diecu(die, &unit, NULL, NULL) || !dwarf_attr(&unit, DW_AT_language, &attr)) return false;
    dwarf_formudata(&attr, &language);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14;
}

/* From code that was made of it to where the function stands in its class. */
static Dwarf_Die declaration_of(const Dwarf_Die *function)
{
    static const int links[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die die = *function;
    for (size_t i = 0; i < ARRAY_LEN(links); i++) {
        Dwarf_Attribute attr;
        Dwarf_Die next;
        if (dwarf_attr(&die, (unsigned)links[i], &attr) && dwarf_formref_die(&attr, &next)) die = next;
    }
    return die;
}

/* File number n of a unit. In DWARF 5 number 0 is the unit's own source, which dwarf_decl_file() takes for none; before
 * that it is none, and libdw names it "???". */
static const char *file_of_unit(Dwarf_Die *unit, Dwarf_Word n)
{
    Dwarf_Files *files;
    size_t count;
    if (dwarf_getsrcfiles(unit, &files, &count) != 0 || n >= count) return NULL;
    const char *name = dwarf_filesrc(files, n, NULL, NULL);
    return name && strcmp(name, "???") ? name : NULL;
}

static const char *declared_in(Dwarf_Die *die)
{
    Dwarf_Die unit;
    Dwarf_Attribute attr;
    Dwarf_Word n;
    bool known = dwarf_attr(die, DW_AT_decl_file, &attr) && dwarf_formudata(&attr, &n) == 0;
    return known && dwarf_diecu(die, &unit, NULL, NULL) ? file_of_unit(&unit, n) : NULL;
}

/* By where it is written, or begins. */
static const char *lambda_name(struct symbols *s, Dwarf_Die *declaration, uint64_t begins)
{
    int number = 0;
    const char *file = declaration ? declared_in(declaration) : NULL;
    if (file) dwarf_decl_line(declaration, &number);
    Dwfl_Line *line = file && number ? NULL : dwfl_module_getsrc(s->module, begins);
    Dwarf_Addr address;
    if (line) file = dwfl_lineinfo(line, &address, &number, NULL, NULL, NULL);
    return file && number ? arena_printf(&s->arena, "lambda at %s:%d", path_basename(file), number) : "lambda";
}

static bool is_type(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Template arguments are left out of names that would be too long with them. */
static void shorten(char *name)
{
    size_t length = strlen(name);
    char *open = strchr(name, '<'), *close = strrchr(name, '>');
    if (length <= LONGEST_NAME || !open || !close || close < open + 4) return;
    memmove(open + 4, close, strlen(close) + 1);
    memcpy(open + 1, "...", 3);
}

static const char *qualified_name(struct symbols *s, Dwarf_Die *function)
{
    Dwarf_Die declaration = declaration_of(function), *scopes = NULL;
    const char *name = dwarf_diename(&declaration);
    if (!name || !is_cxx(&declaration)) return name;
    int n = dwarf_getscopes_die(&declaration, &scopes);
    const char *whole = name;
    for (int i = 1; i < n; i++) {
        int tag = dwarf_tag(&scopes[i]);
        const char *outer = dwarf_diename(&scopes[i]);
        bool lambda = is_type(tag) && !strcmp(name, "operator()") && (!outer || strstr(outer, "lambda"));
        if (lambda) {
            Dwarf_Addr low = 0;
            dwarf_lowpc(function, &low);
            whole = lambda_name(s, declared_in(&declaration) ? &declaration : &scopes[i], low + s->bias);
            free(scopes);
            return whole;
        }
        if ((is_type(tag) || tag == DW_TAG_namespace) && outer)
            whole = arena_printf(&s->arena, "%s::%s", outer, whole);
    }
    free(scopes);
    if (!strcmp(whole, "main")) return whole;
    char *copy = arena_strdup(&s->arena, whole);
    shorten(copy);
    return arena_printf(&s->arena, "%s()", copy);
}

/* By the linker's symbol: functions inside of others are not found by their address in what gcc writes. */
static const char *symbol_name(struct symbols *s, uint64_t pc)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(s->module, pc, &offset, &symbol, NULL, NULL, NULL);
    if (!name || strncmp(name, "_ZZ", 3) || !strstr(name, "Ul")) return name;
    return lambda_name(s, NULL, pc - offset);
}

/* Where the inlined function was called. */
static void go_to_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_place *at)
{
    Dwarf_Attribute attr;
    Dwarf_Word file = 0, line = 0;
    if (dwarf_attr(inlined, DW_AT_call_file, &attr)) dwarf_formudata(&attr, &file);
    if (dwarf_attr(inlined, DW_AT_call_line, &attr)) dwarf_formudata(&attr, &line);
    const char *name = file_of_unit(unit, file);
    if (name) at->file = name;
    at->line = (int)line;
}

/* The innermost scope with code there, and all that it lies in. */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr pc, Dwarf_Die **scopes)
{
    Dwarf_Die *inner = NULL;
    int n = dwarf_getscopes(unit, pc, &inner);
    if (n > 0) n = dwarf_getscopes_die(&inner[0], scopes);
    free(inner);
    return n;
}

static size_t find_frames(struct symbols *s, uint64_t pc, struct source_place *out)
{
    struct source_place at = {0};
    Dwfl_Line *line = dwfl_module_getsrc(s->module, pc);
    Dwarf_Addr bias, address;
    size_t count = 0;
    if (line) at.file = dwfl_lineinfo(line, &address, &at.line, NULL, NULL, NULL);
    if (!at.file) return 0;
    Dwarf_Die *unit = dwfl_module_addrdie(s->module, pc, &bias), *scopes = NULL;
    int n = unit ? scopes_at(unit, pc - bias, &scopes) : 0;
    for (int i = 0; i < n && count < MOST_FRAMES && at.file; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
        at.function = qualified_name(s, &scopes[i]);
        out[count++] = at;
        if (tag == DW_TAG_subprogram) break;
        go_to_call(unit, &scopes[i], &at);
    }
    free(scopes);
    if (!count) {
        at.function = symbol_name(s, pc);
        out[count++] = at;
    }
    return count;
}

/* A file below the working directory is called as one would call it from there: debug information has whole paths of
 * files that were compiled by their bare names. */
static const char *from_here(const struct symbols *s, const char *file)
{
    size_t len = s->here ? strlen(s->here) : 0;
    return len > 1 && !strncmp(file, s->here, len) && file[len] == '/' ? file + len + 1 : file;
}

size_t symbols_frames(struct symbols *s, uint64_t pc, const struct source_place **out)
{
    if (!s->module || dwfl_addrmodule(s->dwfl, pc) != s->module) return 0;
    for (size_t i = 0; i < s->code.len; i++)
        if (s->code.at[i].pc == pc) {
            *out = s->code.at[i].frames;
            return s->code.at[i].count;
        }
    struct source_place found[MOST_FRAMES], *kept;
    size_t count = find_frames(s, pc, found);
    for (size_t i = 0; i < count; i++) found[i].file = from_here(s, found[i].file);
    kept = arena_alloc(&s->arena, (count + 1) * sizeof *kept);
    memcpy(kept, found, count * sizeof *kept);
    vec_push(&s->code, ((struct code){pc, kept, count}));
    *out = kept;
    return count;
}

bool symbols_place(struct symbols *s, uint64_t pc, struct source_place *out)
{
    const struct source_place *frames;
    *out = (struct source_place){0};
    if (!symbols_frames(s, pc, &frames)) return false;
    *out = frames[0];
    return true;
}
