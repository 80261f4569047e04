/* Straight code, run on numbers that stand for what is not known: an address is the same number wherever the compiler
 * computes it again, so that an access is recognised by the address that the instrumentation was told before. A number
 * keeps where it comes from as long as it is computed with: from the frame, from a constant of the program. What is not
 * recognised counts as not announced, which costs time and no more (observe.c). x86-64 only. */
#include "native/assembly_int.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, NOT_A_REGISTER = SIMULATED_REGISTERS };

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }
static bool ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && !strcmp(text + n - m, with);
}

static bool is_word(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(word, list[i])) return true;
    return false;
}
#define IS_ONE_OF(word, list) is_word(word, list, ARRAY_LEN(list))

/* ---- registers ---- */

struct name { int number, size; }; /* of a general register */

static struct name numbered_register(const char *p)
{
    char *end;
    long n = strtol(p, &end, 10);
    int size = !*end ? 8 : *end == 'd' ? 4 : *end == 'w' ? 2 : 1;
    return n >= 8 && n < 16 ? (struct name){(int)n, size} : (struct name){NOT_A_REGISTER, 0};
}

/* %rax, %eax, %ax, %al and their like. */
static struct name register_of(const char *operand)
{
    static const char *const stems[] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    static const char *const halves[] = {"ah", "ch", "dh", "bh"};
    const char *p = operand + 1;
    if (*operand != '%') return (struct name){NOT_A_REGISTER, 0};
    if (*p == 'r' && isdigit((unsigned char)p[1])) return numbered_register(p + 1);
    int size = *p == 'r' ? 8 : *p == 'e' ? 4 : 2;
    for (int i = 0; i < (int)ARRAY_LEN(stems); i++) {
        if (!strcmp(size == 2 ? p : p + 1, stems[i])) return (struct name){i, size};
        bool low = i < 4 ? p[0] == stems[i][0] && p[1] == 'l' && !p[2] : begins(p, stems[i]) && !strcmp(p + 2, "l");
        if (low || (i < 4 && !strcmp(p, halves[i]))) return (struct name){i, 1};
    }
    return (struct name){NOT_A_REGISTER, 0};
}

static bool is_register(const char *operand) { return register_of(operand).number != NOT_A_REGISTER; }

static bool is_memory(const char *operand)
{
    return *operand == '%' ? strchr(operand, ':') != NULL : *operand && *operand != '$';
}

/* ---- numbers ---- */

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t both[2] = {a, b};
    return hash_bytes(both, sizeof both, 1);
}

static struct simulated unknown(struct simulation *s) { return (struct simulated){mixed(++s->count, 77), 0}; }

/* What a symbol is: a constant of this file, a variable of it, or of another one. */
static struct simulated symbol_value(const struct simulation *s, const char *name, size_t len)
{
    char text[512];
    if (len >= sizeof text) len = sizeof text - 1;
    memcpy(text, name, len);
    text[len] = 0;
    char *at = strchr(text, '@');
    bool tls = at && strstr(at, "tpoff");
    if (at) *at = 0;
    uint8_t from = map_get(&s->constants, text) ? FROM_CONSTANT : 0;
    if (!from && !tls && !map_get(&s->variables, text)) from = FROM_ELSEWHERE;
    return (struct simulated){hash_bytes(text, strlen(text), 3), from};
}

static struct simulated sum(struct simulated a, struct simulated b)
{
    return (struct simulated){a.number + b.number, a.from | b.from};
}

/* 8+point, point+8, -24, .LC0 */
static struct simulated displacement(const struct simulation *s, const char *p)
{
    struct simulated total = {0};
    while (*p && *p != '(') {
        bool minus = *p == '-';
        p += *p == '+' || minus;
        size_t len = strcspn(p, "+-(");
        if (!len) break;
        if (isdigit((unsigned char)*p)) {
            uint64_t n = strtoull(p, NULL, 0);
            total.number += minus ? -n : n;
        } else total = sum(total, symbol_value(s, p, len));
        p += len;
    }
    return total;
}

