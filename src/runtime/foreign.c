/* Foreign code: functions of the program's own file that Heddle does not observe. heddle writes their ranges into the
 * shared memory; this file finds out which of them are entered. Each begins with a breakpoint, which is removed when a
 * thread meets it for the first time, so that a function that no execution calls needs no word in the verdict. */
#include "runtime/internal.h"

#include <sys/mman.h>
#include <sys/syscall.h>

/* Room for the lines of the linker's map that name foreign objects, which `heddle cc` writes after linking. */
__asm__(".pushsection heddle_inputs,\"\",%progbits\n\t.zero 32768\n\t.popsection");

struct rt_foreign *rt_foreign_at(uintptr_t pc)
{
    uint32_t low = 0, high = rt.shared ? rt.shared->foreign_count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rt.shared->foreign[middle].high <= pc) low = middle + 1;
        else high = middle;
    }
    bool found = rt.shared && low < rt.shared->foreign_count && rt.shared->foreign[low].low <= pc;
    return found ? &rt.shared->foreign[low] : NULL;
}

/* The pages of program code are the process's own. */
bool rt_foreign_write(uintptr_t at, uint8_t byte)
{
    uintptr_t page = at & ~(uintptr_t)(PAGE - 1);
    if (rt_syscall(SYS_mprotect, (long)page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0)) return false;
    *(volatile uint8_t *)at = byte;
    rt_syscall(SYS_mprotect, (long)page, PAGE, PROT_READ | PROT_EXEC, 0, 0, 0);
    return true;
}

/* Constructors have run before there is any breakpoint. */
static void note_constructors(void)
{
    const struct link_map *program = _r_debug.r_map;
    const uintptr_t *list = NULL;
    size_t count = 0;
    for (const ElfW(Dyn) *d = program->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_INIT_ARRAY) list = (const uintptr_t *)(program->l_addr + d->d_un.d_ptr);
        if (d->d_tag == DT_INIT_ARRAYSZ) count = d->d_un.d_val / sizeof *list;
    }
    for (size_t i = 0; list && i < count; i++) {
        struct rt_foreign *f = rt_foreign_at(list[i]);
        if (f) f->entered = true;
    }
}

#if defined __x86_64__
enum { BREAKPOINT = 0xcc };

static bool plant(struct rt_foreign *f)
{
    f->first_byte = *(const uint8_t *)f->low;
    f->planted = rt_foreign_write(f->low, BREAKPOINT);
    return f->planted;
}
#else
static bool plant(struct rt_foreign *f) { return (void)f, false; } /* all of them count as entered */
#endif

void rt_foreign_init(void)
{
    struct rt_shared *s = rt.shared;
    if (s->config.mode != RT_EXPLORE && !rt.audit) return;
    for (uint32_t i = 0; i < s->foreign_count; i++) {
        struct rt_foreign *f = &s->foreign[i];
        assert(f->low < f->high && (!i || f[-1].high <= f->low));
        f->entered = f->merged || !f->has_entry || !plant(f);
    }
    note_constructors();
}

bool rt_foreign_trap(void *context, uintptr_t *pc)
{
#if defined __x86_64__
    if (entries_trap(context)) return true;
    struct rt_foreign *f = rt_foreign_at(*pc - 1);
    if (!f || f->low != *pc - 1 || !f->planted) return false;
    f->entered = true;
    *pc -= 1;
    if (!rt_foreign_write(f->low, f->first_byte)) return false;
    entries_entered(context, f);
    return true;
#else
    return (void)context, (void)pc, false;
#endif
}
