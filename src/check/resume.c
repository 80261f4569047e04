/* What a checkpoint has to know besides the search: which check it is of. */
#include "check/explicit_check_int.h"
#include "check/trust_int.h"

#include "base/archive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *checkpoint_path(const char *directory)
{
    struct str s = {0};
    str_printf(&s, "%s/checkpoint", directory);
    return s.at;
}

static char *working_directory(void)
{
    char *path = getcwd(NULL, 0);
    return path ? path : xstrdup("");
}

/* How many words of the command line `word` and what follows are that say from where to go on. */
static int resume_words(const char *word)
{
    return !strncmp(word, "--resume=", 9) ? 1 : !strcmp(word, "--resume") ? 2 : 0;
}

void command_save(const struct check_job *job, struct archive *a)
{
    char *directory = working_directory();
    VEC(const char *) words = {0};
    for (int i = 1; i < job->argc; i++) {
        int skipped = resume_words(job->argv[i]);
        if (!skipped) vec_push(&words, job->argv[i]);
        else i += skipped - 1;
    }
    archive_put_text(a, directory);
    archive_put_word(a, words.len);
    for (size_t i = 0; i < words.len; i++) archive_put_text(a, words.at[i]);
    vec_release(&words);
    free(directory);
}

static char *begun_elsewhere(const char *path, struct archive *a)
{
    char *then = archive_get_text(a), *now = working_directory();
    struct str why = {0};
    if (strcmp(then, now)) str_printf(&why, "%s is of a check in %s: go on there", path, then);
    free(then);
    free(now);
    return why.at;
}

struct archive *command_load(const char *directory, struct option_words *words, char **why)
{
    char *path = checkpoint_path(directory);
    struct archive *a = archive_open(path, why);
    if (a && (*why = begun_elsewhere(path, a))) {
        archive_close(a);
        a = NULL;
    }
    uint64_t count = a ? archive_get_below(a, 1 << 16) : 0;
    for (uint64_t i = 0; i < count; i++) vec_push(words, archive_get_text(a));
    free(path);
    return a;
}

/* Files that the check would write. Those beside the checkpoint and below the working directory are what it is for. */
static const char *file_elsewhere(const struct common_options *c, const struct explicit_options *o,
                                  const char *directory)
{
    const char *const written[] = {c->trace_path, c->html, c->svg, c->mermaid, c->dot, c->junit, c->sarif,
                                   o->trail, o->spill};
    for (size_t i = 0; i < ARRAY_LEN(written); i++)
        if (written[i] && !trust_is_below(written[i], ".")) return written[i];
    bool known = !o->checkpoint || trust_is_below(o->checkpoint, ".") || trust_is_below(o->checkpoint, directory);
    return known ? NULL : o->checkpoint;
}

static const char *bad_define(const struct promela_flags *f)
{
    for (size_t i = 0; i < f->defines.len; i++)
        if (!trust_is_define(f->defines.at[i], false)) return f->defines.at[i];
    return NULL;
}

char *command_distrusts(const char *const *words, size_t count, const char *directory, is_input_of *is_input)
{
    const struct engine *e = engine_named("explicit");
    struct common_options common = COMMON_OPTIONS_DEFAULT;
    struct explicit_options o = {0};
    struct option_table tables[] = {{"", common_option_rows, common_option_count, &common},
                                    {"", e->rows, e->row_count, &o}};
    struct option_words inputs = {0}, rest = {0};
    struct arena arena = {0};
    struct str refused = {0};
    VEC(char *) argv = {0};
    const char *error = NULL;
    vec_push(&argv, "check");
    for (size_t i = 0; i < count; i++) vec_push(&argv, (char *)words[i]);
    options_parse(tables, 2, (int)argv.len, argv.at, &inputs, &rest, &arena, &error);
    const char *file = file_elsewhere(&common, &o, directory), *define = bad_define(&o.flags), *input = NULL;
    for (size_t i = 0; is_input && i < inputs.len && !input; i++)
        if (!is_input(inputs.at[i], e)) input = inputs.at[i];
    if (common.lang && strcmp(common.lang, "promela")) input = common.lang;
    if (error) str_printf(&refused, "options that are not those of a model (%s)", error);
    else if (input) str_printf(&refused, "%s, which is no model", input);
    else if (file) str_printf(&refused, "the file %s to be written", file);
    else if (define) str_printf(&refused, "the macro -D%s", define);
    vec_release(&argv);
    vec_release(&inputs);
    vec_release(&rest);
    vec_release(&o.flags.defines);
    vec_release(&o.flags.ltl);
    vec_release(&o.flags.claims);
    arena_release(&arena);
    return refused.at;
}
