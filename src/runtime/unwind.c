/* From a place in the runtime back to the program that called it: where the program's stack begins, and what was in the
 * registers that a function keeps for its caller. Whoever compares states of the program must not see the runtime's own
 * frames, in which anything may have been left behind, and the registers are saved somewhere among them.
 *
 * The compiler says where, in the tables that exceptions and debuggers use (.eh_frame, found by the sorted index that
 * the linker makes of it). What they say of one code address is read once. Only what compilers write for plain C is
 * understood; everything else, or a program without these tables, is "not known", and the caller has to do without. */
#include "runtime/internal.h"

extern const char __executable_start[], __start_heddle_text[], __stop_heddle_text[];

enum { ROW_BITS = 10, SLOTS = RT_KEPT_REGISTERS };
enum rule { SAME, SAVED, UNDEFINED };
struct saved { uint8_t rule; int32_t at; /* SAVED: from the canonical frame address */ };

/* How to go from one frame to its caller. */
struct unwind_row {
    uintptr_t pc;
    bool known;
    uint8_t cfa_register;   /* as the tables number them */
    int32_t cfa_offset;
    struct saved of[SLOTS];
};

/* Numbers of registers in the tables: the kept ones, the return address, the stack pointer. */
#if defined __x86_64__
enum { STACK_POINTER = 7 };
static int slot_of(uint64_t number)
{
    static const int8_t slots[] = {-1, -1, -1, 0, -1, -1, 1, -1, -1, -1, -1, -1, 2, 3, 4, 5, 6};
    return number < ARRAY_LEN(slots) ? slots[number] : -1;
}
enum { RETURN_SLOT = 6 };
#elif defined __aarch64__
enum { STACK_POINTER = 31, RETURN_SLOT = 11 };
static int slot_of(uint64_t number)
{
    if (number >= 19 && number <= 30) return (int)number - 19;
    return number >= 72 && number <= 79 ? (int)number - 72 + 12 : -1;
}
#endif

/* ---- reading ---- */

struct reader { const uint8_t *at, *end; bool lost; };

static uint64_t fixed(struct reader *r, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < size) return r->lost = true, 0;
    memcpy(&value, r->at, size);
    r->at += size;
    return value;
}

static uint64_t unsigned_number(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = fixed(r, 1);
        value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    return r->lost = true, 0;
}

static int64_t signed_number(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 63;) {
        uint64_t byte = fixed(r, 1);
        value |= (byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80)) return (int64_t)((byte & 0x40) && shift < 64 ? value | ~0ull << shift : value);
    }
    return r->lost = true, 0;
}

/* A difference of four bytes to where it lies itself: the only way in which addresses are written here. */
static uintptr_t near(struct reader *r)
{
    uintptr_t here = (uintptr_t)r->at;
    return here + (uintptr_t)(int64_t)(int32_t)fixed(r, 4);
}
enum { NEAR = 0x1b, COUNT4 = 0x03, INDEX4 = 0x3b };

static struct reader entry_at(uintptr_t address)
{
    struct reader r = {(const uint8_t *)address, (const uint8_t *)address + 4, false};
    uint64_t length = fixed(&r, 4);
    if (!length || length >= 0xfffffff0) r.lost = true; /* the end, or one of more than 4 GB */
    else r.end = r.at + length;
    return r;
}

/* ---- finding ---- */

static const uint8_t *index_of_tables(void)
{
    const ElfW(Ehdr) *elf = (const void *)__executable_start;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0) return NULL;
    const ElfW(Phdr) *headers = (const void *)((const char *)elf + elf->e_phoff);
    uintptr_t base = elf->e_type == ET_DYN ? (uintptr_t)elf : 0;
    for (int i = 0; i < elf->e_phnum; i++)
        if (headers[i].p_type == PT_GNU_EH_FRAME) return (const uint8_t *)(base + headers[i].p_vaddr);
    return NULL;
}

struct index { int32_t function, entry; };

