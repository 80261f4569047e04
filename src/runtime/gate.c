/* How a call of the program into a shared library comes to be audited. The entries of the executable's global offset
 * table that lead to functions of libraries lead to stubs instead. A stub knows the call sites for which nothing is to
 * be done any more, and jumps on to the function for these; of another one it asks audit.c. A call that is audited goes
 * through the gate: its arguments on the stack are copied to the next page below, so that the pages above can be
 * protected, and the function is called from there. A wrapper of the runtime calls the library by rt_audited(). */
#include "runtime/audit_int.h"

#define NOT_AUDITED "a function whose address dlsym() returns: what it does with memory is not seen"

#if defined __x86_64__
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { KNOWN = 16, COPIED = 1024, MAX_STUBS = 4096 };

/* The code loads the address of the stub and jumps to where `entry` says. Members are at these offsets below. */
struct stub {
    uint8_t code[16];
    void (*entry)(void);
    void *target;
    const char *name;
    uint64_t is_used;
    uintptr_t known[KNOWN];     /* return addresses, by their lower bits */
};
_Static_assert(offsetof(struct stub, entry) == 16 && offsetof(struct stub, target) == 24, "as the code below has it");
_Static_assert(offsetof(struct stub, known) == 48 && KNOWN == 16, "as the code below has it");

void rt_gate_check(void);
void rt_gate(void);
__attribute__((used)) bool rt_gate_met(struct stub *s, uintptr_t pc);
__attribute__((used)) uintptr_t rt_gate_copy(uintptr_t frame);
__attribute__((used)) void rt_gate_open(void);
__attribute__((used)) void rt_gate_close(void);

#define SAVE_ARGUMENTS \
    "    pushq %rax\n    pushq %rdi\n    pushq %rsi\n    pushq %rdx\n    pushq %rcx\n    pushq %r8\n" \
    "    pushq %r9\n    pushq %r10\n    subq $128, %rsp\n" \
    "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n" \
    "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
#define RESTORE_ARGUMENTS \
    "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n" \
    "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n    movups 96(%rsp), %xmm6\n" \
    "    movups 112(%rsp), %xmm7\n" \
    "    addq $128, %rsp\n" \
    "    popq %r10\n    popq %r9\n    popq %r8\n    popq %rcx\n    popq %rdx\n    popq %rsi\n" \
    "    popq %rdi\n    popq %rax\n"

/* r11 is the stub. rt_gate keeps it in rbx; its frame can be unwound, because functions may throw. */
__asm__(".text\n"
        ".globl rt_gate_check\n.hidden rt_gate_check\n.type rt_gate_check,@function\n"
        "rt_gate_check:\n"
        "    pushq %rcx\n    pushq %rax\n"
        "    movq 16(%rsp), %rax\n    movl %eax, %ecx\n    andl $15, %ecx\n"
        "    cmpq %rax, 48(%r11,%rcx,8)\n"
        "    jne 1f\n"
        "    popq %rax\n    popq %rcx\n    jmp *24(%r11)\n"
        "1:  popq %rax\n    popq %rcx\n"
        "    pushq %rbp\n    movq %rsp, %rbp\n    pushq %r11\n    andq $-16, %rsp\n" SAVE_ARGUMENTS
        "    movq -8(%rbp), %rdi\n    movq 8(%rbp), %rsi\n    call rt_gate_met\n"
        "    movzbl %al, %r11d\n" RESTORE_ARGUMENTS
        "    testl %r11d, %r11d\n"
        "    movq -8(%rbp), %r11\n    leaq (%rbp), %rsp\n    popq %rbp\n"
        "    jnz rt_gate\n    jmp *24(%r11)\n"
        ".size rt_gate_check,.-rt_gate_check\n"

        ".globl rt_gate\n.hidden rt_gate\n.type rt_gate,@function\n"
        "rt_gate:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset rbp, 0\n"
        "    movq %rsp, %rbp\n    .cfi_def_cfa_register rbp\n"
        "    pushq %rbx\n    .cfi_rel_offset rbx, -8\n    movq %r11, %rbx\n    subq $8, %rsp\n" SAVE_ARGUMENTS
        "    movq %rbp, %rdi\n    call rt_gate_copy\n    movq %rax, %r11\n" RESTORE_ARGUMENTS
        "    movq %r11, %rsp\n" SAVE_ARGUMENTS
        "    call rt_gate_open\n" RESTORE_ARGUMENTS
        "    call *24(%rbx)\n"
        "    pushq %rax\n    pushq %rdx\n    subq $32, %rsp\n    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n"
        "    call rt_gate_close\n"
        "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    addq $32, %rsp\n    popq %rdx\n    popq %rax\n"
        "    movq -8(%rbp), %rbx\n    movq %rbp, %rsp\n    popq %rbp\n    .cfi_def_cfa rsp, 8\n"
        "    .cfi_restore rbx\n    .cfi_restore rbp\n    ret\n"
        "    .cfi_endproc\n"
        ".size rt_gate,.-rt_gate\n");

