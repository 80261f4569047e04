/* The text of a litmus program; litmus.h has the grammar. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.h"

const char *const order_names[ORDER_COUNT] = {"na", "rlx", "con", "acq", "rel", "ar", "sc"};

struct parser {
    struct litmus *p;
    const char *at;
    const char *why; /* what is wrong; once set, nothing else is read */
    bool is_atomic[MAX_PLACES];
    bool is_locked; /* inside a lock */
    int thread;
};

static void fail(struct parser *s, const char *why)
{
    if (!s->why)
        s->why = why;
}

static void skip_space(struct parser *s)
{
    while (isspace((unsigned char)*s->at) || *s->at == '#')
        if (*s->at == '#')
            s->at += strcspn(s->at, "\n");
        else
            s->at++;
}

static bool take(struct parser *s, const char *token)
{
    skip_space(s);
    size_t n = strlen(token);
    if (strncmp(s->at, token, n) || (isalnum((unsigned char)*token) && isalnum((unsigned char)s->at[n])))
        return false;
    s->at += n;
    return true;
}

static void expect(struct parser *s, const char *token, const char *why)
{
    if (!take(s, token))
        fail(s, why);
}

static void word(struct parser *s, char name[MAX_NAME])
{
    skip_space(s);
    size_t n = 0;
    while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_')
        n++;
    if (!n || n >= MAX_NAME)
        fail(s, "a name is missing or too long");
    else
        memcpy(name, s->at, n), name[n] = 0, s->at += n;
}

static bool is_register(const char *name)
{
    return name[0] == 'r' && name[1] >= '0' && name[1] < '0' + MAX_REGISTERS && !name[2];
}

static int number(struct parser *s)
{
    skip_space(s);
    char *end;
    long n = strtol(s->at, &end, 10);
    if (end == s->at)
        fail(s, "a number is missing");
    s->at = end;
    return (int)n;
}

static struct operand operand(struct parser *s)
{
    skip_space(s);
    if (*s->at != 'r')
        return (struct operand){number(s), false};
    char name[MAX_NAME] = "";
    word(s, name);
    if (!is_register(name))
        fail(s, "a value is a number or a register");
    return (struct operand){name[1] - '0', true};
}

static int place(struct parser *s, const char *name)
{
    if (!isalpha((unsigned char)name[0]) || is_register(name)) {
        fail(s, "the name of a place is missing");
        return 0;
    }
    struct litmus *p = s->p;
    for (int i = 0; i < p->places; i++)
        if (!strcmp(p->place_name[i], name))
            return i;
    if (p->places == MAX_PLACES) {
        fail(s, "too many places");
        return 0;
    }
    strcpy(p->place_name[p->places], name);
    return p->places++;
}

static int named_place(struct parser *s)
{
    char name[MAX_NAME] = "";
    word(s, name);
    return place(s, name);
}

static enum order order(struct parser *s)
{
    for (int i = 0; i < ORDER_COUNT; i++)
        if (take(s, order_names[i]))
            return (enum order)i;
    fail(s, "a memory order is missing");
    return ORDER_SC;
}

static void check_orders(struct parser *s, const struct insn *c)
{
    static const unsigned permitted[] = {
        [INSN_LOAD] = 1 << ORDER_NA | 1 << ORDER_RLX | 1 << ORDER_CON | 1 << ORDER_ACQ | 1 << ORDER_SC,
        [INSN_STORE] = 1 << ORDER_NA | 1 << ORDER_RLX | 1 << ORDER_REL | 1 << ORDER_SC,
        [INSN_XCHG] = 0x7e, [INSN_ADD] = 0x7e, [INSN_CAS] = 0x7e, [INSN_FENCE] = 0x7e,
    };
    if (!(permitted[c->kind] >> c->order & 1))
        fail(s, "this statement cannot have this memory order");
    if (c->kind == INSN_CAS && (c->failure == ORDER_NA || !(permitted[INSN_LOAD] >> c->failure & 1)))
        fail(s, "a failed compare-exchange cannot have this memory order");
    if (c->kind == INSN_FENCE)
        return;
    *(c->order == ORDER_NA ? &s->p->is_plain[c->place] : &s->is_atomic[c->place]) = true;
    if (s->p->is_plain[c->place] + s->is_atomic[c->place] + s->p->is_mutex[c->place] > 1)
        fail(s, "a place is atomic or plain or a mutex");
}

static struct insn *emit(struct parser *s, enum insn_kind kind)
{
    static struct insn nowhere;
    int *n = &s->p->length[s->thread];
    if (*n == MAX_CODE) {
        fail(s, "a thread is too long");
        return &nowhere;
    }
    struct insn *c = &s->p->code[s->thread][(*n)++];
    *c = (struct insn){.kind = kind};
    return c;
}

