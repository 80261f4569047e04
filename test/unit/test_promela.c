/* The syntax tree and its texts, where the printed program does not show them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "promela/promela.h"

struct reading { struct diags diags; struct program *program; };

static struct reading read_model(const char *text)
{
    struct reading r = {0};
    r.program = promela_parse_text("model.pml", text, strlen(text), NULL, &r.diags);
    return r;
}

static void reading_release(struct reading *r)
{
    promela_free(r->program);
    diags_release(&r->diags);
}

static const struct stmt *statement(const struct reading *r, size_t i)
{
    assert_non_null(r->program);
    const struct proctype *last = vec_last(&r->program->proctypes);
    assert_true(i < last->body.len);
    return last->body.at[i];
}

static void assert_texts(const char *model, const char *const *texts, size_t count)
{
    struct reading r = read_model(model);
    for (size_t i = 0; i < count; i++) {
        struct str s = {0};
        promela_print_stmt(statement(&r, i), &s);
        assert_string_equal(str_get(&s), texts[i]);
        str_release(&s);
    }
    reading_release(&r);
}

/* As pan prints them: see `pan -d`. */
static void test_texts(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "(1)", "y = 0", "a[0] = 0", "", "((y==1))", "y = (y+1)", "y = ( ((y>2)) -> (4) : (5) )", "y = -(y)", "q!red,3",
        "q?m,eval(y)", "q??red,_", "q?<m,-1>", "(q?[red,2])", "assert(((y==2)||(!((y&3))&&(~(y)!=2))))",
        "(((len(q)>0)&&nfull(q)))", "printf('hi %d\\n',y)", "(run A(1))", "D_STEP6", "(timeout)", "goto end",
        "t.b[1] = 2",
    };
    assert_texts("typedef T { byte b[2] } mtype = { red } mtype m; chan q = [2] of { mtype, short }\n"
                 "proctype A(byte n) { skip }\n"
                 "init { skip; int y; byte a[2]; T t; y == 1; y++; y = (y > 2 -> 4 : 5); y = -y; q!red(3);\n"
                 "q?m,eval(y); q??red,_; q?<m,-1>; q?[red,2]; assert(y == 2 || !(y & 3) && ~y != 2);\n"
                 "len(q) > 0 && nfull(q); printf(\"hi %d\\n\", y); run A(1);\n"
                 "d_step { y = 1; y = 2 }; timeout; goto end; t.b[1] = 2; end: skip }\n", texts, ARRAY_LEN(texts));
}

static void test_declarations(void **state)
{
    (void)state;
    struct reading r = read_model("init { int x = 3; byte y; skip; int z = 4; { int x2; x2 = 1 } }");
    const struct proctype *p = r.program->proctypes.at[0];
    assert_int_equal(p->body.len, 3);
    assert_int_equal(p->body.at[1]->kind, STMT_DECL);
    assert_true(p->vars.at[0]->hoisted && p->vars.at[1]->hoisted && !p->vars.at[2]->hoisted);
    assert_string_equal(p->vars.at[2]->c_name, "z");
    assert_string_equal(p->vars.at[3]->c_name, "_1_1_x2");
    assert_true(p->vars.at[3]->scope > 0);
    assert_int_equal(p->vars.at[2]->init->value, 4);
    reading_release(&r);
}

/* What `goto L` means for Spin: the label of the same block, of an enclosing one, or any. */
static void test_labels(void **state)
{
    (void)state;
    struct reading r = read_model("init { { skip; L: skip }; { skip; L: skip; goto L }; goto M; { skip; M: skip } }");
    const struct proctype *p = r.program->proctypes.at[0];
    const struct stmt *second = p->body.at[1];
    assert_ptr_equal(second->body.at[2]->label->stmt, second->body.at[1]);
    assert_ptr_equal(p->body.at[2]->label->stmt, p->body.at[3]->body.at[1]);
    assert_int_equal(p->labels.len, 3);
    reading_release(&r);
}

