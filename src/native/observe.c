/* Accesses that a compiler forgets to instrument: a call of the runtime goes before each instruction that accesses
 * memory outside of the frame without an announcement. A redundant call costs time and changes no result, so that the
 * simulation need not recognise everything. A function that announces nothing at all is not to be instrumented
 * (no_sanitize): it stays as it is, and is foreign. x86-64 only. */
#include "native/assembly_int.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#if defined __x86_64__
static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* All registers and flags are kept (src/runtime/gaps.c), and what lies below the stack pointer. */
static void add_call(struct str *out, const char *address, const char *size, bool write)
{
    str_add(out, "\tleaq\t-128(%rsp), %rsp\n\tpushq\t%rdi\n\tpushq\t%rsi\n");
    str_add(out, address);
    str_add(out, size);
    str_printf(out, "\tcall\t*heddle_gap_%s@GOTPCREL(%%rip)\n", write ? "write" : "read");
    str_add(out, "\tpopq\t%rsi\n\tpopq\t%rdi\n\tmovq\t$0, -8(%rsp)\n\tmovq\t$0, -16(%rsp)\n"
                 "\tleaq\t128(%rsp), %rsp\n");
}

static void add_call_with(struct str *out, const char *address, size_t size, bool write)
{
    struct str text = {0};
    str_printf(&text, "\tmovl\t$%zu, %%esi\n", size);
    add_call(out, address, text.at, write);
    str_release(&text);
}

static void add_access(struct str *out, const struct sim_access *a)
{
    struct str address = {0};
    str_printf(&address, "\tleaq\t%s, %%rdi\n", a->operand);
    if (a->reads) add_call_with(out, address.at, a->size, false);
    if (a->writes) add_call_with(out, address.at, a->size, true);
    str_release(&address);
}

/* rep movsq and its like, whose length is in a register. */
static void add_string(struct marks *m, const struct instruction *i, bool repeated, struct str *out)
{
    size_t unit = instruction_string_unit(i);
    struct str size = {0};
    if (repeated) str_printf(&size, "\tleaq\t(,%%rcx,%zu), %%rsi\n", unit);
    else str_printf(&size, "\tmovl\t$%zu, %%esi\n", unit);
    bool loads = begins(i->name, "movs") && simulation_string(&m->simulation, false, unit);
    bool stores = (begins(i->name, "movs") || begins(i->name, "stos")) && simulation_string(&m->simulation, true, unit);
    if (loads) add_call(out, "\tmovq\t%rsi, %rdi\n", size.at, false);
    if (stores) add_call(out, "", size.at, true);
    m->wide_access |= loads || stores;
    str_release(&size);
}

/* Library functions that keep the registers of their caller, or take them back. What the library does cannot be
 * announced by a function of the runtime in their place, because they return more than once, or elsewhere. */
static void add_registers(const struct instruction *i, struct str *out)
{
    static const size_t jump = offsetof(struct __jmp_buf_tag, __saved_mask), context = sizeof(ucontext_t);
    const struct { const char *name; size_t writes, reads, reads_second; } all[] = {
        {"setjmp", jump, 0, 0},         {"_setjmp", jump, 0, 0},        {"sigsetjmp", jump, 0, 0},
        {"__sigsetjmp", jump, 0, 0},    {"longjmp", 0, jump, 0},        {"_longjmp", 0, jump, 0},
        {"siglongjmp", 0, jump, 0},     {"__longjmp_chk", 0, jump, 0},  {"getcontext", context, 0, 0},
        {"setcontext", 0, context, 0},  {"makecontext", context, context, 0},
        {"swapcontext", context, 0, context}};
    const char *name = i->count ? i->operands[0] + (*i->operands[0] == '*') : "";
    size_t len = strcspn(name, "@");
    for (size_t k = 0; k < ARRAY_LEN(all); k++) {
        if (strlen(all[k].name) != len || strncmp(all[k].name, name, len)) continue;
        if (all[k].reads) add_call_with(out, "", all[k].reads, false);
        if (all[k].reads_second) add_call_with(out, "\tmovq\t%rsi, %rdi\n", all[k].reads_second, false);
        if (all[k].writes) add_call_with(out, "", all[k].writes, true);
    }
}

/* A copy of the mask goes behind the registers. */
static void add_masked(struct marks *m, const struct instruction *i, struct str *out)
{
    size_t unit = instruction_masked_unit(i), size = strstr(i->operands[1], "%ymm") ? 32 : 16;
    const char *mask = unit == 1 ? i->operands[0] : i->operands[1], *at = unit == 1 ? "%rdi" : i->operands[2];
    bool write = unit == 1 || *at != '%';
    if (!write) at = i->operands[0];
    if (strstr(at, "%rsp") || simulation_is_private(&m->simulation, at, write)) return;
    m->wide_access = true;
    str_add(out, "\tleaq\t-192(%rsp), %rsp\n\tpushq\t%rdi\n\tpushq\t%rsi\n");
    str_printf(out, "\t%smovdqu\t%s, 16(%%rsp)\n", *i->name == 'v' ? "v" : "", mask);
    if (unit > 1) str_printf(out, "\tleaq\t%s, %%rdi\n", at);
    str_printf(out, "\tmovl\t$%zu, %%esi\n", size | unit << 8);
    str_printf(out, "\tcall\t*heddle_gap_masked_%s@GOTPCREL(%%rip)\n", write ? "write" : "read");
    str_add(out, "\tpopq\t%rsi\n\tpopq\t%rdi\n\tmovq\t$0, -8(%rsp)\n\tmovq\t$0, -16(%rsp)\n"
                 "\tleaq\t192(%rsp), %rsp\n");
}

