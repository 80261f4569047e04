/* What the targets of `make fuzz` share. A target is one file: it gets bytes, reads them as one of heddle's readers
 * would, and aborts if something that must hold does not. The sanitizers see to the rest. */
#ifndef HEDDLE_TEST_FUZZ_H
#define HEDDLE_TEST_FUZZ_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as a text of its own, exactly as long as it is; it ends at the first zero byte. */
static inline char *text_of(const uint8_t *data, size_t size)
{
    size_t len = strnlen((const char *)data, size);
    char *text = xmalloc(len + 1);
    memcpy(text, data, len);
    text[len] = 0;
    return text;
}

static inline void must_hold(bool holds, const char *what, const char *text)
{
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n%s\n", what, text ? text : "");
    abort();
}

/* Without libFuzzer the inputs are the files that are named: so the corpus is run by `make test`, with any compiler. */
#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t len;
        char *text = read_file(argv[i], &len);
        if (!text) die("%s: cannot be read", argv[i]);
        uint8_t *exact = malloc(len ? len : 1); /* so that a read behind the end is seen */
        memcpy(exact, text, len);
        LLVMFuzzerTestOneInput(exact, len);
        free(exact);
        free(text);
        printf("ok %s\n", argv[i]);
    }
}
#endif

#endif
