/* A program that is run by itself, without heddle, behaves as if it had been built without it: its own threads, clock,
 * signals and files. Before anything else of it runs, also before the constructors of its libraries, each function that
 * the runtime put in the place of a library's becomes a jump to that. What instrumentation calls does nothing, and
 * atomic operations are the processor's (atomic.c). Memory is the C library's; blocks that the dynamic linker got from
 * the runtime before this have to be known when they come back (heap.c).
 *
 * The same jumps lead to the runtime for more than 64 threads if heddle asks for it: both are in every program. */
#include "runtime/internal.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

extern char __start_heddle_text[], __stop_heddle_text[];

#if defined __x86_64__
/* It leaves all registers alone: gaps.c keeps them, and a call with floating-point arguments has their number in
 * rax. */
struct jump { uint8_t jump[6]; uint64_t to; } __attribute__((packed));
static struct jump jump_to(const void *p) { return (struct jump){{0xff, 0x25, 0, 0, 0, 0}, (uint64_t)p}; }
#else
struct jump { uint32_t load, jump; uint64_t to; };
static struct jump jump_to(const void *p) { return (struct jump){0x58000050, 0xd61f0200, (uint64_t)p}; } /* x16 */
#endif

/* These stay: they know whose block it is. So does what is asked of heddle, which no library has. */
static bool stays(const char *name)
{
    static const char *const kept[] = {"__libc_start_main", "free", "cfree", "realloc", "reallocarray",
                                       "malloc_usable_size"};
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (!strcmp(name, kept[i])) return true;
    return !strncmp(name, "_Zd", 3); /* operator delete */
}

/* All are looked up before the first is redirected: looking up allocates, and an allocator that begins to live between
 * two kinds of keys and locks would take both for its own. */
enum { MOST_REDIRECTED = 4096 };
struct redirections { uint32_t count; struct { char *from; void *to; } list[MOST_REDIRECTED]; };

typedef void look_up_function(struct redirections *r, char *from, const char *name);

static void add(struct redirections *r, char *from, void *to)
{
    if (!to || (char *)to == from) return;
    if (r->count == MOST_REDIRECTED) rt_die("the runtime has more functions than it knows of");
    r->list[r->count].from = from;
    r->list[r->count++].to = to;
}

/* The Makefile gives the functions of this runtime second names, by which they are found if the program has a function
 * of the first name. */
#define FEW "heddle_few_"
static bool is_second(const char *name) { return !strncmp(name, FEW, strlen(FEW)); }

static void look_up_library(struct redirections *r, char *from, const char *name)
{
    if (is_second(name)) {
        name += strlen(FEW);
        if (dlsym(RTLD_DEFAULT, name) == from) return; /* it is met by its first name */
    }
    if (!stays(name)) add(r, from, dlsym(RTLD_NEXT, name));
}

/* The Makefile gives all names of the other runtime this beginning. */
#define WIDE "heddle_wide_"

static void look_up_wide(struct redirections *r, char *from, const char *name)
{
    char other[256] = WIDE;
    if (is_second(name)) name += strlen(FEW);
    if (!strncmp(name, WIDE, strlen(WIDE)) || strlen(name) + sizeof WIDE > sizeof other) return;
    strcpy(other + strlen(WIDE), name);
    add(r, from, dlsym(RTLD_DEFAULT, other));
}

static void redirect(const struct redirections *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        struct jump j = jump_to(r->list[i].to);
        memcpy(r->list[i].from, &j, sizeof j);
    }
}

/* The functions of the runtime, unless the program brought its own. */
static void redirect_all(look_up_function *look_up)
{
    struct redirections found;
    struct names n;
    if (!rt_names_of(_r_debug.r_map, &n)) rt_die("the program has no table of dynamic symbols (--hash-style=sysv?)");
    found.count = 0;
    for (uint32_t i = 0; i < n.count; i++) {
        char *at = n.base + n.symbols[i].st_value;
        bool ours = at >= __start_heddle_text && at < __stop_heddle_text;
        if (ours && ELF64_ST_TYPE(n.symbols[i].st_info) == STT_FUNC) look_up(&found, at, n.text + n.symbols[i].st_name);
    }
    redirect(&found);
}

/* False: the system does not allow it. */
static bool rewrite(look_up_function *look_up)
{
    char *low = (char *)((uintptr_t)__start_heddle_text & ~(PAGE - 1));
    size_t size = (size_t)(__stop_heddle_text - low);
    if (rt_syscall(SYS_mprotect, (long)low, (long)size, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0, 0)) return false;
    redirect_all(look_up);
    rt_syscall(SYS_mprotect, (long)low, (long)size, PROT_READ | PROT_EXEC, 0, 0, 0);
    __builtin___clear_cache(__start_heddle_text, __stop_heddle_text);
    return true;
}

static void be_alone(void)
{
    rt.free = dlsym(RTLD_NEXT, "free");
    rt.malloc = dlsym(RTLD_NEXT, "malloc");
    rt.realloc = dlsym(RTLD_NEXT, "realloc");
    rt.usable_size = dlsym(RTLD_NEXT, "malloc_usable_size");
    rt.alone = rewrite(look_up_library); /* else it runs with one kernel thread, under its own control */
}

static void be_wide(void)
{
    void *take_over = dlsym(RTLD_DEFAULT, WIDE "heddle_take_over");
    if (!take_over || !rewrite(look_up_wide)) rt_die("the runtime for more than 64 threads cannot be used");
    ((__typeof__(&heddle_take_over))take_over)(&rt.heap, rt.owned, rt.owned_count);
}

EXPORT void heddle_take_over(const struct heap *heap, struct range *owned, int owned_count)
{
    rt.heap = *heap;
    rt.owned = owned;
    rt.owned_count = owned_count;
}

static bool has(char **environment, const char *name)
{
    for (; *environment; environment++)
        if (!strncmp(*environment, name, strlen(name))) return true;
    return false;
}

static void enter(int argc, char **argv, char **envp)
{
    (void)argc, (void)argv;
    if (SET_WORDS > 1) return; /* the other one decides */
    if (!has(envp, "HEDDLE_FD=")) be_alone();
    else if (has(envp, "HEDDLE_WIDE=")) be_wide();
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = enter;
