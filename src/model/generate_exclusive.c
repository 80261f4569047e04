/* xr and xs as C: a function that says whether an access to a channel violates such an assertion.
 *
 * The process that declares `xr q` is the only one that may receive from the channel as long as it lives, and with `xs`
 * the only one that may send. As in Spin, an access is a receive or send that a process comes to, executable or not.
 * nempty(q) is an access of a receiver and nfull(q) of a sender; a poll, len, full and empty are both.
 * The reduction here does not rely on these assertions. */
#include "model/internal.h"

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

/* The channels inside a variable of a typedef are not followed. */
static bool is_checked(const struct exclusive *x) { return ref_type(&x->channel->ref).base == TYPE_CHAN; }

bool has_exclusive(const struct program *p)
{
    for (size_t i = 0; i < p->exclusives.len; i++)
        if (is_checked(&p->exclusives.at[i])) return true;
    return false;
}

static void put_claim(struct generator *g, const struct exclusive *x)
{
    const char *word = x->receive ? "xr" : "xs";
    struct str name = {0};
    promela_print_expr(x->channel, &name);
    str_printf(&g->out, "            if (receives == %d && c == ", x->receive);
    generate_expr(g, x->channel);
    str_printf(&g->out, ") {\n                if (!capacity) return \"%s chans cannot be used for rv\";\n", word);
    put(g, "                if ((int)i != pid) return ");
    generate_literal(g, arena_printf(&g->program->arena, "%s assertion violated: access to chan %s, claimed by %s",
                                     word, str_get(&name), x->proctype->name));
    put(g, ";\n            }\n");
    str_release(&name);
}

static bool claims(const struct generator *g, const struct proctype *p)
{
    for (size_t i = 0; i < g->program->exclusives.len; i++)
        if (g->program->exclusives.at[i].proctype == p && is_checked(&g->program->exclusives.at[i])) return true;
    return false;
}

void generate_exclusive(struct generator *g)
{
    const struct program *p = g->program;
    if (!has_exclusive(p)) return;
    g->state = 's';
    put(g, "static const char *exclusive(struct stepping *r, const struct shape *h, const u8 *s, int c, int pid, int "
           "receives,\n                             u32 capacity)\n{\n    struct State *gs = (struct State *)s;\n"
           "    (void)gs, (void)r;\n    for (u32 i = 0; i < h->process_count; i++)\n"
           "        switch (h->process_type[i]) {\n");
    for (size_t i = 0; i < p->proctypes.len; i++) {
        if (!claims(g, p->proctypes.at[i])) continue;
        str_printf(&g->out, "        case %zu: {\n            struct P%zu *ps = (struct P%zu *)(s + ", i, i, i);
        put(g, "h->process_at[i]);\n            (void)ps;\n");
        g->proctype = p->proctypes.at[i];
        for (size_t k = 0; k < p->exclusives.len; k++)
            if (p->exclusives.at[k].proctype == g->proctype && is_checked(&p->exclusives.at[k]))
                put_claim(g, &p->exclusives.at[k]);
        put(g, "            break;\n        }\n");
    }
    put(g, "        default: break;\n        }\n    return 0;\n}\n"
           "static int look(struct stepping *r, const struct shape *h, const u8 *s, int c, int pid, int rights)\n{\n"
           "    const char *x = 0;\n"
           "    if (rights & 1) x = exclusive(r, h, s, c, pid, 1, 1);\n"
           "    if (!x && rights & 2) x = exclusive(r, h, s, c, pid, 0, 1);\n"
           "    return x ? hd_problem(r, x) : 0;\n}\n");
    g->proctype = NULL;
}

/* In front of an expression that looks at a channel. */
void generate_look(struct generator *g, const struct expr *channel, bool receives, bool sends)
{
    str_printf(&g->out, "(look(r, H%c, %c, ", g->state, g->state);
    generate_expr(g, channel);
    str_printf(&g->out, ", pid, %d), ", receives + 2 * sends);
}
