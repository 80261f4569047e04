/* The dialect: what each construct means (asked through the interpreter), where errors are reported, and that no text
 * makes the parsers crash. Expectations are reasoned out beside the programs. */
#include "boolprog/boolprog.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const labels[] = {"ERROR", NULL};

/* Some schedule has an error (1), none has (0), or the text is wrong (-1). */
static int error_exists(const char *text)
{
    struct diags d = {0};
    struct bp_program *p = boolprog_parse("t.bp", text, 0, &d);
    int answer = -1;
    if (p) {
        struct explore_options o = {.most_depth = 8, .most_states = 100000, .labels = labels};
        struct explore_result r;
        bp_explore(p, &o, &r);
        assert_false(r.states_cut);
        answer = r.error_level >= 0;
        bp_explore_release(&r);
    }
    boolprog_free(p);
    diags_release(&d);
    return answer;
}

struct meaning { const char *text; int error; };

static void meanings(void **state)
{
    (void)state;
    static const struct meaning table[] = {
        {"void main() begin skip; end", 0},
        {"void main() begin assert(T); assert(1); assert(true); end", 0},
        {"void main() begin assert(F); end", 1},
        {"void main() begin assert(*); end", 1}, /* some choice fails */
        {"void main() begin assume(*); assume(F); assert(F); end", 0},
        {"decl a; void main() begin assert(a); end", 1}, /* uninitialised: either value */
        {"decl a := 1; void main() begin assert(a); end", 0},
        {"decl a := 0; decl b := 1; void main() begin a, b := b, a; assert(a & !b); end", 0}, /* parallel */
        {"decl a; void main() begin a := * constrain 'a; assert(a); end", 0},
        {"decl a := 0; void main() begin a := * constrain ('a != a); assert(a); end",
         0}, /* the new value differs from 0 */
        {"decl a := 0; void main() begin a := schoose[T, F]; assert(a); end", 0},
        {"decl a := 1; void main() begin a := schoose[F, T]; assert(!a); end", 0},
        {"decl a := 1; void main() begin a := schoose[F, F]; assert(a); end", 1},
        {"decl a := 1; void main() begin a := schoose[F, F, T, T]; assert(a); end", 0}, /* the third decides */
        {"decl a := 0; void main() begin a := choose[T, F]; assert(a); end", 0},
        {"decl a := 1; void main() begin a := choose[F, F]; assert(a); end", 1},
        {"decl choose := 1; void main() begin assert(choose); end", 0}, /* without a bracket: a name */
        {"decl a := 1; void main() begin dead a; assert(a); end", 1},
        {"decl a; void main() begin abortif(!a); assert(a); end", 0},
        {"decl a; void main() begin constrain(a); assert(a); end", 0},
        {"decl a := 0; void main() begin print(a, !a); assert(!a); end", 0},
        {"void main() begin assert(F => F); assert(!(T => F)); assert(T ? T : F); assert(F ? F : T); end", 0},
        {"void main() begin assert((T ^ F) & (T != F) & (T = T) & (F == F) & ~F); end", 0},
        {"void main() begin assert(T | F & F); end", 0},  /* & binds tighter */
        {"void main() begin assert(!F & T = T); end", 0}, /* ! tightest, then = */
        {"void main() begin if (*) skip; else assert(F); fi end", 1},
        {"void main() begin if (F) assert(F); elsif (T) skip; else assert(F); fi; end", 0},
        {"void main() begin while (F) do assert(F); od end", 0},
        {"void main() begin decl x := 0; while (!x) do x := 1; od; assert(x); end", 0},
        {"void main() begin goto 1, L; 1: skip; goto E; L: assert(F); E: skip; end", 1},
        {"void main() begin goto E; assert(F); E: end", 0}, /* what follows a goto is not reached */
        {"void main() begin ERROR: skip; end", 1},
        {"void main() begin assume(F); ERROR: skip; end", 0},
        {"void main() begin goto A; A: A: B: A: assert(F); end", 1}, /* one statement, its label repeated */
        {"void main() begin if (T) skip else assert(F); fi begin skip end while (F) do skip od skip end", 0},
        {"bool f(a) begin return !a; end void main() begin decl x; x := f(T); assert(!x); end", 0},
        {"bool<2> f(a, b) begin return b, a; end void main() begin decl x, y; x, y := f(T, F); assert(!x & y); end", 0},
        {"bool<3> f(a) begin return a, !a, a; end void main() begin decl x; _, x, _ := f(T); assert(!x); end", 0},
        {"void main() begin decl _ := 1; assert(_); _ := 0; assert(_); end", 1}, /* declared: a name */
        {"bool f() begin skip; end void main() begin decl x; x := f(); assert(x); end", 1}, /* no value given: either */
        {"bool f(a) begin decl r; if (a) r := 1; else r := f(T); fi return r; end "
         "void main() begin decl x; x := f(F); assert(x); end",
         0},
        {"void f(a) begin a := 0; end void main() begin decl x := 1; f(x); assert(x); end", 0}, /* by value */
        {"decl g; void main() begin enforce g; assert(g); end", 0},
        {"decl {x==0} := 1; decl a$b#c'd := 1; void main() begin assert({x==0} & a$b#c'd); end", 0},
        {"/* c */ decl a := 1; // d\nvoid main() begin assert(a); end", 0},
        {"dfs void main() begin skip; end", 0},
        {"decl a := 0; void init() begin a := 1; end void thread1() begin assert(a); end", 0}, /* init runs first */
        {"decl a := 0; void thread1() begin a := 1; end void thread2() begin assert(!a); end", 1},
        {"decl a := 0; void w(x) begin a := x; end void main() begin start_thread w(T); assert(!a); end", 1},
        {"decl a := 0; void w(x) begin a := x; end void main() begin start_thread w(F); assert(!a); end", 0},
        {"decl a := 0; void w() begin a := 1; end void main() begin ASYNC_7: w(); assert(!a); end", 1},
        /* the child starts at the label with a copy of the locals; the parent goes on behind the statement */
        {"decl a := 0; void main() begin decl x := 1; start_thread goto L; x := 0; end_thread; L: a := x; assert(a); "
         "end",
         0},
        {"decl a := 0; void main() begin decl x := 1; start_thread goto L; end_thread; L: assert(!x); end", 1},
        {"void main() begin end_thread; assert(F); end", 0},
        {"decl a := 0; void thread1() begin atomic begin a := 1; a := 0; end end void thread2() begin assert(!a); end",
         0},
        {"decl a := 0; void thread1() begin atomic_begin; a := 1; a := 0; atomic_end; end void thread2() begin "
         "assert(!a); end",
         0},
        {"decl a := 0; void thread1() begin a := 1; a := 0; end void thread2() begin assert(!a); end", 1},
        /* a procedure called inside an atomic section is inside it, too */
        {"decl a := 0; void f() begin a := 1; a := 0; end "
         "void thread1() begin atomic begin f(); end end void thread2() begin assert(!a); end",
         0},
        {"decl a := 0; void f() begin atomic begin a := 1; end a := 0; end "
         "void thread1() begin atomic begin f(); end end void thread2() begin assert(!a); end",
         0},
        /* blocked inside an atomic section: nobody moves any more */
        {"decl a := 0; void thread1() begin atomic begin a := 1; assume(F); end end void thread2() begin assert(!a); "
         "end",
         0},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        int answer = error_exists(table[i].text);
        if (answer != table[i].error) fail_msg("%s: %d instead of %d", table[i].text, answer, table[i].error);
    }
}

