/* The certificate of doc/open-question.md: an automaton each state of which has a stutter-invariant language, a
 * program, and an ample selector with C0 to C3, such that choosing ample sets at the source of a step (V1) loses every
 * accepting cycle. From the definitions; nothing here is of the searches. Only stutter invariance is asked of src/ltl
 * too. */
#include "ltl/ltl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { STATES = 3, A = 0, B = 1, PLACES = 2, ALPHA = 1, BETA = 2, BOTH = 3, NODES = PLACES * STATES };

/* automaton[s][letter]: a set of states. Letters are called after the state of the program that has them. */
static const unsigned automaton[STATES][2] = {
    {[A] = 1 << 1 | 1 << 2, [B] = 1 << 0 | 1 << 2}, {[B] = 1 << 0}, {[A] = 1 << 0}};
static const unsigned accepting = 1 << 1;
static unsigned ample(int q, int s) { return q == A && s == 0 ? ALPHA : BOTH; }
static unsigned everything(int q, int s)
{
    (void)q, (void)s;
    return BOTH;
}
static int after(unsigned operation, int q) { return operation == ALPHA ? q : !q; }

/* ---- languages ---- */

static unsigned read_word(unsigned from, const char *word)
{
    for (; *word; word++) {
        unsigned to = 0;
        for (int s = 0; s < STATES; s++)
            if (from >> s & 1) to |= automaton[s][*word == 'b'];
        from = to;
    }
    return from;
}

static void words_between_visits_of_0(void **state)
{
    (void)state;
    for (const char *const *w = (const char *const[]){"ab", "aa", "ba", "b", NULL}; *w; w++)
        assert_true(read_word(1 << 0, *w) & 1 << 0);
    assert_true(read_word(1 << 0, "a") & accepting);
    assert_int_equal(read_word(accepting, "b"), 1 << 0);
    assert_int_equal(read_word(accepting, "a"), 0);
    assert_int_equal(read_word(1 << 2, "a"), 1 << 0);
    assert_int_equal(read_word(1 << 2, "b"), 0);
}

/* Where runs from 0 can be after a word: without and with having been in 1. Finitely many, so that "for all m" can be
 * tried out. */
struct runs { unsigned without, with; };
static const struct runs begun = {.without = 1 << 0};

static struct runs read_on(struct runs r, const char *next)
{
    unsigned step = read_word(r.without, next);
    return (struct runs){step & ~accepting, read_word(r.with, next) | (step & accepting)};
}

static bool been_through_1(struct runs r) { return r.with & 1 << 0; }

/* For all k >= 1 behind what `before` has read: k odd, or k even. The runs after k and k + 2 letters a are the same
 * ones from some k on. */
static void blocks_of_a(struct runs before, bool b_first)
{
    struct runs seen[2] = {{0, 0}, {0, 0}};
    for (int k = 1, same = 0; same < 2; k++) {
        before = read_on(before, "a");
        if (k % 2 || b_first) assert_true(been_through_1(read_on(before, "b")));
        else assert_true(before.without & 1 << 0); /* and b follows */
        struct runs *last = &seen[k % 2];
        same = last->without == before.without && last->with == before.with ? same + 1 : 0;
        *last = before;
    }
}

/* The three cases of the proof that L(0) has all words with infinitely many of both letters, for all m and k. */
static void every_block_can_be_accepted(void **state)
{
    (void)state;
    blocks_of_a(begun, false);
    struct runs after_b = begun, last;
    do {
        last = after_b;
        after_b = read_on(after_b, "b");
        blocks_of_a(after_b, true);
    } while (after_b.without != last.without || after_b.with != last.with);
}

/* Between two visits of 1 both letters are read: it is entered by a and left by b only. */
static void nothing_else_is_accepted(void **state)
{
    (void)state;
    for (int s = 0; s < STATES; s++) assert_false(automaton[s][B] & accepting);
    assert_false(automaton[1][A]);
    assert_int_equal(accepting, 1 << 1);
}

static void build(struct buchi *b, int first)
{
    *b = (struct buchi){.initial = first};
    for (int s = 0; s < STATES; s++) buchi_add_state(b, accepting >> s & 1);
    for (int s = 0; s < STATES; s++)
        for (int t = 0; t < STATES; t++) {
            if (automaton[s][A] >> t & 1) buchi_add_edge(b, s, (struct cube){0, 1}, t);
            if (automaton[s][B] >> t & 1) buchi_add_edge(b, s, (struct cube){1, 0}, t);
        }
}