bool rt_gate_met(struct stub *s, uintptr_t pc)
{
    bool wanted = audit_wants(pc, (uintptr_t)s->target, s->name, false);
    if (!wanted && rt_audit_is_settled(pc)) s->known[pc & (KNOWN - 1)] = pc;
    return wanted;
}

/* rt_gate has pushed the registers of arguments below its frame. */
static void see_arguments(const uintptr_t *frame)
{
    enum { FIRST = 4, LAST = 9 };
    for (int i = FIRST; i <= LAST && !rt.audit->call.has_row; i++) touches_argument(frame[-i]);
}

/* Where the call's own part of the stack begins: below a page boundary, with the arguments. */
uintptr_t rt_gate_copy(uintptr_t frame)
{
    see_arguments((const uintptr_t *)frame);
    uintptr_t boundary = ((uintptr_t)__builtin_frame_address(0) & ~(PAGE - 1)) - PAGE, from = frame + 16;
    size_t room = (uintptr_t)rt.self->stack_high - from, size = room < COPIED ? room : COPIED;
    memcpy((void *)(boundary - COPIED), (const void *)from, size);
    return boundary - COPIED;
}

void rt_gate_open(void)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    guard_call_begins((here + COPIED + PAGE - 1) & ~(PAGE - 1));
}

void rt_gate_close(void)
{
    guard_give_up();
    audit_call_over();
}

/* ---- the global offset table ---- */

static struct stub *new_stub(void *target, const char *name, void (*entry)(void))
{
    static const uint8_t code[16] = {0x4c, 0x8d, 0x1d, 0xf9, 0xff, 0xff, 0xff, /* lea -7(%rip), %r11 */
                                     0xff, 0x25, 0x03, 0,    0,    0};         /* jmp *3(%rip) */
    struct audit *a = rt.audit;
    if (a->stub_count == MAX_STUBS) return NULL;
    struct stub *s = &a->stubs[a->stub_count++];
    *s = (struct stub){.entry = entry, .target = target, .name = name};
    memcpy(s->code, code, sizeof code);
    return s;
}

/* These come back more than once, or not in the usual way. The string functions are the runtime's to call. */
static bool stays(const char *name)
{
    static const char *const kept[] = {"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "longjmp", "siglongjmp",
                                       "_longjmp", "__longjmp_chk", "vfork", "getcontext", "setcontext",
                                       "swapcontext", "makecontext", "__tls_get_addr", "__cxa_finalize"};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (!strcmp(name, kept[i])) return true;
    return !strncmp(name, "_Unwind_", 8) || !strncmp(name, "__cxa_", 6) || rt_is_string_function(name);
}

/* The program may compare addresses of functions. */
static struct stub *stub_for(void *target, const char *name)
{
    struct audit *a = rt.audit;
    for (uint32_t i = 0; i < a->stub_count; i++)
        if (a->stubs[i].target == target) return &a->stubs[i];
    return new_stub(target, name, rt_gate_check);
}

static void redirect(uintptr_t slot, const ElfW(Sym) *symbol, const char *name)
{
    void *target = *(void **)slot;
    bool is_function = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC || ELF64_ST_TYPE(symbol->st_info) == STT_NOTYPE;
    if (!target || !is_function || stays(name) || !rt_is_foreign_library((uintptr_t)target)) return;
    struct stub *s = stub_for(target, name);
    if (s) *(void **)slot = s;
}