static void test_inline_positions(void **state)
{
    (void)state;
    struct reading r = read_model("int x;\ninline f(a, b) {\n\ta = b;\n\tb = a\n}\ninit {\n\tint y;\n\tf(x, y)\n}\n");
    const struct stmt *call = statement(&r, 0);
    assert_true(call->from_inline);
    assert_int_equal(call->body.at[0]->pos.line, 3);
    assert_int_equal(call->body.at[1]->pos.line, 4);
    assert_string_equal(call->body.at[1]->ref.parts.at[0].var->name, "y");
    reading_release(&r);
}

static void test_select(void **state)
{
    (void)state;
    struct reading r = read_model("int i, a_b; inline f(v) { select(v : 1..2) }\n"
                                  "init { select(i : 1..2); select(a_b : 1..2); select(i : i..2);\n"
                                  "f(i); select(i :\n1..2) }");
    assert_true(statement(&r, 0)->select_literal);
    assert_false(statement(&r, 1)->select_literal);
    assert_false(statement(&r, 2)->select_literal);
    assert_false(statement(&r, 3)->body.at[0]->select_literal);
    assert_false(statement(&r, 4)->select_literal);
    reading_release(&r);
}

static void test_mtype_values(void **state)
{
    (void)state;
    struct reading r = read_model("mtype = { a, b, c }; mtype = { d }; mtype:s = { e, f };\n"
                                  "mtype x = a; init { x = d }");
    const struct mtype_set *plain = r.program->mtypes.at[0], *named = r.program->mtypes.at[1];
    assert_string_equal(plain->name, "_unnamed_");
    assert_string_equal(plain->names.at[0], "c");
    assert_int_equal(r.program->globals.at[0]->init->value, 3);
    assert_int_equal(statement(&r, 0)->a->value, 4);
    assert_string_equal(named->names.at[0], "f");
    reading_release(&r);
}

/* All the errors of a file at once, and each only once. */
static void test_many_errors(void **state)
{
    (void)state;
    struct reading r = read_model("int x;\ninit {\n\tx = y;\n\tx = y + ;\n\tif :: x = z fi\n"
                                  "\tgoto nowhere;\n\tx = 1\n}\n"
                                  "proctype A() { run B(); x x }\nint x;\n");
    static const int lines[] = {3, 4, 5, 6, 9, 10, 9};
    assert_null(r.program);
    assert_int_equal(r.diags.list.len, ARRAY_LEN(lines));
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) assert_int_equal(r.diags.list.at[i].pos.line, lines[i]);
    reading_release(&r);
}

static void test_line_markers(void **state)
{
    (void)state;
    struct reading r = read_model("# 1 \"a.pml\"\nint x;\n# 7 \"b.h\" 1\ninit { y = 1 }\n");
    assert_null(r.program);
    assert_string_equal(diags_file_name(&r.diags, r.diags.list.at[0].pos.file), "b.h");
    assert_int_equal(r.diags.list.at[0].pos.line, 7);
    assert_int_equal(r.diags.list.at[0].pos.col, 8);
    reading_release(&r);
}

static void test_no_c_code(void **state)
{
    (void)state;
    const char *text = "init { c_code { ; } }";
    struct promela_options options = {.no_c_code = "is refused by --no-c-code"};
    struct diags diags = {0};
    assert_null(promela_parse_text("m", text, strlen(text), &options, &diags));
    assert_non_null(strstr(diags.list.at[0].text, "--no-c-code"));
    diags_release(&diags);
}

static void test_defines(void **state)
{
    (void)state;
    const char *text = "int a[N];\ninit { a[0] = M }", *const defines[] = {"N=3", "M"};
    struct promela_options options = {.defines = defines, .define_count = 2};
    struct diags diags = {0};
    struct program *p = promela_parse_text("m.pml", text, strlen(text), &options, &diags);
    assert_non_null(p);
    assert_int_equal(p->globals.at[0]->length, 3);
    assert_int_equal(p->proctypes.at[0]->body.at[0]->a->value, 1);
    promela_free(p);
    diags_release(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts), cmocka_unit_test(test_declarations), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_inline_positions), cmocka_unit_test(test_select), cmocka_unit_test(test_mtype_values),
        cmocka_unit_test(test_many_errors), cmocka_unit_test(test_line_markers), cmocka_unit_test(test_no_c_code),
        cmocka_unit_test(test_defines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
