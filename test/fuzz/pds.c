/* Pushdown systems: read, printed, read back as the same, translated to a Boolean program, and explored: by the
 * interpreter of that program and by saturation, which must agree on whether the target is reached in one round. */
#include "boolprog/boolprog.h"
#include "fuzz.h"
#include "symbolic/symbolic.h"

enum { MOST_STATES = 3000, MOST_DEPTH = 10, ROUNDS = 2 };
static const char *const labels[] = {"TARGET", NULL};

static char *printed(const struct pds *s)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    pds_print(s, out);
    fclose(out);
    return text;
}

static void reads_back(const struct pds *s)
{
    struct diags d = {0};
    char *once = printed(s);
    struct pds *again = pds_parse("printed", once, &d);
    if (!again) diags_print(&d, stderr);
    must_hold(again, "what was printed reads back", once);
    char *twice = printed(again);
    must_hold(!strcmp(once, twice), "it reads back as the same", once);
    free(once);
    free(twice);
    pds_free(again);
    diags_release(&d);
}

static void explore(const struct pds *s, const char *text)
{
    struct explore_options o = {
        .by = EXPLORE_ROUNDS, .most = ROUNDS, .most_depth = MOST_DEPTH, .most_states = MOST_STATES, .labels = labels};
    struct explore_result r;
    struct pushdown_result forward, backward;
    struct bp_program *p = pds_to_program(s);
    bp_explore(p, &o, &r);
    pushdown_check(s, ROUNDS, false, false, NULL, &forward);
    pushdown_check(s, ROUNDS, true, false, NULL, &backward);
    bool known = !forward.cut && !backward.cut;
    if (known) must_hold(forward.found == backward.found, "post* and pre* agree", text);
    if (known && r.error_level >= 0) must_hold(forward.found, "saturation finds what the interpreter finds", text);
    if (known && !r.depth_cut && !r.states_cut)
        must_hold((r.error_level < 0) == !forward.found, "saturation finds nothing else", text);
    pushdown_release(&forward);
    pushdown_release(&backward);
    bp_explore_release(&r);
    boolprog_free(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_TEXT = 400 };
    struct diags d = {0};
    char *text = text_of(data, MIN(size, (size_t)MOST_TEXT));
    struct pds *s = pds_parse("fuzz.pds", text, &d);
    must_hold(s || d.errors, "there is a system or an error", text);
    if (s) reads_back(s);
    if (s && s->threads.len <= 3 && s->states.len <= 6 && s->symbols.len <= 6) explore(s, text);
    pds_free(s);
    diags_release(&d);
    free(text);
    return 0;
}
