/* A call into foreign code with the program's pages protected. Every access to them is a fault: the handler decodes the
 * operands, notes the bytes, opens the pages, lets the processor step one instruction and protects them again. The
 * stack of the running thread is protected from the page above the call on. Thread-local variables are not protected.
 *
 * What else happens in such a call:
 *   - The kernel would fail on protected pages. Syscall user dispatch turns system calls into signals; the handler
 *     opens everything, makes the system call, and notes the ranges that its arguments name.
 *   - The runtime (malloc, pthread_mutex_lock) and observed code (comparison functions) run with everything open. A
 *     breakpoint at the address to which they return ends the pause.
 *   - A repeated move or store would trap after every round, and is done by the handler. */
#include "runtime/audit_int.h"

#if defined __x86_64__
#include "runtime/operands.h"

#include <cpuid.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum { DISPATCH_OFF, DISPATCH_ON, ALLOW = 0, BLOCK = 1, TRAP_FLAG = 1 << 8, USER_DISPATCH = 2, BREAKPOINT = 0xcc };

extern char __start_heddle_text[], __stop_heddle_text[];

static struct guard *guard(void) { return &rt.audit->guard; }
static uintptr_t page_of(uintptr_t a) { return a & ~(PAGE - 1); }

static void protect(uintptr_t low, uintptr_t high, int how)
{
    rt_syscall(SYS_mprotect, (long)low, (long)(high - low), how, 0, 0, 0);
}

/* The runtime's own system calls are never turned into signals. */
static bool dispatch(int mode)
{
    long from = mode ? (long)__start_heddle_text : 0, size = mode ? __stop_heddle_text - __start_heddle_text : 0;
    guard()->blocks_calls = ALLOW;
    guard()->is_dispatching = mode == DISPATCH_ON;
    return rt_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, mode, from, size,
                      mode ? (long)&guard()->blocks_calls : 0, 0) == 0;
}

/* The mask registers are part 5 of what the kernel saves for a signal handler, in the standard form of xsave. */
enum { MASKS = 5 };
static void find_masks(void)
{
    uint32_t size, offset, unused;
    if (__get_cpuid_count(0xd, MASKS, &size, &offset, &unused, &unused) && size) guard()->masks_at = offset;
}

bool guard_is_possible(void)
{
    find_masks();
    return dispatch(DISPATCH_ON) && dispatch(DISPATCH_OFF);
}

/* ---- what is protected ---- */

static void add_range(uintptr_t low, uintptr_t high)
{
    struct guard *g = guard();
    high = page_of(high + PAGE - 1);
    if (low >= high) return;
    assert(g->range_count < MAX_GUARDED && !(low & (PAGE - 1)));
    g->ranges[g->range_count].low = low;
    g->ranges[g->range_count++].high = high;
}

static void add_stack(const struct thread *t)
{
    if (t == rt.self || t->finished || !rt_on_own_stack(t, t->sp)) return;
    add_range(page_of((uintptr_t)t->sp), (uintptr_t)t->stack_high);
}

/* ---- mappings of the program, by what the kernel says of them ---- */

struct mappings { int fd; size_t at, len; char text[1024]; };

/* The next character; 0: there is none. */
static int next_char(struct mappings *m)
{
    if (m->at == m->len) {
        long n = rt_syscall(SYS_read, m->fd, (long)m->text, sizeof m->text, 0, 0, 0);
        m->at = 0;
        m->len = n > 0 ? (size_t)n : 0;
    }
    return m->at < m->len ? (uint8_t)m->text[m->at++] : 0;
}

