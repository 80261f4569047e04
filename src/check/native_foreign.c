/* What the verdict says about code that Heddle does not observe and that some execution entered: a loss for each
 * object, with the names of functions, and a warning with the way out. */
#include "check/native_int.h"

#include <assert.h>
#include <string.h>

/* All calls of it that were met have been audited, one for each thread and place. */
static bool is_audited(const struct check *c, const struct rt_foreign *f)
{
    const struct rt_shared *s = c->run.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++) {
        const struct rt_call_site *site = &s->call_sites[i];
        if (site->is_own && site->function == f->low && site->state != RT_SITE_DONE) return false;
    }
    return f->is_counted && !c->job.processes;
}

/* Foreign functions call each other unnoticed: such a call is part of an audited one only if all others are audited. */
static bool has_site(const struct check *c, const struct rt_foreign *f)
{
    const struct rt_shared *s = c->run.shared;
    for (uint32_t i = 0; i < s->call_site_count; i++)
        if (s->call_sites[i].is_own && s->call_sites[i].function == f->low) return true;
    return false;
}

static bool are_audited(const struct check *c)
{
    const struct rt_shared *s = c->run.shared;
    bool all = true;
    for (uint32_t i = 0; i < s->foreign_count; i++) all &= !s->foreign[i].entered || is_audited(c, &s->foreign[i]);
    return all;
}

/* Which ranges were entered and not audited. Other processes of a job do not say what they entered. */
static void find_unobserved(struct check *c)
{
    const struct rt_shared *s = c->run.shared;
    uint32_t at = 0;
    bool all = are_audited(c);
    for (size_t i = 0; i < c->foreign.ranges.len; i++) {
        struct native_range *r = &c->foreign.ranges.at[i];
        while (at < s->foreign_count && s->foreign[at].high <= r->low) at++;
        const struct rt_foreign *f = at < s->foreign_count ? &s->foreign[at] : NULL;
        bool is_entered = f && (f->entered || c->job.processes);
        r->unobserved = !f || r->low < f->low || (is_entered && !(is_audited(c, f) && (all || has_site(c, f))));
    }
}

/* Functions that are told about together: of one object, for one reason. */
static bool go_together(const struct native_range *a, const struct native_range *b)
{
    if (a->kind != b->kind || !a->object != !b->object) return false;
    return !a->object || !strcmp(a->object, b->object);
}

struct group { const struct native_range *first; size_t count; struct str names; };

/* The unobserved functions from `*at` on that were not told about yet, with the names of the first `most`. */
static bool next_group(struct check *c, size_t *at, size_t most, struct group *g)
{
    *g = (struct group){0};
    for (size_t i = *at; i < c->foreign.ranges.len; i++) {
        struct native_range *r = &c->foreign.ranges.at[i];
        if (!r->unobserved || (g->first && !go_together(g->first, r))) continue;
        if (!g->first) g->first = r, *at = i;
        r->unobserved = false;
        if (++g->count > most) continue;
        if (g->count > 1) str_add(&g->names, ", ");
        native_foreign_words(c->symbols, r, &g->names);
    }
    if (g->count > most) str_printf(&g->names, " and %zu more", g->count - most);
    return g->first;
}

/* What a library holds that is not observed; whether it is called is not known. */
static void cover_library(const char *path, struct part *p)
{
    enum { FUNCTIONS = 2 };
    struct native_foreign f;
    struct str names = {0};
    bool is_read = native_foreign_ranges(path, 0, &f);
    const char *file = path_basename(path);
    size_t count = f.ranges.len;
    for (size_t i = 0; i < MIN(count, (size_t)FUNCTIONS); i++) {
        const char *name = f.ranges.at[i].function;
        str_printf(&names, "%s%.*s", i ? ", " : "", name ? (int)strcspn(name, ".") : 4, name ? name : "code");
        if (name) str_add(&names, "()");
    }
    if (count > FUNCTIONS) str_printf(&names, " and %zu more", count - FUNCTIONS);
    if (!is_read || !f.has_marks) part_omit(p, LOSS_FOREIGN, "%s, which has no marks of heddle cc", file);
    else if (count) part_omit(p, LOSS_FOREIGN, "%s in %s, %s", names.at, file,
                              native_foreign_reason(f.ranges.at[0].kind));
    str_release(&names);
    native_foreign_release(&f);
}

void cover_foreign(struct check *c, struct part *p)
{
    enum { FUNCTIONS = 2, GROUPS = 3 };
    size_t groups = 0, left = 0, at = 0;
    find_unobserved(c);
    for (struct group g; next_group(c, &at, FUNCTIONS, &g); str_release(&g.names)) {
        const char *in = g.first->object ? " in " : "", *object = g.first->object ? g.first->object : "";
        const char *reason = native_foreign_reason(g.first->kind);
        if (++groups > GROUPS) left += g.count;
        else part_omit(p, LOSS_FOREIGN, "%s%s%s, %s", g.names.at, in, path_basename(object), reason);
    }
    char count[64];
    if (left) part_omit(p, LOSS_FOREIGN, "%s elsewhere (-v lists them)", counted(count, left, "function"));
    if (c->foreign.is_cut) part_omit(p, LOSS_FOREIGN, "code of which a stripped executable does not tell");
    const struct rt_shared *s = c->run.shared;
    for (uint32_t i = 0; i < s->library_count; i++) cover_library(s->libraries[i].path, p);
    for (uint32_t i = 0; i < s->note_count; i++)
        if (s->notes[i].is_library)
            part_omit(p, LOSS_FOREIGN, "%s, %s", s->notes[i].name, native_foreign_reason(RT_FOREIGN_OBJECT));
}

void print_foreign_functions(struct check *c)
{
    enum { FUNCTIONS = 3 };
    size_t at = 0;
    bool stale = false;
    find_unobserved(c);
    for (struct group g; next_group(c, &at, c->common.verbose ? SIZE_MAX : FUNCTIONS, &g); str_release(&g.names)) {
        const char *in = g.first->object ? " in " : "", *object = g.first->object ? g.first->object : "";
        fprintf(stderr, "heddle: warning: %s%s%s, %s: what %s with memory is not seen\n", g.names.at, in, object,
                native_foreign_reason(g.first->kind), g.count == 1 ? "it does" : "they do");
        stale |= g.first->kind == RT_FOREIGN_OBJECT;
    }
    if (stale) fprintf(stderr, "heddle: build these objects with heddle cc; if they are left over from another build, "
                               "remove them first (make clean)\n");
}
