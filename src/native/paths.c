/* Names for what has none of its own: memory that a pointer points to is called after the pointer, by its type:
 * "queue->head->next", "table[3].key". */
#include "native/symbols_int.h"

static bool find_root(struct symbols *s, const struct symbols_root *root, struct str *name, Dwarf_Die *type)
{
    if (root->pc) return symbols_local_at(s, root->pc, root->offset, name, type);
    const struct variable *v = symbols_variable_at(s, root->address);
    if (!v || !v->typed) return false;
    str_add(name, v->name);
    *type = v->type;
    symbols_descend(name, type, root->address - v->address);
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
