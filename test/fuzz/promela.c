/* The Promela front end and the generation of C: what is read is printed, reads back as the same program, and is
 * translated with and without merging. */
#include "fuzz.h"
#include "model/model.h"
#include "read_text.h"

/* Every text that is a program becomes automata and C, with and without merging. What the C does is tested in run.c. */
static void translate(const char *data, size_t size)
{
    char *text = xmalloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    for (int exact = 0; exact < 2 && !needs_preprocessor(text); exact++) {
        struct diags diags = {0};
        struct program *p = promela_parse_text("fuzz.pml", text, size, NULL, &diags);
        FILE *out = fopen("/dev/null", "w");
        if (p) promela_print_c(p, &(struct model_options){.exact = exact}, out, &diags);
        fclose(out);
        promela_free(p);
        diags_release(&diags);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_text((const char *)data, size);
    translate((const char *)data, size);
    return 0;
}