/* The entry of the function in which the address lies, if it has one; 0: it has not. */
static uintptr_t find_entry(uintptr_t pc)
{
    const uint8_t *header = index_of_tables();
    if (!header || header[0] != 1 || header[1] != NEAR || header[2] != COUNT4 || header[3] != INDEX4) return 0;
    uint32_t count, low = 0;
    memcpy(&count, header + 8, sizeof count);
    const struct index *index = (const void *)(header + 12);
    while (count - low > 1) {
        uint32_t middle = low + (count - low) / 2;
        if ((uintptr_t)header + (uintptr_t)(int64_t)index[middle].function <= pc) low = middle;
        else count = middle;
    }
    return count ? (uintptr_t)header + (uintptr_t)(int64_t)index[low].entry : 0;
}

/* ---- what the instructions say ---- */

struct unwinder {
    struct unwind_row row, first, kept[4];
    int kept_count;
    uint64_t code_unit;
    int64_t data_unit;
    uintptr_t now, pc;
    bool lost;
};

static void save(struct unwinder *u, uint64_t number, int64_t offset)
{
    int slot = slot_of(number);
    if (slot >= 0) u->row.of[slot] = (struct saved){SAVED, (int32_t)offset};
}

static void set_rule(struct unwinder *u, uint64_t number, struct saved rule)
{
    if (slot_of(number) >= 0) u->row.of[slot_of(number)] = rule;
}

static void restore(struct unwinder *u, uint64_t number)
{
    if (slot_of(number) >= 0) set_rule(u, number, u->first.of[slot_of(number)]);
}

static void remember(struct unwinder *u)
{
    if (u->kept_count == ARRAY_LEN(u->kept)) u->lost = true;
    else u->kept[u->kept_count++] = u->row;
}

static void recall(struct unwinder *u)
{
    if (!u->kept_count) u->lost = true;
    else u->row = u->kept[--u->kept_count];
}

static void define_frame(struct unwinder *u, uint64_t number, int64_t offset)
{
    u->row.cfa_register = (uint8_t)number;
    u->row.cfa_offset = (int32_t)offset;
}

static void long_instruction(struct unwinder *u, struct reader *r, uint8_t what)
{
    uint64_t number;
    switch (what) {
    case 0x00: break;
    case 0x02: u->now += fixed(r, 1) * u->code_unit; break;
    case 0x03: u->now += fixed(r, 2) * u->code_unit; break;
    case 0x04: u->now += fixed(r, 4) * u->code_unit; break;
    case 0x05: number = unsigned_number(r), save(u, number, (int64_t)unsigned_number(r) * u->data_unit); break;
    case 0x06: restore(u, unsigned_number(r)); break;
    case 0x07: set_rule(u, unsigned_number(r), (struct saved){UNDEFINED, 0}); break;
    case 0x08: set_rule(u, unsigned_number(r), (struct saved){SAME, 0}); break;
    case 0x0a: remember(u); break;
    case 0x0b: recall(u); break;
    case 0x0c: number = unsigned_number(r), define_frame(u, number, (int64_t)unsigned_number(r)); break;
    case 0x0d: define_frame(u, unsigned_number(r), u->row.cfa_offset); break;
    case 0x0e: define_frame(u, u->row.cfa_register, (int64_t)unsigned_number(r)); break;
    case 0x11: number = unsigned_number(r), save(u, number, signed_number(r) * u->data_unit); break;
    case 0x12: number = unsigned_number(r), define_frame(u, number, signed_number(r) * u->data_unit); break;
    case 0x13: define_frame(u, u->row.cfa_register, signed_number(r) * u->data_unit); break;
    case 0x2e: unsigned_number(r); break; /* size of the arguments */
    default: u->lost = true;              /* expressions, for one */
    }
}

static void run(struct unwinder *u, struct reader r)
{
    while (r.at < r.end && !r.lost && !u->lost && u->now <= u->pc) {
        uint8_t what = (uint8_t)fixed(&r, 1), operand = what & 0x3f;
        if (what >> 6 == 1) u->now += operand * u->code_unit;
        else if (what >> 6 == 2) save(u, operand, (int64_t)unsigned_number(&r) * u->data_unit);
        else if (what >> 6 == 3) restore(u, operand);
        else long_instruction(u, &r, what);
    }
    u->lost |= r.lost;
}

