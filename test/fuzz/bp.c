/* Boolean programs: what is read is printed, read back, and explored by the interpreter: both must do the same. */
#include "boolprog/boolprog.h"
#include "fuzz.h"

enum { MOST_STATES = 3000, MOST_DEPTH = 12, MOST_BITS = 12 };
static const char *const labels[] = {"ERROR", "SLIC_ERROR", NULL};

static struct bp_program *parse(const char *text, struct diags *d) { return boolprog_parse("fuzz.bp", text, 2, d); }

static char *printed(const struct bp_program *p)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    boolprog_print(p, out);
    fclose(out);
    return text;
}

/* The interpreter tries all values of what is not determined: programs with too much of it take too long. */
static bool is_small(const struct bp_program *p)
{
    size_t most = bp_state_init_bits(p);
    for (size_t i = 0; i < p->edges.len; i++) most = MAX(most, bp_step_bits(p, (int)i));
    return most <= MOST_BITS && p->threads.len <= 6;
}

static void explore(const struct bp_program *p, struct explore_result *r)
{
    struct explore_options o = {.most_depth = MOST_DEPTH, .most_states = MOST_STATES, .labels = labels};
    bp_explore(p, &o, r);
}

static void same_behaviour(const struct bp_program *a, const struct bp_program *b, const char *text)
{
    struct explore_result x, y;
    if (!is_small(a) || !is_small(b)) return;
    explore(a, &x);
    explore(b, &y);
    bool whole = !x.depth_cut && !x.states_cut && !y.depth_cut && !y.states_cut;
    if (whole)
        must_hold((x.error_level < 0) == (y.error_level < 0), "the printed program fails if the program does", text);
    bp_explore_release(&x);
    bp_explore_release(&y);
}

static void print_sequential(const struct bp_program *p)
{
    FILE *out = fopen("/dev/null", "w");
    boolprog_print_sequential(p, 2, labels, out);
    fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diags d = {0}, none = {0};
    char *text = text_of(data, size);
    struct bp_program *p = parse(text, &d);
    must_hold(p || d.errors, "there is a program or an error", text);
    if (p) {
        char *once = printed(p);
        struct bp_program *again = parse(once, &none);
        if (!again) diags_print(&none, stderr);
        must_hold(again, "what was printed reads back", once);
        same_behaviour(p, again, once);
        print_sequential(p);
        boolprog_free(again);
        free(once);
    }
    boolprog_free(p);
    diags_release(&d);
    diags_release(&none);
    free(text);
    return 0;
}
