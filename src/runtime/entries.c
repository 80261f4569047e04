/* Audits of foreign functions of the program's own file, such as those of an object that plain gcc built. They are not
 * called by the global offset table, so that breakpoints take the place of stubs: the first call of such a function
 * meets the one at its entry (foreign.c), and from then on each instruction of observed code that calls it is one,
 * until nothing is to be done at that call site any more.
 *
 * This needs all call sites of the function to be known. At the start the code and the data of the program are searched
 * for its address: a function whose address is taken anywhere, or that a library may call by its name, is not audited.
 *
 * The call runs with a copy of its arguments on the next page of the stack, as in gate.c. It returns to a breakpoint,
 * because the handler of a signal changes no register: within one file compilers know which ones a function keeps. */
#include "runtime/audit_int.h"

#if defined __x86_64__
#include <ucontext.h>

enum { MAX_CALLERS = 1 << 14, CALL = 0xe8, JUMP = 0xe9, CALL_LENGTH = 5, BREAKPOINT = 0xcc };
/* The frame of an audited call: the copy, the call site, and where the stack pointer was. The code below has this. */
enum { COPIED = 3 * 4096, FRAME = COPIED + 16 };

struct caller { uintptr_t at; struct rt_foreign *function; };

struct entries {
    uint32_t count;
    struct caller calls[MAX_CALLERS]; /* sorted; in observed code */
};

void rt_entry_returned(void);
/* Unwinders find the frame of the caller by the stack pointer that is stored behind the copy. */
__asm__(".text\n"
        ".type rt_entry_returned,@function\n"
        "    .cfi_startproc\n"
        "    .cfi_escape 0x0f, 5, 0x77, 0x88, 0xe0, 0x00, 0x06\n"
        "    nop\n"
        ".globl rt_entry_returned\n.hidden rt_entry_returned\n"
        "rt_entry_returned:\n"
        "    int3\n    nop\n"
        "    .cfi_endproc\n"
        ".size rt_entry_returned,.-rt_entry_returned\n");

/* ---- where functions are called, and whether they can be called elsewhere ---- */

/* A function begins there, of which the calls are counted. */
static struct rt_foreign *function_at(uintptr_t address)
{
    struct rt_foreign *f = rt_foreign_at(address);
    return f && f->low == address && f->is_counted ? f : NULL;
}

static bool is_jump(uintptr_t at)
{
    const uint8_t *p = (const uint8_t *)at;
    return p[-1] == JUMP || ((p[-1] & 0xf0) == 0x80 && p[-2] == 0x0f);
}

/* The byte in front is one that says that an operand is relative to the instruction pointer. */
static bool is_operand(uintptr_t at) { return (*(const uint8_t *)(at - 1) & 0xc7) == 0x05; }

/* A displacement that leads to the function lies at `at`, as in an instruction that calls it. Most bytes in front of it
 * belong to no such instruction: then these bytes are a displacement by accident. */
static void add_reference(uintptr_t at, struct rt_foreign *f)
{
    struct entries *e = rt.audit->entries;
    bool is_call = *(const uint8_t *)(at - 1) == CALL;
    if (!is_call && !is_jump(at) && !is_operand(at)) return;
    if (rt_foreign_at(at - 1) && (is_call || is_jump(at))) return;
    if (is_call && rt_is_program_code(at) && e->count < MAX_CALLERS) e->calls[e->count++] = (struct caller){at - 1, f};
    else f->is_counted = false;
}

static void search_code(uintptr_t low, uintptr_t high)
{
    const struct rt_shared *s = rt.shared;
    uintptr_t first = s->foreign[0].low, last = s->foreign[s->foreign_count - 1].low;
    for (uintptr_t a = low + 2; a + 4 <= high; a++) {
        int32_t word;
        memcpy(&word, (const void *)a, sizeof word);
        if (!word) continue; /* padding before a function */
        uintptr_t target = a + 4 + (uintptr_t)(intptr_t)word, absolute = (uint32_t)word;
        struct rt_foreign *f = target >= first && target <= last ? function_at(target) : NULL;
        if (f) add_reference(a, f);
        f = absolute >= first && absolute <= last ? function_at(absolute) : NULL;
        if (f) f->is_counted = false;
    }
}

/* The table of symbols holds the addresses of all functions in a program that is not relocated. */
static void search_data(uintptr_t low, uintptr_t high, const struct names *n)
{
    const struct rt_shared *s = rt.shared;
    uintptr_t first = s->foreign[0].low, last = s->foreign[s->foreign_count - 1].low;
    uintptr_t symbols = (uintptr_t)n->symbols, symbols_end = (uintptr_t)(n->symbols + n->count);
    for (uintptr_t a = low; a + 8 <= high; a++) {
        uintptr_t target;
        memcpy(&target, (const void *)a, sizeof target);
        bool is_symbol = a >= symbols && a < symbols_end;
        struct rt_foreign *f = target >= first && target <= last && !is_symbol ? function_at(target) : NULL;
        if (f) f->is_counted = false;
    }
}

static bool has_name(const struct names *n, const char *name)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (!strcmp(n->text + n->symbols[i].st_name, name)) return true;
    return false;
}

/* What a library calls by this name, the linker finds in the program first. */
static void search_names(const struct names *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const ElfW(Sym) *symbol = &program->symbols[i];
        uintptr_t address = (uintptr_t)_r_debug.r_map->l_addr + symbol->st_value;
        struct rt_foreign *f = symbol->st_shndx ? function_at(address) : NULL;
        struct names n;
        for (const struct link_map *m = _r_debug.r_map->l_next; f && m; m = m->l_next)
            if (strchr(m->l_name, '/') && rt_names_of(m, &n) && has_name(&n, program->text + symbol->st_name))
                f->is_counted = false;
    }
}