static uintptr_t next_address(struct mappings *m)
{
    uintptr_t n = 0;
    for (int c; (c = next_char(m)) && c != '-' && c != ' ';)
        n = n << 4 | (uintptr_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
    return n;
}

/* "5a0000000000-5a0000001000 rw-p ..."; false: there are no more lines. */
static bool next_mapping(struct mappings *m, uintptr_t *low, uintptr_t *high, bool *is_data)
{
    *low = next_address(m);
    *high = next_address(m);
    *is_data = next_char(m) == 'r';
    *is_data &= next_char(m) == 'w';
    *is_data &= next_char(m) == '-';
    for (int c; (c = next_char(m)) != '\n';)
        if (!c) return false;
    return true;
}

static void add_mappings(void)
{
    struct mappings m = {.fd = -1};
    uintptr_t low, high;
    bool is_data;
    uint32_t most = guard()->range_count + MAX_MAPPED;
    if (!rt.maps.used) return;
    m.fd = (int)rt_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (m.fd < 0) rt.shared->audit_incomplete = true;
    while (m.fd >= 0 && next_mapping(&m, &low, &high, &is_data)) {
        if (!rt_is_mapped(low) || !is_data) continue;
        if (guard()->range_count == most) rt.shared->audit_incomplete = true;
        else add_range(low, high);
    }
    if (m.fd >= 0) rt_syscall(SYS_close, m.fd, 0, 0, 0, 0, 0);
}

static void find_ranges(uintptr_t boundary)
{
    const struct audit *a = rt.audit;
    uintptr_t own = (uintptr_t)&rt, own_end = own + sizeof rt;
    guard()->range_count = 0;
    bool has_own = own >= a->data.low && own_end <= a->data.high;
    add_range(a->data.low, has_own ? own : a->data.high);
    if (has_own) add_range(own_end, a->data.high);
    add_range((uintptr_t)rt.heap.base, (uintptr_t)rt.heap.top);
    add_range(boundary, (uintptr_t)rt.self->stack_high);
    for (uint32_t i = 0; i < a->library_count && audit_guards_libraries(); i++)
        add_range(a->libraries[i].low, a->libraries[i].high);
    add_mappings();
    int id;
    FOR_EACH_THREAD(id, rt.live) add_stack(&rt.threads[id]);
}

static bool is_guarded(uintptr_t a)
{
    const struct guard *g = guard();
    for (uint32_t i = 0; i < g->range_count; i++)
        if (a >= g->ranges[i].low && a < g->ranges[i].high) return true;
    return false;
}

static void switch_on(void)
{
    struct guard *g = guard();
    assert(!g->is_on);
    g->is_on = true;
    g->open_count = 0;
    for (uint32_t i = 0; i < g->range_count; i++) protect(g->ranges[i].low, g->ranges[i].high, PROT_NONE);
    g->blocks_calls = BLOCK;
}

static void switch_off(void)
{
    struct guard *g = guard();
    if (!g->is_on) return;
    g->blocks_calls = ALLOW;
    g->is_on = g->is_stepping = false;
    g->open_count = 0;
    for (uint32_t i = 0; i < g->range_count; i++) rt_unprotect(g->ranges[i].low, g->ranges[i].high);
}

/* ---- breakpoints ---- */

/* Code pages stay private to the process. */
static uint8_t exchange_byte(uintptr_t at, uint8_t byte)
{
    uint8_t *p = (uint8_t *)at, old = *p;
    protect(page_of(at), page_of(at) + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    *p = byte;
    protect(page_of(at), page_of(at) + PAGE, PROT_READ | PROT_EXEC);
    return old;
}

static void remove_breakpoint(void)
{
    struct guard *g = guard();
    if (g->resume_at) exchange_byte(g->resume_at, g->replaced);
    g->resume_at = 0;
}

void guard_pause(uintptr_t return_address, uintptr_t sp)
{
    struct guard *g = guard();
    switch_off();
    audit_pauses();
    remove_breakpoint();
    g->replaced = exchange_byte(return_address, BREAKPOINT);
    g->resume_at = return_address;
    g->resume_sp = sp;
}

/* False: another thread came by, or the frame was left in another way. The call is not observed any further. */
static bool resume(uintptr_t sp)
{
    struct guard *g = guard();
    bool is_expected = sp >= g->resume_sp && rt.self->id == rt.audit->call.thread;
    remove_breakpoint();
    if (!is_expected) guard_give_up(), audit_call_over();
    else if (!audit_is_over_budget()) switch_on();
    return is_expected;
}

void guard_call_begins(uintptr_t boundary)
{
    guard()->string_end = 0;
    find_ranges(boundary);
    dispatch(DISPATCH_ON);
    switch_on();
}

void guard_give_up(void)
{
    if (!guard()->is_dispatching) return;
    switch_off();
    remove_breakpoint();
    dispatch(DISPATCH_OFF);
    guard()->range_count = 0;
}

/* ---- faults ---- */

/* The kernel says in a part that xsave leaves free what it has saved. Registers that are not in use are zero. */
static void add_masks(const ucontext_t *u, struct operand_registers *out)
{
    enum { MAGIC = 464, SAVED = 472, IN_USE = 512 };
    const char *area = (const char *)u->uc_mcontext.fpregs;
    uint32_t magic;
    uint64_t saved, in_use;
    memcpy(&magic, area + MAGIC, sizeof magic);
    if (magic != 0x46505853 || !guard()->masks_at) return;
    memcpy(&saved, area + SAVED, sizeof saved);
    memcpy(&in_use, area + IN_USE, sizeof in_use);
    out->has_masks = saved >> MASKS & 1;
    if (out->has_masks && (in_use >> MASKS & 1)) memcpy(out->masks, area + guard()->masks_at, sizeof out->masks);
}

static struct operand_registers registers_of(const ucontext_t *u)
{
    static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
    const greg_t *r = u->uc_mcontext.gregs;
    struct operand_registers out = {.rip = (uint64_t)r[REG_RIP], .flags = (uint64_t)r[REG_EFL]};
    for (int i = 0; i < 16; i++) out.general[i] = (uint64_t)r[order[i]];
    add_masks(u, &out);
    return out;
}

static bool is_runtime(uintptr_t pc)
{
    return pc >= (uintptr_t)__start_heddle_text && pc < (uintptr_t)__stop_heddle_text;
}

static void open_page(uintptr_t page, bool write)
{
    struct guard *g = guard();
    bool is_cold = rt_is_cold(page);
    protect(page, page + PAGE, is_cold && !write ? PROT_READ : PROT_READ | PROT_WRITE);
    if (is_cold && write) rt_page_fault(page);
    for (uint32_t i = 0; i < g->open_count; i++)
        if (g->open[i] == page) return;
    assert(g->open_count < MAX_OPEN);
    g->open[g->open_count++] = page;
}

static void open_range(uintptr_t address, size_t size, bool write)
{
    for (uintptr_t page = page_of(address); page < address + size; page += PAGE)
        if (is_guarded(page) && guard()->open_count < MAX_OPEN) open_page(page, write);
}

static void close_pages(void)
{
    struct guard *g = guard();
    for (uint32_t i = 0; i < g->open_count; i++) protect(g->open[i], g->open[i] + PAGE, PROT_NONE);
    g->open_count = 0;
}

/* A vector load may read beyond the end of a string: what counts ends with the first zero. */
static size_t used_of_loose(const struct operand *o)
{
    enum { UNROLLED = 256 };
    struct guard *g = guard();
    if (o->address < g->string_end && o->address >= g->string_end - UNROLLED) return 0;
    const char *p = (const char *)o->address;
    for (size_t i = 0; i < o->size; i++) {
        if (p[i]) continue;
        g->string_end = (o->address + o->size + UNROLLED - 1) & ~(uintptr_t)(UNROLLED - 1);
        return i + 1;
    }
    return o->size;
}

static void note_access(uintptr_t address, size_t size, bool write, bool is_loose)
{
    uintptr_t end = address + size;
    while (address < end && !is_guarded(address)) address++;
    while (end > address && !is_guarded(end - 1)) end--;
    if (address < end) audit_found(address, end - address, write, is_loose);
}

static void note(uintptr_t address, size_t size, bool write) { note_access(address, size, write, false); }

static void note_operand(const struct operand *o)
{
    size_t size = o->is_loose && !o->writes ? used_of_loose(o) : o->size;
    if (o->reads) note_access(o->address, size, false, o->is_loose);
    if (o->writes) note_access(o->address, size, true, o->is_loose);
}

static void move_or_store(const struct operands *o, greg_t *r)
{
    size_t count = o->is_repeated ? (size_t)r[REG_RCX] : 1, size = count * o->unit;
    volatile uint8_t *to = (volatile uint8_t *)r[REG_RDI];
    const volatile uint8_t *from = (const volatile uint8_t *)r[REG_RSI];
    uint64_t value = (uint64_t)r[REG_RAX];
    for (size_t i = 0; i < size; i++)
        to[i] = o->string == STRING_MOVE ? from[i] : (uint8_t)(value >> i % o->unit * 8);
    r[REG_RDI] += (greg_t)size;
    if (o->string == STRING_MOVE) r[REG_RSI] += (greg_t)size;
    if (o->is_repeated) r[REG_RCX] = 0;
    r[REG_RIP] += o->length;
}

/* With more pages than are opened one by one, everything is open meanwhile. */
static void do_string(const struct operands *o, greg_t *r)
{
    switch_off();
    move_or_store(o, r);
    if (!audit_is_over_budget()) switch_on();
}

static void step(ucontext_t *u)
{
    guard()->is_stepping = true;
    u->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

/* Also where the C library jumps over the prefix because it knows of one thread only. */
static bool is_atomic(const uint8_t *code)
{
    enum { LOCK = 0xf0, DATA = 0x66, WIDE = 0x40, EXCHANGE = 0x86, TWO_BYTES = 0x0f };
    while (*code == DATA || *code == LOCK || *code == 0xf2 || *code == 0xf3)
        if (*code++ == LOCK) return true;
    if ((*code & 0xf0) == WIDE) code++;
    if ((*code & 0xfe) == EXCHANGE) return true;
    return *code == TWO_BYTES && ((code[1] & 0xfe) == 0xb0 || (code[1] & 0xfe) == 0xc0 || code[1] == 0xc7);
}

/* Foreign code accesses a protected page. */
static void observe(ucontext_t *u, uintptr_t address, bool write)
{
    struct operand_registers r = registers_of(u);
    struct operands o;
    bool is_first = !guard()->is_stepping;
    operands_decode((const uint8_t *)r.rip, &r, &o);
    if (is_atomic((const uint8_t *)r.rip)) audit_locked(address);
    for (uint8_t i = 0; i < o.count; i++) open_range(o.at[i].address, o.at[i].size, o.at[i].writes);
    open_range(address, 1, write);
    if (!o.is_known) note(address, 1, write);
    for (uint8_t i = 0; is_first && i < o.count; i++) note_operand(&o.at[i]);
    if (o.string == STRING_MOVE || o.string == STRING_STORE) do_string(&o, u->uc_mcontext.gregs);
    else step(u);
}

/* The runtime was called: it runs with everything open until it returns. rt_leave_runtime() expects the address of a
 * return and looks at the byte in front of it, which here must be one of the instruction that faulted. */
static bool pause_in_runtime(const ucontext_t *u)
{
    const greg_t *g = u->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)g[REG_RIP] + 1;
    struct rt_registers r = {{(uint64_t)g[REG_RBX], (uint64_t)g[REG_RBP], (uint64_t)g[REG_R12], (uint64_t)g[REG_R13],
                              (uint64_t)g[REG_R14], (uint64_t)g[REG_R15], pc},
                             pc, (uintptr_t)g[REG_RSP]};
    switch_off();
    if (!rt_leave_runtime(&r, rt.self) || is_runtime(r.pc)) return false;
    guard_pause(r.pc, r.sp);
    return true;
}

static bool on_fault(const siginfo_t *info, ucontext_t *u)
{
    enum { WRITES = 2 };
    uintptr_t address = (uintptr_t)info->si_addr, pc = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
    bool is_ours = info->si_code == SEGV_ACCERR && is_guarded(address);
    u->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (!is_ours) return guard_give_up(), false;
    if (audit_is_over_budget()) guard_give_up();
    else if (audit_is_observed(pc)) guard_give_up(), audit_call_over();
    else if (is_runtime(pc)) {
        if (!pause_in_runtime(u)) guard_give_up();
    } else observe(u, address, u->uc_mcontext.gregs[REG_ERR] & WRITES);
    return true;
}

static bool on_trap(ucontext_t *u)
{
    struct guard *g = guard();
    greg_t *r = u->uc_mcontext.gregs;
    if (g->is_stepping) {
        g->is_stepping = false;
        r[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        close_pages();
        return true;
    }
    if (!g->resume_at || (uintptr_t)r[REG_RIP] != g->resume_at + 1) return false;
    r[REG_RIP]--;
    resume((uintptr_t)r[REG_RSP]);
    return true;
}

/* ---- system calls ---- */

/* Where a system call reads or writes: `at` and `size` are numbers of arguments; size SIZE_STRING: up to a zero,
 * SIZE_RESULT: what the call returns; from SIZE_FIXED on: so many bytes. */
enum { ARGUMENTS = 6, SIZE_STRING = 6, SIZE_RESULT = 7, SIZE_VECTOR = 8, SIZE_RESULT_VECTOR = 9, SIZE_FIXED = 16 };
enum { SIZE_STAT = 144 };
static const struct call_row { uint16_t number, size; uint8_t at; bool write; } call_rows[] = {
    {SYS_read, SIZE_RESULT, 1, true},       {SYS_pread64, SIZE_RESULT, 1, true},
    {SYS_readv, SIZE_RESULT_VECTOR, 1, true}, {SYS_preadv, SIZE_RESULT_VECTOR, 1, true},
    {SYS_preadv2, SIZE_RESULT_VECTOR, 1, true}, {SYS_pwritev2, SIZE_VECTOR, 1, false},
    {SYS_write, 2, 1, false},               {SYS_pwrite64, 2, 1, false},
    {SYS_writev, SIZE_VECTOR, 1, false},    {SYS_pwritev, SIZE_VECTOR, 1, false},
    {SYS_recvfrom, SIZE_RESULT, 1, true},   {SYS_sendto, 2, 1, false},
    {SYS_getcwd, SIZE_RESULT, 0, true},     {SYS_getrandom, SIZE_RESULT, 0, true},
    {SYS_readlink, SIZE_RESULT, 1, true},   {SYS_readlinkat, SIZE_RESULT, 2, true},
    {SYS_getdents64, SIZE_RESULT, 1, true}, {SYS_fstat, SIZE_STAT, 1, true},
    {SYS_newfstatat, SIZE_STAT, 2, true},   {SYS_stat, SIZE_STAT, 1, true},
    {SYS_lstat, SIZE_STAT, 1, true},        {SYS_open, SIZE_STRING, 0, false},
    {SYS_openat, SIZE_STRING, 1, false},    {SYS_stat, SIZE_STRING, 0, false},
    {SYS_lstat, SIZE_STRING, 0, false},     {SYS_newfstatat, SIZE_STRING, 1, false},
    {SYS_readlink, SIZE_STRING, 0, false},  {SYS_readlinkat, SIZE_STRING, 1, false},
    {SYS_unlink, SIZE_STRING, 0, false},    {SYS_unlinkat, SIZE_STRING, 1, false},
    {SYS_rename, SIZE_STRING, 0, false},    {SYS_rename, SIZE_STRING, 1, false},
    {SYS_mkdir, SIZE_STRING, 0, false},     {SYS_rmdir, SIZE_STRING, 0, false},
    {SYS_sched_getaffinity, SIZE_RESULT, 2, true}, {SYS_clock_gettime, 16, 1, true},
    {SYS_clock_getres, 16, 1, true},        {SYS_gettimeofday, 16, 0, true},
    {SYS_getrusage, 144, 1, true},          {SYS_times, 32, 0, true},
    {SYS_uname, 390, 0, true},              {SYS_sysinfo, 112, 0, true},
    {SYS_statfs, 120, 1, true},             {SYS_fstatfs, 120, 1, true},
    {SYS_statx, 256, 4, true},              {SYS_getrlimit, 16, 1, true},
    {SYS_prlimit64, 16, 3, true},           {SYS_getitimer, 32, 1, true},
    {SYS_access, SIZE_STRING, 0, false},    {SYS_faccessat, SIZE_STRING, 1, false},
};

static void note_vector(const struct iovec *v, size_t count, size_t left, bool write)
{
    note((uintptr_t)v, count * sizeof *v, false);
    for (size_t i = 0; i < count && left; i++) {
        size_t size = v[i].iov_len < left ? v[i].iov_len : left;
        note((uintptr_t)v[i].iov_base, size, write);
        left -= size;
    }
}

static void note_argument(const struct call_row *row, const long *arguments, long result)
{
    uintptr_t at = (uintptr_t)arguments[row->at];
    if (!at || result < 0) return;
    switch (row->size) {
    case SIZE_STRING: note(at, strlen((const char *)at) + 1, false); break;
    case SIZE_RESULT: note(at, (size_t)result, row->write); break;
    case SIZE_VECTOR: note_vector((const struct iovec *)at, (size_t)arguments[2], SIZE_MAX, row->write); break;
    case SIZE_RESULT_VECTOR:
        note_vector((const struct iovec *)at, (size_t)arguments[2], (size_t)result, row->write);
        break;
    default: note(at, row->size < SIZE_FIXED ? (size_t)arguments[row->size] : row->size, row->write); break;
    }
}

/* These change how the handler itself runs, or do not come back. */
static bool ends_the_audit(long number)
{
    return number == SYS_clone || number == SYS_clone3 || number == SYS_fork || number == SYS_vfork ||
           number == SYS_execve || number == SYS_execveat || number == SYS_rt_sigreturn || number == SYS_exit ||
           number == SYS_exit_group || number == SYS_rt_sigprocmask || number == SYS_sigaltstack ||
           number == SYS_arch_prctl;
}

static bool on_system_call(const siginfo_t *info, ucontext_t *u)
{
    enum { LENGTH = 2 };
    greg_t *r = u->uc_mcontext.gregs;
    long number = r[REG_RAX];
    const long a[ARGUMENTS] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    if (info->si_code != USER_DISPATCH) return false;
    switch_off();
    if (ends_the_audit(number)) {
        guard_give_up();
        r[REG_RIP] -= LENGTH;
        return true;
    }
    long result = rt_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    for (size_t i = 0; i < ARRAY_LEN(call_rows); i++)
        if (call_rows[i].number == number) note_argument(&call_rows[i], a, result);
    kernel_see(&rt.audit->call, number, a, result);
    r[REG_RAX] = result;
    if (audit_is_over_budget()) guard_give_up();
    else switch_on();
    return true;
}

bool rt_audit_signal(int signal, const siginfo_t *info, void *context)
{
    if (!rt.audit || !(guard()->is_on || guard()->resume_at)) return false;
    if (signal == SIGSEGV && guard()->is_on) return on_fault(info, context);
    if (signal == SIGTRAP) return on_trap(context);
    if (signal == SIGSYS) return on_system_call(info, context);
    guard_give_up();
    return false;
}

#else

bool guard_is_possible(void) { return false; }
void guard_call_begins(uintptr_t boundary) { (void)boundary; }
void guard_give_up(void) {}
void guard_pause(uintptr_t return_address, uintptr_t sp) { (void)return_address, (void)sp; }
bool rt_audit_signal(int signal, const siginfo_t *info, void *context)
{
    (void)signal, (void)info, (void)context;
    return false;
}
#endif