static struct simulated address_of(const struct simulation *s, const char *operand)
{
    const char *p = operand, *bracket = strchr(operand, '(');
    char parts[3][16] = {"", "", "1"};
    struct simulated total;
    if (begins(p, "%fs:")) total = (struct simulated){mixed(1, 5), FROM_THREAD}, p += 4;
    else total = (struct simulated){0};
    total = sum(total, displacement(s, p));
    if (!bracket) return total;
    sscanf(bracket, "(%15[^,)],%15[^,)],%15[^,)])", parts[0], parts[1], parts[2]);
    if (bracket[1] == ',') parts[0][0] = 0, sscanf(bracket, "(,%15[^,)],%15[^,)])", parts[1], parts[2]);
    int base = register_of(parts[0]).number, index = register_of(parts[1]).number;
    if (base != NOT_A_REGISTER) total = sum(total, s->registers[base]);
    if (index != NOT_A_REGISTER) {
        total.number += s->registers[index].number * (uint64_t)atoi(parts[2]);
        total.from |= s->registers[index].from;
    }
    return total;
}

/* ---- memory of the frame ---- */

static struct simulated frame_load(const struct simulation *s, uint64_t at)
{
    for (size_t i = s->frame.len; i-- > 0;)
        if (s->frame.at[i].at == at) return s->frame.at[i].value;
    return (struct simulated){mixed(at, s->labels), 0};
}

static void frame_store(struct simulation *s, uint64_t at, struct simulated value)
{
    for (size_t i = 0; i < s->frame.len; i++)
        if (s->frame.at[i].at == at) {
            s->frame.at[i].value = value;
            return;
        }
    vec_push(&s->frame, ((struct simulated_slot){at, value}));
}

/* ---- which bytes an instruction accesses ---- */

/* vmaskmovps, vpmaskmovd, maskmovdqu and their like: the size of an element, 0: it is another instruction. */
size_t instruction_masked_unit(const struct instruction *i)
{
    const char *name = i->name + (*i->name == 'v');
    if (begins(name, "maskmovdq")) return 1;
    if (!begins(name, "maskmovp") && !begins(name, "pmaskmov")) return 0;
    return ends(name, "s") || ends(name, "pmaskmovd") ? 4 : 8;
}

static size_t vector_size(const char *name, const struct instruction *i)
{
    static const char *const eight[] = {"movq", "movlps", "movhps", "movlpd", "movhpd", "movddup", "cvtps2pd",
                                        "cvtdq2pd", "cvtpi2ps", "cvtpi2pd"};
    static const char *const four[] = {"movd", "insertps", "extractps", "broadcastss"};
    bool wide = false, widest = false;
    for (int k = 0; k < i->count; k++) {
        if (strchr(i->operands[k], '{')) return 0; /* masked: which bytes is not known */
        wide |= begins(i->operands[k], "%ymm");
        widest |= begins(i->operands[k], "%zmm");
    }
    if (instruction_masked_unit(i) || strstr(name, "gather") || strstr(name, "scatter")) return 0;
    if (IS_ONE_OF(name, eight) || begins(name, "broadcastsd")) return 8;
    if (IS_ONE_OF(name, four)) return 4;
    if (begins(name, "cvtsi2")) return ends(name, "q") ? 8 : 4;
    if (begins(name, "cvt") && (strstr(name, "ss2") || strstr(name, "sd2"))) return strstr(name, "ss2") ? 4 : 8;
    if (begins(name, "pins") || begins(name, "pext"))
        return ends(name, "b") ? 1 : ends(name, "w") ? 2 : ends(name, "d") ? 4 : 8;
    if (begins(name, "pmovzx") || begins(name, "pmovsx")) return 2;
    if (ends(name, "ss") || ends(name, "broadcastd")) return 4;
    if (ends(name, "sd") || ends(name, "broadcastq")) return 8;
    return widest ? 64 : wide ? 32 : 16;
}

static size_t suffix_size(const char *name)
{
    size_t n = strlen(name);
    switch (n ? name[n - 1] : 0) {
    case 'b': return 1;
    case 'w': return 2;
    case 'l': return 4;
    default: return 8;
    }
}

/* Instructions that keep many registers at once, or take them back; of xsave and its like the size is not known. */
static size_t register_area(const char *name)
{
    if (begins(name, "fxsave") || begins(name, "fxrstor")) return 512;
    if (begins(name, "fsave") || begins(name, "fnsave") || begins(name, "frstor")) return 108;
    return begins(name, "fstenv") || begins(name, "fnstenv") || begins(name, "fldenv") ? 28 : 0;
}