/* Both letters for ever, beginning with any, b, a: on all lassos of ten letters. */
static void languages_are_what_is_said(const struct buchi *b, int first)
{
    enum { LENGTH = 10 };
    for (unsigned word = 0; word < 1u << LENGTH; word++)
        for (size_t start = 0; start < LENGTH; start++) {
            letter w[LENGTH];
            for (int i = 0; i < LENGTH; i++) w[i] = word >> i & 1;
            unsigned cycle = word >> start;
            bool both = cycle && cycle != (1u << (LENGTH - start)) - 1;
            bool begins = first == 0 || w[0] == (first == 1);
            assert_int_equal(buchi_accepts_lasso(b, w, LENGTH, start), both && begins);
        }
}

static void every_state_has_a_stutter_invariant_language(void **state)
{
    (void)state;
    for (int first = 0; first < STATES; first++) {
        struct buchi b;
        build(&b, first);
        languages_are_what_is_said(&b, first);
        assert_int_equal(buchi_stutter(&b), STUTTER_INVARIANT);
        assert_false(buchi_is_stutter_closed(&b));
        buchi_release(&b);
    }
}

/* ---- the product ---- */

static int node(int q, int s) { return q * STATES + s; }

/* follows[n]: the nodes after n, as a set, when `amp` says which operations are taken. */
static void product(unsigned (*amp)(int, int), unsigned *follows)
{
    for (int q = 0; q < PLACES; q++)
        for (int s = 0; s < STATES; s++) {
            unsigned *to = &follows[node(q, s)];
            *to = 0;
            for (unsigned operation = ALPHA; operation <= BETA; operation <<= 1)
                for (int t = 0; t < STATES; t++)
                    if (amp(q, s) & operation && automaton[s][q] >> t & 1) *to |= 1u << node(after(operation, q), t);
        }
}

/* What can be reached from the nodes in `from` by at least one step. */
static unsigned reach(const unsigned *follows, unsigned from)
{
    unsigned reached = 0, todo = from;
    while (todo) {
        int at = __builtin_ctz(todo);
        todo = (todo & (todo - 1)) | (follows[at] & ~reached);
        reached |= follows[at];
    }
    return reached;
}

static bool has_accepting_cycle(const unsigned *follows)
{
    unsigned reached = reach(follows, 1u << node(A, 0)) | 1u << node(A, 0);
    for (int n = 0; n < NODES; n++)
        if (reached >> n & 1 && accepting >> n % STATES & 1 && reach(follows, 1u << n) >> n & 1) return true;
    return false;
}

static void the_selector_satisfies_c0_to_c3(void **state)
{
    unsigned follows[NODES];
    (void)state;
    for (int q = 0; q < PLACES; q++) {
        /* C1: both are enabled everywhere, and commute; C2: alpha changes no letter; then C0 */
        assert_int_equal(after(ALPHA, after(BETA, q)), after(BETA, after(ALPHA, q)));
        assert_int_equal(after(ALPHA, q), q);
        for (int s = 0; s < STATES; s++) {
            assert_true(ample(q, s));
            assert_true(ample(q, s) == BOTH || node(q, s) == node(A, 0));
        }
    }
    product(ample, follows);
    /* C3: nothing else is on the path when the first node is expanded */
    assert_false(follows[node(A, 0)] >> node(A, 0) & 1);
    /* weaker: without A2, which is expanded in full, no cycle goes through A0 */
    follows[node(A, 2)] = 0;
    assert_false(reach(follows, 1u << node(A, 0)) >> node(A, 0) & 1);
}

static void v1_loses_the_cycle(void **state)
{
    unsigned follows[NODES];
    (void)state;
    product(everything, follows);
    assert_true(has_accepting_cycle(follows));
    product(ample, follows);
    assert_false(has_accepting_cycle(follows));
    unsigned reached = reach(follows, 1u << node(A, 0));
    assert_int_equal(reached, ((1u << NODES) - 1) & ~(1u << node(B, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_between_visits_of_0),
        cmocka_unit_test(every_block_can_be_accepted),
        cmocka_unit_test(nothing_else_is_accepted),
        cmocka_unit_test(every_state_has_a_stutter_invariant_language),
        cmocka_unit_test(the_selector_satisfies_c0_to_c3),
        cmocka_unit_test(v1_loses_the_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