/* A variable that holds the address of a function of a library, unless a constructor has changed it. */
static void redirect_variable(const struct link_map *m, const ElfW(Rela) *r, const ElfW(Sym) *symbol, const char *name)
{
    uintptr_t slot = m->l_addr + r->r_offset;
    if (!r->r_addend && *name && *(void **)slot == dlsym(RTLD_DEFAULT, name)) redirect(slot, symbol, name);
}

/* Virtual functions of classes of the C++ library that keep state without a lock: the function's symbol, or that of a
 * table with the number of a word in it. */
static const struct { const char *symbol, *name; int word; } class_functions[] = {
    {"_ZTVNSt3pmr25monotonic_buffer_resourceE", "std::pmr::monotonic_buffer_resource::do_allocate", 4},
    {"_ZNSt3pmr28unsynchronized_pool_resource11do_allocateEmm", "std::pmr::unsynchronized_pool_resource::do_allocate",
     0},
    {"_ZNSt3pmr28unsynchronized_pool_resource13do_deallocateEPvmm",
     "std::pmr::unsynchronized_pool_resource::do_deallocate", 0},
};

static void redirect_words(uintptr_t low, uintptr_t high, const uintptr_t *functions)
{
    uintptr_t first = low & ~(PAGE - 1);
    rt_syscall(SYS_mprotect, (long)first, (long)(high - first), PROT_READ | PROT_WRITE, 0, 0, 0);
    for (uintptr_t at = low; at + sizeof at <= high; at += sizeof at)
        for (size_t i = 0; i < ARRAY_LEN(class_functions); i++) {
            if (!functions[i] || *(uintptr_t *)at != functions[i]) continue;
            struct stub *s = stub_for(*(void **)at, class_functions[i].name);
            if (s) *(void **)at = s;
        }
    rt_syscall(SYS_mprotect, (long)first, (long)((high & ~(PAGE - 1)) - first), PROT_READ, 0, 0, 0);
}

/* Tables of virtual functions are read-only after relocation; the program may have copies of them. */
static int redirect_tables(struct dl_phdr_info *info, size_t size, void *functions)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr;
        bool is_of_cxx = strstr(info->dlpi_name, "/libstdc++.so");
        if (p->p_type == PT_GNU_RELRO && (is_of_cxx || !*info->dlpi_name))
            redirect_words(low, low + p->p_memsz, functions);
    }
    return 0;
}

static void redirect_classes(void)
{
    uintptr_t functions[ARRAY_LEN(class_functions)];
    bool has_any = false;
    for (size_t i = 0; i < ARRAY_LEN(class_functions); i++) {
        const uintptr_t *symbol = dlsym(RTLD_DEFAULT, class_functions[i].symbol);
        uintptr_t function = symbol && class_functions[i].word ? symbol[class_functions[i].word] : (uintptr_t)symbol;
        functions[i] = function && rt_is_foreign_library(function) ? function : 0;
        has_any |= functions[i] != 0;
    }
    if (has_any) dl_iterate_phdr(redirect_tables, functions);
}

struct relocations { const ElfW(Rela) *at; size_t size; };

static void redirect_all(const struct link_map *m, struct relocations r)
{
    struct names n;
    if (!rt_names_of(m, &n)) return;
    for (size_t i = 0; r.at && i < r.size / sizeof *r.at; i++) {
        uint64_t type = ELF64_R_TYPE(r.at[i].r_info);
        const ElfW(Sym) *symbol = &n.symbols[ELF64_R_SYM(r.at[i].r_info)];
        if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT)
            redirect(m->l_addr + r.at[i].r_offset, symbol, n.text + symbol->st_name);
        else if (type == R_X86_64_64) redirect_variable(m, &r.at[i], symbol, n.text + symbol->st_name);
    }
}

