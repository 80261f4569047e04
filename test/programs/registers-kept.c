/* Registers that are kept in memory which threads share, or which was freed: by setjmp() and its like, by contexts,
 * and by an instruction. Each thread by itself (no argument) does nothing wrong.
flags: -O1 -mfxsr
expect: VERIFIED no error in any schedule
expect with -- jump: ERROR race: .*kept
expect with -- back: ERROR race
expect with -- masked: ERROR race
expect with -- context: ERROR race
expect with -- make: ERROR race
expect with -- freed: ERROR (race|memory: write of \d+ bytes after free)
expect with -- area: ERROR race: .*area
*/
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#if defined __x86_64__
#include <immintrin.h>
#endif

static const char *mode = "";
static jmp_buf kept, *freed;
static sigjmp_buf masked;
static ucontext_t context;
static char stack[8192];
static _Alignas(64) char area[512];
static volatile int sum;

static int is(const char *name) { return !strcmp(mode, name); }

static void alone(void)
{
    jmp_buf own;
    ucontext_t here;
    if (!setjmp(own)) longjmp(own, 1);
    getcontext(&here);
}

static void nothing(void) {}

static void use(int first)
{
    if (!*mode) alone();
    if (is("jump") && setjmp(kept)) abort();
    if (is("masked") && sigsetjmp(masked, 0)) abort();
    if (is("context")) getcontext(&context);
    if (is("make") && first) makecontext(&context, nothing, 0);
    if (is("make") && !first) sum = context.uc_mcontext.gregs[0] != 0;
#if defined __x86_64__
    if (is("area") && first) _fxsave(area);
    if (is("area") && !first) sum = area[24];
#endif
    if (is("freed") && first && setjmp(*freed)) abort();
}

static void *work(void *arg)
{
    if (is("back")) memset(kept, 0, sizeof kept);
    use(1);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    freed = malloc(sizeof *freed);
    if (is("make")) getcontext(&context), context.uc_stack = (stack_t){.ss_sp = stack, .ss_size = sizeof stack};
    if (is("back") && setjmp(kept)) return 0;
    pthread_create(&t, NULL, work, NULL);
    if (is("back")) longjmp(kept, 1);
    if (is("freed")) free(freed);
    use(0);
    pthread_join(t, NULL);
    return 0;
}
