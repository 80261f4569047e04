/* Names for what has none of its own: memory that a pointer points to is called after the pointer, by its type:
 * "queue->head->next", "table[3].key". Where no pointer is known, what std::make_shared made tells its type itself. */
#include "native/symbols_int.h"

#include <string.h>

static bool find_root(struct symbols *s, const struct symbols_root *root, struct str *name, Dwarf_Die *type)
{
    if (root->pc) return symbols_local_at(s, root->pc, root->offset, name, type);
    uint64_t place = root->thread_local ? (uint64_t)root->offset : root->address;
    const struct variable *v = root->thread_local ? symbols_thread_local_at(s, place) : symbols_variable_at(s, place);
    if (!v || !v->typed) return false;
    str_add(name, v->name);
    *type = v->type;
    symbols_descend(name, type, place - v->address);
    return true;
}

/* From the pointer to the place at an offset in what it points to. */
static bool follow(struct str *name, Dwarf_Die *type, const struct symbols_link *link, int *fits)
{
    Dwarf_Die target;
    uint64_t offset = link->offset;
    if (dwarf_tag(type) != DW_TAG_pointer_type || !symbols_type_of(type, &target)) return false;
    uint64_t size = symbols_size_of(&target);
    int tag = dwarf_tag(&target);
    bool aggregate = tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
    if (!size || (!aggregate && tag != DW_TAG_array_type && size == 1)) return false; /* bytes of something else */
    int how = link->block_size == size ? 2 : link->block_size % size == 0;
    if (!how && (!aggregate || offset >= size)) return false;
    *fits = MIN(*fits, how);
    struct str member = {0}, whole = {0};
    *type = target;
    symbols_descend(&member, type, offset % size);
    if (!aggregate || offset >= size)
        str_printf(&whole, "%s[%llu]%s", name->at, (unsigned long long)(offset / size), str_get(&member));
    else if (member.len) str_printf(&whole, "%s->%s", name->at, member.at + 1);
    else str_printf(&whole, "*%s", name->at); /* the object itself, e.g. a lock */
    str_release(name);
    str_release(&member);
    *name = whole;
    return true;
}

const char *symbols_behind(struct symbols *s, const struct symbols_root *root, const struct symbols_link *links,
                           size_t count, int *fits)
{
    struct str name = {0};
    Dwarf_Die type;
    const char *kept = NULL;
    bool known = find_root(s, root, &name, &type);
    *fits = 2;
    for (size_t i = 0; i < count && known; i++) known = follow(&name, &type, &links[i], fits);
    if (known) kept = arena_strdup(&s->arena, name.at);
    str_release(&name);
    return kept;
}

/* ---- objects behind the counts of those who share them ---- */

/* One of its functions has a name that begins with that of the class, as the compiler mangles it. */
static bool is_class_of(Dwarf_Die *type, const char *mangled)
{
    Dwarf_Die child;
    Dwarf_Attribute attr;
    if (dwarf_child(type, &child)) return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_subprogram || !dwarf_attr(&child, DW_AT_linkage_name, &attr)) continue;
        const char *name = dwarf_formstring(&attr);
        if (name && !strncmp(name, "_ZN", 3) && !strncmp(name + 3, mangled, strlen(mangled))) return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool class_in(Dwarf_Die *scope, const char *mangled, Dwarf_Die *found)
{
    static const char counted[] = "_Sp_counted_ptr_inplace<";
    if (dwarf_child(scope, found)) return false;
    do {
        const char *name = dwarf_diename(found);
        Dwarf_Die inner;
        bool is_std = dwarf_tag(found) == DW_TAG_namespace && name && !strcmp(name, "std");
        if (is_std && class_in(found, mangled, &inner)) return *found = inner, true;
        if (name && !strncmp(name, counted, strlen(counted)) && is_class_of(found, mangled)) return true;
    } while (dwarf_siblingof(found, found) == 0);
    return false;
}

/* The type that it was made for. */
static bool first_parameter(Dwarf_Die *class, Dwarf_Die *type)
{
    Dwarf_Die child;
    if (dwarf_child(class, &child)) return false;
    do
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter) return symbols_type_of(&child, type);
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

const char *symbols_shared_object(struct symbols *s, uint64_t vtable, uint64_t offset, const char **member)
{
    static const char prefix[] = "_ZTV";
    const char *name = s->module && vtable ? dwfl_module_addrname(s->module, vtable) : NULL;
    Dwarf_Die *unit = NULL, class, type;
    Dwarf_Addr bias;
    if (!name || strncmp(name, prefix, strlen(prefix)) || !strstr(name, "_Sp_counted_ptr_inplace")) return NULL;
    bool found = false;
    while (!found && (unit = dwfl_module_nextcu(s->module, unit, &bias)))
        found = class_in(unit, name + strlen(prefix), &class);
    if (!found || !first_parameter(&class, &type) || !dwarf_diename(&type)) return NULL;
    struct str inside = {0};
    const char *type_name = dwarf_diename(&type);
    symbols_descend(&inside, &type, offset);
    *member = arena_strdup(&s->arena, str_get(&inside));
    str_release(&inside);
    return type_name;
}
