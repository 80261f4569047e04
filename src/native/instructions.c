/* One instruction of assembler text (AT&T syntax, or arm64): what it does that the instrumentation does not see. Where
 * that is not sure the answer is that it accesses memory: a warning too many costs less than one too few. */
#define _GNU_SOURCE
#include "native/assembly_int.h"

#include <ctype.h>
#include <string.h>

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool is_word(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(word, list[i])) return true;
    return false;
}
#define IS_ONE_OF(word, list) is_word(word, list, ARRAY_LEN(list))

static void cut_comment(char *text)
{
#if defined __aarch64__
    static const char mark[] = "//";
#else
    static const char mark[] = "#";
#endif
    char *comment = strstr(text, mark);
    if (comment) *comment = 0;
}

/* Commas in brackets separate nothing. */
static char *end_of_operand(char *p)
{
    for (int depth = 0; *p && (depth || *p != ','); p++) {
        depth += *p == '(' || *p == '[';
        depth -= *p == ')' || *p == ']';
    }
    return p;
}

static void split_operands(struct instruction *i, char *p)
{
    while (*p && i->count < (int)ARRAY_LEN(i->operands)) {
        p += strspn(p, " \t");
        char *end = end_of_operand(p), *last = end;
        bool more = *end;
        while (last > p && isspace((unsigned char)last[-1])) last--;
        *last = 0;
        if (*p) i->operands[i->count++] = p;
        p = more ? end + 1 : end;
    }
}

static bool is_prefix(const char *word, size_t len)
{
    static const char *const prefixes[] = {"lock", "rep", "repe", "repne", "repz", "repnz", "data16", "notrack"};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
        if (strlen(prefixes[i]) == len && !strncmp(word, prefixes[i], len)) return true;
    return false;
}

void instruction_split(struct instruction *i, char *text)
{
    *i = (struct instruction){.name = ""};
    cut_comment(text);
    for (char *word = text;;) {
        word += strspn(word, " \t");
        size_t len = strcspn(word, " \t"), prefix = strcspn(word, " \t;");
        if (prefix < len && is_prefix(word, prefix)) len = prefix; /* rep;movsq, as clang writes it */
        char *rest = word[len] ? word + len + 1 : word + len;
        word[len] = 0;
        if (!*word) return;
        if (!is_prefix(word, len) && word[len - 1] != ':') {
            i->name = word;
            split_operands(i, rest);
            return;
        }
        word = rest;
    }
}

bool instruction_is_call(const struct instruction *i)
{
    return begins(i->name, "call") || !strcmp(i->name, "bl") || !strcmp(i->name, "blr");
}

bool instruction_jumps(const struct instruction *i)
{
#if defined __aarch64__
    return !strcmp(i->name, "b") || !strcmp(i->name, "br") || begins(i->name, "b.") || begins(i->name, "cb") ||
           begins(i->name, "tb");
#else
    return i->name[0] == 'j' || begins(i->name, "loop");
#endif
}

/* Where one operand lies: 0 if not in memory. A variable of a thread's own may be known to others as well. */
static char operand_place(const char *p)
{
#if defined __aarch64__
    const char *bracket = strchr(p, '[');
    if (!bracket) return 0;
    return begins(bracket, "[sp") ? IN_FRAME_BY_STACK : begins(bracket, "[x29") ? IN_FRAME_BY_BASE : 'M';
#else
    if (begins(p, "%fs:") || begins(p, "%gs:")) return isdigit((unsigned char)p[4]) && !strchr(p, '(') ? 0 : 'M';
    const char *bracket = strchr(p, '(');
    if (bracket && (begins(bracket, "(%rsp") || begins(bracket, "(%esp"))) return IN_FRAME_BY_STACK;
    if (bracket && (begins(bracket, "(%rbp") || begins(bracket, "(%ebp"))) return IN_FRAME_BY_BASE;
    return bracket || *p == '*' || *p == '\\' || *p == '_' || isalpha((unsigned char)*p) ? 'M' : 0;
#endif
}

static char operands_place(const struct instruction *i)
{
    char found = 0;
    for (int k = 0; k < i->count; k++) {
        char place = operand_place(i->operands[k]);
        if (place == 'M') return place;
        if (place) found = place;
    }
    return found;
}

/* Instructions with operands that are not written down. */
static bool accesses_silently(const char *name)
{
    static const char *const stems[] = {"movs", "stos", "lods", "scas", "cmps", "ins", "outs"};
    static const char *const others[] = {"xlat", "xlatb", "maskmovq", "maskmovdqu", "vmaskmovdqu"};
    for (size_t i = 0; i < ARRAY_LEN(stems); i++) {
        size_t len = strlen(stems[i]);
        if (begins(name, stems[i]) && name[len] && strchr("bwlqd", name[len]) && !name[len + 1]) return true;
    }
    return IS_ONE_OF(name, others);
}

/* Instructions that are given as numbers, and text that is elsewhere. */
static bool hides_instructions(const char *name)
{
    static const char *const names[] = {".byte", ".2byte", ".4byte", ".value", ".short", ".word", ".long",
                                        ".quad", ".inst",  ".insn",  ".incbin", ".include"};
    return IS_ONE_OF(name, names);
}

static bool is_strange(const char *name)
{
    static const char *const names[] = {"rdtsc", "rdtscp", "rdpmc"};
    return IS_ONE_OF(name, names) || begins(name, "rdrand") || begins(name, "rdseed");
}

/* An access to memory under a mask of AVX-512, or at addresses in a vector. */
static bool is_masked(const struct instruction *i)
{
    bool by_indices = strstr(i->name, "gather") || strstr(i->name, "scatter"), masked = false, memory = false;
    for (int k = 0; k < i->count; k++) {
        const char *p = i->operands[k];
        masked |= strstr(p, "{%k") != NULL;
        memory |= *p != '%' && *p != '$' && !strstr(p, "(%rsp");
    }
    return memory && (masked || by_indices);
}

char instruction_is_unseen(const struct instruction *i)
{
#if defined __x86_64__
    if (begins(i->name, "xsave") || begins(i->name, "xrstor")) return 'X';
    return is_strange(i->name) ? 'T' : is_masked(i) ? 'V' : 0;
#else
    return (void)i, 0;
#endif
}

char instruction_meaning(const struct instruction *i)
{
    static const char *const addresses_only[] = {"lea", "leaq", "leal", "adr", "adrp", "clflush", "clflushopt", "clwb"};
    static const char *const system[] = {"syscall", "sysenter", "svc", "int"};
    const char *name = i->name;
    if (!*name || *name == '#') return 0;
    if (*name == '.') return hides_instructions(name) ? 'M' : 0;
    if (is_strange(name)) return 'R';
    if (IS_ONE_OF(name, system)) return 'S';
    if (instruction_is_call(i)) return 'M';
    bool of_numbers = strlen(name) == 5 && i->count && begins(i->operands[0], "%xmm"); /* movsd has two meanings */
    if (accesses_silently(name) && !of_numbers) return 'M';
    if (instruction_jumps(i) || IS_ONE_OF(name, addresses_only) || begins(name, "prefetch")) return 0;
    return operands_place(i);
}
