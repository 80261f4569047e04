/* Blocks and the names in them. Spin allows no name to hide another one that is visible, so a name has at most one
 * meaning at any point; the path of a block ("_1_2_") is what Spin puts in front of a variable of an inner block. */
#include "promela/frontend.h"

#include <string.h>

/* The blocks are counted per depth over the whole program, and only named inside of a proctype. */
void scope_open(struct parser *p)
{
    int depth = p->braces++;
    if (depth < MAX_SCOPE_DEPTH) p->scope_counts[depth]++;
    struct scope *s = arena_alloc(p->arena, sizeof *s);
    s->parent = p->scope;
    s->open = true;
    s->number = ++p->scopes;
    s->path = p->proctype && depth < MAX_SCOPE_DEPTH
                  ? arena_printf(p->arena, "%s%d_", p->scope->path, p->scope_counts[depth])
                  : p->scope->path;
    p->scope = s;
}

void scope_close(struct parser *p)
{
    if (p->braces == 0) return; /* one } too many */
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
    *s = (struct scope){.parent = p->scope, .path = "_", .open = true};
    p->scope = s;
}

/* Back to the outermost level, whatever is open. */
void scope_reset(struct parser *p)
{
    for (; p->scope != p->global_scope; p->scope = p->scope->parent) p->scope->open = false;
    p->braces = p->parens = 0;
}
