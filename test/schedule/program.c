/* Programs as text: one instruction per line, `thread` starts the next thread (`thread created` one that waits for a
 * create), `sem I K` and `counter I K` give semaphores and barriers their number, `stores told` tells the strategies
 * what stores write, `rounds told` that arrivals at a barrier commute. Also as C for the native engine. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

static const struct { const char *name; int args; } insns[] = {
#define INSN_ROW(name, args) {#name, args},
    INSTRUCTIONS(INSN_ROW)
#undef INSN_ROW
};

struct text { char *at; size_t left; };

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t->at, t->left, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= t->left)
        abort(); /* the buffer of the caller is too small */
    t->at += n;
    t->left -= (size_t)n;
}

static bool uses(const struct program *p, int from, int to, int object)
{
    for (int u = 0; u < p->threads; u++)
        for (int i = 0; i < p->len[u]; i++)
            if (p->code[u][i].kind >= from && p->code[u][i].kind <= to && p->code[u][i].arg[0] == object)
                return true;
    return false;
}

void program_print(const struct program *p, char *out, size_t size)
{
    struct text t = {out, size};
    if (p->tells_stores)
        add(&t, "stores told\n");
    if (p->tells_rounds)
        add(&t, "rounds told\n");
    for (int i = 0; i < OBJECTS; i++) {
        if (p->sem[i] && (uses(p, I_semwait, I_semread, i) || uses(p, I_seminit, I_seminit, i)))
            add(&t, "sem %d %d\n", i, p->sem[i]);
        if (p->barrier[i] && uses(p, I_barrier, I_arrive, i))
            add(&t, "counter %d %d\n", i, p->barrier[i]);
    }
    for (int u = 0; u < p->threads; u++) {
        add(&t, "thread%s\n", p->created & 1u << u ? " created" : "");
        for (int i = 0; i < p->len[u]; i++) {
            const struct insn *insn = &p->code[u][i];
            add(&t, "  %s", insns[insn->kind].name);
            for (int a = 0; a < insns[insn->kind].args; a++)
                add(&t, " %d", insn->arg[a]);
            add(&t, "\n");
        }
    }
}

static bool parse_insn(struct program *p, const char *name, const int *args, int n)
{
    int u = p->threads - 1;
    for (int k = 0; k < INSN_COUNT; k++) {
        if (strcmp(insns[k].name, name))
            continue;
        if (u < 0 || n != insns[k].args || p->len[u] == MAX_CODE)
            return false;
        struct insn *i = &p->code[u][p->len[u]++];
        i->kind = (uint8_t)k;
        for (int a = 0; a < n; a++)
            i->arg[a] = (int8_t)args[a];
        return true;
    }
    return false;
}

static bool parse_line(struct program *p, const char *line)
{
    char word[32] = "", second[32] = "";
    int arg[4], n = sscanf(line, "%31s %31s", word, second);
    if (n <= 0 || word[0] == '#')
        return true;
    int args = sscanf(line, "%*s %d %d %d %d", &arg[0], &arg[1], &arg[2], &arg[3]);
    if (args < 0)
        args = 0;
    if (!strcmp(word, "stores"))
        return p->tells_stores = !strcmp(second, "told");
    if (!strcmp(word, "rounds"))
        return p->tells_rounds = !strcmp(second, "told");
    if (!strcmp(word, "thread")) {
        if (p->threads == MAX_THREADS)
            return false;
        if (!strcmp(second, "created"))
            p->created |= 1u << p->threads;
        p->threads++;
        return true;
    }
    if (!strcmp(word, "sem") || !strcmp(word, "counter")) {
        if (args != 2 || arg[0] < 0 || arg[0] >= OBJECTS)
            return false;
        (word[0] == 's' ? p->sem : p->barrier)[arg[0]] = arg[1];
        return true;
    }
    return parse_insn(p, word, arg, args);
}

bool program_parse(struct program *p, const char *text)
{
    char line[200];
    memset(p, 0, sizeof *p);
    p->vars = 16;
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (n >= sizeof line)
            return false;
        memcpy(line, text, n);
        line[n] = 0;
        if (!parse_line(p, line))
            return false;
        text += n + (text[n] == '\n');
    }
    return p->threads > 0;
}