/* flds, fstpl, fldt, fildll, fistps and their like */
static size_t float_size(const char *name)
{
    if (register_area(name)) return register_area(name);
    bool integer = begins(name, "fi");
    if (ends(name, "t")) return 10;
    if (ends(name, "ll") || ends(name, "q")) return 8;
    if (ends(name, "s")) return integer ? 2 : 4;
    if (ends(name, "l")) return integer ? 4 : 8;
    return begins(name, "fldcw") || begins(name, "fnstcw") ? 2 : 0;
}

/* movzbl, movswq and their like: the size of what is read */
static size_t extended_size(const char *name)
{
    bool extends = (begins(name, "movz") || begins(name, "movs")) && strlen(name) >= 6;
    return !extends ? 0 : name[4] == 'b' ? 1 : name[4] == 'w' ? 2 : 4;
}

static bool has_vector(const struct instruction *i)
{
    for (int k = 0; k < i->count; k++)
        if (begins(i->operands[k], "%xmm") || begins(i->operands[k], "%ymm") || begins(i->operands[k], "%zmm"))
            return true;
    return false;
}

static size_t access_size(const struct instruction *i)
{
    const char *name = i->name;
    if (has_vector(i)) return vector_size(*name == 'v' ? name + 1 : name, i);
    if (*name == 'f') return float_size(name);
    if (begins(name, "set")) return 1;
    if (ends(name, "mxcsr")) return 4;
    if (begins(name, "xsave") || begins(name, "xrstor")) return 0;
    if (extended_size(name)) return extended_size(name);
    bool shifts = begins(name, "sh") || begins(name, "sa") || begins(name, "ro");
    for (int k = 0; k < i->count && !shifts; k++)
        if (is_register(i->operands[k])) return (size_t)register_of(i->operands[k]).size;
    return suffix_size(name);
}

static bool only_reads_last(const struct instruction *i)
{
    const char *name = i->name;
    static const char *const stems[] = {"cmp", "test", "ucomi", "comi", "vucomi", "vcomi", "push", "mul",
                                        "div", "idiv", "fld", "fild", "fadd", "fsub", "fmul", "fdiv",
                                        "fcom", "fucom", "fiadd", "fisub", "fimul", "fidiv", "ptest", "vptest",
                                        "frstor", "fxrstor", "ldmxcsr", "vldmxcsr"};
    for (size_t k = 0; k < ARRAY_LEN(stems); k++)
        if (begins(name, stems[k])) return true;
    if (begins(name, "imul")) return i->count == 1;
    return !strcmp(name, "bt") || !strcmp(name, "btl") || !strcmp(name, "btq");
}

static bool only_writes_last(const struct instruction *i)
{
    static const char *const stems[] = {"mov", "vmov", "fst", "fist", "fnst", "set", "pop", "pextr", "vpextr",
                                        "fsave", "fxsave", "stmxcsr", "vstmxcsr", "extractps", "vextract", "cvtps2ph"};
    for (size_t k = 0; k < ARRAY_LEN(stems); k++)
        if (begins(i->name, stems[k])) return true;
    return false;
}

static bool accesses_nothing(const struct instruction *i)
{
    static const char *const stems[] = {"lea", "nop", "prefetch", "clflush", "clwb"};
    for (size_t k = 0; k < ARRAY_LEN(stems); k++)
        if (begins(i->name, stems[k])) return true;
    return instruction_is_call(i) || instruction_jumps(i);
}

static bool was_announced(const struct simulation *s, uint64_t at, size_t size, bool write)
{
    for (size_t i = 0; i < s->announced.len; i++) {
        const struct announcement *a = &s->announced.at[i];
        if (at - a->at < a->size && at - a->at + size <= a->size && (a->write || !write)) return true;
    }
    return false;
}

