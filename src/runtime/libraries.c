/* What the dynamic linker loaded: names of functions, and libraries that are not instrumented. */
#include "runtime/internal.h"

/* How many symbols there are follows from the table that finds them. */
static uint32_t count_symbols(const uint32_t *hash)
{
    uint32_t buckets = hash[0], first = hash[1], last = 0;
    const uint32_t *bucket = hash + 4 + (size_t)hash[2] * (sizeof(void *) / 4), *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        if (bucket[i] > last) last = bucket[i];
    if (last < first) return first;
    while (!(chain[last - first] & 1)) last++;
    return last + 1;
}

bool rt_names_of(const struct link_map *m, struct names *n)
{
    const uint32_t *hash = NULL;
    *n = (struct names){.base = (char *)m->l_addr};
    for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_STRTAB) n->text = (const char *)d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB) n->symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
        if (d->d_tag == DT_GNU_HASH) hash = (const uint32_t *)d->d_un.d_ptr;
    }
    if (!n->text || !n->symbols || !hash) return false;
    n->count = count_symbols(hash);
    return true;
}

/* Whatever a compiler instruments calls this when it is loaded. */
static bool is_instrumented(const struct link_map *m)
{
    struct names n;
    if (!rt_names_of(m, &n)) return false;
    for (uint32_t i = 0; i < n.count; i++)
        if (!strcmp(n.text + n.symbols[i].st_name, "__tsan_init")) return true;
    return false;
}

/* The system's are known for it (doc/native.md); another one may be part of the program. */
void rt_note_libraries(void)
{
    for (const struct link_map *m = _r_debug.r_map->l_next; m; m = m->l_next) {
        const char *path = m->l_name, *name = strrchr(path, '/');
        if (!name || !strncmp(path, "/lib", 4) || !strncmp(path, "/usr/", 5) || is_instrumented(m)) continue;
        rt_note(name + 1, "not built with heddle cc: what it does with memory is not seen", (uintptr_t)m->l_ld);
    }
}
