/* The threads of a real program that were blocked when it ended, in the words of the verdict. */
#include "check/native_int.h"

#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void say_function(const struct check *c, uint64_t start, struct str *text)
{
    struct source_place at = {0};
    if (!start) str_add(text, "main()");
    else if (!symbols_place(c->symbols, start, &at) || !at.function) str_add(text, "a thread");
    else str_printf(text, "%s%s", at.function, strchr(at.function, ')') ? "" : "()");
}

static char *words_of(const struct check *c, const struct rt_waiting *w)
{
    struct source_place at = {0};
    struct str text = {0};
    say_function(c, w->start, &text);
    if (native_waiting_place(w, c->symbols, &at)) str_printf(&text, " at %s:%d", path_basename(at.file), at.line);
    return text.at;
}

static size_t without_repetitions(char **words, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && !strcmp(words[i], words[kept - 1])) free(words[i]);
        else words[kept++] = words[i];
    }
    return kept;
}

/* Sorted, so that the words do not depend on which execution came first. */
void native_cover_waiting(const struct check *c, struct part *p)
{
    enum { MOST = 4 };
    const struct rt_shared *s = c->run.shared;
    char *words[RT_MAX_WAITING];
    struct str text = {0};
    for (uint32_t i = 0; i < s->waiting_count; i++) words[i] = words_of(c, &s->waiting[i]);
    qsort(words, s->waiting_count, sizeof *words, by_text);
    size_t count = without_repetitions(words, s->waiting_count);
    for (size_t i = 0; i < MIN(count, MOST); i++) str_printf(&text, "%s%s", i ? ", " : "", words[i]);
    if (count > MOST) str_printf(&text, " and %zu more", count - MOST);
    if (count) part_omit(p, LOSS_WAITING, "%s", text.at);
    for (size_t i = 0; i < count; i++) free(words[i]);
    str_release(&text);
}