/* What all functions that share it begin with. Of what it may say only how addresses are written is expected. */
static void run_common(struct unwinder *u, uintptr_t address)
{
    struct reader r = entry_at(address);
    uint64_t is_function = fixed(&r, 4), version = fixed(&r, 1);
    const char *more = (const char *)r.at;
    while (!r.lost && fixed(&r, 1)) {}
    u->code_unit = unsigned_number(&r);
    u->data_unit = signed_number(&r);
    version == 1 ? fixed(&r, 1) : unsigned_number(&r); /* the register of the return address */
    bool plain = !r.lost && !is_function && (!strcmp(more, "zR") || !strcmp(more, "zRS"));
    if (!plain || unsigned_number(&r) != 1 || fixed(&r, 1) != NEAR) u->lost = true;
    else run(u, r);
}

static void make_row(struct unwinder *u)
{
    struct reader r = entry_at(find_entry(u->pc));
    uintptr_t common = (uintptr_t)r.at;
    common -= fixed(&r, 4);
    if (!r.lost) run_common(u, common);
    uintptr_t from = near(&r), size = fixed(&r, 4);
    if (r.lost || u->lost || u->pc - from >= size) {
        u->lost = true;
        return;
    }
    uint64_t skipped = unsigned_number(&r);
    if (skipped > (uint64_t)(r.end - r.at)) u->lost = true;
    r.at += u->lost ? 0 : skipped;
    u->first = u->row;
    u->now = from;
    run(u, r);
}

/* By the address of a return: the call is in front of it. */
static const struct unwind_row *row_of(uintptr_t pc)
{
    if (!rt.unwind_rows) rt.unwind_rows = rt_map(NULL, sizeof(struct unwind_row) << ROW_BITS, 0);
    struct unwind_row *row = &rt.unwind_rows[pc * 0x9e3779b97f4a7c15ull >> (64 - ROW_BITS)];
    if (row->pc == pc) return row;
    struct unwinder u = {.pc = pc - 1};
    if (!find_entry(u.pc)) u.lost = true;
    else make_row(&u);
    *row = u.row;
    row->pc = pc;
    row->known = !u.lost;
    return row;
}

/* ---- going ---- */

static bool is_ours(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_heddle_text && pc < (uintptr_t)__stop_heddle_text;
}

static bool frame_address(const struct unwind_row *row, const struct rt_registers *r, uintptr_t *cfa)
{
    int slot = slot_of(row->cfa_register);
    if (row->cfa_register != STACK_POINTER && slot < 0) return false;
    *cfa = (slot < 0 ? r->sp : r->kept[slot]) + (uintptr_t)(int64_t)row->cfa_offset;
    return true;
}

/* False: this is the outermost frame, or nothing is known of it. */
static bool to_caller(struct rt_registers *r, bool *outermost)
{
    const struct unwind_row *row = row_of(r->pc);
    uintptr_t cfa;
    *outermost = row->known && row->of[RETURN_SLOT].rule == UNDEFINED;
    if (!row->known || *outermost || !frame_address(row, r, &cfa) || cfa < r->sp) return false;
    for (int i = 0; i < SLOTS; i++)
        if (row->of[i].rule == SAVED) memcpy(&r->kept[i], (const char *)cfa + row->of[i].at, sizeof r->kept[i]);
    r->pc = r->kept[RETURN_SLOT];
    r->sp = cfa;
    return true;
}

bool rt_leave_runtime(struct rt_registers *r, const struct thread *t)
{
    bool outermost = false;
    while (is_ours(r->pc) && rt_on_own_stack(t, (const void *)r->sp) && to_caller(r, &outermost)) {}
    if (outermost) *r = (struct rt_registers){.sp = (uintptr_t)t->stack_high}; /* it has not begun */
    return outermost || (!is_ours(r->pc) && r->sp <= (uintptr_t)t->stack_high && rt_on_own_stack(t, (char *)r->sp - 1));
}
