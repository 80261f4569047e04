/* From a Promela file to a model, for every command that needs one. */
#include "check/explicit_int.h"

#include "base/stack.h"
#include "model/model.h"

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

/* A word is the name of a property; anything else is a formula. */
bool is_property_name(const char *s)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *s && !s[strspn(s, letters)];
}

static struct program *parse(const char *path, const struct promela_flags *flags, const struct limits *limits,
                             struct diags *d)
{
    VEC(const char *) formulas = {0};
    for (size_t i = 0; i < flags->ltl.len; i++)
        if (!is_property_name(flags->ltl.at[i])) vec_push(&formulas, flags->ltl.at[i]);
    struct promela_options o = {.defines = flags->defines.at, .define_count = flags->defines.len,
                                .no_c_code = flags->no_c_code ? "is refused by --no-c-code" : flags->distrust,
                                .formulas = formulas.at, .formula_count = formulas.len, .limits = limits};
    struct program *p = promela_parse(path, &o, d);
    vec_release(&formulas);
    return p;
}

const char *const dump_names[] = {"promela", "automata", "c", NULL};

/* What is read, and what comes of it. The trees are as deep as the text is nested, so all of it runs on a large stack.
 */
struct input {
    const char *path;
    const struct promela_flags *flags;
    const struct limits *limits;
    struct properties *properties; /* of load() */
    int what;                      /* of dump(): an index of dump_names */
    struct diags diags;
    bool good;
    enum limit reached;
    struct model *model;
};

static void dump(void *input)
{
    struct input *in = input;
    struct program *p = parse(in->path, in->flags, NULL, &in->diags);
    int errors = in->diags.errors;
    if (p && in->what == 0) promela_print(p, stdout);
    else if (p && in->what == 1) promela_print_automata(p, stdout, &in->diags);
    else if (p) promela_print_c(p, &(struct model_options){.exact = in->flags->exact}, stdout, &in->diags);
    in->good = p && in->diags.errors == errors;
    promela_free(p);
}

static void finish(struct input *in, bool says_why)
{
    if (says_why) diags_print(&in->diags, stderr);
    diags_release(&in->diags);
}

bool promela_dump(const char *path, const struct promela_flags *flags, int what)
{
    struct input in = {.path = path, .flags = flags, .what = what};
    stack_call(dump, &in);
    finish(&in, true);
    return in.good;
}

static void load(void *input)
{
    struct input *in = input;
    struct program *p = parse(in->path, in->flags, in->limits, &in->diags);
    if (p && properties_prepare(p, in->flags, in->limits, in->properties, &in->diags)) {
        struct model_options o = {.exact = in->flags->exact || in->properties->needs_exact,
                                  .cache = !in->flags->no_cache, .limits = in->limits,
                                  .reached = &in->reached};
        in->model = promela_model(p, &o, &in->diags);
        if (in->model) properties_connect(in->properties, in->model);
    } else if (p) {
        promela_free(p);
    }
}

static struct model *load_with(const char *path, const struct promela_flags *flags, const struct limits *limits,
                               struct properties *properties, bool says_why)
{
    struct input in = {.path = path, .flags = flags, .limits = limits, .properties = properties};
    *properties = (struct properties){0};
    stack_call(load, &in);
    if (!in.model) properties_release(properties);
    properties->reached = in.reached;
    finish(&in, says_why);
    return in.model;
}

struct model *promela_load_with(const char *path, const struct promela_flags *flags, const struct limits *limits,
                                struct properties *properties)
{
    return load_with(path, flags, limits, properties, true);
}

struct model *promela_load_again(const char *path, const struct promela_flags *flags, const struct limits *limits,
                                 struct properties *properties)
{
    return load_with(path, flags, limits, properties, false);
}

static void load_plainly(void *input)
{
    struct input *in = input;
    struct program *p = parse(in->path, in->flags, NULL, &in->diags);
    struct model_options o = {.exact = in->flags->exact, .warn = true};
    if (p) in->model = promela_model(p, &o, &in->diags);
}

/* Without properties: a pass says nothing about them, so a caller must not promise anything. */
struct model *promela_load(const char *path, const struct promela_flags *flags)
{
    struct input in = {.path = path, .flags = flags};
    stack_call(load_plainly, &in);
    finish(&in, true);
    return in.model;
}

void promela_describe(struct trace *t, const struct model *m, const char *path, const struct promela_flags *flags)
{
    char *hash = hash_file(path);
    t->needs_trust |= !m->is_portable; /* for then it has C in it */
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

/* Formulas are numbered, so those before it are recorded too: the property is the last one. */
static void describe_ltl(struct trace *t, const struct promela_flags *flags, const char *name)
{
    size_t number = 0, last = 0;
    for (size_t i = 0; i < flags->ltl.len; i++)
        if (!is_property_name(flags->ltl.at[i]) && !strcmp(arena_printf(&t->arena, "formula_%zu", ++number), name))
            last = i + 1;
    for (size_t i = 0; i < last; i++)
        if (!is_property_name(flags->ltl.at[i]))
            vec_push(&t->options, arena_printf(&t->arena, "--ltl=%s", flags->ltl.at[i]));
    if (!last) vec_push(&t->options, arena_printf(&t->arena, "--ltl=%s", name));
}

void property_describe(struct trace *t, const struct promela_flags *flags, const struct prepared *p)
{
    const struct property *q = &p->p;
    if (!strcmp(q->kind, "non-progress-cycle")) vec_push(&t->options, "--progress");
    else if (!p->evaluator && q->automaton) vec_push(&t->options, "--acceptance");
    else if (!strcmp(q->kind, "ltl")) {
        describe_ltl(t, flags, q->name);
    } else vec_push(&t->options, arena_printf(&t->arena, "--claim=%s", q->name));
    if (q->fair) vec_push(&t->options, "--fair");
    if (q->no_stutter) vec_push(&t->options, "--no-stutter");
    if (flags->no_claims) vec_push(&t->options, "--no-claims"); /* what only they read is no part of the states */
    if (flags->no_por) vec_push(&t->options, "--no-por"); /* the automaton is another one without reduction */
}
