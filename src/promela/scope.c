/* Blocks and the names in them. Spin allows no name to hide another one that is visible, so a name has at most one
 * meaning at any point. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

/* Spin counts the blocks of each depth over the whole program; the counts tell apart variables of the same name. */
void scope_open(struct parser *p)
{
    int depth = p->braces++;
    struct scope *s = arena_alloc(p->arena, sizeof *s);
    assert(p->scope && p->braces > 0);
    s->parent = p->scope;
    s->open = true;
    s->number = ++p->scopes;
    if (depth < MAX_SCOPE_DEPTH) s->count = ++p->scope_counts[depth];
    if (p->proctype) s->depth = p->scope->depth + 1;
    p->scope = s;
}

static void add_path(const struct scope *s, struct str *out)
{
    const struct scope *chain[MAX_SCOPE_DEPTH];
    int n = 0;
    for (; s && s->depth && n < MAX_SCOPE_DEPTH; s = s->parent) chain[n++] = s;
    str_add(out, "_");
    while (n-- > 0) str_printf(out, "%d_", chain[n]->count);
}

/* `before`, the path of the current block as in "_1_2_", `after`. */
char *scoped_name(struct parser *p, const char *before, const char *after)
{
    struct str name = {0};
    str_add(&name, before);
    add_path(p->scope, &name);
    str_add(&name, after);
    char *copy = arena_strdup(p->arena, str_get(&name));
    str_release(&name);
    return copy;
}

void scope_close(struct parser *p)
{
    if (p->braces == 0) return; /* one } too many */
    assert(p->scope != p->global_scope);
    p->braces--;
    p->scope->open = false;
    p->scope = p->scope->parent;
}

/* Names of closed blocks are never seen again and dropped on the way. */
struct symbol *symbol_find(struct parser *p, const char *name)
{
    struct symbol *newest = map_get(&p->symbols, name), *s = newest;
    while (s && !s->scope->open) s = s->next;
    if (s != newest) map_put(&p->symbols, name, s);
    return s;
}

struct symbol *symbol_make(struct parser *p, const char *name)
{
    struct symbol *s = arena_alloc(p->arena, sizeof *s);
    assert(p->scope->open);
    *s = (struct symbol){.name = name, .scope = p->scope, .next = symbol_find(p, name)};
    map_put(&p->symbols, name, s);
    return s;
}

/* Names of one or two letters are near to everything. */
void hint_nearest(struct parser *p, const char *name, const char *const *known, size_t count)
{
    const char *near = strlen(name) > 2 ? nearest_name(name, known, count) : NULL;
    if (near) diag_hint(p->diags, "did you mean '%s'?", near);
}

/* Suggests the visible variable or constant whose name is nearest. */
void hint_name(struct parser *p, const char *name)
{
    VEC(const char *) known = {0};
    for (size_t i = 0; i < p->symbols.cap; i++) {
        const char *key = p->symbols.slots[i].key;
        struct symbol *s = key ? symbol_find(p, key) : NULL;
        if (s && s->var) vec_push(&known, key);
    }
    for (size_t i = 0; i < p->mtype_constants.cap; i++)
        if (p->mtype_constants.slots[i].key) vec_push(&known, p->mtype_constants.slots[i].key);
    hint_nearest(p, name, known.at, known.len);
    vec_release(&known);
}

/* Parameters live outside of the braces of the body, in a block that Spin does not count. */
void scope_open_parameters(struct parser *p)
{
    struct scope *s = arena_alloc(p->arena, sizeof *s);
    *s = (struct scope){.parent = p->scope, .open = true};
    p->scope = s;
}

/* Back to the outermost level, whatever is open. */
void scope_reset(struct parser *p)
{
    for (; p->scope != p->global_scope; p->scope = p->scope->parent) p->scope->open = false;
    p->braces = p->parens = 0;
}
