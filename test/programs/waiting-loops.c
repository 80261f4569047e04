/* Loops that wait by looking at memory, and do something else in each round that nobody else can see: plain writes, a
 * second look at the same place, also by the same function, or a state that comes again after some rounds. Each way out
 * is an execution, each round is not; a loop that the newest value does not end is a livelock.
 * expect with -- same: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- same: VERIFIED no error in any schedule$
 * expect with --explore=dpor -- same: VERIFIED no error in any schedule$
 * expect with --explore=cb-por -- same: VERIFIED no error in any schedule$
 * expect with --explore=dfs -- same: VERIFIED no error in any schedule$
 * expect with --memory-model=sc -- same: VERIFIED no error in any schedule \(interleavings only
 * expect with -- copy: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- copy: VERIFIED no error in any schedule$
 * expect with -- many: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- many: VERIFIED no error in any schedule$
 * expect with -- twice: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- twice: VERIFIED no error in any schedule$
 * expect with --explore=dpor -- twice: VERIFIED no error in any schedule$
 * expect with --explore=dfs -- twice: VERIFIED no error in any schedule$
 * expect with -- between: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- between: VERIFIED no error in any schedule$
 * expect with --explore=dpor -- between: VERIFIED no error in any schedule$
 * expect with -- turns: VERIFIED no error in any schedule$
 * expect with --explore=optimal -- turns: VERIFIED no error in any schedule$
 * expect with --explore=dpor -- turns: VERIFIED no error in any schedule$
 * expect with -- edge: ERROR assertion: !seen_both
 * expect with --explore=optimal -- edge: ERROR assertion: !seen_both
 * expect with -- never: ERROR livelock: .* \(0 preemptions
 * expect with --explore=optimal -- never: ERROR livelock
 * expect with --explore=dpor -- never: ERROR livelock
 * expect with --explore=cb-por -- never: ERROR livelock
 * expect with -- counts: VERIFIED no error in any schedule$
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int x, y;
static int plain, words[40];
static const char *kind;

static int look(atomic_int *at) { return atomic_load_explicit(at, memory_order_relaxed); }

static void *set(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}

static void same(void)
{
    while (!look(&x)) plain = 7;
}

static void copy(void)
{
    while (!(plain = look(&x))) words[0] = 1;
}

static void many(void)
{
    while (!look(&x))
        for (int i = 0; i < 40; i++) words[i] = 3;
}

static void twice(void)
{
    while (!look(&x))
        if (look(&x) == 2) break;
}

static void between(void)
{
    for (;;) {
        if (look(&x)) break;
        if (look(&y)) break;
        if (look(&x) == 1) break;
    }
}

/* The first look of a round may miss what the second one sees. */
static void edge(void)
{
    int seen_both = 0;
    while (!look(&x))
        if (look(&x)) {
            seen_both = 1;
            break;
        }
    assert(!seen_both);
}

static void turns(void)
{
    for (int turn = 0; !look(&x); turn = (turn + 1) % 3) words[0] = turn;
}

static void never(void)
{
    while (look(&x) != 5) plain = 1;
}

/* Each round finds something else in memory than the one before: it is no waiting, and ends. */
static void counts(void)
{
    while (!look(&x) && plain < 3) plain++;
}

static void *wait(void *arg)
{
    static const struct { const char *name; void (*act)(void); } loops[] = {
        {"same", same}, {"copy", copy}, {"many", many}, {"twice", twice},
        {"between", between}, {"edge", edge}, {"turns", turns}, {"never", never}, {"counts", counts}};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++)
        if (!strcmp(loops[i].name, kind)) loops[i].act();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    kind = argc > 1 ? argv[1] : "same";
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, wait, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(plain <= 7);
    return 0;
}