static void look_at_memory(struct simulation *s, const struct instruction *i, struct sim_access *out)
{
    for (int k = 0; k < i->count; k++) {
        const char *operand = i->operands[k];
        bool last = k == i->count - 1;
        if (!is_memory(operand) || strstr(operand, "@GOT") || *operand == '*') continue;
        struct simulated at = address_of(s, operand);
        size_t size = access_size(i);
        if (!size || at.from & (FROM_FRAME | FROM_THREAD)) return;
        bool writes = last && !only_reads_last(i), reads = !writes || !only_writes_last(i);
        if (at.from & FROM_CONSTANT && !writes) return;
        if (size == s->replaced && !was_announced(s, at.number, size, writes)) {
            s->replaced = 0; /* whatever its address seems to be */
            return;
        }
        *out = (struct sim_access){.operand = operand, .size = size, .from = at.from,
                                   .reads = reads && !was_announced(s, at.number, size, false),
                                   .writes = writes && !was_announced(s, at.number, size, true)};
        return;
    }
}

/* ---- what an instruction computes ---- */

static struct simulated value_of(struct simulation *s, const struct instruction *i, const char *operand)
{
    struct name r = register_of(operand);
    if (r.number != NOT_A_REGISTER) return s->registers[r.number];
    if (*operand == '$') return displacement(s, operand + 1);
    if (!is_memory(operand)) return (struct simulated){hash_bytes(operand, strlen(operand), 9), 0};
    struct simulated at = address_of(s, operand);
    if (strstr(operand, "@GOT")) return at;
    if (at.from & FROM_FRAME) return frame_load(s, at.number);
    return (struct simulated){mixed(mixed(at.number, access_size(i)), s->memory), 0};
}

static bool is_plain_move(const struct instruction *i)
{
    return i->count == 2 && (!strcmp(i->name, "mov") || !strcmp(i->name, "movq") || !strcmp(i->name, "movabsq"));
}

static struct simulated result_of(struct simulation *s, const struct instruction *i)
{
    const char *name = i->name, *last = i->operands[i->count - 1], *first = i->operands[0];
    bool whole = register_of(last).size == 8 || (is_memory(last) && ends(name, "q"));
    bool constant = i->count == 2 && *first == '$';
    if (is_plain_move(i) || (begins(name, "movl") && constant)) return value_of(s, i, first);
    if (begins(name, "lea") && whole) return address_of(s, first);
    if (begins(name, "xor") && i->count == 2 && !strcmp(first, last)) return (struct simulated){0};
    struct simulated a = i->count > 1 ? value_of(s, i, first) : (struct simulated){1, 0};
    struct simulated b = begins(name, "mov") || begins(name, "set") ? (struct simulated){0} : value_of(s, i, last);
    uint8_t from = i->count == 2 && is_memory(first) ? b.from : a.from | b.from;
    if (whole && (begins(name, "add") || begins(name, "inc"))) return (struct simulated){b.number + a.number, from};
    if (whole && (begins(name, "sub") || begins(name, "dec"))) return (struct simulated){b.number - a.number, from};
    bool shifts_left = begins(name, "sal") || begins(name, "shl");
    if (whole && shifts_left && i->count == 1) return (struct simulated){b.number << 1, from};
    if (whole && shifts_left && constant && a.number < 64) return (struct simulated){b.number << a.number, from};
    uint64_t number = mixed(hash_bytes(name, strlen(name), 4), mixed(a.number, b.number));
    if (begins(name, "lea")) number = mixed(6, address_of(s, first).number);
    if (i->count > 2) number = mixed(number, value_of(s, i, i->operands[1]).number);
    return (struct simulated){number, begins(name, "mov") ? 0 : from};
}

static void forget(struct simulation *s, const int *list, size_t n)
{
    for (size_t i = 0; i < n; i++) s->registers[list[i]] = unknown(s);
}

static void called(struct simulation *s, const struct instruction *i)
{
    static const int overwritten[] = {RAX, RCX, RDX, RSI, RDI, R8, 9, 10, 11};
    const char *name = i->count ? i->operands[0] + (*i->operands[0] == '*') : "";
    enum { LARGEST_OBJECT = 1 << 24 }; /* else it is not a constant */
    uint64_t at = s->registers[RDI].number;
    bool ours = begins(name, "__tsan_"), atomic = begins(name, "__tsan_atomic");
    bool write = strstr(name, "write") || strstr(name, "vptr_update");
    if (atomic && strstr(name, "_load")) { /* clang leaves the load that it replaced, without a use */
        s->replaced = strtoul(name + strlen("__tsan_atomic"), NULL, 10) / 8;
        vec_push(&s->announced, ((struct announcement){at, s->replaced, false}));
        s->announces = true;
    } else if (ours && !atomic && (strstr(name, "read") || write || strstr(name, "vptr"))) {
        size_t digits = strcspn(name, "0123456789");
        size_t size = strstr(name, "_range") ? (size_t)s->registers[RSI].number : strtoul(name + digits, NULL, 10);
        bool known = size && size <= LARGEST_OBJECT;
        vec_push(&s->announced, ((struct announcement){at, known ? size : 8, write}));
        if (strstr(name, "volatile")) s->replaced = size;
        if (strstr(name, "read_write")) vec_last(&s->announced).write = true;
        s->announces = true;
    }
    if (begins(name, "__tsan_func_entry")) s->enters = true;
    if (!ours) s->memory++;
    forget(s, overwritten, ARRAY_LEN(overwritten));
}

