/* What the dynamic linker loaded: names of functions, and libraries that are not instrumented. */
#include "runtime/internal.h"

#include <dlfcn.h>

extern char __start_heddle_text[], __stop_heddle_text[];

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

bool rt_is_foreign_library(uintptr_t address)
{
    Dl_info info;
    if (!rt_is_library_code(address) || !dladdr((void *)address, &info)) return false;
    for (const struct link_map *m = _r_debug.r_map->l_next; m; m = m->l_next)
        if (m->l_addr == (uintptr_t)info.dli_fbase) return !is_instrumented(m);
    return true;
}

/* heddle looks for code in it that is not observed. */
static void tell_library(const char *path)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; i < s->library_count; i++)
        if (!strcmp(s->libraries[i].path, path)) return;
    if (s->library_count == RT_MAX_LIBRARIES || strlen(path) >= sizeof s->libraries[0].path) {
        rt_note(strrchr(path, '/') + 1, "there is no room for another library", 0);
        return;
    }
    strcpy(s->libraries[s->library_count++].path, path);
}

/* The system's are known for it (doc/native.md); another one may be part of the program. */
void rt_note_libraries(void)
{
    for (const struct link_map *m = _r_debug.r_map->l_next; m; m = m->l_next) {
        const char *path = m->l_name, *name = strrchr(path, '/');
        if (name && is_instrumented(m)) tell_library(path);
        if (name && !strncmp(name, "/libitm.so", 10))
            rt_note("libitm", "transactional memory: what threads do between its calls is one step", 0);
        if (!name || !strncmp(path, "/lib", 4) || !strncmp(path, "/usr/", 5) || is_instrumented(m)) continue;
        uint32_t before = rt.shared->note_count;
        rt_note(name + 1, "built without heddle cc: what it does with memory is not seen", (uintptr_t)m->l_ld);
        if (rt.shared->note_count > before) rt.shared->notes[before].is_library = true;
    }
}

/* ---- functions that the program looks up by name ---- */

static bool is_in_runtime(const char *at) { return at >= __start_heddle_text && at < __stop_heddle_text; }

/* Of the executable. dlsym() would allocate where it does not find the name, and an allocator may be what asks. */
static char *function_named(const struct names *n, const char *beginning, const char *name)
{
    size_t len = strlen(beginning);
    for (uint32_t i = 0; i < n->count; i++) {
        const ElfW(Sym) *s = &n->symbols[i];
        const char *text = n->text + s->st_name;
        bool is_it = s->st_shndx && !strncmp(text, beginning, len) && !strcmp(text + len, name);
        if (is_it && is_in_runtime(n->base + s->st_value)) return n->base + s->st_value;
    }
    return NULL;
}

/* What calls of the name lead to if the linker resolves them: the runtime's function, if it has one. Where the program
 * has a function of that name itself, it looks for the next one, which is the runtime's as well: by its second name. */
static void *function_instead(const char *name)
{
    struct names n;
    if (!rt_names_of(_r_debug.r_map, &n)) return NULL;
    char *ours = function_named(&n, "__wrap_", name);
    if (!ours) ours = function_named(&n, "", name);
    return ours ? ours : function_named(&n, "heddle_few_", name);
}

/* The name as the library has it, which stays; NULL: it is no function. */
static const char *name_of_function(void *at)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    if (!dladdr1(at, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol || info.dli_saddr != at) return NULL;
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ? info.dli_sname : NULL;
}

static void *watched_function(void *found, const char *name, uintptr_t pc)
{
    void *ours = function_instead(name);
    if (ours) return ours;
    const char *lasting = name_of_function(found);
    return lasting ? rt_audited_address(found, lasting, pc) : found;
}

/* The dynamic linker allocates before main(), by a function that may be the program's and asks for the next one. By
 * itself the program calls the library's function there in the end (alone.c). */
static void *next_before_main(void *library, const char *name, void *found)
{
    void *ours = library == RTLD_NEXT ? function_instead(name) : NULL;
    return ours ? ours : found;
}

/* The linker redirects the program's calls of dlsym() here (--wrap). */
void *__wrap_dlsym(void *library, const char *name);
EXPORT void *__wrap_dlsym(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found || rt.alone) return found;
    if (!rt.shared) return next_before_main(library, name, found);
    rt_call_reads(name, strlen(name) + 1, CALLER);
    return rt_is_foreign_library((uintptr_t)found) ? watched_function(found, name, CALLER) : found;
}