static void set_register(struct parser *s, int target)
{
    struct insn *c;
    if (take(s, "xchg") || take(s, "add")) {
        c = emit(s, s->at[-1] == 'd' ? INSN_ADD : INSN_XCHG);
        c->place = named_place(s);
        c->value = operand(s);
        c->order = order(s);
    } else if (take(s, "cas")) {
        c = emit(s, INSN_CAS);
        c->place = named_place(s);
        c->wanted = operand(s);
        c->value = operand(s);
        c->order = order(s);
        c->failure = order(s);
    } else {
        c = emit(s, INSN_LOAD);
        c->place = named_place(s);
        c->order = order(s);
    }
    c->target_register = target;
    s->p->used[s->thread] |= 1u << target;
    check_orders(s, c);
}

static void block(struct parser *s);

static void condition(struct parser *s)
{
    int start = s->p->length[s->thread];
    struct insn *c = emit(s, INSN_IF);
    c->tested = operand(s).n;
    c->is_equal = take(s, "==");
    if (!c->is_equal)
        expect(s, "!=", "a condition is == or !=");
    c->value = operand(s);
    block(s);
    struct insn *code = s->p->code[s->thread];
    if (take(s, "else")) {
        int middle = s->p->length[s->thread];
        emit(s, INSN_ELSE);
        code[start].otherwise = middle + 1;
        block(s);
        code[middle].otherwise = s->p->length[s->thread];
    } else {
        code[start].otherwise = s->p->length[s->thread];
    }
    emit(s, INSN_END);
}

static void locked(struct parser *s)
{
    if (s->is_locked)
        fail(s, "one lock inside another");
    struct insn *lock = emit(s, INSN_LOCK);
    int mutex = named_place(s);
    lock->place = mutex;
    lock->order = ORDER_ACQ;
    lock->value.n = 1;
    s->p->is_mutex[mutex] = s->is_locked = true;
    if (s->p->is_plain[mutex] || s->is_atomic[mutex])
        fail(s, "a place is atomic or plain or a mutex");
    block(s);
    struct insn *unlock = emit(s, INSN_UNLOCK);
    unlock->place = mutex;
    unlock->order = ORDER_REL;
    s->is_locked = false;
}

static void loop(struct parser *s)
{
    int start = s->p->length[s->thread], tested = operand(s).n;
    emit(s, INSN_LOOP);
    bool is_equal = take(s, "==");
    if (!is_equal)
        expect(s, "!=", "a condition is == or !=");
    struct operand value = operand(s);
    block(s);
    struct insn *c = emit(s, INSN_UNTIL);
    c->tested = tested;
    c->is_equal = is_equal;
    c->value = value;
    c->otherwise = start;
}

static void statement(struct parser *s)
{
    if (take(s, "until")) {
        loop(s);
        return;
    }
    if (take(s, "if")) {
        condition(s);
        return;
    }
    if (take(s, "lock")) {
        locked(s);
        return;
    }
    if (take(s, "fence")) {
        struct insn *c = emit(s, INSN_FENCE);
        c->order = order(s);
        check_orders(s, c);
        return;
    }
    char name[MAX_NAME] = "";
    word(s, name);
    expect(s, "=", "= is missing");
    if (is_register(name)) {
        set_register(s, name[1] - '0');
        return;
    }
    struct insn *c = emit(s, INSN_STORE);
    c->place = place(s, name);
    c->value = operand(s);
    c->order = order(s);
    check_orders(s, c);
}

static void block(struct parser *s)
{
    expect(s, "{", "{ is missing");
    while (!s->why && !take(s, "}"))
        if (!take(s, ";"))
            statement(s);
}

static void initial_value(struct parser *s)
{
    int i = named_place(s);
    expect(s, "=", "= is missing");
    s->p->initial[i] = number(s);
}

const char *litmus_parse(struct litmus *p, const char **text)
{
    memset(p, 0, sizeof *p);
    struct parser s = {.p = p, .at = *text};
    while (skip_space(&s), !s.why && *s.at && *s.at != '{')
        initial_value(&s);
    while (!s.why && (skip_space(&s), *s.at == '{')) {
        if (p->threads == MAX_THREADS) {
            fail(&s, "too many threads");
            break;
        }
        s.thread = p->threads++;
        block(&s);
    }
    if (!p->threads)
        fail(&s, "no thread");
    *text = s.at;
    return s.why;
}

bool litmus_is_all_sc(const struct litmus *p)
{
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->length[t]; i++) {
            const struct insn *c = &p->code[t][i];
            if (c->kind == INSN_LOCK || c->kind == INSN_UNLOCK)
                continue;
            if (c->kind <= INSN_FENCE && c->order != ORDER_SC && c->order != ORDER_NA)
                return false;
            if (c->kind == INSN_CAS && c->failure != ORDER_SC)
                return false;
        }
    return true;
}