static void pushed(struct simulation *s, const struct instruction *i)
{
    struct simulated value = value_of(s, i, i->operands[0]);
    s->registers[RSP].number -= 8;
    frame_store(s, s->registers[RSP].number, value);
}

static void popped(struct simulation *s, const char *to)
{
    struct name r = register_of(to);
    struct simulated value = frame_load(s, s->registers[RSP].number);
    s->registers[RSP].number += 8;
    bool leaves = r.number != NOT_A_REGISTER && s->writes[r.number] == 1; /* at an end, and other code may follow */
    if (r.number != NOT_A_REGISTER && !leaves) s->registers[r.number] = value;
}

static void computed(struct simulation *s, const struct instruction *i)
{
    static const int pair[] = {RAX, RDX}, string[] = {RSI, RDI, RCX, RAX};
    const char *last = i->count ? i->operands[i->count - 1] : "";
    bool one = i->count == 1 && (begins(i->name, "mul") || begins(i->name, "imul") || begins(i->name, "div") ||
                                 begins(i->name, "idiv"));
    if (!strcmp(i->name, "cltq") || !strcmp(i->name, "cwtl"))
        s->registers[RAX].number = mixed(8, s->registers[RAX].number);
    else if (one || !strcmp(i->name, "cqto") || !strcmp(i->name, "cltd")) forget(s, pair, ARRAY_LEN(pair));
    else if (instruction_string_unit(i)) forget(s, string, ARRAY_LEN(string)), s->memory++;
    else if (!i->count || only_reads_last(i)) return;
    else if (begins(i->name, "xchg")) s->registers[register_of(last).number % SIMULATED_REGISTERS] = unknown(s);
    else if (is_register(last)) s->registers[register_of(last).number] = result_of(s, i);
    else if (is_memory(last)) {
        struct simulated at = address_of(s, last);
        if (at.from & FROM_FRAME) frame_store(s, at.number, result_of(s, i));
        else s->memory++;
    }
}

/* ---- the outside ---- */

/* movs, stos and their like: how many bytes at a time, 0: it is another one. */
size_t instruction_string_unit(const struct instruction *i)
{
    static const char *const stems[] = {"movs", "stos", "lods", "scas", "cmps"};
    for (size_t k = 0; k < ARRAY_LEN(stems); k++)
        if (begins(i->name, stems[k]) && strlen(i->name) == 5 && !has_vector(i)) return suffix_size(i->name);
    return 0;
}

/* A body: simulation_count() of each of its instructions, simulation_begin(), and simulation_step() of each. */
void simulation_clear(struct simulation *s)
{
    memset(s->writes, 0, sizeof s->writes);
    vec_clear(&s->stores);
}

void simulation_begin(struct simulation *s)
{
    enum { SAVED_BASE_POINTER = 8 };
    for (int i = 0; i < SIMULATED_REGISTERS; i++) s->registers[i] = unknown(s);
    s->registers[RSP].from = FROM_FRAME;
    s->base = s->registers[RSP].number - SAVED_BASE_POINTER; /* where the base pointer points */
    s->lowest = s->base;
    s->has_base = false;
    s->registers[RDI].from = FROM_RESULT;
    s->registers[10].from = FROM_FRAME; /* of the function around a nested one */
    vec_clear(&s->frame);
    vec_clear(&s->announced);
    s->announces = s->enters = false;
}

