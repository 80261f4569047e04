/* A litmus program as C. What it finds out is told by one line of text, written by one write() in append mode, so that
 * the lines of many executions can be collected in one file: registers thread by thread, then the final values. */
#include "litmus.h"

static const char *const c_orders[ORDER_COUNT] = {
    [ORDER_RLX] = "memory_order_relaxed", [ORDER_CON] = "memory_order_consume", [ORDER_ACQ] = "memory_order_acquire",
    [ORDER_REL] = "memory_order_release", [ORDER_AR] = "memory_order_acq_rel", [ORDER_SC] = "memory_order_seq_cst",
};

static void print_operand(struct operand v, FILE *out)
{
    fprintf(out, v.is_register ? "r%d" : "%d", v.n);
}

static void print_access(const struct litmus *p, const struct insn *c, FILE *out)
{
    const char *x = p->place_name[c->place], *order = c_orders[c->order];
    if (c->kind != INSN_STORE)
        fprintf(out, "r%d = ", c->target_register);
    if (c->order == ORDER_NA) {
        fprintf(out, c->kind == INSN_STORE ? "%s = " : "%s;\n", x);
        if (c->kind == INSN_STORE)
            print_operand(c->value, out), fprintf(out, ";\n");
        return;
    }
    static const char *const calls[] = {
        [INSN_LOAD] = "atomic_load_explicit(&", [INSN_STORE] = "atomic_store_explicit(&",
        [INSN_XCHG] = "atomic_exchange_explicit(&", [INSN_ADD] = "atomic_fetch_add_explicit(&",
    };
    fprintf(out, "%s%s, ", calls[c->kind], x);
    if (c->kind != INSN_LOAD)
        print_operand(c->value, out), fprintf(out, ", ");
    fprintf(out, "%s);\n", order);
}

static void print_cas(const struct litmus *p, const struct insn *c, FILE *out)
{
    fprintf(out, "{ int found = ");
    print_operand(c->wanted, out);
    fprintf(out, "; atomic_compare_exchange_strong_explicit(&%s, &found, ", p->place_name[c->place]);
    print_operand(c->value, out);
    fprintf(out, ", %s, %s); r%d = found; }\n", c_orders[c->order], c_orders[c->failure], c->target_register);
}

static void print_insn(const struct litmus *p, const struct insn *c, FILE *out)
{
    fprintf(out, "    ");
    switch (c->kind) {
    case INSN_CAS: print_cas(p, c, out); break;
    case INSN_LOCK: fprintf(out, "pthread_mutex_lock(&%s);\n", p->place_name[c->place]); break;
    case INSN_UNLOCK: fprintf(out, "pthread_mutex_unlock(&%s);\n", p->place_name[c->place]); break;
    case INSN_FENCE: fprintf(out, "atomic_thread_fence(%s);\n", c_orders[c->order]); break;
    case INSN_IF:
        fprintf(out, "if (r%d %s ", c->tested, c->is_equal ? "==" : "!=");
        print_operand(c->value, out);
        fprintf(out, ") {\n");
        break;
    case INSN_LOOP: fprintf(out, "for (;;) {\n"); break;
    case INSN_UNTIL:
        fprintf(out, "if (r%d %s ", c->tested, c->is_equal ? "==" : "!=");
        print_operand(c->value, out);
        fprintf(out, ") break;\n    }\n");
        break;
    case INSN_ELSE: fprintf(out, "} else {\n"); break;
    case INSN_END: fprintf(out, "}\n"); break;
    default: print_access(p, c, out);
    }
}

static unsigned mentioned(const struct litmus *p, int t)
{
    unsigned regs = p->used[t];
    for (int i = 0; i < p->length[t]; i++) {
        const struct insn *c = &p->code[t][i];
        if (c->kind == INSN_IF || c->kind == INSN_UNTIL)
            regs |= 1u << c->tested;
        if (c->value.is_register)
            regs |= 1u << c->value.n;
        if (c->wanted.is_register)
            regs |= 1u << c->wanted.n;
    }
    return regs;
}

static void print_thread(const struct litmus *p, int t, FILE *out)
{
    fprintf(out, "static void *thread%d(void *arg)\n{\n", t);
    for (int r = 0; r < MAX_REGISTERS; r++)
        if (mentioned(p, t) >> r & 1)
            fprintf(out, "    int r%d = 0;\n", r);
    for (int i = 0; i < p->length[t]; i++)
        print_insn(p, &p->code[t][i], out);
    for (int r = 0; r < MAX_REGISTERS; r++)
        if (p->used[t] >> r & 1)
            fprintf(out, "    result[%d][%d] = r%d;\n", t, r, r);
    fprintf(out, "    return arg;\n}\n\n");
}

static const char tell[] =
    "static void tell(const char *line, int n)\n"
    "{\n"
    "    const char *path = getenv(\"WEAK_OUTCOMES\");\n"
    "    int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT, 0600) : 1;\n"
    "    if (write(fd, line, (size_t)n) != n)\n"
    "        abort();\n"
    "    if (path)\n"
    "        close(fd);\n"
    "}\n\n";

static void print_main(const struct litmus *p, FILE *out)
{
    fprintf(out, "int main(void)\n{\n    pthread_t thread[%d];\n", p->threads);
    for (int t = 0; t < p->threads; t++)
        fprintf(out, "    pthread_create(&thread[%d], 0, thread%d, 0);\n", t, t);
    for (int t = 0; t < p->threads; t++)
        fprintf(out, "    pthread_join(thread[%d], 0);\n", t);
    fprintf(out, "    char line[256];\n    int n = 0;\n");
    for (int t = 0; t < p->threads; t++)
        for (int r = 0; r < MAX_REGISTERS; r++)
            if (p->used[t] >> r & 1)
                fprintf(out, "    n += sprintf(line + n, \"%d:r%d=%%d \", result[%d][%d]);\n", t, r, t, r);
    for (int i = 0; i < p->places; i++)
        if (!p->is_mutex[i])
            fprintf(out, "    n += sprintf(line + n, \"%s=%%d \", %s);\n", p->place_name[i], p->place_name[i]);
    fprintf(out, "    line[n - 1] = '\\n';\n    tell(line, n);\n    return 0;\n}\n");
}

void litmus_print_c(const struct litmus *p, FILE *out)
{
    fprintf(out, "#include <fcntl.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
                 "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n\n");
    for (int i = 0; i < p->places; i++)
        if (p->is_mutex[i])
            fprintf(out, "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;\n", p->place_name[i]);
        else
            fprintf(out, "static %s %s = %d;\n", p->is_plain[i] ? "int" : "atomic_int", p->place_name[i],
                    p->initial[i]);
    fprintf(out, "static int result[%d][%d];\n\n%s", p->threads, MAX_REGISTERS, tell);
    for (int t = 0; t < p->threads; t++)
        print_thread(p, t, out);
    print_main(p, out);
}
