/* Addresses of the checked program as its author knows them: source lines, functions, variables with members and
 * elements, values by type. From DWARF by way of libdw. */
#include "native/symbols_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Qualifiers and names say nothing about layout. */
static bool strip_type(Dwarf_Die *type)
{
    for (;;) {
        Dwarf_Attribute attr;
        int tag = dwarf_tag(type);
        if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
            tag != DW_TAG_atomic_type && tag != DW_TAG_restrict_type)
            return true;
        if (!dwarf_attr_integrate(type, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type)) return false;
    }
}

bool symbols_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attr;
    return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) && strip_type(type);
}

uint64_t symbols_size_of(Dwarf_Die *type)
{
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

/* The address of a variable that has one and always the same. gcc writes it down, clang the number of it in a table. */
static bool fixed_address(Dwarf_Attribute *location, Dwarf_Addr *address)
{
    Dwarf_Op *op;
    size_t len;
    Dwarf_Attribute entry;
    if (dwarf_getlocation(location, &op, &len) || len != 1) return false;
    if (op->atom == DW_OP_addr) *address = op->number;
    else if (op->atom != DW_OP_addrx || dwarf_getlocation_attr(location, op, &entry) || dwarf_formaddr(&entry, address))
        return false;
    return true;
}

/* Where among the variables of each thread one lies. */
static bool thread_offset(Dwarf_Attribute *location, Dwarf_Addr *offset)
{
    Dwarf_Op *op;
    size_t len;
    if (dwarf_getlocation(location, &op, &len) || len != 2) return false;
    if (op[1].atom != DW_OP_form_tls_address && op[1].atom != DW_OP_GNU_push_tls_address) return false;
    *offset = op[0].number;
    return op[0].atom == DW_OP_const8u || op[0].atom == DW_OP_const4u || op[0].atom == DW_OP_constu ||
           op[0].atom == DW_OP_addr;
}

static void add_variable(struct symbols *s, Dwarf_Die *die, Dwarf_Addr bias)
{
    Dwarf_Attribute attr;
    struct variable v = {0};
    if (!dwarf_attr(die, DW_AT_location, &attr)) return;
    bool has_threads = thread_offset(&attr, &v.address);
    if (!has_threads && !fixed_address(&attr, &v.address)) return;
    if (!has_threads) v.address += bias;
    v.name = dwarf_diename(die);
    if (!v.name) {
        Dwarf_Die origin;
        if (dwarf_attr_integrate(die, DW_AT_specification, &attr) && dwarf_formref_die(&attr, &origin))
            v.name = dwarf_diename(&origin);
    }
    v.typed = symbols_type_of(die, &v.type);
    v.size = v.typed ? symbols_size_of(&v.type) : 0;
    if (v.name && has_threads) vec_push(&s->thread_locals, v);
    else if (v.name) vec_push(&s->variables, v);
}

static void walk(struct symbols *s, Dwarf_Die *die, Dwarf_Addr bias, int depth)
{
    Dwarf_Die child;
    enum { DEEPEST = 12 };
    if (depth > DEEPEST || dwarf_child(die, &child)) return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_variable) add_variable(s, &child, bias);
        else if (tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)
            walk(s, &child, bias, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Left alone libdw would exit with status 1, which means that an error was found. */
__attribute__((noreturn)) static void no_memory(void) { die("out of memory while the debugging information is read"); }

struct symbols *symbols_new(const char *executable, uint64_t base)
{
    struct symbols *s = xcalloc(1, sizeof *s);
    s->here = getcwd(NULL, 0);
    s->dwfl = dwfl_begin(&callbacks);
    if (!s->dwfl) no_memory();
    dwfl_report_begin(s->dwfl);
    s->module = dwfl_report_elf(s->dwfl, "program", executable, -1, base, false);
    dwfl_report_end(s->dwfl, NULL, NULL);
    Dwarf *dwarf = s->module ? dwfl_module_getdwarf(s->module, &s->bias) : NULL;
    if (dwarf) dwarf_new_oom_handler(dwarf, no_memory);
    Dwarf_Die *unit = NULL;
    while (s->module && (unit = dwfl_module_nextcu(s->module, unit, &s->bias))) walk(s, unit, s->bias, 0);
    if (s->thread_locals.len)
        qsort(s->thread_locals.at, s->thread_locals.len, sizeof s->thread_locals.at[0], by_address);
    if (s->variables.len) qsort(s->variables.at, s->variables.len, sizeof s->variables.at[0], by_address);
    for (size_t i = 1; i < s->variables.len; i++)
        assert_costly(s->variables.at[i - 1].address <= s->variables.at[i].address);
    return s;
}

void symbols_free(struct symbols *s)
{
    if (!s) return;
    dwfl_end(s->dwfl);
    free(s->here);
    vec_release(&s->variables);
    vec_release(&s->thread_locals);
    vec_release(&s->code);
    arena_release(&s->arena);
    free(s);
}

static const struct variable *find_variable(const struct variable *at, size_t len, uint64_t address)
{
    const struct variable *best = NULL;
    for (size_t i = 0; i < len && at[i].address <= address; i++)
        if (address < at[i].address + MAX(at[i].size, (uint64_t)1)) best = &at[i];
    return best;
}

const struct variable *symbols_variable_at(const struct symbols *s, uint64_t address)
{
    return find_variable(s->variables.at, s->variables.len, address);
}

const struct variable *symbols_thread_local_at(const struct symbols *s, uint64_t offset)
{
    return find_variable(s->thread_locals.at, s->thread_locals.len, offset);
}

static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member, uint64_t *start)
{
    Dwarf_Die child;
    bool found = false;
    if (dwarf_child(type, &child)) return false;
    do {
        int tag = dwarf_tag(&child);
        Dwarf_Attribute attr;
        Dwarf_Word at = 0;
        Dwarf_Die member_type;
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        if (dwarf_attr(&child, DW_AT_data_member_location, &attr)) dwarf_formudata(&attr, &at);
        else if (dwarf_tag(type) != DW_TAG_union_type) continue;
        if (!symbols_type_of(&child, &member_type) || offset < at) continue;
        uint64_t size = symbols_size_of(&member_type); /* 0: of a library's type, which clang does not describe */
        if (size && offset >= at + size) continue;
        assert(offset >= at);
        *member = child;
        *start = at;
        found = true;
        if (size > 1 || (size && tag == DW_TAG_member)) return true; /* else it may be an empty base */
    } while (dwarf_siblingof(&child, &child) == 0);
    return found;
}

/* Descends from a variable to the member or element at the offset; appends to the name. Library types (std::...) are
 * not descended into: their insides are nobody's vocabulary. */
void symbols_descend(struct str *name, Dwarf_Die *type, uint64_t offset)
{
    Dwarf_Die inner;
    int tag = dwarf_tag(type);
    if (tag == DW_TAG_array_type && symbols_type_of(type, &inner)) {
        uint64_t size = MAX(symbols_size_of(&inner), (uint64_t)1);
        str_printf(name, "[%llu]", (unsigned long long)(offset / size));
        *type = inner;
        symbols_descend(name, type, offset % size);
    } else if (tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_class_type) {
        Dwarf_Die member;
        uint64_t start = 0;
        if (!member_at(type, offset, &member, &start) || !symbols_type_of(&member, &inner)) return;
        const char *text = dwarf_diename(&member);
        if (text && !strncmp(text, "__", 2)) return; /* the inside of a mutex */
        if (text && strncmp(text, "_M_", 3)) str_printf(name, ".%s", text);
        *type = inner;
        symbols_descend(name, type, offset - start);
    }
}

static const char *name_within(struct symbols *s, const struct variable *v, uint64_t address)
{
    if (!v) return NULL;
    struct str name = {0};
    assert(v->name && address >= v->address);
    str_add(&name, v->name);
    Dwarf_Die type = v->type;
    if (v->typed) symbols_descend(&name, &type, address - v->address);
    const char *kept = arena_strdup(&s->arena, name.at);
    str_release(&name);
    return kept;
}

const char *symbols_variable(struct symbols *s, uint64_t address)
{
    return name_within(s, symbols_variable_at(s, address), address);
}

const char *symbols_thread_local(struct symbols *s, uint64_t offset)
{
    return name_within(s, symbols_thread_local_at(s, offset), offset);
}

bool symbols_is_guard(struct symbols *s, uint64_t address)
{
    const char *name = s->module ? dwfl_module_addrname(s->module, address) : NULL;
    return name && !strncmp(name, "_ZGV", 4);
}

/* Whether offsets are from the canonical frame address (gcc) or from the frame pointer (clang). */
static int64_t frame_base(Dwarf_Die *function)
{
    Dwarf_Attribute attr;
    Dwarf_Op *op;
    size_t len;
    bool cfa = !dwarf_attr(function, DW_AT_frame_base, &attr) || dwarf_getlocation(&attr, &op, &len) || len != 1 ||
               op->atom == DW_OP_call_frame_cfa;
    return cfa ? 0 : -16;
}

static bool local_at(Dwarf_Die *scope, int64_t base, int64_t offset, struct str *name, Dwarf_Die *type, int depth)
{
    Dwarf_Die child;
    if (depth > 8 || dwarf_child(scope, &child)) return false;
    do {
        Dwarf_Attribute attr;
        Dwarf_Op *op;
        size_t len;
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_lexical_block && local_at(&child, base, offset, name, type, depth + 1)) return true;
        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
        if (!dwarf_attr(&child, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &len) || len != 1 ||
            op->atom != DW_OP_fbreg || !symbols_type_of(&child, type))
            continue;
        int64_t start = (int64_t)op->number + base, size = (int64_t)MAX(symbols_size_of(type), (uint64_t)1);
        if (offset < start || offset >= start + size || !dwarf_diename(&child)) continue;
        str_add(name, dwarf_diename(&child));
        symbols_descend(name, type, (uint64_t)(offset - start));
        return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool symbols_local_at(struct symbols *s, uint64_t pc, int64_t offset, struct str *name, Dwarf_Die *type)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = s->module ? dwfl_module_addrdie(s->module, pc, &bias) : NULL, *scopes = NULL;
    int n = unit ? dwarf_getscopes(unit, pc - bias, &scopes) : 0;
    bool found = false;
    for (int i = 0; i < n && !found; i++)
        found = dwarf_tag(&scopes[i]) == DW_TAG_subprogram &&
                local_at(&scopes[i], frame_base(&scopes[i]), offset, name, type, 0);
    free(scopes);
    return found;
}

const char *symbols_local(struct symbols *s, uint64_t pc, int64_t offset)
{
    struct str name = {0};
    Dwarf_Die type;
    bool found = symbols_local_at(s, pc, offset, &name, &type);
    const char *kept = found ? arena_strdup(&s->arena, name.at) : NULL;
    str_release(&name);
    return kept;
}

static const char *enumerator(struct symbols *s, Dwarf_Die *type, int64_t value)
{
    Dwarf_Die child;
    if (dwarf_child(type, &child)) return NULL;
    do {
        Dwarf_Attribute attr;
        Dwarf_Sword constant;
        if (dwarf_attr(&child, DW_AT_const_value, &attr) && dwarf_formsdata(&attr, &constant) == 0 && constant == value)
            return arena_strdup(&s->arena, dwarf_diename(&child));
    } while (dwarf_siblingof(&child, &child) == 0);
    return NULL;
}

static int64_t sign_extended(uint64_t value, uint64_t size)
{
    unsigned shift = size < 8 ? (unsigned)(64 - 8 * size) : 0;
    return (int64_t)(value << shift) >> shift;
}

static const char *by_type(struct symbols *s, Dwarf_Die *type, uint64_t size, uint64_t value)
{
    Dwarf_Attribute attr;
    Dwarf_Word encoding = 0;
    switch (dwarf_tag(type)) {
    case DW_TAG_pointer_type: {
        if (!value) return "NULL";
        const char *target = symbols_variable(s, value);
        return target ? arena_printf(&s->arena, "&%s", target)
                      : arena_printf(&s->arena, "%#llx", (unsigned long long)value);
    }
    case DW_TAG_enumeration_type: {
        const char *name = enumerator(s, type, sign_extended(value, size));
        if (name) return name;
        break;
    }
    case DW_TAG_base_type:
        if (dwarf_attr(type, DW_AT_encoding, &attr)) dwarf_formudata(&attr, &encoding);
        if (encoding == DW_ATE_boolean) return value & 255 ? "true" : "false";
        if (encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char)
            return arena_printf(&s->arena, "%llu", (unsigned long long)value);
        if (encoding == DW_ATE_float && size == 8) {
            double d;
            memcpy(&d, &value, 8);
            return arena_printf(&s->arena, "%g", d);
        }
        break;
    }
    return NULL;
}

const char *symbols_value(struct symbols *s, uint64_t address, uint64_t size, uint64_t value)
{
    const struct variable *v = symbols_variable_at(s, address);
    if (v && v->typed) {
        Dwarf_Die type = v->type;
        struct str ignored = {0};
        symbols_descend(&ignored, &type, address - v->address);
        str_release(&ignored);
        const char *text = by_type(s, &type, size, value);
        if (text) return text;
    }
    int64_t n = sign_extended(value, size);
    enum { POINTER_LIKE = 1 << 24 };
    const char *target = size == 8 && n > POINTER_LIKE ? symbols_variable(s, value) : NULL;
    if (target) return arena_printf(&s->arena, "&%s", target);
    if (size == 8 && n > (1ll << 40)) return arena_printf(&s->arena, "%#llx", (unsigned long long)value);
    return arena_printf(&s->arena, "%lld", (long long)n);
}
