/* What must hold for any text at all, for the fuzzer and for the mutation test: the front end ends with a tree or with
 * an error, and what is printed of a tree reads back as the same program. */
#ifndef HEDDLE_TEST_READ_TEXT_H
#define HEDDLE_TEST_READ_TEXT_H

#include "promela/promela.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Directives would start cc, which is slow and not what is tested. */
static inline bool needs_preprocessor(const char *text)
{
    for (const char *c = strchr(text, '#'); c; c = strchr(c + 1, '#')) {
        const char *after = c + 1 + strspn(c + 1, " \t");
        if (!isdigit((unsigned char)*after)) return true;
    }
    return false;
}

static inline char *printed(const struct program *p)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    promela_print(p, out);
    fclose(out);
    return text;
}

static inline void fail_text(const char *why, const char *text)
{
    fprintf(stderr, "%s:\n%s\n", why, text);
    abort();
}

static inline bool read_back(const char *text)
{
    struct diags diags = {0};
    struct program *again = promela_parse_text("printed", text, strlen(text), NULL, &diags);
    if (!again) diags_print(&diags, stderr);
    if (!again) fail_text("what was printed does not read back", text);
    char *second = printed(again);
    if (strcmp(text, second)) fail_text("what was printed reads back otherwise", text);
    free(second);
    promela_free(again);
    diags_release(&diags);
    return true;
}

/* True if the text is a program. */
static inline bool read_text(const char *data, size_t size)
{
    char *text = strndup(data, size);
    struct diags diags = {0};
    struct program *p = needs_preprocessor(text) ? NULL : promela_parse_text("text", text, strlen(text), NULL, &diags);
    bool good = p != NULL;
    if (p) {
        char *once = printed(p);
        read_back(once);
        free(once);
    }
    promela_free(p);
    diags_release(&diags);
    free(text);
    return good;
}

#endif