static void note_access(struct marks *m, const struct sim_access *a)
{
    enum { LARGEST_SCALAR = 8 };
    if (a->from & FROM_RESULT) m->result_access = true;
    else if (a->size > LARGEST_SCALAR) m->wide_access = true;
    else if (a->writes || !(a->from & FROM_ELSEWHERE)) m->plain_access = true;
}

/* A full fence, as programs write it in inline assembly: mfence, or a locked instruction on the stack. */
static bool is_fence(const char *text)
{
    const char *word = text + strspn(text, " \t"), *lock = strstr(text, "lock");
    return begins(word, "mfence") || (lock && (strstr(lock, "(%rsp)") || strstr(lock, "(%esp)")));
}

static void add_fence(struct str *out)
{
    str_add(out, "\tleaq\t-128(%rsp), %rsp\n\tpushq\t%rdi\n\tpushq\t%rsi\n"
                 "\tcall\t*heddle_gap_fence@GOTPCREL(%rip)\n"
                 "\tpopq\t%rsi\n\tpopq\t%rdi\n\tmovq\t$0, -8(%rsp)\n\tmovq\t$0, -16(%rsp)\n"
                 "\tleaq\t128(%rsp), %rsp\n");
}

/* Compilers call the sanitizer in place of an atomic instruction, where they instrument anything. */
static bool is_atomic(const char *line, const struct instruction *i)
{
    const char *word = line + strspn(line, " \t");
    bool in_memory = i->count == 2 && (strchr(i->operands[0], '(') || strchr(i->operands[1], '('));
    if (i->count && strstr(i->operands[i->count - 1], "(%rsp")) return false; /* a fence */
    return begins(word, "lock") || (begins(i->name, "xchg") && in_memory);
}

static void observe_instruction(struct marks *m, struct body_line *l)
{
    char *copy = xstrdup(l->text);
    struct instruction i;
    struct sim_access a;
    bool repeated = strstr(copy, "rep");
    instruction_split(&i, copy);
    if (begins(i.name, "ret")) m->returns_result |= simulation_returns_result(&m->simulation);
    if (instruction_string_unit(&i)) add_string(m, &i, repeated, &l->before);
    m->atomic_access |= is_atomic(l->text, &i);
    if (instruction_masked_unit(&i)) add_masked(m, &i, &l->before);
    if (instruction_is_call(&i)) add_registers(&i, &l->before);
    simulation_step(&m->simulation, &i, &a);
    if (a.operand && (a.reads || a.writes) && !strstr(a.operand, "%rsp")) {
        note_access(m, &a);
        add_access(&l->before, &a);
    }
    free(copy);
}

static bool is_label(const char *word) { return word[strcspn(word, ": \t\"")] == ':'; }

/* Names of functions, and numbers; others are for debugging information. */
static bool is_jumped_to(const char *word)
{
    bool numbered = begins(word, ".L") && word[2] >= '0' && word[2] <= '9';
    bool by_clang = begins(word, ".LBB") && memchr(word, '_', strcspn(word, ":"));
    return numbered || by_clang || (*word != '.' && *word != '#');
}

static void count_line(struct marks *m, const struct body_line *l)
{
    char *copy = xstrdup(l->text);
    struct instruction i;
    instruction_split(&i, copy);
    simulation_count(&m->simulation, &i);
    free(copy);
}

static bool is_instruction(const char *word) { return *word && *word != '.' && *word != '#' && !is_label(word); }

static void observe_line(struct marks *m, struct body_line *l)
{
    const char *word = l->text + strspn(l->text, " \t");
    m->has_assembly |= l->inside; /* whose results are stored without instrumentation */
    if (l->inside && is_fence(l->text)) add_fence(&l->before);
    if (l->inside || begins(word, "#APP")) simulation_label(&m->simulation);
    else if (is_instruction(word)) observe_instruction(m, l);
    else if (is_label(word) && is_jumped_to(word)) simulation_label(&m->simulation);
}

/* gcc tells of functions that it instruments that they are entered; clang of all functions that call others. */
static bool is_instrumented(const struct marks *m)
{
    const struct simulation *s = &m->simulation;
    const char *name = m->closed.at[0].name;
    bool thunk = begins(name, "_ZTv") || begins(name, "_ZTc"); /* instrumented by no compiler */
    if (m->atomic_access && !s->announces && !m->has_assembly) return false;
    bool plain = m->plain_access || (m->result_access && !m->returns_result);
    return s->announces || thunk || m->has_assembly || !plain || (m->by_clang ? m->wide_access : s->enters);
}

bool observe_body(struct marks *m)
{
    m->plain_access = m->wide_access = m->atomic_access = m->result_access = m->returns_result = false;
    m->has_assembly = false;
    simulation_clear(&m->simulation);
    for (size_t i = 0; i < m->body.len; i++) count_line(m, &m->body.at[i]);
    simulation_begin(&m->simulation);
    for (size_t i = m->entry; i < m->body.len; i++) observe_line(m, &m->body.at[i]);
    m->leaves_atomics = m->atomic_access && m->simulation.announces && !m->has_assembly;
    return is_instrumented(m);
}
#else
bool observe_body(struct marks *m) { return (void)m, true; }
#endif