/* The table may have been made read-only after relocation. */
static void patch_table(struct audit *a)
{
    const struct link_map *m = _r_debug.r_map;
    struct relocations plt = {0}, data = {0};
    for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_JMPREL) plt.at = (const ElfW(Rela) *)d->d_un.d_ptr;
        if (d->d_tag == DT_PLTRELSZ) plt.size = d->d_un.d_val;
        if (d->d_tag == DT_RELA) data.at = (const ElfW(Rela) *)d->d_un.d_ptr;
        if (d->d_tag == DT_RELASZ) data.size = d->d_un.d_val;
    }
    size_t fixed = a->data.low - a->relro;
    if (fixed) rt_syscall(SYS_mprotect, (long)a->relro, (long)fixed, PROT_READ | PROT_WRITE, 0, 0, 0);
    redirect_all(m, plt);
    redirect_all(m, data);
    if (fixed) rt_syscall(SYS_mprotect, (long)a->relro, (long)fixed, PROT_READ, 0, 0, 0);
}

/* The writable segment of the executable, which is the first object. */
static int find_data(struct dl_phdr_info *info, size_t size, void *context)
{
    struct audit *a = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        if (p->p_type == PT_LOAD && p->p_flags & PF_W) {
            a->relro = low & ~(PAGE - 1);
            if (!a->data.low) a->data.low = a->relro;
            a->data.high = (high + PAGE - 1) & ~(PAGE - 1);
        }
        if (p->p_type == PT_GNU_RELRO) a->data.low = high & ~(PAGE - 1);
        if (p->p_type == PT_TLS) a->locals_size = (p->p_memsz + p->p_align - 1) & ~(p->p_align - 1);
    }
    return 1;
}

static bool is_c_library(const char *path)
{
    const char *name = strrchr(path, '/');
    return name && (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/libm.so", 8));
}

/* What it keeps between two calls. It is bound at once, so that its table of addresses stays as it is. */
static int find_library(struct dl_phdr_info *info, size_t size, void *context)
{
    struct audit *a = context;
    uintptr_t low = 0, high = 0, fixed = 0;
    (void)size;
    if (!info->dlpi_name || !is_c_library(info->dlpi_name) || a->library_count == MAX_LIBRARIES) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uintptr_t from = info->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && p->p_flags & PF_W) low = from, high = from + p->p_memsz;
        if (p->p_type == PT_GNU_RELRO) fixed = from + p->p_memsz;
    }
    low = (fixed > low ? fixed : low) & ~(PAGE - 1);
    high = (high + PAGE - 1) & ~(PAGE - 1);
    if (low >= high) return 0;
    a->libraries[a->library_count].low = low;
    a->libraries[a->library_count++].high = high;
    return 0;
}

void gate_init(void)
{
    struct audit *a = rt.audit;
    dl_iterate_phdr(find_data, a);
    dl_iterate_phdr(find_library, a);
    size_t size = sizeof(struct stub) * MAX_STUBS;
    a->stubs = rt_map(NULL, size, 0);
    rt_syscall(SYS_mprotect, (long)a->stubs, (long)size, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0);
    a->forced = new_stub(NULL, NULL, rt_gate);
    patch_table(a);
    redirect_classes();
}

void gate_forget(void)
{
    memset(rt.audited, 0, sizeof rt.audited);
    for (uint32_t i = 0; i < rt.audit->stub_count; i++)
        memset(rt.audit->stubs[i].known, 0, sizeof rt.audit->stubs[i].known);
    entries_forget();
}

/* For a function whose address the program gets from dlsym(). */
void *rt_audited_address(void *function, const char *name, uintptr_t pc)
{
    struct stub *s = rt.audit && !stays(name) ? stub_for(function, name) : NULL;
    if (!s && (rt.audit || rt.shared->audit_unavailable)) rt_note(name, NOT_AUDITED, pc);
    return s ? (void *)s : function;
}

void *rt_audited_call(const char *name, void *function, uintptr_t pc)
{
    bool wanted = audit_wants(pc, (uintptr_t)function, name, true);
    if (!wanted && rt_audit_is_settled(pc)) rt.audited[pc % ARRAY_LEN(rt.audited)] = pc;
    if (!wanted) return function;
    rt.audit->forced->target = function;
    return rt.audit->forced;
}

#else

void gate_init(void) {}
void gate_forget(void) {}
void *rt_audited_address(void *function, const char *name, uintptr_t pc)
{
    rt_note(name, NOT_AUDITED, pc);
    return function;
}
void *rt_audited_call(const char *name, void *function, uintptr_t pc)
{
    (void)name, (void)pc;
    return function;
}
#endif
