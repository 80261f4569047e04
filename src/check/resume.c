/* What a checkpoint has to know besides the search: which check it is of. */
#include "check/check.h"

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
