/* Functions of the checked program whose names mean something to a verifier: __VERIFIER_atomic_... is one step, and
 * assume_abort_if_not() is how the benchmarks of the software verification competition state an assumption. The runtime
 * knows them by their addresses. */
#include "native/symbols_int.h"

#include <string.h>

static bool add_range(struct rt_code *code, uint64_t low, uint64_t high)
{
    if (code->count == RT_MAX_CODE) return false;
    code->at[code->count].low = low;
    code->at[code->count++].high = high;
    return true;
}

static bool is_prefix(const char *prefix, const char *name) { return !strncmp(name, prefix, strlen(prefix)); }

static void add_symbol(const char *name, uint64_t low, uint64_t high, struct rt_shared *out)
{
    static const char atomic[] = "__VERIFIER_atomic_";
    if (!strcmp(name, "assume_abort_if_not")) add_range(&out->assumptions, low, high);
    if (!is_prefix(atomic, name)) return;
    const char *rest = name + strlen(atomic);
    if (strcmp(rest, "begin") && strcmp(rest, "end") && !add_range(&out->atomic_functions, low, high))
        die("the program has more than %d functions named %s...", RT_MAX_CODE, atomic);
}

static void add_ranges_of(Dwarf_Die *inlined, Dwarf_Addr bias, struct rt_code *out)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(inlined, at, &base, &low, &high)) > 0;)
        add_range(out, low + bias, high + bias);
}

/* The compiler puts the code of a short function in the place of its calls. */
static void find_inlined(Dwarf_Die *die, Dwarf_Addr bias, struct rt_code *out)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child)) return;
    do {
        const char *name = dwarf_tag(&child) == DW_TAG_inlined_subroutine ? dwarf_diename(&child) : NULL;
        if (name && !strcmp(name, "assume_abort_if_not")) add_ranges_of(&child, bias, out);
        find_inlined(&child, bias, out);
    } while (dwarf_siblingof(&child, &child) == 0);
}

void symbols_functions(struct symbols *s, struct rt_shared *out)
{
    int n = s->module ? dwfl_module_getsymtab(s->module) : 0;
    for (int i = 0; i < n; i++) {
        GElf_Sym sym;
        GElf_Addr at;
        const char *name = dwfl_module_getsym_info(s->module, i, &sym, &at, NULL, NULL, NULL);
        if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC && sym.st_size) add_symbol(name, at, at + sym.st_size, out);
    }
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = NULL; out->assumptions.count && (unit = dwfl_module_nextcu(s->module, unit, &bias));)
        find_inlined(unit, bias, &out->assumptions);
}
