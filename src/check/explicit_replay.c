/* heddle replay of a trace of a Promela model: the schedule on the model, step by step. */
#include "check/explicit_int.h"
#include "check/trust_int.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Prints the trace just made by running the model; takes it over. */
static int reproduced(struct trace *t, struct report how)
{
    report_trace(t, how);
    return result_print_reproduced(t);
}

static bool same_steps(const struct trace_step *a, const struct trace_step *b)
{
    return a->detail.len == b->detail.len &&
           (!a->detail.len || !memcmp(a->detail.at, b->detail.at, a->detail.len * sizeof *a->detail.at));
}

static void warn_if_changed(const struct trace *t)
{
    char *hash = hash_file(t->input);
    if (hash && t->input_hash && strcmp(hash, t->input_hash))
        fprintf(stderr, "heddle: warning: %s has changed since the trace was written\n", t->input);
    free(hash);
}

/* Where a trace and what the model does now part, for a trace that no longer fails. */
static char *divergence(struct model *m, const struct trace *t)
{
    struct str s = {0};
    struct replay *r = replay_new(m);
    size_t i = 0;
    for (; i < t->steps.len; i++) {
        const struct successor *now = replay_step(r, (uint32_t)t->steps.at[i].choice);
        if (!now) break;
    }
    if (i < t->steps.len)
        str_printf(&s, "the trace does not fit the model: step %zu (%s) is not possible", i + 1, t->steps.at[i].action);
    else str_add(&s, "the schedule still runs, but no longer ends in the error");
    replay_free(r);
    return s.at;
}

static int replay_on(struct model *m, const struct properties *properties, const struct trace *t,
                     const struct replay_options *o)
{
    struct schedule s;
    schedule_of_trace(t, &s);
    struct trace *now = s.violates && properties->list.len ? trace_of_violation(m, &vec_last(&properties->list)->p, &s)
                                                           : trace_of_schedule(m, &s);
    schedule_release(&s);
    if (!now) return result_print_not_reproduced(divergence(m, t));
    assert(now->steps.len == t->steps.len);
    now->at_least = t->at_least;
    if (strcmp(now->kind, t->kind))
        fprintf(stderr, "heddle: warning: the trace says '%s', the schedule ends in '%s'\n", t->kind, now->kind);
    for (size_t i = 0; i < now->steps.len; i++)
        if (t->steps.at[i].detail.len && !same_steps(&now->steps.at[i], &t->steps.at[i])) {
            fprintf(stderr, "heddle: warning: from step %zu on the model does something else than the trace says\n",
                    i + 1);
            break;
        }
    return reproduced(now, replay_style(o));
}

struct trace_flags { struct promela_flags flags; };
static const struct option flag_rows[] = {PROMELA_FLAG_ROWS(struct trace_flags, flags),
                                          PROPERTY_FLAG_ROWS(struct trace_flags, flags)};

/* The flags that a trace records. */
static const char *read_flags(const struct trace *t, struct trace_flags *f, struct arena *arena)
{
    struct option_table table = {"", flag_rows, ARRAY_LEN(flag_rows), f};
    VEC(char *) argv = {0};
    struct option_words words = {0}, rest = {0};
    const char *error;
    vec_push(&argv, "trace");
    for (size_t i = 0; i < t->options.len; i++) vec_push(&argv, (char *)t->options.at[i]);
    options_parse(&table, 1, (int)argv.len, argv.at, &words, &rest, arena, &error);
    if (!error && (words.len || rest.len))
        error = arena_printf(arena, "'%s' is not an option", words.len ? words.at[0] : rest.at[0]);
    vec_release(&argv);
    vec_release(&words);
    vec_release(&rest);
    return error;
}

static void release_flags(struct promela_flags *f)
{
    vec_release(&f->defines);
    vec_release(&f->ltl);
    vec_release(&f->claims);
}

/* The model that a trace is about, or NULL after saying why not. */
static struct model *model_of_trace(const struct trace *t, const struct replay_options *o,
                                    struct properties *properties)
{
    struct arena arena = {0};
    static const char distrust[] = "is C, which would be compiled and run: look at it, then heddle replay --trust";
    struct trace_flags f = {.flags.por = -1, .flags.distrust = o->trust ? NULL : distrust};
    struct model *m = NULL;
    const char *error = read_flags(t, &f, &arena);
    if (error) fprintf(stderr, "heddle: error: in the trace's options: %s\n", error);
    else m = promela_load_with(t->input, &f.flags, NULL, properties);
    release_flags(&f.flags);
    arena_release(&arena);
    return m;
}

char *explicit_distrusts(const struct trace *t, const char *directory)
{
    (void)directory;
    struct arena arena = {0};
    struct trace_flags f = {.flags.por = -1};
    struct str refused = {0};
    const char *error = read_flags(t, &f, &arena);
    for (size_t i = 0; !error && !refused.len && i < f.flags.defines.len; i++)
        if (!trust_is_define(f.flags.defines.at[i], false))
            str_printf(&refused, "the macro -D%s", f.flags.defines.at[i]);
    release_flags(&f.flags);
    arena_release(&arena);
    return refused.at;
}

int explicit_replay(const struct trace *trace, const struct replay_options *o)
{
    warn_if_changed(trace);
    struct properties properties = {0};
    struct model *m = model_of_trace(trace, o, &properties);
    int status = m ? replay_on(m, &properties, trace, o) : EXIT_BAD_INPUT;
    properties_release(&properties);
    if (m) m->ops->free(m);
    return status;
}