static int search_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_R)) continue;
        if (p->p_flags & PF_X) search_code(low, low + p->p_filesz);
        else search_data(low, low + p->p_filesz, context);
    }
    return 1;
}

void entries_init(void)
{
    struct rt_shared *s = rt.shared;
    struct names n;
    if (!s->foreign_count || !rt_names_of(_r_debug.r_map, &n)) return;
    rt.audit->entries = rt_map(NULL, sizeof *rt.audit->entries, 0);
    for (uint32_t i = 0; i < s->foreign_count; i++) {
        struct rt_foreign *f = &s->foreign[i];
        f->is_counted = f->has_entry && !f->merged;
    }
    dl_iterate_phdr(search_program, &n);
    search_names(&n);
}

/* ---- breakpoints ---- */

static const struct caller *call_at(uintptr_t at)
{
    const struct entries *e = rt.audit->entries;
    uint32_t low = 0, high = e->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->calls[middle].at < at) low = middle + 1;
        else high = middle;
    }
    return low < e->count && e->calls[low].at == at && e->calls[low].function->is_counted ? &e->calls[low] : NULL;
}

static void write_byte(uintptr_t at, uint8_t byte)
{
    if (*(const uint8_t *)at != byte && !rt_foreign_write(at, byte)) rt_die("program code cannot be changed");
}

static void plant_calls(const struct rt_foreign *f)
{
    const struct entries *e = rt.audit->entries;
    for (uint32_t i = 0; i < e->count; i++)
        if (e->calls[i].function == f) write_byte(e->calls[i].at, BREAKPOINT);
}

void entries_forget(void)
{
    struct rt_shared *s = rt.shared;
    for (uint32_t i = 0; rt.audit->entries && i < s->foreign_count; i++)
        if (s->foreign[i].is_counted && s->foreign[i].entered) plant_calls(&s->foreign[i]);
}

/* ---- calls ---- */

/* The stack pointer is where the call left it, at the return address. */
static void begin(ucontext_t *u, uint64_t site)
{
    greg_t *r = u->uc_mcontext.gregs;
    uintptr_t caller = (uintptr_t)r[REG_RSP] + 8, boundary = (caller & ~(uintptr_t)(PAGE - 1)) - PAGE;
    uintptr_t frame = boundary - FRAME, room = (uintptr_t)rt.self->stack_high - caller;
    const uintptr_t words[3] = {site, caller}, back = (uintptr_t)rt_entry_returned;
    memcpy((void *)frame, (const void *)caller, room < COPIED ? room : COPIED);
    memcpy((void *)(frame + COPIED), words, FRAME - COPIED);
    memcpy((void *)(frame - sizeof back), &back, sizeof back);
    r[REG_RSP] = (greg_t)(frame - sizeof back);
    static const int arguments[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
    for (size_t i = 0; i < ARRAY_LEN(arguments); i++) touches_argument((uintptr_t)r[arguments[i]]);
    guard_call_begins(boundary);
}

static bool has_room(uintptr_t sp) { return rt_on_own_stack(rt.self, (const void *)(sp - FRAME - 16 * PAGE)); }

/* The function was called: its first instruction comes next. */
static void enter(ucontext_t *u, struct rt_foreign *f)
{
    uintptr_t sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP], pc;
    memcpy(&pc, (const void *)sp, sizeof pc);
    const struct caller *c = call_at(pc - CALL_LENGTH);
    if (!c && !rt_foreign_at(pc) && pc != (uintptr_t)rt_entry_returned) f->is_counted = false;
    if (!c || c->function != f) return;
    uint32_t site;
    switch (audit_wants_function(pc, f, has_room(sp), &site)) {
    case AUDIT_NOW: begin(u, site); break;
    case AUDIT_LATER: break;
    case AUDIT_SETTLED: write_byte(c->at, CALL); break;
    }
}

static void on_return(ucontext_t *u)
{
    greg_t *r = u->uc_mcontext.gregs;
    uintptr_t words[2], pc;
    memcpy(words, (const void *)((uintptr_t)r[REG_RSP] + COPIED), sizeof words);
    bool is_whole = rt.audit->guard.is_on;
    guard_give_up();
    memcpy(&pc, (const void *)(words[1] - 8), sizeof pc);
    r[REG_RSP] = (greg_t)words[1];
    r[REG_RIP] = (greg_t)pc;
    audit_function_over((uint32_t)words[0], is_whole);
}

bool entries_trap(void *context)
{
    ucontext_t *u = context;
    greg_t *r = u->uc_mcontext.gregs;
    uintptr_t at = (uintptr_t)r[REG_RIP] - 1;
    if (!rt.audit || !rt.audit->entries) return false;
    if (at == (uintptr_t)rt_entry_returned) return on_return(u), true;
    const struct caller *c = call_at(at);
    if (!c) return false;
    uintptr_t pc = at + CALL_LENGTH;
    if (c->function->planted) write_byte(c->function->low, c->function->first_byte);
    c->function->entered = true;
    r[REG_RSP] -= 8;
    memcpy((void *)r[REG_RSP], &pc, sizeof pc);
    r[REG_RIP] = (greg_t)c->function->low;
    enter(u, c->function);
    return true;
}

void entries_entered(void *context, struct rt_foreign *f)
{
    if (!rt.audit || !rt.audit->entries || !f->is_counted) return;
    plant_calls(f);
    enter(context, f);
}

#else

void entries_init(void) {}
void entries_forget(void) {}
bool entries_trap(void *context) { return (void)context, false; }
void entries_entered(void *context, struct rt_foreign *f) { (void)context, (void)f; }
#endif
