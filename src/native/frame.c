/* Whether anybody but a function itself can know where the variables in its frame are: its address has to be computed
 * somewhere in the function. What becomes of it is followed through the registers that calls leave alone, as far as it
 * takes to see that the instrumentation alone is told (clang tells it of every variable that assembly is applied to);
 * everything else counts as known to all. Neither the order of instructions nor which variable it is matter, because
 * loops lead back and objects reach beyond the address that was computed. */
#define _GNU_SOURCE
#include "native/assembly_int.h"

#include <string.h>

/* Sets of what an address can be in: bit 0 is the frame itself, the others are the registers of `kept`. */
enum { FRAME = 1 };

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

bool frame_is_private(const struct frame_use *u, char meaning)
{
    if (meaning == IN_FRAME_BY_BASE && u->base_is_any) return false;
    return !(u->leaks & (FRAME | u->holds));
}

#if defined __aarch64__
/* Plainly: an address of the frame in any other register is known to all. */
void frame_see(struct frame_use *u, const struct instruction *i)
{
    bool computes = i->count > 1 && (!strcmp(i->name, "add") || !strcmp(i->name, "sub") || !strcmp(i->name, "mov"));
    bool from = computes && (!strcmp(i->operands[1], "sp") || !strcmp(i->operands[1], "x29"));
    bool to_itself = computes && (!strcmp(i->operands[0], "sp") || !strcmp(i->operands[0], "x29"));
    if (from && !to_itself) u->leaks |= FRAME;
    if (computes && !from && !strcmp(i->operands[0], "x29")) u->base_is_any = true;
}

void frame_see_label(struct frame_use *u) { (void)u; }
#else
static const char *const kept[] = {"%rbx", "%r12", "%r13", "%r14", "%r15"};
enum { ARGUMENT, RESULT };
static const char *const carriers[] = {[ARGUMENT] = "%rdi", [RESULT] = "%rax"};

static bool is(const char *operand, const char *name) { return !strcmp(operand, name); }
static bool is_frame_register(const char *operand) { return is(operand, "%rsp") || is(operand, "%rbp"); }

/* What a text is made of by the registers that it names. */
static unsigned made_of(const struct frame_use *u, const char *text, bool (*named)(const char *, const char *))
{
    unsigned found = named(text, "%rsp") || named(text, "%rbp") ? FRAME : 0;
    for (unsigned i = 0; i < ARRAY_LEN(kept); i++)
        if (named(text, kept[i])) found |= 2u << i;
    for (unsigned i = 0; i < ARRAY_LEN(carriers); i++)
        if (named(text, carriers[i])) found |= u->carried[i];
    return found;
}

static bool mentions(const char *operand, const char *name) { return strstr(operand, name); }
static unsigned value_of(const struct frame_use *u, const char *operand) { return made_of(u, operand, is); }
static unsigned address_of(const struct frame_use *u, const char *operand) { return made_of(u, operand, mentions); }

/* An address, or a copy of one, goes to a place. */
static void moved(struct frame_use *u, unsigned what, const char *to)
{
    for (unsigned i = 0; i < ARRAY_LEN(carriers); i++) {
        if (!is(to, carriers[i])) continue;
        u->carried[i] = what;
        return;
    }
    unsigned target = value_of(u, to);
    if (is(to, "%rbp")) u->base_is_any = true;
    if (!what || is(to, "%rsp")) return;
    if (what == FRAME && target > FRAME) u->holds |= target;
    else u->leaks |= what;
}

/* From here on, code may have been reached from anywhere. */
void frame_see_label(struct frame_use *u)
{
    u->leaks |= u->carried[ARGUMENT] | u->carried[RESULT];
    u->carried[ARGUMENT] = u->carried[RESULT] = 0;
    u->entered = true;
}

static void called(struct frame_use *u, const struct instruction *i)
{
    bool told = i->count == 1 && begins(i->operands[0], "__tsan_");
    if (told) u->carried[ARGUMENT] = 0;
    u->carried[RESULT] = 0;
    frame_see_label(u);
}

/* A computation: its result may be an address again, and can be anywhere; with a constant it stays where it is. */
static void computed(struct frame_use *u, const struct instruction *i)
{
    static const char *const looks[] = {"cmp", "cmpq", "test", "testq"};
    const char *result = i->count ? i->operands[i->count - 1] : "";
    for (size_t k = 0; k < ARRAY_LEN(looks); k++)
        if (is(i->name, looks[k])) return;
    bool stays = is(result, "%rsp") || (i->count == 2 && i->operands[0][0] == '$');
    for (int k = 0; k < i->count - stays; k++) u->leaks |= value_of(u, i->operands[k]);
    if (is(result, "%rbp")) u->base_is_any = true;
}

void frame_see(struct frame_use *u, const struct instruction *i)
{
    const char *last = i->count ? i->operands[i->count - 1] : "";
    bool moves = i->count == 2 && (is(i->name, "mov") || is(i->name, "movq"));
    if (!*i->name || *i->name == '.') return;
    if (instruction_is_call(i)) called(u, i);
    else if (instruction_jumps(i) || begins(i->name, "ret")) frame_see_label(u);
    else if (begins(i->name, "pop")) moved(u, 0, is(last, "%rbp") ? "" : last);
    else if (begins(i->name, "push")) u->leaks |= u->entered || is(last, "%rsp") ? value_of(u, last) : 0;
    else if (moves && is_frame_register(i->operands[0]) && is_frame_register(last)) return;
    else if (begins(i->name, "lea") && i->count == 2) moved(u, address_of(u, i->operands[0]), last);
    else if (moves) moved(u, value_of(u, i->operands[0]), last);
    else computed(u, i);
}
#endif
