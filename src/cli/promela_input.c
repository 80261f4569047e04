/* From a Promela file to a model, for every command that needs one. */
#include "cli/explicit.h"

#include "model/promela_model.h"

#include <stdlib.h>
#include <string.h>

bool promela_accepts(const char *path)
{
    static const char *const endings[] = {".pml", ".prom", ".promela", ".pm"};
    const char *dot = strrchr(path_basename(path), '.');
    for (size_t i = 0; dot && i < ARRAY_LEN(endings); i++)
        if (!strcmp(dot, endings[i])) return true;
    return false;
}

/* A pass must not be taken for more than it is. */
static void warn_about_claims(const struct program *p, struct diags *d)
{
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_NEVER) diag_warning(d, p->proctypes.at[i]->pos, "the never claim is not checked");
    for (size_t i = 0; i < p->ltl.len; i++)
        diag_warning(d, p->ltl.at[i]->pos, "the ltl property '%s' is not checked", p->ltl.at[i]->name ? p->ltl.at[i]->name : "");
}

struct model *promela_load(const char *path, const struct promela_flags *flags)
{
    struct diags d = {0};
    struct promela_options o = {flags->defines.at, flags->defines.len, flags->no_c_code};
    struct program *p = promela_parse(path, &o, &d);
    struct model *m = NULL;
    if (p) {
        warn_about_claims(p, &d);
        m = promela_model(p, &(struct model_options){.exact = flags->exact}, &d);
    }
    diags_print(&d, stderr);
    diags_release(&d);
    return m;
}

char *input_hash(const char *path)
{
    size_t len;
    char *text = read_file(path, &len);
    if (!text) return NULL;
    struct hash128 h = hash_bytes128(text, len);
    struct str s = {0};
    str_printf(&s, "%016llx%016llx", (unsigned long long)h.hi, (unsigned long long)h.lo);
    free(text);
    return s.at;
}

void promela_describe(struct trace *t, const char *path, const struct promela_flags *flags)
{
    char *hash = input_hash(path);
    t->engine = "explicit";
    t->input = arena_strdup(&t->arena, path);
    t->input_hash = hash ? arena_strdup(&t->arena, hash) : NULL;
    free(hash);
    vec_clear(&t->options);
    if (flags->exact) vec_push(&t->options, "--exact");
    if (flags->no_c_code) vec_push(&t->options, "--no-c-code");
    for (size_t i = 0; i < flags->defines.len; i++)
        vec_push(&t->options, arena_printf(&t->arena, "-D%s", flags->defines.at[i]));
}