struct complaint { const char *text; int line, col; const char *part; };

static void check_complaint(const struct complaint *c, bool pushdown)
{
    struct diags d = {0};
    struct bp_program *p = pushdown ? NULL : boolprog_parse("t.bp", c->text, 0, &d);
    struct pds *s = pushdown ? pds_parse("t.pds", c->text, &d) : NULL;
    bool found = false;
    for (size_t i = 0; i < d.list.len; i++)
        found |=
            d.list.at[i].pos.line == c->line && d.list.at[i].pos.col == c->col && strstr(d.list.at[i].text, c->part);
    if (p || s || !found) {
        for (size_t i = 0; i < d.list.len; i++)
            print_message("%d:%d: %s\n", d.list.at[i].pos.line, d.list.at[i].pos.col, d.list.at[i].text);
        fail_msg("%s\nexpected %d:%d: ...%s...", c->text, c->line, c->col, c->part);
    }
    boolprog_free(p);
    pds_free(s);
    diags_release(&d);
}

static void complaints(void **state)
{
    (void)state;
    static const struct complaint table[] = {
        {"void main() begin x := 1; end", 1, 19, "unknown variable 'x'"},
        {"decl a;\nvoid main() begin\n  a := b;\nend", 3, 8, "unknown variable 'b'"},
        {"void main() begin f(); end", 1, 19, "unknown procedure 'f'"},
        {"void f(a) begin skip; end void main() begin f(); end", 1, 45, "takes 1 arguments, not 0"},
        {"bool f() begin return 1; end void main() begin decl a, b; a, b := f(); end", 1, 67,
         "returns 1 values, not 2"},
        {"bool f() begin return; end void main() begin skip; end", 1, 16, "returns 1 values, not 0"},
        {"void main() begin goto nowhere; end", 1, 24, "no label 'nowhere'"},
        {"void main() begin L: skip; L: skip; end", 1, 28, "used twice"},
        {"void w() begin skip; end void main() begin while (*) do start_thread w(); od end", 1, 70,
         "started in a loop"},
        {"decl a; decl a; void main() begin skip; end", 1, 14, "declared twice"},
        {"void f() begin skip; end", 1, 0, "no procedure 'main'"},
        {"void main() begin assume(T) end", 1, 29, "expected ';'"},
        {"void main() begin assume(; end", 1, 26, "expected an expression"},
        {"void main() begin skip; @ end", 1, 25, "unknown character '@'"},
        {"decl a; void main() begin a, a := 1, 0; end", 1, 27, "assigned twice"},
        {"decl a; void main() begin a := 1, 0; end", 1, 27, "1 variables cannot take 2 values"},
        {"decl a; void main() begin a := 'a; end", 1, 32, "constrain only"},
        {"void main() begin atomic_end; end", 1, 19, "without atomic_begin"},
        {"void main() begin atomic_begin; return; end", 1, 33, "inside an atomic section"},
        {"void main() begin if (*) atomic_begin; fi skip; end", 1, 26, "both inside and outside"},
        {"decl a := b; void main() begin skip; end", 1, 11, "unknown variable"},
        {"void main() begin skip; end void main() begin skip; end", 1, 34, "defined twice"},
        {"/* no end", 1, 1, "comment without an end"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) check_complaint(&table[i], false);
    static const struct complaint pushdown[] = {
        {"init p\nthread t\nstack a\np a -> q b c d\ntarget q", 4, 1, "expected init, thread, stack, target or a rule"},
        {"init p\np a -> q\ntarget q", 2, 1, "belongs to a thread"},
        {"init p\nthread t\ntarget q", 2, 8, "has no stack"},
        {"init p\nthread t\nstack a\ntarget q u a", 4, 10, "unknown thread 'u'"},
        {"thread t\nstack a\ntarget q", 3, 0, "no 'init P'"},
        {"init p\nthread t\nstack a\nthread t\nstack a\ntarget q", 4, 8, "defined twice"},
    };
    for (size_t i = 0; i < ARRAY_LEN(pushdown); i++) check_complaint(&pushdown[i], true);
}

static void several_errors(void **state)
{
    (void)state;
    struct diags d = {0};
    assert_null(
        boolprog_parse("t.bp", "void main() begin\n x := 1;\n skip y;\n goto z;\n assume(;\n w := 0;\nend", 0, &d));
    assert_int_equal(d.errors, 5);
    diags_release(&d);
}

/* ---- mutations ---- */

static const char *const seeds[] = {
    "decl g0 := 0, g1; decl {x<y} := *;\nbool<2> f(a, b) begin decl l := 0; enforce a | !b; l := f2(a);\n"
    "if (a) return l, b; elsif (b) skip; else goto E; fi E: return *, a; end\n"
    "bool f2(x) begin while (x) do x := schoose[x, g0] constrain 'x => g0; od; return x; end\n"
    "void w(p) begin atomic begin g0 := p; g1, g0 := g0, *; end end_thread; end\n"
    "void main() begin decl a, b; a, b := f(T, 0); start_thread w(a); ASYNC_1: w(b); start_thread goto L; L: assert(a "
    "? b : !g0); end\n",
    "init p // c\nthread t\n stack a b\n p a -> q\n q b -> p b a\n p a -> q b\nthread u\n stack c\n p c -> q c\ntarget "
    "q u c\n",
};

static void mutate(char *text, size_t *len, size_t cap, uint64_t *seed)
{
    static const char *const pieces[] = {"(",  ")",  "begin", "end", ";",  ":=",   "'",    "{", "*", "?", "while",
                                         "if", "L:", "->",    "\n",  "/*", "decl", "void", "0", "#", "[", "<9>"};
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    size_t at = *len ? (*seed >> 33) % *len : 0, kind = (*seed >> 20) % 4;
    if (kind == 0 && *len > 1) { /* drop a stretch */
        size_t n = MIN((size_t)(1 + (*seed >> 50) % 9), *len - at);
        memmove(text + at, text + at + n, *len - at - n + 1);
        *len -= n;
    } else if (kind == 1 && *len) { /* another character */
        text[at] = (char)(1 + (*seed >> 45) % 254);
    } else { /* a piece more */
        const char *piece = pieces[(*seed >> 40) % ARRAY_LEN(pieces)];
        size_t n = strlen(piece);
        if (*len + n + 1 >= cap) return;
        memmove(text + at + n, text + at, *len - at + 1);
        memcpy(text + at, piece, n);
        *len += n;
    }
}

static void mutations(void **state)
{
    (void)state;
    const char *more = getenv("HEDDLE_RANDOM_PROGRAMS");
    int rounds = more ? atoi(more) : 6000, accepted = 0;
    char text[4096];
    for (int i = 0; i < rounds; i++) {
        const char *from = seeds[i % 2];
        uint64_t seed = (uint64_t)i * 7919 + 17;
        size_t len = strlen(from);
        memcpy(text, from, len + 1);
        for (int k = 0; k <= i % 7; k++) mutate(text, &len, sizeof text, &seed);
        struct diags d = {0};
        struct bp_program *p = i % 2 ? NULL : boolprog_parse("m.bp", text, i % 3, &d);
        struct pds *s = i % 2 ? pds_parse("m.pds", text, &d) : NULL;
        assert_true(!!(p || s) == !d.errors); /* either a program or a reason */
        accepted += p || s;
        boolprog_free(p);
        pds_free(s);
        diags_release(&d);
    }
    assert_true(accepted > rounds / 50 && accepted < rounds);
}

static void deep_nesting(void **state)
{
    (void)state;
    struct str text = {0};
    str_add(&text, "void main() begin assume(");
    for (int i = 0; i < 100000; i++) str_addc(&text, '(');
    str_add(&text, "T); end");
    assert_int_equal(error_exists(text.at), -1);
    text.len = 0;
    str_add(&text, "decl a; void main() begin assume(a");
    for (int i = 0; i < 100000; i++) str_add(&text, " & a");
    str_add(&text, "); end");
    assert_int_equal(error_exists(text.at), -1);
    text.len = 0;
    str_add(&text, "void main() begin ");
    for (int i = 0; i < 100000; i++) str_add(&text, "if (*) ");
    assert_int_equal(error_exists(text.at), -1);
    text.len = 0;
    str_add(&text, "void main() begin assume(");
    for (int i = 0; i < 100000; i++) str_add(&text, "T => ");
    str_add(&text, "T); end");
    assert_int_equal(error_exists(text.at), -1);
    str_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meanings), cmocka_unit_test(complaints), cmocka_unit_test(several_errors),
        cmocka_unit_test(mutations), cmocka_unit_test(deep_nesting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