char *explicit_simplify(const struct trace *trace, const struct replay_options *o, struct trace **better)
{
    enum { MOST_NODES = 5000000 };
    struct properties properties = {0};
    *better = NULL;
    if (trace->cycle_start >= 0) return xstrdup("nothing changed: the order of steps in a cycle is part of the error");
    struct model *m = model_of_trace(trace, o, &properties);
    properties_release(&properties);
    if (!m) return NULL;
    struct schedule s, to;
    schedule_of_trace(trace, &s);
    struct trace *now = trace_of_schedule(m, &s);
    const char *line = "the trace no longer fits its model";
    if (now) {
        switch (schedule_simplify(m, &s, &to, MOST_NODES, NULL)) {
        case SIMPLIFIED_SHORTER: line = "simplified: the same steps in another order"; break;
        case SIMPLIFIED_MINIMAL_ALREADY:
            line = "nothing changed: no other order of these steps has fewer preemptions";
            break;
        case SIMPLIFIED_GAVE_UP: line = "nothing changed: too many orders to try them all"; break;
        }
        if (to.choices.len) *better = trace_of_schedule(m, &to);
        schedule_release(&to);
    }
    if (*better) {
        (*better)->input = arena_strdup(&(*better)->arena, trace->input);
        (*better)->engine = "explicit";
        (*better)->needs_trust = trace->needs_trust;
        (*better)->input_hash = trace->input_hash ? arena_strdup(&(*better)->arena, trace->input_hash) : NULL;
        for (size_t i = 0; i < trace->options.len; i++)
            vec_push(&(*better)->options, arena_strdup(&(*better)->arena, trace->options.at[i]));
    }
    trace_free(now);
    schedule_release(&s);
    m->ops->free(m);
    return xstrdup(line);
}

/* ---- Spin's trails ---- */

/* The first of these properties that the trail violates, as a trace; NULL: none, or the trail does not fit. */
static struct trace *violation_on_trail(struct model *m, const struct properties *all, const char *trail,
                                        enum trail_end end, const struct prepared **which)
{
    struct schedule s = {0};
    struct trace *t = NULL;
    char *wrong = trail_schedule(m, trail, end, &s);
    for (size_t i = 0; !wrong && s.violates && !t && i < all->list.len; i++) {
        *which = all->list.at[i];
        t = trace_of_violation(m, &(*which)->p, &s);
    }
    free(wrong);
    schedule_release(&s);
    return t;
}

static struct trace *trail_of_property(struct model *m, const struct properties *all, const char *trail,
                                       const struct prepared **which)
{
    struct trace *t = violation_on_trail(m, all, trail, TRAIL_AS_WRITTEN, which);
    return t ? t : violation_on_trail(m, all, trail, TRAIL_CYCLE_TWICE, which);
}

/* An error that is a state or a statement; otherwise *wrong says what there is instead. */
static struct trace *trail_of_state(struct model *m, const char *trail, char **wrong)
{
    struct schedule s = {0};
    *wrong = trail_schedule(m, trail, TRAIL_TO_THE_END, &s);
    struct trace *t = *wrong || s.lasso ? NULL : trace_of_schedule(m, &s);
    if (!t && !*wrong)
        *wrong = xstrdup(s.lasso ? "the trail is a cycle, but violates no property of the model"
                                 : "the trail runs to its end, but there is no error");
    schedule_release(&s);
    return t;
}

/* The trail as a trace of the model with the properties that the flags ask for: a trail does not name the one that it
 * violates, but the run shows it. *status is set if there is no model. */
static struct trace *trace_of_trail(const char *trail, const char *path, const struct promela_flags *flags,
                                    char **wrong, int *status)
{
    struct properties all = {0};
    const struct prepared *which = NULL;
    struct model *m = promela_load_with(path, flags, NULL, &all);
    if (!m) *status = EXIT_BAD_INPUT;
    struct trace *t = m ? trail_of_property(m, &all, trail, &which) : NULL;
    bool property = t != NULL;
    if (m && !t) t = trail_of_state(m, trail, wrong);
    if (t) promela_describe(t, m, path, flags);
    if (property) property_describe(t, flags, which);
    properties_release(&all);
    if (m) m->ops->free(m);
    return t;
}

/* A trail counts statements one by one, so it is followed in the model that does not merge any. What it shows is a
 * violated claim or formula of the model, a state or a statement, or a cycle that labels speak of. */
int promela_replay_trail(const char *trail, const char *path, const struct promela_flags *given, const char *output,
                         struct report how)
{
    struct promela_flags flags = *given;
    char *wrong = trail_unreadable(trail), *ignored = NULL;
    int status = 0;
    if (wrong) die("%s", wrong);
    flags.exact = true;
    flags.por = -1;
    struct trace *t = trace_of_trail(trail, path, &flags, &wrong, &status);
    flags.acceptance = flags.progress = true;
    if (!t && !status) t = trace_of_trail(trail, path, &flags, &ignored, &status);
    free(ignored);
    if (!t && !status) return result_print_not_reproduced(wrong);
    free(wrong);
    if (status) return status;
    bool lost = output && trace_write(t, output);
    if (lost) fprintf(stderr, "heddle: error: cannot write %s: %s\n", output, strerror(errno));
    status = reproduced(t, how);
    return lost ? EXIT_BAD_INPUT : status;
}