static unsigned stores_to(const struct simulation *s, uint64_t offset)
{
    for (size_t i = 0; i < s->stores.len; i++)
        if (s->stores.at[i].offset == offset) return s->stores.at[i].count;
    return 0;
}

static void count_store(struct simulation *s, uint64_t offset)
{
    for (size_t i = 0; i < s->stores.len; i++)
        if (s->stores.at[i].offset == offset) {
            s->stores.at[i].count++;
            return;
        }
    vec_push(&s->stores, ((struct stores){offset, 1}));
}

/* Counts how often the function writes to each register that calls leave alone, and to each place of its frame: what is
 * written once has one value. */
void simulation_count(struct simulation *s, const struct instruction *i)
{
    static const int kept[] = {RBX, 12, 13, 14, 15};
    const char *last = i->count ? i->operands[i->count - 1] : "";
    if (!*i->name || *i->name == '.' || !i->count || begins(i->name, "pop") || only_reads_last(i)) return;
    int number = register_of(last).number;
    for (size_t k = 0; k < ARRAY_LEN(kept); k++)
        if (number == kept[k]) s->writes[number]++;
    bool in_frame = begins(strchr(last, '(') ? strchr(last, '(') : "", "(%rbp)");
    if (in_frame) count_store(s, (uint64_t)strtoll(last, NULL, 10));
}

/* Code can come here from elsewhere: of what can change only the frame is where it was. */
void simulation_label(struct simulation *s)
{
    s->labels++;
    if (s->has_base && (int64_t)(s->registers[RSP].number - s->base) > 0) { /* behind an end of the function */
        s->registers[RSP].number = s->lowest;
        s->registers[RBP] = (struct simulated){s->base, FROM_FRAME};
    }
    for (int i = 0; i < SIMULATED_REGISTERS; i++)
        if (i != RSP && !(i == RBP && s->registers[i].from & FROM_FRAME) && s->writes[i] != 1)
            s->registers[i] = unknown(s);
    size_t kept = 0;
    for (size_t i = 0; i < s->frame.len; i++)
        if (stores_to(s, s->frame.at[i].at - s->base) == 1 && !(s->frame.at[i].value.from & FROM_FRAME))
            s->frame.at[kept++] = s->frame.at[i];
    s->frame.len = kept;
    vec_clear(&s->announced);
    s->replaced = 0;
}

void simulation_step(struct simulation *s, const struct instruction *i, struct sim_access *out)
{
    *out = (struct sim_access){0};
    if (!*i->name || *i->name == '.') return;
    if (!accesses_nothing(i) && !instruction_string_unit(i)) look_at_memory(s, i, out);
    if (instruction_is_call(i)) called(s, i);
    else if (instruction_jumps(i) || begins(i->name, "ret")) return;
    else if (begins(i->name, "push")) pushed(s, i);
    else if (begins(i->name, "pop") && !begins(i->name, "popc")) popped(s, i->operands[0]);
    else if (begins(i->name, "leave")) {
        s->registers[RSP] = s->registers[RBP];
        popped(s, "%rbp");
    } else computed(s, i);
    uint64_t sp = s->registers[RSP].number;
    if ((int64_t)(sp - s->lowest) < 0) s->lowest = sp;
    s->has_base |= s->registers[RBP].number == s->base;
}

/* The two places of a string instruction: whether they may be another's and were not announced. */
bool simulation_string(const struct simulation *s, bool destination, size_t unit)
{
    struct simulated at = s->registers[destination ? RDI : RSI];
    if (at.from & FROM_FRAME || (!destination && at.from & FROM_CONSTANT)) return false;
    return !was_announced(s, at.number, (size_t)s->registers[RCX].number * unit, destination);
}

bool simulation_is_private(const struct simulation *s, const char *operand, bool write)
{
    uint8_t from = begins(operand, "%") && !strchr(operand, ':') ? s->registers[register_of(operand).number].from
                                                                 : address_of(s, operand).from;
    return from & (FROM_FRAME | FROM_THREAD) || (!write && from & FROM_CONSTANT);
}

bool simulation_returns_result(const struct simulation *s) { return s->registers[RAX].from & FROM_RESULT; }

void simulation_release(struct simulation *s)
{
    vec_release(&s->frame);
    vec_release(&s->stores);
    vec_release(&s->announced);
    map_release(&s->constants);
    map_release(&s->variables);
}
